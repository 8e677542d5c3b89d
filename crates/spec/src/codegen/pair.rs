//! The type of a tapered value: imported, or defined in the generated file.

use crate::{Integer, Output};

/// The definition, for a type `PAIR` of two `INT`; `TAPER` is the body of `taper`.
const DEFINITION: &str = r"
/// A tapered value: middle game, endgame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PAIR(pub INT, pub INT);

impl PAIR {
    /// Nothing in both phases.
    pub const ZERO: Self = Self(0, 0);

    /// A value from its two halves.
    #[must_use]
    pub const fn new(mg: INT, eg: INT) -> Self {
        Self(mg, eg)
    }

    /// The value in the middle game.
    #[must_use]
    pub const fn mg(self) -> INT {
        self.0
    }

    /// The value in the endgame.
    #[must_use]
    pub const fn eg(self) -> INT {
        self.1
    }

TAPER}

impl ::core::ops::Add for PAIR {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl ::core::ops::AddAssign for PAIR {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl ::core::ops::Sub for PAIR {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl ::core::ops::SubAssign for PAIR {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl ::core::ops::Neg for PAIR {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl ::core::ops::Mul<INT> for PAIR {
    type Output = Self;

    fn mul(self, factor: INT) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}

impl ::core::ops::MulAssign<INT> for PAIR {
    fn mul_assign(&mut self, factor: INT) {
        *self = *self * factor;
    }
}

impl ::core::iter::Sum for PAIR {
    fn sum<I: ::core::iter::Iterator<Item = Self>>(values: I) -> Self {
        values.fold(Self::ZERO, |sum, value| sum + value)
    }
}
";

/// The value at a phase, in the type of the halves.
const TAPER: &str = r"    /// The value at `phase` of `full` (all material): (mg · phase + eg · (full − phase)) / full.
    ///
    /// # Panics
    ///
    /// If `full` is 0.
    #[must_use]
    pub fn taper(self, phase: INT, full: INT) -> INT {
        (self.0 * phase + self.1 * (full - phase)) / full
    }
";

/// The same, widened, for halves whose product with a phase would overflow.
const WIDE_TAPER: &str = r"    /// The value at `phase` of `full` (all material): (mg · phase + eg · (full − phase)) / full.
    ///
    /// # Panics
    ///
    /// If `full` is 0.
    #[must_use]
    pub fn taper(self, phase: i32, full: i32) -> i32 {
        (i32::from(self.0) * phase + i32::from(self.1) * (full - phase)) / full
    }
";

/// Imports or defines the type of a tapered value.
pub(super) fn pair(output: &Output) -> String {
    if let Some(path) = &output.pair_from {
        return format!("\nuse {path};\n");
    }
    let taper = match output.integer {
        Integer::I8 | Integer::I16 if !output.float_pairs => WIDE_TAPER,
        _ => TAPER,
    };
    let text = DEFINITION
        .replace("TAPER", taper)
        .replace("PAIR", &output.pair);
    if output.float_pairs {
        text.replace("PartialEq, Eq", "PartialEq")
            .replace("Self(0, 0)", "Self(0.0, 0.0)")
            .replace(
                "If `full` is 0.",
                "Never; where `full` is 0 there is no number.",
            )
            .replace("INT", output.float.name())
    } else {
        text.replace("INT", output.integer.name())
    }
}
