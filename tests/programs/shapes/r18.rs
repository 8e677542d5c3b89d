// own number type with operators, by one field
#[derive(Clone, Copy, Default)]
pub struct R18(i32, i32);
impl std::ops::Add for R18 { type Output = Self; fn add(self, o: Self) -> Self { Self(self.0 + o.0, self.1 + o.1) } }
impl std::ops::Sub<&R18> for R18 { type Output = R18; fn sub(self, o: &R18) -> R18 { R18(self.0 - o.0, self.1 - o.1) } }
impl std::ops::Mul<R18> for i32 { type Output = R18; fn mul(self, o: R18) -> R18 { R18(self * o.0, self * o.1) } }
impl std::ops::Neg for &R18 { type Output = R18; fn neg(self) -> R18 { R18(-self.0, -self.1) } }
impl<'a> std::iter::Sum<&'a R18> for R18 { fn sum<I: Iterator<Item = &'a R18>>(it: I) -> R18 { it.fold(R18::default(), |a, &x| a + x) } }
pub const R18_A: [R18; 3] = [R18(/*@*/3, /*@*/5), R18(/*@*/-7, /*@*/9), R18(/*@*/2, /*@*/4)];
pub fn evaluate(b: &B) -> i32 { let s: R18 = R18_A.iter().sum(); let t = b.m[0] * (s + -&R18_A[b.s[0] % 3]) - &R18_A[1]; (t.0 * b.ph + t.1 * (24 - b.ph)) / 24 }
