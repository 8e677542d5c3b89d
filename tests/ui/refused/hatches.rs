//! Escape hatches where they do not help.

use tuner_core::{interpolated, tunable, untraced};

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
#[derive(Clone, Copy)]
struct S(i32, i32);

#[tunable]
const PAIRS: [S; 2] = [S(1, 2), S(3, 4)];

#[tunable]
fn linear(count: i32) -> i32 {
    interpolated!(TABLE, TABLE[1] * count)
}

#[tunable(nonlinear)]
fn pair(count: i32) -> i32 {
    interpolated!(PAIRS, TABLE[1] * count).0
}

#[tunable]
fn value(count: i32) -> i32 {
    let known = untraced!(TABLE[1] * count);
    known + TABLE[0]
}

fn main() {
    linear(pair(value(0)));
}
