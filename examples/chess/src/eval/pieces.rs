//! Mobility, minor pieces and pawns, rooks on files and on the seventh rank.

use shakmaty::{Bitboard, Board, Color, File, Rank, Square};
use tuner_core::tunable;

use super::attacks::{Attacks, front_span, one_step_behind, pawn_attacks, rank_mask};
use crate::tuned_weights::{
    BISHOP_MOBILITY, BISHOP_OUTPOST, KNIGHT_MOBILITY, KNIGHT_OUTPOST, MINOR_BEHIND_PAWN,
    QUEEN_MOBILITY, REACHABLE_OUTPOST, ROOK_HALF_OPEN_FILE, ROOK_MOBILITY, ROOK_ON_SEVENTH,
    ROOK_OPEN_FILE, S, TRAPPED_ROOK,
};

/// Counts the squares that each piece attacks and that are safe for it: not
/// attacked by a pawn, not taken by an own pawn or the own king.
#[tunable]
pub(super) fn mobility(board: &Board, attacks: &Attacks, us: Color) -> S {
    let in_the_way = board.by_color(us) & (board.pawns() | board.kings());
    let safe = !(in_the_way | attacks.side[us.other()].by.pawn);
    let count = |square: Square| (attacks.from[square.to_usize()] & safe).count();

    let mut score = S::ZERO;
    for square in board.by_piece(us.knight()) {
        score += KNIGHT_MOBILITY[count(square)];
    }
    for square in board.by_piece(us.bishop()) {
        score += BISHOP_MOBILITY[count(square)];
    }
    for square in board.by_piece(us.rook()) {
        score += ROOK_MOBILITY[count(square)];
    }
    for square in board.by_piece(us.queen()) {
        score += QUEEN_MOBILITY[count(square)];
    }
    score
}

/// Minor pieces right behind a pawn, those that a pawn defends and no enemy pawn can chase
/// away, on the fourth to sixth rank, and knights a move away from such a square.
#[tunable]
pub(super) fn minors(board: &Board, attacks: &Attacks, us: Color) -> S {
    let theirs = board.by_piece(us.other().pawn());
    let attackable = pawn_attacks(theirs | front_span(theirs, us.other()), us.other());
    let zone =
        rank_mask(Rank::Fourth, us) | rank_mask(Rank::Fifth, us) | rank_mask(Rank::Sixth, us);
    let outposts = zone & attacks.side[us].by.pawn & !attackable;

    let mut score = S::ZERO;
    for _ in board.by_piece(us.knight()) & outposts {
        score += KNIGHT_OUTPOST;
    }
    for _ in board.by_piece(us.bishop()) & outposts {
        score += BISHOP_OUTPOST;
    }
    let free = outposts & !board.by_color(us);
    for knight in board.by_piece(us.knight()) {
        if (attacks.from[knight.to_usize()] & free).any() {
            score += REACHABLE_OUTPOST;
        }
    }
    let minors = board.by_piece(us.knight()) | board.by_piece(us.bishop());
    let behind = minors & one_step_behind(board.pawns(), us);
    score + MINOR_BEHIND_PAWN * behind.count() as i32
}

/// Rooks on open and half-open files, on the seventh rank and shut in by their king.
#[tunable]
pub(super) fn rooks(board: &Board, attacks: &Attacks, us: Color) -> S {
    let rooks = board.by_piece(us.rook());
    let ours = board.by_piece(us.pawn());
    let theirs = board.by_piece(us.other().pawn());

    let mut score = S::ZERO;
    for rook in rooks {
        let file = Bitboard::from_file(rook.file());
        if (file & ours).is_empty() {
            score += if (file & theirs).is_empty() {
                ROOK_OPEN_FILE
            } else {
                ROOK_HALF_OPEN_FILE
            };
        }
        if is_shut_in(rook, board, attacks, us) {
            score += TRAPPED_ROOK;
        }
    }
    score + ROOK_ON_SEVENTH * (rooks & rank_mask(Rank::Seventh, us)).count() as i32
}

/// Whether a rook stands on the rank of its king, towards the nearer edge, with few squares to
/// go to.
fn is_shut_in(rook: Square, board: &Board, attacks: &Attacks, us: Color) -> bool {
    let king = attacks.side[us].king;
    let is_outside = if king.file() < File::E {
        rook.file() < king.file()
    } else {
        rook.file() > king.file()
    };
    let free = attacks.from[rook.to_usize()] & !board.by_color(us);
    is_outside && rook.rank() == king.rank() && free.count() <= 3
}
