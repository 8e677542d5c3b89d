const P02_A: [i16; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
fn inner(b: &B) -> i16 {
    let mut s = 0i16;
    for i in 0..4 { s = s.saturating_add(P02_A[i].saturating_mul(b.m[i] as i16)); }
    s.saturating_neg()
}
pub fn evaluate(b: &B) -> i32 { let e: i32 = inner(b).into(); let n: i16 = e.try_into().unwrap(); -(n as i32) }
