//! A const computed from weights.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
const MIRRORED: i32 = -ATTACK;

#[tunable]
const DOUBLED: [i32; 4] = doubled(TABLE);

#[tunable]
const fn doubled(table: [i32; 4]) -> [i32; 4] {
    [table[0] * 2, table[1] * 2, table[2] * 2, table[3] * 2]
}

#[tunable]
static LAZY: std::sync::LazyLock<[i32; 4]> = std::sync::LazyLock::new(|| doubled(TABLE));

#[tunable]
fn evaluate(count: i32) -> i32 {
    (MIRRORED + DOUBLED[0] + LAZY[1]) * count
}

fn main() {
    evaluate(2);
}
