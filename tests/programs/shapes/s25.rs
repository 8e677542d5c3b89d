// terms in a table: functions and weights side by side
pub const S25_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub struct S25 { f: fn(&B) -> i32, w: i32, name: &'static str }
fn s25_a(b: &B) -> i32 { b.m[0] * 2 } fn s25_b(b: &B) -> i32 { b.m[1] + S25_A[0] }
pub const S25_T: [S25; 3] = [S25 { f: s25_a, w: /*@*/4, name: "a" }, S25 { f: s25_b, w: /*@*/-6, name: "b" }, S25 { f: |b| b.m[2], w: /*@*/8, name: "c" }];
pub fn evaluate(b: &B) -> i32 { S25_T.iter().filter(|t| t.name != "b" || b.side).map(|t| t.w * (t.f)(b)).sum::<i32>() + S25_A[1] * b.m[3] }
