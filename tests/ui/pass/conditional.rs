//! A twin behind a condition of the author's choice, and a statement behind
//! one that does not hold: what is wrong in it is wrong only where it exists.
#![allow(unexpected_cfgs)]

use tuner_core::trace::{Recorder, Trace};

const BONUS: i32 = 30;

fn evaluate(count: i32) -> i32 {
    let score = BONUS * count;
    #[cfg(feature = "tune_by_hand")]
    {
        std::fs::write("trace", score.to_string()).ok();
    }
    score
}

#[cfg(not(feature = "tune_by_hand"))]
tuner_core::traced!();

fn main() {
    let mut trace = Trace::default();
    Recorder::new().record(|| __traced::evaluate(3), &mut trace);
    assert_eq!(trace.score, f64::from(evaluate(3)));
}
