//! Pawn structure and passed pawns.
//!
//! Tables by rank start at the second rank.

use shakmaty::{Bitboard, Board, Color, Square};
use tuner_core::tunable;

use super::attacks::{Attacks, beside, in_front, pawn_attacks, ranks_ahead, relative_rank};
use crate::tuned_weights::{
    BACKWARD_PAWN, BLOCKED_PASSED_PAWN, DOUBLED_PAWN, ISOLATED_PAWN, PASSED_ENEMY_KING,
    PASSED_OWN_KING, PASSED_PAWN, PHALANX_PAWN, S, SUPPORTED_PAWN,
};

/// Doubled, isolated, backward, supported pawns and pawns side by side.
#[tunable]
pub(super) fn structure(board: &Board, us: Color) -> S {
    let ours = board.by_piece(us.pawn());
    let defended = pawn_attacks(ours, us);
    let controlled = pawn_attacks(board.by_piece(us.other().pawn()), us.other());

    let mut score = S::ZERO;
    for pawn in ours {
        let rank = relative_rank(pawn, us) - 1;
        let neighbours = ours & beside(pawn.file());
        if is_doubled(pawn, ours, us) {
            score += DOUBLED_PAWN[rank];
        }
        if defended.contains(pawn) {
            score += SUPPORTED_PAWN[rank];
        }
        if (neighbours & Bitboard::from_rank(pawn.rank())).any() {
            score += PHALANX_PAWN[rank];
        }
        if neighbours.is_empty() {
            score += ISOLATED_PAWN[rank];
        } else if neighbours.is_subset(ranks_ahead(pawn, us))
            && controlled.contains(in_front(pawn, us))
        {
            score += BACKWARD_PAWN[rank];
        }
    }
    score
}

/// Passed pawns: how far, blocked or not, and which king is nearer.
#[tunable]
pub(super) fn passed(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = board.by_piece(us.pawn());
    let theirs = board.by_piece(us.other().pawn());
    let king = attacks.side[us].king;
    let enemy_king = attacks.side[us.other()].king;

    let mut score = S::ZERO;
    for pawn in ours {
        if !is_passed(pawn, theirs, us) || is_doubled(pawn, ours, us) {
            continue;
        }
        let rank = relative_rank(pawn, us) - 1;
        let stop = in_front(pawn, us);
        score += PASSED_PAWN[rank];
        if board.by_color(us.other()).contains(stop) {
            score += BLOCKED_PASSED_PAWN[rank];
        }
        score += PASSED_OWN_KING[king.distance(stop) as usize];
        score += PASSED_ENEMY_KING[enemy_king.distance(stop) as usize];
    }
    score
}

/// Whether another own pawn stands in front on the same file.
fn is_doubled(pawn: Square, ours: Bitboard, us: Color) -> bool {
    (ours & Bitboard::from_file(pawn.file()) & ranks_ahead(pawn, us)).any()
}

/// Whether no enemy pawn can block or capture the pawn on its way.
fn is_passed(pawn: Square, theirs: Bitboard, us: Color) -> bool {
    let files = Bitboard::from_file(pawn.file()) | beside(pawn.file());
    (theirs & files & ranks_ahead(pawn, us)).is_empty()
}
