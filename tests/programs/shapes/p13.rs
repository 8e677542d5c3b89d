#[derive(Clone, Copy)]
pub struct P13Table<T>([T; 4]);
impl<T> std::ops::Index<usize> for P13Table<T> { type Output = T; fn index(&self, i: usize) -> &T { &self.0[i] } }
impl<T: Copy> P13Table<T> { const fn new(v: [T; 4]) -> Self { P13Table(v) } }
const P13_A: P13Table<i32> = P13Table::new([/*@*/10, /*@*/20, /*@*/30, /*@*/40]);
pub fn evaluate(b: &B) -> i32 {
    let mut s = 0;
    for i in 0..4 { s += P13_A[i] * b.m[i]; }
    s
}
