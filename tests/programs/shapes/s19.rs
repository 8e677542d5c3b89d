// an enum with scores, From, references in patterns, guards
pub const S19_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
#[derive(Clone, Copy)] pub enum S19 { None, One(i32), Two { mg: i32, eg: i32 }, Many([i32; 3]) }
impl From<S19> for i32 { fn from(s: S19) -> i32 { match s { S19::None => 0, S19::One(x) => x, S19::Two { mg, eg } if mg > 1000 => eg, S19::Two { mg, eg: e } => mg + e * 2, S19::Many([x, .., z]) => x - z } } }
fn s19_of(b: &B, k: usize) -> S19 { match k % 4 { 0 => S19::One(S19_A[k]), 1 => S19::Two { mg: S19_A[k] * b.m[0], eg: S19_A[7] }, 2 => S19::Many([S19_A[0], S19_A[1], S19_A[k]]), _ => S19::None } }
pub fn evaluate(b: &B) -> i32 {
    let all: Vec<S19> = b.s.iter().map(|&k| s19_of(b, k)).collect();
    let mut t: i32 = all.iter().map(|&s| i32::from(s)).sum();
    for s in &all { if let S19::One(x) | S19::Two { eg: x, .. } = s { t += x * b.m[1]; } }
    let last: i32 = all[3].into(); t - last
}
