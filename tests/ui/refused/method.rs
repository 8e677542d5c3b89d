//! Methods that are not linear.

use tuner_core::tunable;

#[tunable]
const ATTACK: i32 = 30;

#[tunable]
const TABLE: [i32; 4] = [0, 5, 12, 20];

#[tunable]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct S(i32, i32);

#[tunable]
const PAIR: S = S(12, 34);

#[tunable]
fn evaluate(count: i32) -> i32 {
    let score = ATTACK * count;
    let bounded = score.clamp(-50, 50) + score.min(3) + count.max(score);
    let absolute = score.abs() + score.signum() + i32::max(score, 0);
    let curve = (score as f64 / 400.0).tanh() + f64::from(score).powi(2).sqrt();
    let best = TABLE.iter().copied().max().unwrap_or(0) + TABLE.iter().fold(0, |a, b| a.max(*b));
    let mapped: i32 = TABLE.iter().copied().map(i32::abs).sum();
    let inside = (0..50).contains(&score);
    let pair = if PAIR.lt(&S(0, 0)) { 1 } else { 0 };
    bounded
        + absolute
        + curve as i32
        + best
        + mapped
        + i32::from(inside)
        + pair
        + std::cmp::max(score, 0)
}

fn main() {
    evaluate(2);
}
