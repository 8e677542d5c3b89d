const P17_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let s = P17_A[0].saturating_mul(b.m[0]).saturating_add(P17_A[1]).saturating_sub(P17_A[2]).saturating_neg();
    i32::saturating_add(s, i32::wrapping_mul(P17_A[3], b.m[3]))
}
