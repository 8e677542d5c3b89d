//! Pieces in hand: by their count, for the second of a kind is seldom worth as
//! much as the first.

use tuner_core::tunable;
use tuner_shogi::{Color, PieceType, Position, Square, Squares};

use crate::tuned_weights::{
    BISHOPS_IN_HAND, GOLDS_IN_HAND, KNIGHTS_IN_HAND, LANCES_IN_HAND, PAWN_DROP_FILES,
    PAWNS_IN_HAND, ROOKS_IN_HAND, S, SILVERS_IN_HAND,
};

/// What a side has in hand, and the files on which it may drop pawns.
#[tunable]
pub(super) fn hand(pos: &Position, us: Color) -> S {
    let count = |kind| usize::from(pos.hand(us).count(kind));
    let pawns = count(PieceType::Pawn);
    let mut score = PAWNS_IN_HAND[pawns]
        + LANCES_IN_HAND[count(PieceType::Lance)]
        + KNIGHTS_IN_HAND[count(PieceType::Knight)]
        + SILVERS_IN_HAND[count(PieceType::Silver)]
        + GOLDS_IN_HAND[count(PieceType::Gold)]
        + BISHOPS_IN_HAND[count(PieceType::Bishop)]
        + ROOKS_IN_HAND[count(PieceType::Rook)];
    if pawns > 0 {
        score += PAWN_DROP_FILES[free_files(pos, us)];
    }
    score
}

/// The files without a pawn of one's own: a second one may not be dropped.
fn free_files(pos: &Position, us: Color) -> usize {
    let pawns = pos.pieces(us, PieceType::Pawn);
    let mut taken = Squares::EMPTY;
    for pawn in pawns {
        taken |= Squares::file_of(pawn);
    }
    (Square::COUNT - taken.count() as usize) / 9
}
