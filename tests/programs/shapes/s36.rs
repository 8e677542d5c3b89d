// the cures of s35, and of e45: the body in each impl, a function of its own, the score beside the enum
pub const S36_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub trait S36T { fn at(&self) -> usize; fn s36_v(&self) -> i32; }
pub struct S36P(usize); pub struct S36Q(usize);
impl S36T for S36P { fn at(&self) -> usize { self.0 } fn s36_v(&self) -> i32 { S36_A[self.at()] } }
impl S36T for S36Q { fn at(&self) -> usize { self.0 } fn s36_v(&self) -> i32 { S36_A[7 - self.0] * 2 } }
fn s36_of<T: S36T>(of: &T) -> i32 { S36_A[of.at()] }
pub enum S36K { None, Flat }
fn s36_term(b: &B) -> (S36K, i32) { match b.s[0] { 0 | 1 => (S36K::None, 0), _ => (S36K::Flat, S36_A[b.s[1]]) } }
pub fn evaluate(b: &B) -> i32 {
    let term = match s36_term(b) { (S36K::None, _) => S36_A[7], (S36K::Flat, x) => x * b.m[0] };
    term + S36P(b.s[0]).s36_v() * b.m[0] + S36Q(b.s[1]).s36_v() + s36_of(&S36P(b.s[2])) * b.m[1] + s36_of(&S36Q(b.s[3]))
}
