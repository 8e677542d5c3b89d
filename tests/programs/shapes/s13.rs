// an own double ended iterator over scores
pub const S13_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct S13<'a> { b: &'a B, lo: usize, hi: usize }
impl Iterator for S13<'_> { type Item = (usize, i32); fn next(&mut self) -> Option<Self::Item> { (self.lo < self.hi).then(|| { let k = self.lo; self.lo += 1; (k, S13_A[k] * self.b.m[k]) }) } }
impl DoubleEndedIterator for S13<'_> { fn next_back(&mut self) -> Option<Self::Item> { if self.lo < self.hi { self.hi -= 1; Some((self.hi, S13_A[self.hi] - self.b.m[self.hi])) } else { None } } }
impl ExactSizeIterator for S13<'_> { fn len(&self) -> usize { self.hi - self.lo } }
pub fn evaluate(b: &B) -> i32 {
    let it = || S13 { b, lo: 0, hi: b.s[0] };
    it().map(|(_, v)| v).sum::<i32>() + it().rev().map(|(k, v)| v * k as i32).sum::<i32>() + it().len() as i32 + it().nth(2).map_or(S13_A[7], |p| p.1)
}
