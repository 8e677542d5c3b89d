// traced(nonlinear)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct P05Eval(i32);
const P05_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let mut s = P05Eval(0);
    for i in 0..4 { s.0 += P05_A[i] * b.m[i]; }
    s.clamp(P05Eval(-50), P05Eval(60)).0
}
