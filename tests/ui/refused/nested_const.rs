//! A const inside a function.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    const BONUS: i32 = 8;
    const MAX: i32 = 24;
    ATTACK * count / MAX + BONUS * count
}

fn main() {
    evaluate(2);
}
