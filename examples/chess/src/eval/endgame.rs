//! Endgames in which an advantage is worth less than its sum says.

use shakmaty::{Bitboard, Board, Color, Role};
use tuner_core::tunable;

use crate::tuned_weights::{ONLY_OPPOSITE_BISHOPS, OPPOSITE_BISHOPS, PAWN_ENDING, PAWNLESS};

/// The scale of an ordinary endgame: all of the advantage counts.
const FULL: i32 = 64;

/// The endgame score, from the side of `us`, as far as it can be converted.
#[tunable(nonlinear)]
pub(super) fn scaled(score: i32, board: &Board, us: Color) -> i32 {
    if opposite_bishops(board) {
        let pieces = board.knights() | board.rooks_and_queens();
        let scale = if pieces.any() {
            OPPOSITE_BISHOPS
        } else {
            ONLY_OPPOSITE_BISHOPS
        };
        return score * scale / FULL;
    }
    let pawns = board.pawns();
    if (pawns & board.white()).any() && (pawns & board.black()).any() {
        if (pawns | board.kings()) == board.occupied() {
            return score * PAWN_ENDING / FULL;
        }
        return score;
    }
    // Whoever has no pawn left wins with pieces alone, or not at all.
    let stronger = if score > 0 { us } else { us.other() };
    if board.by_piece(Role::Pawn.of(stronger)).any() {
        return score;
    }
    score * PAWNLESS / FULL
}

/// Whether each side has one bishop, and the two never meet.
fn opposite_bishops(board: &Board) -> bool {
    let bishops = board.bishops();
    bishops.count() == 2
        && (bishops & board.white()).count() == 1
        && (bishops & Bitboard::DARK_SQUARES).count() == 1
}
