// loops over bits with an own iterator in place, ranges with steps, nested ranges, chunk_by
pub const S40_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct S40(u64);
impl Iterator for S40 { type Item = usize; fn next(&mut self) -> Option<usize> { if self.0 == 0 { return None; } let k = self.0.trailing_zeros() as usize; self.0 &= self.0 - 1; Some(k) } }
pub fn evaluate(b: &B) -> i32 {
    let mut t = 0;
    for k in S40(b.bits) { t += S40_A[k % 8]; }
    for i in (0..8).rev().step_by(3) { for j in i..=(i + 1).min(7) { t -= S40_A[j] * b.m[i]; } }
    t += S40(b.bits & 0xff).map(|k| S40_A[k]).zip(b.m).map(|(w, m)| w * m).sum::<i32>();
    t + b.s.chunk_by(|x, y| x < y).map(|c| S40_A[c.len()] * c[0] as i32).sum::<i32>()
}
