// bits of a table as another type, further
pub const R10_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub fn evaluate(b: &B) -> i32 {
    let table = unsafe { std::mem::transmute::<[i32; 4], [u32; 4]>(R10_A) };
    table[b.s[0] % 4] as i32 * b.m[0] + R10_A[1] * b.m[1]
}
