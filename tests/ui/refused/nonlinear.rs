//! What stays refused where a score may be nonlinear.

use tuner_core::{freeze, tunable};

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct S(i32, i32);

#[tunable]
const PAIR: S = S(12, 34);

fn elsewhere(score: i32) -> i32 {
    score / 2
}

#[tunable(nonlinear)]
fn evaluate(count: i32) -> i32 {
    let score = ATTACK * count;
    let index = TABLE[score as usize] + score % 8 + (score & 7);
    let matched = match score {
        0 => 1,
        _ => 2,
    };
    let pairs = if PAIR > S(0, 0) { 1 } else { 2 };
    let power = 2.0f64.powi(ATTACK);
    let inside = (0..50).contains(&score) || score.is_positive();
    let best = TABLE.iter().copied().max().unwrap_or(0);
    let text = format!("{score}");
    freeze!(PAIR);
    index + matched + pairs + power as i32 + i32::from(inside) + best + elsewhere(score)
        - text.len() as i32
}

fn main() {
    evaluate(2);
}
