// closures that change a sum, moved into a struct field, called in a loop
pub const S29_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct S29<F: FnMut(usize) -> i32> { f: F, n: usize }
impl<F: FnMut(usize) -> i32> S29<F> { fn run(&mut self) -> i32 { let n = self.n; (0..n).map(|k| (self.f)(k)).sum() } }
pub fn evaluate(b: &B) -> i32 {
    let mut t = S29_A[0];
    let mut add = |k: usize| { t += S29_A[k] * b.m[k]; t };
    let x = add(1) - add(2);
    let mut count = 0;
    let mut s = S29 { f: |k| { count += 1; S29_A[k] * count }, n: b.s[0] };
    x + t + s.run() + s.run()
}
