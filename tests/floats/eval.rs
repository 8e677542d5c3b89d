//! An evaluation in pawns.

use super::game::Position;
use super::tuned_weights::{MATERIAL, Pair, TEAM, TEMPO};

pub fn evaluate(pos: &Position) -> f64 {
    let [knights, rooks, _] = pos.counts;
    let mut score = TEMPO;
    for (worth, count) in MATERIAL.iter().zip(pos.counts) {
        score += *worth * f64::from(count);
    }
    let mut team = Pair::ZERO;
    if knights > 0 {
        team += TEAM[knights as usize];
    }
    if rooks > 1 {
        team -= TEAM[rooks as usize] * 0.5;
    }
    score + team.taper(pos.phase(), 18.0)
}

#[cfg(feature = "tune")]
tuner_core::traced!();
