const P04_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let mut s = 0i32;
    for i in 0..4 { s = s.wrapping_add(P04_A[i].wrapping_mul(b.m[i])); }
    let (t, _) = s.overflowing_sub(P04_A[0]);
    t.wrapping_neg().wrapping_sub(P04_A[1])
}
