const P16_A: [i16; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let mut s: i64 = 0;
    for i in 0..4 { s += i64::from(P16_A[i]) * b.m[i] as i64; }
    i32::try_from(s).unwrap_or(i32::MAX)
}
