//! Pieces on a board of cozy-chess.

use cozy_chess::{Board, Piece};

pub const MATERIAL: [i16; 6] = [100, 300, 310, 500, 900, 0];

/// For the side to move.
pub fn evaluate(board: &Board) -> i16 {
    let mut score = 0;
    for piece in Piece::ALL {
        let count = |color| board.colored_pieces(color, piece).len() as i16;
        let us = board.side_to_move();
        score += MATERIAL[piece as usize] * (count(us) - count(!us));
    }
    score
}
