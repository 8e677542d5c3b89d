// chains of if let, let else, matches!, guards that look at scores
pub const S14_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub fn evaluate(b: &B) -> i32 {
    let t = S14_A.get(b.s[0]).copied();
    let mut s = 0;
    if let Some(x) = t && b.m[0] > 0 && let Some(y) = S14_A.get(b.s[1] + 4) { s += x - y; }
    let Some(&z) = S14_A.iter().skip(b.s[2]).step_by(2).nth(1) else { return s + S14_A[7] * b.m[1] };
    if matches!(b.s[3], 1 | 3..=5) { s += z * 2 }
    s + match b.m[2] { 0 => 0, m if m < 0 && b.side => S14_A[1] * m, m @ (1 | 2) => S14_A[2] + m, _ => S14_A[3] }
}
