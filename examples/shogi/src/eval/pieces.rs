//! Mobility of the pieces that reach far.

use tuner_core::tunable;
use tuner_shogi::{Color, PieceType, Position, Square};

use super::attacks::Attacks;
use crate::tuned_weights::{
    BISHOP_MOBILITY, DRAGON_MOBILITY, HORSE_MOBILITY, LANCE_MOBILITY, ROOK_MOBILITY, S,
};

/// Counts the squares that each piece attacks and may go to without being
/// taken by a pawn.
#[tunable]
pub(super) fn mobility(pos: &Position, attacks: &Attacks, us: Color) -> S {
    let safe = !(pos.color(us) | attacks.side[us.other().index()].pawns);
    let count = |square: Square| (attacks.from[square.index()] & safe).count() as usize;

    let mut score = S::ZERO;
    for square in pos.pieces(us, PieceType::Lance) {
        score += LANCE_MOBILITY[count(square)];
    }
    for square in pos.pieces(us, PieceType::Bishop) {
        score += BISHOP_MOBILITY[count(square)];
    }
    for square in pos.pieces(us, PieceType::Rook) {
        score += ROOK_MOBILITY[count(square)];
    }
    for square in pos.pieces(us, PieceType::Horse) {
        score += HORSE_MOBILITY[count(square)];
    }
    for square in pos.pieces(us, PieceType::Dragon) {
        score += DRAGON_MOBILITY[count(square)];
    }
    score
}
