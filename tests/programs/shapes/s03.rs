// a table inside a union
pub const S03_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
#[derive(Clone, Copy)]
pub union S03U { t: [i32; 4], x: i32 }
pub const S03_U: S03U = S03U { t: [/*@*/2, /*@*/4, /*@*/6, /*@*/8] };
pub static S03_V: S03U = S03U { x: /*@*/12 };
pub fn evaluate(b: &B) -> i32 { unsafe { S03_U.t[b.s[0] % 4] * b.m[0] + S03_V.x * b.m[1] + S03_A[1] } }
