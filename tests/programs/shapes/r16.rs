// a fn pointer table inside a function
pub const R16_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
fn r16_one(b: &B) -> i32 { R16_A[1] * b.m[2] }
fn r16_two(b: &B) -> i32 { R16_A[2] - b.m[3] }
pub fn evaluate(b: &B) -> i32 { const F: [fn(&B) -> i32; 2] = [r16_one, r16_two]; R16_A[3] + F[usize::from(b.side)](b) }
