//! The king: who guards it, and who comes for it, from the board and from hand.

use tuner_core::tunable;
use tuner_shogi::{Color, PieceType, Position, Square, Squares, attacks as attacks_from};

use super::NEAR;
use super::attacks::{Attacks, GROUP, distance};
use crate::tuned_weights::{
    DROP_CHECK, ESCAPES, GUARD, HAND_ATTACKER, HORSE_GUARD, KING_ATTACKER, KING_RING_ATTACK, S,
    WEAK_RING,
};

/// What the square of the danger is divided by, in the opening and in the
/// endgame, where attacks are closer to mate. They set the size of an attack
/// unit, so the tuner could not tell them from the units.
pub(super) const DANGER_SQUARED: [i32; 2] = [1024, 512];

/// Squares from which a check counts, at most, for each kind in hand.
const CHECKS: u32 = 3;

/// The guards that the table knows, in its order.
const GUARDS: [PieceType; 5] = [
    PieceType::Pawn,
    PieceType::Lance,
    PieceType::Knight,
    PieceType::Silver,
    PieceType::Gold,
];

/// The shelter of a king less the danger it is in. One attacker is harmless
/// before sound guards; several together, and pieces in hand behind them,
/// count by the square of what they add up to.
#[tunable(nonlinear)]
pub(super) fn safety(pos: &Position, attacks: &Attacks, us: Color) -> S {
    let shelter = shelter(pos, us);
    let danger = (attack_units(pos, attacks, us) - shelter.mg()).max(0);
    let [opening, endgame] = DANGER_SQUARED;
    shelter - S::new(danger * danger / opening, danger * danger / endgame)
}

/// Own pieces around the king, each by its place relative to the king.
#[tunable]
pub(super) fn shelter(pos: &Position, us: Color) -> S {
    let king = pos.king(us);
    let mut score = S::ZERO;
    for (guard, kind) in GUARDS.into_iter().enumerate() {
        for square in pos.pieces(us, kind) {
            if distance(square, king) <= 2
                && let Some(place) = place(square, king, us)
            {
                score += GUARD[guard][place];
            }
        }
    }
    for square in pos.pieces(us, PieceType::Horse) {
        let distance = distance(square, king);
        if distance <= NEAR {
            score += HORSE_GUARD[distance - 1];
        }
    }
    score
}

/// The place of a guard relative to its king, 0 to 19: four ranks from two ahead to
/// one behind, on each five files from two towards the nearer edge to two
/// towards the centre. `None` if it is farther behind.
pub(super) fn place(guard: Square, king: Square, us: Color) -> Option<usize> {
    let (guard, king) = (guard.relative(us), king.relative(us));
    let behind = usize::from(guard.rank() + 2).checked_sub(usize::from(king.rank()))?;
    let from_right = i32::from(guard.file()) - i32::from(king.file());
    let inwards = match king.file() {
        ..5 => from_right,
        // In the middle both ways lead outwards, and count as inwards.
        5 => from_right.abs(),
        _ => -from_right,
    };
    (behind < 4).then(|| 5 * behind + (inwards + 2) as usize)
}

/// What comes for our king, in attack units: each piece that reaches a square
/// next to it, each square reached; squares next to it that no other piece
/// guards; flight squares that are missing; pieces in hand, and where they
/// could be dropped with check.
#[tunable(nonlinear)]
pub(super) fn attack_units(pos: &Position, attacks: &Attacks, us: Color) -> i32 {
    let them = us.other();
    let ours = &attacks.side[us.index()];
    let theirs = &attacks.side[them.index()];
    let reached = theirs.all();
    let escapes = ours.ring - pos.color(us) - reached;
    let weak = (ours.ring & reached) - ours.pieces;

    let mut units = ESCAPES[escapes.count() as usize] + WEAK_RING * weak.count() as i32;
    for kind in PieceType::ALL {
        if kind == PieceType::King {
            continue;
        }
        let group = GROUP[kind.index()];
        for square in pos.pieces(them, kind) {
            let hits = attacks.from[square.index()] & ours.ring;
            if !hits.is_empty() {
                units += KING_ATTACKER[group] + KING_RING_ATTACK[group] * hits.count() as i32;
            }
        }
    }
    // Dropped next to the king a piece has to be protected.
    let safe = !(pos.occupied() | ours.pieces) - (ours.ring - reached);
    for (kind, _) in pos.hand(them).pieces() {
        let checks = checks_from(pos, kind, us) & safe;
        units += HAND_ATTACKER[kind.index()]
            + DROP_CHECK[kind.index()] * checks.count().min(CHECKS) as i32;
    }
    units
}

/// The squares from which an enemy piece would attack our king.
fn checks_from(pos: &Position, kind: PieceType, us: Color) -> Squares {
    attacks_from(kind, us, pos.king(us), pos.occupied())
}
