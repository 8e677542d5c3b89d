// a function, by its name, that puts two elements together
pub const Y02_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
fn y02_less(a: i32, b: i32) -> i32 { a - b }
pub fn evaluate(b: &B) -> i32 { Y02_A.iter().copied().reduce(y02_less).unwrap() * b.m[0] + Y02_A[b.s[0]] }
