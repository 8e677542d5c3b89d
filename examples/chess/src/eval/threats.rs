//! Threats: attacks on pieces worth more, and on what is not defended; pins.

use shakmaty::attacks::{between, bishop_attacks, rook_attacks};
use shakmaty::{Bitboard, Board, Color, Role};
use tuner_core::tunable;

use super::attacks::{Attacks, one_step_behind, pawn_attacks};
use super::role_index;
use crate::tuned_weights::{
    CONTESTED, HANGING, PINNED, PUSH_THREAT, S, THREAT_BY_KING, THREAT_BY_MINOR, THREAT_BY_PAWN,
    THREAT_BY_ROOK,
};

/// What one side attacks of the other.
#[tunable]
pub(super) fn threats(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    let minors = ours.by.knight | ours.by.bishop;

    let mut score = S::ZERO;
    for role in [
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
    ] {
        let victims = board.by_piece(role.of(us.other()));
        let loose = victims & !theirs.by.pawn;
        let role = role_index(role);
        // A pawn is a target where no pawn defends it, a piece everywhere.
        let targets = if role == 0 { loose } else { victims };
        for _ in minors & targets {
            score += THREAT_BY_MINOR[role];
        }
        for _ in ours.by.rook & loose {
            score += THREAT_BY_ROOK[role];
        }
        for _ in ours.by.king & loose {
            score += THREAT_BY_KING[role];
        }
        for _ in ours.all & victims & !theirs.all {
            score += HANGING[role];
        }
        if role > 0 {
            for _ in ours.by.pawn & victims {
                score += THREAT_BY_PAWN[role - 1];
            }
        }
    }
    let contested = ours.by.pawn & theirs.all;
    score + pushes(board, attacks, us) + CONTESTED * contested.count() as i32
}

/// Pieces that a pawn attacks after a step to a square where it is safe.
#[tunable]
fn pushes(board: &Board, attacks: &Attacks, us: Color) -> S {
    let ours = &attacks.side[us];
    let theirs = &attacks.side[us.other()];
    // Two steps at once are left out.
    let steps = one_step_behind(board.by_piece(us.pawn()), us.other()) & !board.occupied();
    let safe = steps & !theirs.by.pawn & (ours.all | !theirs.all);
    let pieces = board.by_color(us.other()) & !board.pawns() & !board.kings();
    PUSH_THREAT * (pawn_attacks(safe, us) & pieces).count() as i32
}

/// What one side pins to the other's king.
#[tunable]
pub(super) fn pins(board: &Board, attacks: &Attacks, us: Color) -> S {
    let king = attacks.side[us.other()].king;
    let straight = rook_attacks(king, Bitboard::EMPTY) & board.rooks_and_queens();
    let diagonal = bishop_attacks(king, Bitboard::EMPTY) & board.bishops_and_queens();

    let mut score = S::ZERO;
    for piece in (straight | diagonal) & board.by_color(us) {
        let between = between(king, piece) & board.occupied();
        // The only piece between, if it is theirs.
        let pinned = between & board.by_color(us.other());
        if let (Some(_), Some(square)) = (between.single_square(), pinned.first())
            && let Some(role) = board.role_at(square)
        {
            score += PINNED[role_index(role)];
        }
    }
    score
}
