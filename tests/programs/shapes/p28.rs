pub trait Trace28 { fn trace(&mut self, name: &str, v: i32); }
pub struct P28No; impl Trace28 for P28No { fn trace(&mut self, _: &str, _: i32) {} }
const P28_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
fn go<T: Trace28>(b: &B, t: &mut T) -> i32 { let mut s = 0; for i in 0..4 { let v = P28_A[i] * b.m[i]; tuner_core::untraced! { t.trace("x", v); } s += v; } s }
pub fn evaluate(b: &B) -> i32 { go(b, &mut P28No) }
