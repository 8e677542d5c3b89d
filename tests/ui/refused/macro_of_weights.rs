//! A macro of the crate that names a weight.

use tuner_core::tunable;

mod weights {
    #[tuner_core::tunable]
    pub const MATERIAL: [i32; 2] = [100, 300];
}

macro_rules! knight {
    () => {
        $crate::weights::MATERIAL[1]
    };
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    weights::MATERIAL[0] * knight!() * count
}

fn main() {
    evaluate(2);
}
