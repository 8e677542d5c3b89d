//! A function that keeps what the evaluation computes, which the evaluation never calls.

#[path = "support/plain.rs"]
mod plain;

#[derive(Clone, Copy)]
pub struct S(i32, i32);

const TEMPO: i32 = 10;

pub fn evaluate(count: i32) -> i32 {
    TEMPO * count
}

pub fn cached(slot: &mut plain::Slot, count: i32) -> i32 {
    let score = evaluate(count);
    slot.score = score;
    score
}

#[cfg(feature = "tune")]
tuner_core::traced!();

fn main() {
    cached(&mut plain::Slot { score: 0 }, 1);
}
