//! Threats: undefended pieces under attack, attacks by pawns, pins.

use tuner_core::tunable;
use tuner_shogi::{Color, PieceType, Position, Squares};

use super::attacks::{Attacks, GROUP};
use crate::tuned_weights::{HANGING, PINNED, S, THREAT_BY_PAWN};

/// What one side threatens of the other's.
#[tunable]
pub(super) fn threats(pos: &Position, attacks: &Attacks, us: Color) -> S {
    let them = us.other();
    let ours = &attacks.side[us.index()];
    let theirs = &attacks.side[them.index()];
    let pieces = pos.color(them) - Squares::of(pos.king(them));
    let hanging = (ours.all() & pieces) - theirs.all();
    let pinned = pos.pinned_of(them);

    let mut score = S::ZERO;
    for kind in PieceType::ALL {
        for _ in hanging & pos.kind(kind) {
            score += HANGING[kind.index()];
        }
        for _ in ours.pawns & pieces & pos.kind(kind) {
            score += THREAT_BY_PAWN[GROUP[kind.index()]];
        }
        for _ in pinned & pos.kind(kind) {
            score += PINNED[GROUP[kind.index()]];
        }
    }
    score
}
