// a number made of a plain type
pub const V01_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
#[derive(Clone, Copy)] pub struct V01P(usize);
impl From<V01P> for i32 { fn from(p: V01P) -> i32 { V01_A[p.0] } }
pub fn evaluate(b: &B) -> i32 { let v: i32 = V01P(b.s[0]).into(); v * b.m[0] + i32::from(V01P(b.s[1])) + V01_A[0] }
