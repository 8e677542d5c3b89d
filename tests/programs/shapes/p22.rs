// traced(untraced(P22Priv))
trait P22Priv { fn bonus(&self) -> i32; }
impl P22Priv for B { fn bonus(&self) -> i32 { P22_A[1] } }
const P22_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 {
    P22_A[0] * b.m[0]
}
