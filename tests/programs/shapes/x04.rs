pub const X04_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct X04C<F> { f: F, k: usize }
pub struct X04D<F>(F);
pub fn evaluate(b: &B) -> i32 { let c = X04C { f: |s: usize| X04_A[s] * 2, k: 1 }; let d = X04D(|s: usize| X04_A[s]); (c.f)(b.s[0]) * b.m[0] + X04_A[c.k] + (d.0)(b.s[2]) }
