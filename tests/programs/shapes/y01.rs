// variables behind patterns of structs, of alternatives and of a whole, which bring some too
#[derive(Clone, Copy)]
pub struct Y01Men(pub i32);
#[derive(Clone, Copy)]
pub struct Y01Sides { pub own: i32, pub other: i32 }
pub struct Y01Value(pub i32);
pub const Y01_A: [i32; 6] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34];
fn y01_tuple_struct(b: &B) -> i32 { let (Y01Men(men), mut score) = (Y01Men(b.m[0]), 0); score += Y01_A[0] * men; score }
fn y01_struct(b: &B) -> i32 {
    let (Y01Sides { own, other }, mut score) = (Y01Sides { own: b.m[1], other: b.m[2] }, 0);
    score += Y01_A[1] * (own - other);
    score
}
fn y01_or(b: &B) -> i32 {
    let men: Result<i32, i32> = if b.side { Ok(b.m[0]) } else { Err(b.m[1]) };
    let ((Ok(n) | Err(n)), mut score) = (men, 0);
    score += Y01_A[2] * n;
    score
}
fn y01_whole(b: &B) -> i32 {
    let (all @ (first, _), mut score) = ((b.m[0], b.m[1]), 0);
    score += Y01_A[3] * first - Y01_A[4] * all.1;
    score
}
fn y01_typed(b: &B) -> i32 { let (Y01Men(men), mut score): (Y01Men, i32) = (Y01Men(b.m[3]), 0); score += Y01_A[5] * men; score }
fn y01_plain(b: &B) -> i32 { let (Y01Value(value), place) = (Y01Value(Y01_A[b.s[0] % 6]), 2); value * b.m[place] }
pub fn evaluate(b: &B) -> i32 { y01_tuple_struct(b) + y01_struct(b) + y01_or(b) + y01_whole(b) + y01_typed(b) + y01_plain(b) }
