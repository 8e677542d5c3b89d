// traced(frozen(P43_F, P43_G))
use std::f64::consts as other;
#[derive(Clone, Copy)] pub struct P43S { mg: i32, eg: i32 }
const P43_F: [i32; usize::BITS as usize] = [3; usize::BITS as usize];
static P43_G: [P43S; u8::BITS as usize] = [P43S { mg: 1, eg: 2 }; u8::BITS as usize];
const P43_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
const P43_S: [P43S; 2] = [P43S { mg: /*@*/1, eg: /*@*/2 }, P43S { mg: /*@*/3, eg: /*@*/4 }];
pub fn evaluate(b: &B) -> i32 { let mut s = 0; for i in 0..4 { s += P43_A[i] * P43_F[b.s[i]] + P43_S[0].mg * b.m[0] + P43_G[i].eg; } s }
