// a discriminant that is a weight
pub const V05_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
#[derive(Clone, Copy)] pub enum V05V { P = V05_A[3] as isize, Q = 2 }
pub fn evaluate(b: &B) -> i32 { let v = if b.side { V05V::P } else { V05V::Q }; v as i32 * b.m[0] + V05_A[0] }
