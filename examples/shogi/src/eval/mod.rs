//! The evaluation: what a position is worth, in centipawns.
//!
//! Every term is counted for one side by a function that returns a tapered
//! score, and the opponent's count is subtracted. [`evaluate`] is the entry;
//! each file holds the terms of its name. All numbers come from
//! [`crate::tuned_weights`]. The score is linear in most of them; where it is
//! not (king danger, the limits of the phase) the function says so.
//!
//! Pieces never leave a game of shogi, so material cannot tell the phase: the
//! opening ends as pieces come into hand and into the enemy's camp.

mod attacks;
mod castle;
mod hand;
mod king;
mod pieces;
mod threats;

use tuner_core::tunable;
use tuner_shogi::{Color, PieceType, Position, Square, Squares};

use crate::tuned_weights::{ENDGAME_LIMIT, MATERIAL, NEAR_KING, OPENING_LIMIT, PST, S, TEMPO};
use attacks::{Attacks, GROUP, VIEW, distance};

/// How far a piece still counts as near the enemy's king, in king's moves.
pub(crate) const NEAR: usize = 4;

/// What a piece in hand adds to the phase, pawn to rook. Chosen by hand; the
/// limits are weights.
const IN_HAND: [i32; 7] = [10, 20, 20, 30, 30, 40, 40];

/// What a piece in the enemy's camp, or promoted, adds to the phase.
const INVADER: i32 = 20;

/// Scores a position from the side to move, in centipawns.
///
/// It does not know mate, repetitions or declarations: the search does.
///
/// *Cost*: no allocation; attack sets are computed once.
#[tunable(nonlinear)]
pub fn evaluate(pos: &Position) -> i32 {
    let attacks = Attacks::new(pos);
    let us = pos.turn();
    let score = one_side(pos, &attacks, us) - one_side(pos, &attacks, us.other()) + TEMPO;
    let (fight, full) = (fight(pos), ENDGAME_LIMIT - OPENING_LIMIT);
    (score.mg() * (full - fight) + score.eg() * fight) / full
}

/// All terms that speak for one side.
#[tunable]
fn one_side(pos: &Position, attacks: &Attacks, us: Color) -> S {
    placement(pos, us)
        + hand::hand(pos, us)
        + pieces::mobility(pos, attacks, us)
        + castle::named(pos, us)
        + threats::threats(pos, attacks, us)
        + king::safety(pos, attacks, us)
}

/// Material, piece-square tables, and pieces near the enemy's king.
#[tunable]
fn placement(pos: &Position, us: Color) -> S {
    let enemy_king = pos.king(us.other());
    let mut score = S::ZERO;
    for kind in PieceType::ALL {
        for square in pos.pieces(us, kind) {
            score += MATERIAL[kind.index()] + PST[kind.index()][view(square, us)];
            let distance = distance(square, enemy_king);
            if kind != PieceType::King && distance <= NEAR {
                score += NEAR_KING[GROUP[kind.index()]][distance - 1];
            }
        }
    }
    score
}

/// How far the fight has gone: 0 in the opening, all of the way between the
/// limits once enough pieces are in hand or have broken into a camp.
#[tunable(nonlinear)]
fn fight(pos: &Position) -> i32 {
    invasion(pos).clamp(OPENING_LIMIT, ENDGAME_LIMIT) - OPENING_LIMIT
}

/// Pieces in hand, and pieces on the board that promoted or could.
fn invasion(pos: &Position) -> i32 {
    let mut sum = 0;
    for side in Color::ALL {
        let in_hand = pos.hand(side).pieces();
        sum += in_hand
            .map(|(kind, count)| IN_HAND[kind.index()] * i32::from(count))
            .sum::<i32>();
        let invaders = pos.color(side) & (Squares::promotion_zone(side) | promoted(pos));
        sum += INVADER * invaders.count() as i32;
    }
    sum
}

/// The promoted pieces of both sides.
fn promoted(pos: &Position) -> Squares {
    let kinds = PieceType::ALL.into_iter().filter(|kind| kind.is_promoted());
    kinds.fold(Squares::EMPTY, |set, kind| set | pos.kind(kind))
}

/// The square as its owner sees it, a row after the other from the farthest
/// rank, as diagrams are printed.
fn view(square: Square, us: Color) -> usize {
    usize::from(VIEW[us.index()][square.index()])
}

#[cfg(test)]
mod tests;
