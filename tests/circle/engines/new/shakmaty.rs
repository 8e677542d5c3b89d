//! Pieces on a board of shakmaty.

use shakmaty::{Chess, Color, Position};

pub const MATERIAL: [i32; 6] = [100, 300, 310, 500, 900, 0];
pub const TEMPO: i32 = 10;

/// For the side to move.
pub fn evaluate(pos: &Chess) -> i32 {
    let mut score = 0;
    for (_, piece) in pos.board() {
        let value = MATERIAL[piece.role as usize - 1];
        score += if piece.color == Color::White { value } else { -value };
    }
    if pos.turn() == Color::White { score + TEMPO } else { TEMPO - score }
}
