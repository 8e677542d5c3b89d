pub static X01_T: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct X01C<F: Fn(usize) -> i32> { f: F }
pub fn evaluate(b: &B) -> i32 { let c = X01C { f: |s| X01_T[s] * 2 }; (c.f)(b.s[0]) * b.m[0] + X01_T[1] }