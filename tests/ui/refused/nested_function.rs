//! A function inside a function.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    fn value(index: usize) -> i32 {
        TABLE[index]
    }
    value(1) * count
}

fn main() {
    evaluate(2);
}
