// traced(nonlinear)
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct P30Eval { cp: i16 }
impl P30Eval { const MAX: P30Eval = P30Eval { cp: 300 }; const MIN: P30Eval = P30Eval { cp: -250 }; const fn new(cp: i16) -> Self { P30Eval { cp } } }
impl std::ops::Neg for P30Eval { type Output = Self; fn neg(self) -> Self { P30Eval { cp: -self.cp } } }
const P30_A: [i16; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let mut s = P30Eval::new(0);
    for i in 0..4 { s.cp += P30_A[i] * b.m[i] as i16; }
    let t = s.clamp(P30Eval::MIN, P30Eval::MAX).max(-P30Eval::new(P30_A[2] * 3));
    let u = if s > P30Eval::new(40) || s == -t { P30_A[0] } else { P30_A[1] };
    i32::from(t.min(P30Eval::new(90)).cp) + u as i32
}
