//! Arguments where none may be.

use tuner_core::tunable;

#[tunable(nonlinear)]
const BONUS: i32 = 30;

#[tunable(linear)]
fn bonus() -> i32 {
    BONUS
}

#[tuner_core::frozen(yes)]
const LIMIT: i32 = 4;

fn main() {
    let _ = (bonus(), LIMIT, tuner_core::registry!(all));
}
