// a generic container, its methods and tables of it
#[derive(Clone, Copy)]
pub struct P36Table<T, const N: usize>([T; N]);
impl<T, const N: usize> std::ops::Index<usize> for P36Table<T, N> { type Output = T; fn index(&self, i: usize) -> &T { &self.0[i] } }
impl<T: Copy, const N: usize> P36Table<T, N> {
    pub const fn made(v: [T; N]) -> Self { let mut i = 0; while i < N { i += 1; } P36Table(v) }
    pub const fn at(&self, i: usize) -> T { self.0[i] }
    pub fn all(&self) -> std::slice::Iter<'_, T> { self.0.iter() }
    pub fn mapped<U>(&self, f: impl Fn(T) -> U) -> P36Table<U, N> { P36Table(self.0.map(f)) }
}
impl<T: Copy + std::ops::Add<Output = T>, const N: usize> P36Table<T, N> { pub fn sum(&self) -> T { let mut s = self.0[0]; for v in &self.0[1..] { s = s + *v; } s } }
const P36_A: P36Table<i32, 4> = P36Table::made([/*@*/10, /*@*/20, /*@*/30, /*@*/40]);
static P36_B: P36Table<(i16, i16), 2> = P36Table::made([(/*@*/10, /*@*/20), (/*@*/30, /*@*/40)]);
#[derive(Clone, Copy)] pub struct P36S { mg: i32, eg: i32 }
static P36_C: P36Table<P36S, 2> = P36Table::made([P36S { mg: /*@*/1, eg: /*@*/2 }, P36S { mg: /*@*/3, eg: /*@*/4 }]);
pub fn evaluate(b: &B) -> i32 {
    let mut s = 0;
    for i in 0..4 { s += P36_A.at(b.s[i] % 4) * b.m[i] + P36_A[3 - i]; }
    for v in P36_A.all() { s += *v; }
    let t = P36_A.mapped(|v| v * 2);
    s + t.at(1) + i32::from(P36_B.at(b.s[0] % 2).0) + P36_C[b.s[1] % 2].mg * b.m[1] - P36_C.at(0).eg + P36_A.sum()
}
