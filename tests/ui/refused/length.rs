//! A table whose length has a name.

use tuner_core::tunable;

const SQUARES: usize = 64;

#[tunable]
const PST: [i32; SQUARES] = [7; SQUARES];

#[tunable]
fn evaluate(count: i32) -> i32 {
    PST[0] * count
}

fn main() {
    evaluate(2);
}
