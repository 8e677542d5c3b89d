//! Pawn structure and passed pawns.
//!
//! Tables by rank start at the second rank.

use shakmaty::{Bitboard, Board, Color, Rank, Square};
use tuner_core::tunable;

use super::attacks::{
    Attacks, front_span, in_front, one_step_behind, pawn_attacks, rank_mask, relative_rank,
    sideways,
};
use crate::tuned_weights::{
    BACKWARD_PAWN, BLOCKED_PASSED_PAWN, CANDIDATE_PAWN, DEFENDED_PASSED_PAWN, DOUBLED_PAWN,
    ENEMY_ROOK_BEHIND, FREE_PASSED_PAWN, ISOLATED_PAWN, PASSED_ENEMY_KING, PASSED_OWN_KING,
    PASSED_PAWN, PHALANX_PAWN, S, SUPPORTED_PAWN, UNSTOPPABLE_PAWN,
};

/// Doubled, isolated, backward, supported pawns, pawns side by side and candidates.
#[tunable]
pub(super) fn structure(board: &Board, us: Color) -> S {
    let ours = board.by_piece(us.pawn());
    let theirs = board.by_piece(us.other().pawn());
    let controlled = pawn_attacks(theirs, us.other());
    let level = sideways(ours);
    // Where an own pawn on a neighbouring file is level or behind, or ahead.
    let helped = level | front_span(level, us);
    let neighbour_ahead = front_span(level, us.other());

    let mut score = S::ZERO;
    for pawn in ours & front_span(ours, us.other()) {
        score += DOUBLED_PAWN[rank(pawn, us)];
    }
    for pawn in ours & pawn_attacks(ours, us) {
        score += SUPPORTED_PAWN[rank(pawn, us)];
    }
    for pawn in ours & level {
        score += PHALANX_PAWN[rank(pawn, us)];
    }
    for pawn in ours & !helped & !neighbour_ahead {
        score += ISOLATED_PAWN[rank(pawn, us)];
    }
    for pawn in ours & !helped & neighbour_ahead & one_step_behind(controlled, us) {
        score += BACKWARD_PAWN[rank(pawn, us)];
    }
    // Free of pawns on its file, not of those beside it.
    let held_up = front_span(theirs | ours, us.other());
    let beside = front_span(sideways(theirs), us.other());
    for pawn in ours & helped & !held_up & beside {
        score += CANDIDATE_PAWN[rank(pawn, us)];
    }
    score
}

/// Passed pawns: how far, blocked, free or helped, a rook behind them, and which king is
/// nearer.
#[tunable]
pub(super) fn passed(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = board.by_piece(us.pawn());
    let theirs = board.by_piece(us.other().pawn());
    let king = attacks.side[us].king;
    let enemy_king = attacks.side[us.other()].king;
    // Behind an enemy pawn or beside its way, or behind one of our own.
    let held_up = front_span(theirs | sideways(theirs) | ours, us.other());

    let mut score = S::ZERO;
    for pawn in ours & !held_up {
        let stop = in_front(pawn, us);
        score += PASSED_PAWN[rank(pawn, us)];
        if board.by_color(us.other()).contains(stop) {
            score += BLOCKED_PASSED_PAWN[rank(pawn, us)];
        }
        let way = front_span(Bitboard::from(pawn), us);
        if (way & (board.occupied() | attacks.side[us.other()].all)).is_empty() {
            score += FREE_PASSED_PAWN[rank(pawn, us)];
        }
        if attacks.side[us].all.contains(stop) {
            score += DEFENDED_PASSED_PAWN[rank(pawn, us)];
        }
        if is_unstoppable(board, pawn, us) {
            score += UNSTOPPABLE_PAWN;
        }
        let behind = front_span(Bitboard::from(pawn), us.other());
        score += ENEMY_ROOK_BEHIND * (behind & board.by_piece(us.other().rook())).count() as i32;
        score += PASSED_OWN_KING[king.distance(stop) as usize];
        score += PASSED_ENEMY_KING[enemy_king.distance(stop) as usize];
    }
    score
}

/// Whether a passed pawn meets nothing on its way, and the enemy has a king alone, which is
/// too far from where it promotes, whoever is to move.
fn is_unstoppable(board: &Board, pawn: Square, us: Color) -> bool {
    let theirs = board.by_color(us.other());
    let way = front_span(Bitboard::from(pawn), us);
    let alone = (theirs & !board.pawns()) == board.by_piece(us.other().king());
    let last = way & rank_mask(Rank::Eighth, us);
    let king = board.king_of(us.other());
    alone
        && (way & board.occupied()).is_empty()
        && last.first().zip(king).is_some_and(|(last, king)| {
            // A step at a time, on the second rank as well.
            king.distance(last) > 1 + pawn.distance(last)
        })
}

/// The index of a pawn's rank: second 0 … seventh 5.
fn rank(pawn: Square, us: Color) -> usize {
    relative_rank(pawn, us) - 1
}
