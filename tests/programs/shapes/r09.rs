// Sum of an own type to a number, which reads a weight
pub const R09_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
#[derive(Clone, Copy)]
pub struct R09P(usize);
impl std::iter::Sum<R09P> for i32 { fn sum<I: Iterator<Item = R09P>>(it: I) -> i32 { let mut t = 0; for p in it { t += R09_A[p.0 % 4]; } t } }
pub fn evaluate(b: &B) -> i32 { let s: i32 = b.s.iter().map(|&i| R09P(i)).sum(); s * b.m[0] + R09_A[0] }
