//! Escapes where they do not help.

use tuner_core::{interpolated, tunable, untraced, weight};

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

#[tunable]
fn inline(count: i32) -> i32 {
    let pair = weight!(ROOK: (5, 8));
    count * weight!(TEMPO: 10) - weight!(TEMPO: 11) + weight!(TABLE: 3) + pair.0
}

fn main() {
    inline(1);
    linear(pair(value(0)));
}
