//! The king: the pawns around it and the pieces that come for it.

use shakmaty::attacks::{bishop_attacks, knight_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, File, Role, Square};
use tuner_core::tunable;

use super::attacks::{Attacks, ranks_ahead};
use super::role_index;
use crate::tuned_weights::{KING_ATTACKERS, KING_RING_ATTACK, S, SAFE_CHECK, SHELTER, STORM};

const ATTACKERS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

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

/// Attacks of our pieces on the squares next to the enemy king, and checks
/// from squares that are not defended.
#[tunable]
pub(super) fn attack(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    let ring = attacks.king_ring(us.other());
    let occupied = board.occupied();
    let diagonal = bishop_attacks(theirs.king, occupied);
    let straight = rook_attacks(theirs.king, occupied);
    let safe = !theirs.all & !board.by_color(us);

    let mut score = S::ZERO;
    let mut attackers = 0;
    for role in ATTACKERS {
        let piece = role_index(role) - 1;
        for square in board.by_piece(role.of(us)) {
            let hits = attacks.from[square.to_usize()] & ring;
            if hits.any() {
                score += KING_RING_ATTACK[piece] * hits.count() as i32;
                attackers += 1;
            }
        }
        let check_from = match role {
            Role::Knight => knight_attacks(theirs.king),
            Role::Bishop => diagonal,
            Role::Rook => straight,
            _ => diagonal | straight,
        };
        for _ in check_from & safe & ours.by[role] {
            score += SAFE_CHECK[piece];
        }
    }
    score + KING_ATTACKERS[attackers.min(7)]
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
