// Sum of pairs to a number, both ways
pub const R08_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
#[derive(Clone, Copy)]
pub struct R08S { mg: i32, eg: i32 }
impl std::ops::Add for R08S { type Output = R08S; fn add(self, o: R08S) -> R08S { R08S { mg: self.mg + o.mg, eg: self.eg + o.eg } } }
impl<'a> std::iter::Sum<&'a R08S> for i32 { fn sum<I: Iterator<Item = &'a R08S>>(it: I) -> i32 { it.map(|p| p.mg * 2 + p.eg).sum() } }
pub fn evaluate(b: &B) -> i32 { let v: Vec<R08S> = b.s.iter().map(|&i| R08S { mg: R08_A[i % 4], eg: b.m[i % 8] }).collect(); v.iter().sum::<i32>() + R08_A.iter().sum::<i32>() * b.m[1] }
