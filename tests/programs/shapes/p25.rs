pub trait Trace { fn trace(&mut self, name: &str, v: i32); fn weight(&mut self) {} }
pub struct P25No; impl Trace for P25No { fn trace(&mut self, _: &str, _: i32) {} }
const P25_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
fn go<T: Trace>(b: &B, t: &mut T) -> i32 { let mut s = 0; for i in 0..4 { let v = P25_A[i] * b.m[i]; t.trace("x", v); s += v; } t.weight(); s }
pub fn evaluate(b: &B) -> i32 { go(b, &mut P25No) }
