// mem::swap, replace, take; deferred initialisation; destructuring assignment
pub const S10_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct S10P { a: i32, b: i32 }
pub fn evaluate(b: &B) -> i32 {
    let (mut mg, mut eg);
    if b.side { mg = S10_A[0]; eg = S10_A[1] } else { eg = S10_A[2]; mg = b.m[0] }
    std::mem::swap(&mut mg, &mut eg);
    let old = std::mem::replace(&mut mg, S10_A[3] * b.m[1]);
    let t = std::mem::take(&mut eg);
    (mg, eg) = (eg + S10_A[4], mg - t);
    let (x, y);
    S10P { a: x, b: y } = S10P { a: S10_A[5], b: mg };
    [mg, _, eg] = [eg * 2, 1, x + y];
    old + mg * b.m[2] + eg
}
