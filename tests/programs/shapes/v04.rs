// boxed terms
pub const V04_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub trait V04Term { fn value(&self, b: &B) -> i32; }
struct V04X; struct V04Y;
impl V04Term for V04X { fn value(&self, b: &B) -> i32 { V04_A[1] * b.m[0] } }
impl V04Term for V04Y { fn value(&self, b: &B) -> i32 { V04_A[b.s[0]] } }
fn terms() -> Vec<Box<dyn V04Term>> { vec![Box::new(V04X), Box::new(V04Y)] }
pub fn evaluate(b: &B) -> i32 { let mut t = V04_A[0]; for term in terms() { t += term.value(b); } t }
