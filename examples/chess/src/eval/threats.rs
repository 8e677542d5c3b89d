//! Threats: attacks on pieces worth more, and on what is not defended.

use shakmaty::{Board, Color, Role};
use tuner_core::tunable;

use super::attacks::Attacks;
use super::role_index;
use crate::tuned_weights::{HANGING, S, THREAT_BY_MINOR, THREAT_BY_PAWN, THREAT_BY_ROOK};

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
        for _ in ours.all & victims & !theirs.all {
            score += HANGING[role];
        }
        if role > 0 {
            for _ in ours.by.pawn & victims {
                score += THREAT_BY_PAWN[role - 1];
            }
        }
    }
    score
}
