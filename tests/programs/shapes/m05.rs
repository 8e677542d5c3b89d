// the bits of a table as another type
pub const M05_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub fn evaluate(b: &B) -> i32 {
    let table: [u32; 4] = unsafe { std::mem::transmute(M05_A) };
    table[b.s[0] % 4] as i32 * b.m[0]
}
