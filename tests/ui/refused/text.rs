//! Scores in text.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
fn evaluate(count: i32) -> i32 {
    let score = ATTACK * count;
    let text = format!("{score:>5} of {}", TABLE[1]);
    score + text.len() as i32 + score.to_string().len() as i32
}

fn main() {
    evaluate(2);
}
