// a body that a trait provides and an impl replaces
pub const S35_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub trait S35T { fn at(&self) -> usize; fn s35_v(&self) -> i32 { S35_A[self.at()] } }
pub struct S35P(usize); pub struct S35Q(usize);
impl S35T for S35P { fn at(&self) -> usize { self.0 } }
impl S35T for S35Q { fn at(&self) -> usize { self.0 } fn s35_v(&self) -> i32 { S35_A[7 - self.0] * 2 } }
pub fn evaluate(b: &B) -> i32 { S35P(b.s[0]).s35_v() * b.m[0] + S35Q(b.s[1]).s35_v() }
