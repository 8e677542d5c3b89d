//! A weight in a `static mut` that is written to.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
static mut BONUS: i32 = 30;

#[tunable]
fn evaluate(count: i32) -> i32 {
    unsafe { BONUS += 1 };
    ATTACK * count
}

fn main() {
    evaluate(2);
}
