//! The king: the pawns around it and the pieces that come for it.

use shakmaty::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Castles, CastlingSide, Color, File, Role, Square};
use tuner_core::tunable;

use super::attacks::{Attacks, ranks_ahead, sideways};
use super::role_index;
use crate::tuned_weights::{
    CASTLING, FLANK_ATTACK, FLANK_DEFENCE, KING_ATTACKER, KING_RING_ATTACK, PAWNLESS_FLANK,
    RING_TWICE, S, SAFE_CHECK, SHELTER, STORM, UNSAFE_CHECK, WEAK_RING,
};

/// What the square of the danger is divided by in the middlegame, the danger
/// itself in the endgame. They set the size of an attack unit, so the tuner
/// could not tell them from the units.
pub(super) const DANGER_SQUARED: i32 = 512;
pub(super) const DANGER: i32 = 16;

const ATTACKERS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// The shelter of a king less the danger it is in. One attacker is harmless
/// behind sound pawns; several together count by the square of what they add
/// up to.
#[tunable(nonlinear)]
pub(super) fn safety(board: &Board, attacks: &Attacks, us: Color) -> S {
    let shelter = shelter(board, attacks, us);
    let danger = (attack_units(board, attacks, us) - shelter.mg()).max(0);
    shelter - S::new(danger * danger / DANGER_SQUARED, danger / DANGER)
}

/// Own and enemy pawns ahead of the king, on its file and the files beside.
#[tunable]
pub(super) fn shelter(board: &Board, attacks: &Attacks, us: Color) -> S {
    let king = attacks.side[us].king;
    let ahead = ranks_ahead(king, us) | Bitboard::from_rank(king.rank());
    let ours = board.by_piece(us.pawn()) & ahead;
    let theirs = board.by_piece(us.other().pawn()) & ahead;

    let mut score = S::ZERO;
    for step in [-1, 0, 1] {
        if let Some(file) = king.file().offset(step) {
            let sideways = step.unsigned_abs() as usize;
            score += SHELTER[sideways][nearest(ours, file, king, us)];
            score += STORM[sideways][nearest(theirs, file, king, us)];
        }
    }
    score
}

/// The pieces that come for our king, in attack units: each that touches a
/// square next to it, each square touched, once or twice, each check from a square that is
/// not defended, or is; and what both sides attack on its flank.
#[tunable(nonlinear)]
pub(super) fn attack_units(board: &Board, attacks: &Attacks, us: Color) -> i32 {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    let occupied = board.occupied();
    let diagonal = bishop_attacks(ours.king, occupied);
    let straight = rook_attacks(ours.king, occupied);
    let free = !board.by_color(us.other());

    let mut units = 0;
    for role in ATTACKERS {
        let piece = role_index(role) - 1;
        for square in board.by_piece(role.of(us.other())) {
            let hits = attacks.from[square.to_usize()] & ours.by.king;
            if hits.any() {
                units += KING_ATTACKER[piece] + KING_RING_ATTACK[piece] * hits.count() as i32;
            }
        }
        let check_from = match role {
            Role::Knight => knight_attacks(ours.king),
            Role::Bishop => diagonal,
            Role::Rook => straight,
            _ => diagonal | straight,
        };
        let checks = check_from & free & theirs.by[role];
        units += SAFE_CHECK[piece] * (checks & !ours.all).count() as i32;
        units += UNSAFE_CHECK[piece] * (checks & ours.all).count() as i32;
    }
    let guarded = ours.by.pawn | ours.by.knight | ours.by.bishop | ours.by.rook | ours.by.queen;
    let weak = ours.by.king & theirs.all & !guarded;
    let twice = ours.by.king & theirs.twice & !ours.twice;
    let flank = flank(ours.king, us);
    units
        + WEAK_RING * weak.count() as i32
        + RING_TWICE * twice.count() as i32
        + FLANK_ATTACK * (flank & theirs.all).count() as i32
        + FLANK_DEFENCE * (flank & ours.all).count() as i32
}

/// The rights to castle.
#[tunable]
pub(super) fn castling(castles: &Castles, us: Color) -> S {
    let mut score = S::ZERO;
    for side in CastlingSide::ALL {
        if castles.has(us, side) {
            score += CASTLING[usize::from(side.is_queen_side())];
        }
    }
    score
}

/// A king whose flank has no pawns.
#[tunable]
pub(super) fn flank_pawns(board: &Board, attacks: &Attacks, us: Color) -> S {
    if (flank(attacks.side[us].king, us) & board.pawns()).is_empty() {
        PAWNLESS_FLANK
    } else {
        S::ZERO
    }
}

/// The squares of the five files around a king, or as many as there are, on the
/// five ranks of its side.
fn flank(king: Square, us: Color) -> Bitboard {
    let file = Bitboard::from_file(king.file());
    let three = file | sideways(file);
    let ranks = us.fold_wb(
        Bitboard(0x0000_00ff_ffff_ffff),
        Bitboard(0xffff_ffff_ff00_0000),
    );
    (three | sideways(three)) & ranks
}

/// The distance in ranks, 1 … 6, of the nearest of these pawns on a file; 0
/// where there is none. One on the king's own rank counts as 1.
fn nearest(pawns: Bitboard, file: File, king: Square, us: Color) -> usize {
    let pawns = pawns & Bitboard::from_file(file);
    let pawn = us.fold_wb(pawns.first(), pawns.last());
    pawn.map_or(0, |pawn| {
        (pawn.rank().distance(king.rank()) as usize).max(1)
    })
}
