// floats that are zeros of both signs, or none
pub const Y03_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
#[tunable(nonlinear)]
pub fn evaluate(b: &B) -> i32 {
    let x = f64::from(Y03_A[b.s[0]] * b.m[0]);
    let signs = x.signum() * 8.0 + (-x).signum() * 32.0 + (-x).abs().signum() * 64.0;
    (x.ln().max(-3.0) * 4.0 + f64::min(x.sqrt(), 9.0) + x.sqrt().clamp(-2.0, 2.0).max(1.0) + signs) as i32 + Y03_A[b.s[1]]
}
