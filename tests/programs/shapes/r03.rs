// a generic function with an associated type
pub const R03_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
fn r03_sum<T: Default + std::ops::AddAssign + Copy>(v: &[T]) -> T { let mut t = T::default(); for x in v { t += *x; } t }
pub fn evaluate(b: &B) -> i32 { let n = r03_sum(&b.s); (r03_sum(&R03_A) + R03_A[n % 4]) * b.m[0] + r03_sum(&b.m) }
