//! Arguments where none may stand.

use tuner_core::tunable;

#[tunable(nonlinear)]
const BONUS: i32 = 30;

#[tuner_core::frozen(yes)]
const LIMIT: i32 = 4;

fn main() {
    let _ = (BONUS, LIMIT, tuner_core::registry!(all));
}
