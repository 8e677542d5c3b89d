//! Division by a weight.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    let mut score = 100 / ATTACK;
    score /= TABLE[1];
    score * count
}

fn main() {
    evaluate(2);
}
