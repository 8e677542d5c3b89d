// Sum of an own type to a number
pub const R07_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
#[derive(Clone, Copy)]
pub struct R07P(i32);
impl std::iter::Sum<R07P> for i32 { fn sum<I: Iterator<Item = R07P>>(it: I) -> i32 { let mut t = 0; for p in it { t += p.0; } t } }
pub fn evaluate(b: &B) -> i32 { let s: i32 = b.s.iter().map(|&i| R07P(R07_A[i % 4])).sum(); s * b.m[0] }
