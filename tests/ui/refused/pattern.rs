//! Matches on a score.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

const LIMIT: i32 = 5;

#[tunable]
fn evaluate(count: i32) -> i32 {
    let score = ATTACK * count;
    let first = match score {
        0 => 1,
        -8..=-1 => 2,
        LIMIT => 3,
        _ => 4,
    };
    let second = if let 7 = score { 1 } else { 0 };
    let third = matches!(TABLE[0], 0..=3);
    score + first + second + i32::from(third)
}

fn main() {
    evaluate(2);
}
