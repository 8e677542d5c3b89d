//! A score for the middle game and one for the end game.

use std::ops::{Add, AddAssign, Mul, Sub};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct S(pub i32, pub i32);

impl Add for S {
    type Output = S;
    fn add(self, other: S) -> S {
        S(self.0 + other.0, self.1 + other.1)
    }
}

impl AddAssign for S {
    fn add_assign(&mut self, other: S) {
        *self = *self + other;
    }
}

impl Sub for S {
    type Output = S;
    fn sub(self, other: S) -> S {
        S(self.0 - other.0, self.1 - other.1)
    }
}

impl Mul<i32> for S {
    type Output = S;
    fn mul(self, by: i32) -> S {
        S(self.0 * by, self.1 * by)
    }
}

#[cfg(feature = "tune")]
tuner_core::traced!();
