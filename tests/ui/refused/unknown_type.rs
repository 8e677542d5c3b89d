//! A score inside an unmarked struct or enum.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

struct Halves {
    mg: i32,
    eg: i32,
}

enum Bound {
    Exact(i32),
}

struct Value(i32);

#[tunable]
fn evaluate(count: i32) -> i32 {
    let halves = Halves {
        mg: ATTACK * count,
        eg: 0,
    };
    let Bound::Exact(bound) = Bound::Exact(TABLE[1]);
    let value = Value(ATTACK);
    halves.mg + halves.eg + bound + value.0
}

fn main() {
    evaluate(2);
}
