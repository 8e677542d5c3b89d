//! Weights inside an unmarked struct.

use tuner_core::tunable;

#[derive(Clone, Copy)]
struct Pair(i32, i32);

impl Pair {
    const fn new(mg: i32, eg: i32) -> Self {
        Self(mg, eg)
    }
}

#[tunable]
const ROOK: (i32, i32) = unpack(Pair::new(500, 520));

#[tunable]
const QUEEN: (i32, i32) = unpack(Pair(900, 950));

const fn unpack(pair: Pair) -> (i32, i32) {
    (pair.0, pair.1)
}

fn main() {
    let _ = (ROOK, QUEEN);
}
