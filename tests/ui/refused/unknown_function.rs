//! A score that goes into an unmarked function.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

fn smooth(score: i32) -> i32 {
    score / 2
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    smooth(ATTACK * count)
}

fn main() {
    evaluate(2);
}
