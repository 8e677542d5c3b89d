// a table of terms, and what is read in many ways
pub const V07_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
pub struct V07Term { name: &'static str, f: fn(&B) -> i32 }
fn a1(b: &B) -> i32 { V07_A[b.s[0]] }
fn a2(b: &B) -> i32 { V07_A[2] * b.m[0] }
static V07TERMS: &[V07Term] = &[V07Term { name: "a", f: a1 }, V07Term { name: "b", f: a2 }];
pub fn evaluate(b: &B) -> i32 { V07TERMS.iter().map(|t| (t.f)(b)).sum::<i32>() + V07_A.split_at(4).0[b.s[0] % 4] + V07_A.chunks(2).nth(b.s[1] % 4).unwrap()[0] + *V07_A.iter().nth(b.s[2]).unwrap() + (&V07_A[2..])[1] }
