// an iterator behind impl Iterator
pub const V06_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
struct V06It { i: usize }
impl Iterator for V06It { type Item = i32; fn next(&mut self) -> Option<i32> { self.i += 1; V06_A.get(self.i).copied() } }
fn it(b: &B) -> impl Iterator<Item = i32> { V06It { i: b.s[0] } }
pub fn evaluate(b: &B) -> i32 { it(b).sum::<i32>() * b.m[0] + V06_A[0] }
