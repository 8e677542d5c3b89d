// generic Mul
pub const R05_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
use std::ops::Mul;
fn r05_mul<T, U>(v: T, u: U) -> T::Output where T: Mul<U> { v * u }
pub fn evaluate(b: &B) -> i32 { r05_mul(R05_A[0], b.m[0]) + r05_mul(b.m[1], 3) }
