const fn q5_make() -> [i32; 4] { [/*@*/10, /*@*/20, /*@*/30, /*@*/40] }
const Q5_A: [i32; 4] = q5_make();
const Q5_B: [i32; 4] = [/*@*/1, /*@*/2, /*@*/3, /*@*/4];
pub fn evaluate(b: &B) -> i32 { let mut s = 0; for i in 0..4 { s += Q5_A[i] * b.m[i] + Q5_B[i]; } s }
