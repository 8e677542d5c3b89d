use std::sync::OnceLock;
pub static X02_T: OnceLock<[i32; 4]> = OnceLock::new();
pub const X02_B: i32 = /*@*/7;
pub const X02_C: [i32; 4] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13];
fn table() -> &'static [i32; 4] { X02_T.get_or_init(|| { let mut t = X02_C; for x in &mut t { *x *= 2; } t }) }
pub fn evaluate(b: &B) -> i32 { table()[b.s[0] % 4] * b.m[0] + X02_B }