//! A score cast to what indexes are made of.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    let danger = ATTACK * count;
    let index = usize::try_from(danger).unwrap_or(0);
    TABLE[danger as usize] + TABLE[index]
}

fn main() {
    evaluate(2);
}
