// units by PhantomData, conversion between, generic sum
pub const S32_A: [i32; 4] = [/*@*/3, /*@*/5, /*@*/7, /*@*/9];
use std::marker::PhantomData;
#[derive(Clone, Copy)] pub struct S32Mg; #[derive(Clone, Copy)] pub struct S32Eg;
#[derive(Clone, Copy)] pub struct S32<U>(i32, PhantomData<U>);
impl<U> S32<U> { const fn new(v: i32) -> Self { Self(v, PhantomData) } fn blend<V>(self, o: S32<V>, ph: i32) -> i32 { (self.0 * ph + o.0 * (24 - ph)) / 24 } }
impl<U> std::ops::Add for S32<U> { type Output = Self; fn add(self, o: Self) -> Self { Self::new(self.0 + o.0) } }
impl<U> std::ops::Mul<i32> for S32<U> { type Output = Self; fn mul(self, k: i32) -> Self { Self::new(self.0 * k) } }
impl<U> std::iter::Sum for S32<U> { fn sum<I: Iterator<Item = Self>>(i: I) -> Self { i.fold(Self::new(0), |a, x| a + x) } }
pub const S32_M: [S32<S32Mg>; 2] = [S32::new(/*@*/4), S32::new(/*@*/6)];
pub const S32_E: [S32<S32Eg>; 2] = [S32::new(/*@*/14), S32::new(/*@*/-16)];
pub fn evaluate(b: &B) -> i32 { let m: S32<S32Mg> = S32_M.iter().zip(b.m).map(|(&w, k)| w * k).sum(); let e = S32_E[b.s[0] % 2] * b.m[1] + S32_E[1]; m.blend(e, b.ph) + S32_A[0] }
