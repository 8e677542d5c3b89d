//! A macro of the crate that names a weight, and repeats what it is given.

use tuner_core::tunable;

mod weights {
    #[tuner_core::tunable]
    pub const MATERIAL: [i32; 2] = [100, 300];
}

macro_rules! knights {
    ($($count:expr),*) => {
        $($crate::weights::MATERIAL[1] * $count +)* 0
    };
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    weights::MATERIAL[0] + knights!(1, 2) * count
}

fn main() {
    evaluate(2);
}
