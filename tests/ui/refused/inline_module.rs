//! An inline module: each mistake at its expression.

use tuner_core::tunable;

#[tunable]
mod eval {
    const ATTACK: i32 = 30;

    pub fn evaluate(count: i32) -> i32 {
        (ATTACK * count).max(0)
    }
}

use eval::evaluate;

fn main() {
    evaluate(2);
}
