//! Arithmetic in the initialiser of a weight.

use tuner_core::tunable;

const UNIT: i32 = 30;

#[tunable]
const BONUS: i32 = UNIT * 2;

#[tunable]
const ROWS: [i32; 2] = [1, UNIT << 4];

#[tunable]
fn evaluate(count: i32) -> i32 {
    (BONUS + ROWS[0]) * count
}

fn main() {
    evaluate(2);
}
