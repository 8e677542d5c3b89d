//! The weights of the toy.

/// A tapered value.
#[derive(Clone, Copy)]
pub struct S(pub i32, pub i32);

impl std::ops::Add for S {
    type Output = S;
    fn add(self, other: S) -> S {
        S(self.0 + other.0, self.1 + other.1)
    }
}

impl std::ops::Sub for S {
    type Output = S;
    fn sub(self, other: S) -> S {
        S(self.0 - other.0, self.1 - other.1)
    }
}

impl std::ops::Mul<i32> for S {
    type Output = S;
    fn mul(self, factor: i32) -> S {
        S(self.0 * factor, self.1 * factor)
    }
}

impl S {
    pub fn taper(self, phase: i32) -> i32 {
        (self.0 * phase + self.1 * (24 - phase)) / 24
    }
}

pub const KNIGHT: S = S(300, 280);
pub const ROOKS: [S; 4] = [S(0, 0), S(500, 520), S(990, 1020), S(1480, 1500)];
pub const PASSER: S = S(10, 40);

#[cfg(feature = "tune")]
tuner_core::traced!();
