//! Weights inside a macro with its own syntax.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

macro_rules! each {
    ($name:ident in $($range:expr),* => $body:block) => {
        $(for $name in $range $body)*
    };
}

#[tunable]
fn evaluate(count: i32) -> i32 {
    let mut score = ATTACK * count;
    each!(index in 0..4 => { score += TABLE[index]; });
    score
}

fn main() {
    evaluate(2);
}
