// a container that has a method for numbers alone
#[derive(Clone, Copy)]
pub struct P37Table<T, const N: usize>([T; N]);
impl<T, const N: usize> std::ops::Index<usize> for P37Table<T, N> { type Output = T; fn index(&self, i: usize) -> &T { &self.0[i] } }
impl P37Table<i32, 4> { pub fn own(&self, i: usize) -> i32 { self.0[i] + P37_W } }
const P37_W: i32 = /*@*/7;
impl<T: Copy, const N: usize> P37Table<T, N> {
    pub const fn made(v: [T; N]) -> Self { let mut i = 0; while i < N { i += 1; } P37Table(v) }
    pub const fn at(&self, i: usize) -> T { self.0[i] }
    pub fn all(&self) -> std::slice::Iter<'_, T> { self.0.iter() }
    pub fn mapped<U>(&self, f: impl Fn(T) -> U) -> P37Table<U, N> { P37Table(self.0.map(f)) }
}
impl<T: Copy + std::ops::Add<Output = T>, const N: usize> P37Table<T, N> { pub fn sum(&self) -> T { let mut s = self.0[0]; for v in &self.0[1..] { s = s + *v; } s } }
const P37_A: P37Table<i32, 4> = P37Table::made([/*@*/10, /*@*/20, /*@*/30, /*@*/40]);
static P37_B: P37Table<(i16, i16), 2> = P37Table::made([(/*@*/10, /*@*/20), (/*@*/30, /*@*/40)]);
#[derive(Clone, Copy)] pub struct P37S { mg: i32, eg: i32 }
static P37_C: P37Table<P37S, 2> = P37Table::made([P37S { mg: /*@*/1, eg: /*@*/2 }, P37S { mg: /*@*/3, eg: /*@*/4 }]);
pub fn evaluate(b: &B) -> i32 {
    let mut s = 0;
    for i in 0..4 { s += P37_A.own(b.s[i] % 4) * b.m[i] + P37_A[3 - i]; }
    for v in P37_A.all() { s += *v; }
    let t = P37_A.mapped(|v| v * 2);
    s + t.at(1) + i32::from(P37_B.at(b.s[0] % 2).0) + P37_C[b.s[1] % 2].mg * b.m[1] - P37_C.at(0).eg + P37_A.sum()
}
