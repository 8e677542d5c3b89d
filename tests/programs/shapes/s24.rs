// a table with a const length, methods, Index, a const instance and a static slice
pub const S24_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
pub struct S24<const N: usize>([i32; N]);
impl<const N: usize> S24<N> { pub const LEN: usize = N; const fn get(&self, i: usize) -> i32 { self.0[i % N] } fn dot(&self, m: &[i32]) -> i32 { self.0.iter().zip(m).map(|(a, b)| a * b).sum() } }
impl<const N: usize> std::ops::Index<usize> for S24<N> { type Output = i32; fn index(&self, i: usize) -> &i32 { &self.0[i % Self::LEN] } }
pub const S24_T: S24<3> = S24([/*@*/4, /*@*/6, /*@*/8]);
pub static S24_U: &S24<2> = &S24([/*@*/14, /*@*/16]);
pub fn evaluate(b: &B) -> i32 { S24_T.get(b.s[0]) * b.m[0] + S24_U[b.s[1]] + S24_T.dot(&b.m) + S24_A[S24::<3>::LEN] * b.m[1] }
