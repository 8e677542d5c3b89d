//! The type of a tapered value: imported, or defined in the generated file.

use crate::{Integer, Output};

/// The definition, for a type `PAIR` of two `INT`; `SUMS` are its sums and differences, `TAPER`
/// is the body of `taper`.
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

SUMS
impl ::core::ops::Neg for PAIR {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl ::core::ops::Mul<INT> for PAIR {
    type Output = Self;

    #[inline]
    fn mul(self, factor: INT) -> Self {
        Self(self.0 * factor, self.1 * factor)
    }
}

impl ::core::ops::MulAssign<INT> for PAIR {
    #[inline]
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

/// A sum or a difference.
const SUM: &str = r"impl ::core::ops::NAME for PAIR {
    type Output = Self;

    #[inline]
    fn METHOD(self, other: Self) -> Self {
        Self(self.0 SIGN other.0, self.1 SIGN other.1)
    }
}

impl ::core::ops::NAMEAssign for PAIR {
    #[inline]
    fn METHOD_assign(&mut self, other: Self) {
        *self = *self SIGN other;
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

/// Imports or defines the type of a tapered value.
pub(super) fn pair(output: &Output) -> String {
    if let Some(path) = &output.pair_from {
        return format!("\nuse {path};\n");
    }
    let mut taper = TAPER.to_owned();
    if matches!(output.integer, Integer::I8 | Integer::I16) && !output.float_pairs {
        // The product of a half with a phase would overflow.
        let wide = taper
            .replace("INT", "i32")
            .replace("(self.0", "(i32::from(self.0)");
        taper = wide.replace("+ self.1", "+ i32::from(self.1)");
    }
    let sum = |name, method, sign| {
        let named = SUM.replace("NAME", name).replace("METHOD", method);
        named.replace("SIGN", sign)
    };
    let sums = [sum("Add", "add", "+"), sum("Sub", "sub", "-")].join("\n");
    let text = DEFINITION
        .replace("SUMS", &sums)
        .replace("TAPER", &taper)
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
