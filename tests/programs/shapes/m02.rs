// a trait for all closures
pub const M02_A: i32 = /*@*/13;
pub const M02_B: i32 = /*@*/4;
pub trait M02Term { fn score(&self, b: &B) -> i32; }
impl<F: Fn(&B) -> i32> M02Term for F { fn score(&self, b: &B) -> i32 { self(b) } }
fn m02_one(b: &B) -> i32 { M02_A * b.m[0] }
pub fn evaluate(b: &B) -> i32 { m02_one.score(b) + (|b: &B| M02_B * b.m[1]).score(b) }
