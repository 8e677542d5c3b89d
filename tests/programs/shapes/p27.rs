// traced(untraced(P27Bonus))
trait P27Bonus { fn bonus(self, k: u8) -> u8; fn other(&self) -> bool; }
impl P27Bonus for P27S { fn bonus(self, k: u8) -> u8 { P27_A[k as usize] as u8 } fn other(&self) -> bool { self.mg > 3 } }
#[derive(Clone, Copy)] pub struct P27S { mg: i32, eg: i32 }
const P27_A: [i32; 4] = [/*@*/10, /*@*/20, /*@*/30, /*@*/40];
pub fn evaluate(b: &B) -> i32 { let s = P27S { mg: P27_A[0], eg: P27_A[1] }; s.mg * b.m[0] + s.eg }
