// a generic evaluator over const sides, associated consts, PhantomData, trait objects of plain numbers, while let with a stack
pub trait R17Side { const SIGN: i32; fn at(b: &B, i: usize) -> i32; }
pub struct R17W; pub struct R17B;
impl R17Side for R17W { const SIGN: i32 = 1; fn at(b: &B, i: usize) -> i32 { b.m[i] } }
impl R17Side for R17B { const SIGN: i32 = -1; fn at(b: &B, i: usize) -> i32 { b.m[7 - i] } }
pub const R17_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
fn r17_side<S: R17Side, const N: usize>(b: &B) -> i32 { let mut t = 0; let mut stack: Vec<usize> = (0..N).collect(); while let Some(i) = stack.pop() { t += R17_A[i] * S::at(b, i); } t * S::SIGN }
pub fn evaluate(b: &B) -> i32 { let s = r17_side::<R17W, 4>(b) + r17_side::<R17B, 3>(b); if b.side { s } else { -s } }
