//! Decisions by a score.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct S(i32, i32);

#[tunable]
const PAIR: S = S(12, 34);

#[tunable]
fn evaluate(count: i32) -> i32 {
    let score = ATTACK * count;
    if score > 100 {
        return 100;
    }
    let factor = if PAIR == S(0, 0) { 1 } else { 2 };
    let mut total = score;
    while total <= 50 {
        total += TABLE[0];
    }
    total * factor
}

fn main() {
    evaluate(2);
}
