//! Arithmetic in the initialiser of a weight.

use tuner_core::tunable;

#[tunable]
const BONUS: i32 = 30 * 2;

#[tunable]
const ROWS: [i32; 2] = [1, 1 << 4];

#[tunable]
fn evaluate(count: i32) -> i32 {
    (BONUS + ROWS[0]) * count
}

fn main() {
    evaluate(2);
}
