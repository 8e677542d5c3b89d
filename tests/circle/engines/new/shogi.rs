//! Pieces of shogi, on the board and in hand.

use tuner_shogi::{Color, PieceType, Position};

pub const MATERIAL: [i32; 14] = [
    100, 300, 350, 500, 550, 800, 1000, 0, 500, 450, 480, 500, 1100, 1300,
];
pub const IN_HAND: [i32; 14] = [110, 320, 370, 520, 580, 850, 1050, 0, 0, 0, 0, 0, 0, 0];

/// For the side to move.
pub fn evaluate(position: &Position) -> i32 {
    let us = position.turn();
    let sign = |color: Color| if color == us { 1 } else { -1 };
    let mut score = 0;
    for (_, piece) in position.on_board() {
        score += MATERIAL[piece.kind.index()] * sign(piece.color);
    }
    for color in [Color::Sente, Color::Gote] {
        for (kind, count) in position.hand(color).pieces() {
            score += IN_HAND[PieceType::index(kind)] * i32::from(count) * sign(color);
        }
    }
    score
}
