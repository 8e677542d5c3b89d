//! A static that the macro cannot see into.

use std::sync::LazyLock;

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
static LATER: LazyLock<[i32; 2]> = later(ATTACK);

const fn later(_: i32) -> LazyLock<[i32; 2]> {
    LazyLock::new(|| [1, 2])
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    (ATTACK + LATER[1]) * count
}

fn main() {
    evaluate(2);
}
