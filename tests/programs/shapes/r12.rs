// a union
pub const R12_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub union R12U { v: i32, u: u32 }
pub fn evaluate(b: &B) -> i32 { let x = R12U { v: R12_A[b.s[0] % 4] }; unsafe { x.v * b.m[0] } }
