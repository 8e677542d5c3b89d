//! A table and a function of the pair type, in a file without annotation.

use tuner_core::tunable;

#[path = "support/plain.rs"]
mod plain;

#[tunable]
#[derive(Clone, Copy)]
pub struct S(i32, i32);

#[tunable]
const PAIR: S = S(12, 34);

#[tunable]
fn evaluate(index: usize) -> i32 {
    let found = [PAIR, plain::helper(index), plain::FORGOTTEN[index], plain::table()[0]];
    found[index].0
}

fn main() {
    evaluate(1);
}
