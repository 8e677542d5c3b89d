// a score by Into
pub const R06_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
fn r06_of<T: Into<i32>>(v: T, k: i32) -> i32 { let w: i32 = v.into(); w * k }
pub fn evaluate(b: &B) -> i32 { r06_of(R06_A[b.s[0] % 4], b.m[0]) }
