// atomics, which are no weights: `check` says so
use std::sync::atomic::{AtomicI32, Ordering};
pub static C76_A: AtomicI32 = AtomicI32::new(15);
pub const C76_B: i32 = /*@*/-35;
pub fn evaluate(b: &B) -> i32 { C76_A.load(Ordering::Relaxed) * b.m[0] + C76_B }
