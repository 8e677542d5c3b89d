// impl blocks that a macro writes
pub const V02_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
macro_rules! v02val { ($t:ident, $i:expr) => { impl V02V for $t { fn value(&self, b: &B) -> i32 { V02_A[$i] * b.m[0] } } } }
pub trait V02V { fn value(&self, b: &B) -> i32; }
pub struct V02X; pub struct V02Y; v02val!(V02X, 1); v02val!(V02Y, 2);
pub fn evaluate(b: &B) -> i32 { V02X.value(b) + V02Y.value(b) + V02_A[0] }
