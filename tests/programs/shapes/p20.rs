// traced(nonlinear)
const P20_A: [i16; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    let mut s = 0i16;
    for i in 0..4 { s += P20_A[i] * (b.m[i] as i16); }
    if s > 0 { s += 3; }
    let t = s.max(5);
    let u = s.clamp(-20, 30);
    (t + u + 5.max(s)).into()
}
