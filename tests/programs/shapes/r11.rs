// bits of a score as another type
pub const R11_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub fn evaluate(b: &B) -> i32 {
    let s: i32 = R11_A[b.s[0] % 4] * b.m[0];
    let u: u32 = unsafe { std::mem::transmute(s) };
    u as i32 + R11_A[1]
}
