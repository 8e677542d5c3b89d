//! A frozen score where a score must be linear.

use tuner_core::{freeze, tunable};

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    TABLE[freeze!(TABLE[1] * count) as usize] + freeze!(count)
}

fn main() {
    evaluate(0);
}
