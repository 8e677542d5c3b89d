//! Weight times weight.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    let danger = ATTACK * count;
    danger * danger / 100 + ATTACK * TABLE[1]
}

fn main() {
    evaluate(2);
}
