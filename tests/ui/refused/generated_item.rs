//! An item that another macro writes.

use tuner_core::tunable;

macro_rules! bonus {
    ($name:ident) => {
        #[tunable]
        const $name: i32 = 30;
    };
}

bonus!(BONUS);

fn main() {
    let _ = BONUS;
}
