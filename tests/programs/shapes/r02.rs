// a generic function of numbers and of scores
pub const R02_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
fn r02_pick<T: Copy>(v: &[T], i: usize) -> T { v[i % v.len()] }
pub fn evaluate(b: &B) -> i32 { let k = r02_pick(&b.s, 1); r02_pick(&R02_A, k) * b.m[0] + r02_pick(&b.m, 2) }
