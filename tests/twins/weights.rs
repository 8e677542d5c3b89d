//! A file of weights, as `tuner spec emit` writes it.

/// A tapered value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct S(pub i32, pub i32);

impl S {
    pub const ZERO: Self = Self(0, 0);

    pub const fn new(mg: i32, eg: i32) -> Self {
        Self(mg, eg)
    }

    pub const fn mg(self) -> i32 {
        self.0
    }

    pub const fn eg(self) -> i32 {
        self.1
    }

    pub fn taper(self, phase: i32, full: i32) -> i32 {
        (self.0 * phase + self.1 * (full - phase)) / full
    }

    pub fn is_good(self) -> bool {
        self.0 > 0
    }
}

impl core::ops::Add for S {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}
impl core::ops::AddAssign for S {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}
impl core::ops::Sub for S {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}
impl core::ops::SubAssign for S {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
        self.1 -= other.1;
    }
}
impl core::ops::Neg for S {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}
impl core::ops::Mul<i32> for S {
    type Output = Self;
    fn mul(self, factor: i32) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}
impl core::iter::Sum for S {
    fn sum<I: Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, |sum, value| sum + value)
    }
}

pub const MATERIAL: [S; 3] = [S(100, 120), S(300, 280), S(500, 520)];
pub const MOBILITY: [S; 4] = [S(-10, -20), S(0, 0), S(8, 6), S::new(15, 11)];
pub const TABLE: [[S; 2]; 2] = [[S(1, 2); 2], [S(3, 4), S(-5, 6)]];
pub const TEMPO: S = S(12, 7);
pub const PLAIN: i32 = 9;
pub const PHASE_MAX: i32 = 24;
pub const MASK: u64 = 0xff;

#[cfg(feature = "tune")]
tuner_core::traced!(frozen(PHASE_MAX));
