// a macro by example that names a weight
pub const C82B_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
macro_rules! c82_tab { ($i:expr) => { C82B_A[$i] } }
pub fn evaluate(b: &B) -> i32 { c82_tab!(b.s[0]) * b.m[0] }
