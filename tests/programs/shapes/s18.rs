// struct update, Default that reads weights, Clone and nested structs
pub const S18_A: [i32; 8] = [/*@*/3, /*@*/-5, /*@*/8, /*@*/13, /*@*/21, /*@*/-34, /*@*/55, /*@*/89];
#[derive(Clone)] pub struct S18 { a: i32, p: (i32, [i32; 2]), n: usize }
impl Default for S18 { fn default() -> Self { Self { a: S18_A[0], p: (S18_A[1], [S18_A[2], S18_A[3]]), n: 3 } } }
#[derive(Default, Clone)] pub struct S18B { x: S18, y: i32 }
pub fn evaluate(b: &B) -> i32 {
    let s = S18 { a: S18_A[4] * b.m[0], ..Default::default() };
    let t = S18B { y: S18_A[5], ..S18B::default() };
    let mut u = t.clone(); u.x.p.1[1] += s.a; u.x = S18 { n: b.s[0], ..u.x };
    let S18 { a, p: (c, [d, e]), .. } = u.x;
    s.a + s.p.0 * b.m[1] + t.y - a + c * 2 + d * b.m[2] + e + S18_A[u.x.n]
}
