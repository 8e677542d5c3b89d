//! Operators that are written as methods.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    let score = ATTACK.wrapping_add(TABLE[1]) * count;
    let scaled = (score as f64).mul_add(2.0, 1.0);
    scaled as i32 + score.checked_mul(2).unwrap_or(0)
}

fn main() {
    evaluate(2);
}
