//! A weight that only some builds have.

use tuner_core::tunable;

#[tunable]
#[cfg(not(test))]
const BONUS: i32 = 30;

#[tunable]
fn evaluate(count: i32) -> i32 {
    BONUS * count
}

fn main() {
    evaluate(2);
}
