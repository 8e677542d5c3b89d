//! Weights in a `static mut` that annotated code only reads.
#![allow(static_mut_refs)]

use tuner_core::trace::{Recorder, Trace};
use tuner_core::tunable;

#[tunable]
static mut BONUS: [i32; 2] = [30, -7];

#[tunable]
fn evaluate(count: i32) -> i32 {
    unsafe { BONUS[0] * count + BONUS[1] }
}

fn main() {
    let mut trace = Trace::default();
    Recorder::new().record(|| __traced::evaluate(3), &mut trace);
    assert_eq!(trace.score, f64::from(evaluate(3)));
    assert_eq!(trace.forms[0].terms.len(), 2);
}
