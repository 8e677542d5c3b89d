// blanket traits over slices and arrays of scores
pub const S12_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
trait S12Sum { fn s12_sum(&self, b: &B) -> i32; fn s12_twice(&self, b: &B) -> i32 { 2 * self.s12_sum(b) } }
impl<T: AsRef<[i32]>> S12Sum for T { fn s12_sum(&self, b: &B) -> i32 { self.as_ref().iter().zip(&b.m).map(|(w, m)| w * m).sum() } }
pub fn evaluate(b: &B) -> i32 { S12_A.s12_sum(b) + S12_A[..3].to_vec().s12_twice(b) + [S12_A[b.s[0]], 2].s12_sum(b) }
