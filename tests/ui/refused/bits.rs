//! Bit operations on scores.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    let packed = ATTACK & 0xff;
    let mut other = TABLE[1];
    other |= 1;
    packed + !other + (count << ATTACK)
}

fn main() {
    evaluate(2);
}
