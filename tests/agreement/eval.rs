//! The toy's evaluation, honest and otherwise.

use super::elsewhere::{UNDECLARED, WHOLE, probe};
use super::toy::Position;
use super::weights::{KNIGHT, PASSER, ROOKS, S};

fn terms(pos: &Position) -> S {
    KNIGHT * pos.knights as i32 + ROOKS[pos.rooks] + PASSER * pos.passers as i32
}

pub fn honest(pos: &Position) -> i32 {
    terms(pos).taper(pos.phase())
}

pub fn with_table(pos: &Position) -> i32 {
    terms(pos).taper(pos.phase()) + UNDECLARED[pos.passers]
}

pub fn with_cache(pos: &Position) -> i32 {
    if let Some(cached) = probe(pos.knights) {
        return cached;
    }
    honest(pos)
}

pub fn with_wrong_sign(pos: &Position) -> i32 {
    let score = KNIGHT * pos.knights as i32 + ROOKS[pos.rooks] - PASSER * pos.passers as i32;
    score.taper(pos.phase())
}

pub fn with_literal(pos: &Position) -> i32 {
    let mut score = honest(pos);
    if pos.rooks == 2 {
        score += 30;
    }
    score
}

pub fn with_literals(pos: &Position) -> i32 {
    let mut score = honest(pos);
    for _ in 0..pos.rooks {
        score += 500;
    }
    score
}

pub fn with_count(pos: &Position) -> i32 {
    honest(pos) + 500 * pos.rooks as i32
}

pub fn with_one(pos: &Position) -> i32 {
    let score = honest(pos) + 1;
    if pos.passers == 1 { -score } else { score }
}

const NORMAL: i32 = 64;

pub fn with_factor(pos: &Position) -> i32 {
    let mut scale = WHOLE;
    scale -= PASSER.0;
    honest(pos) * scale / 64
}

pub fn with_frozen_factor(pos: &Position) -> i32 {
    let mut scale = NORMAL;
    scale -= PASSER.0;
    honest(pos) * scale / 64
}

pub fn narrow(pos: &Position) -> i32 {
    i32::from(honest(pos) as i8)
}

#[cfg(feature = "tune")]
tuner_core::traced!(nonlinear, frozen(NORMAL));
