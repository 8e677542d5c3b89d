//! Integer arithmetic that minds the range of its type: what saturates, is checked or wraps, and
//! conversions between types.
//!
//! Within the range the trace is that of the operator. Beyond it the result is production's, whose
//! derivative is 0, and a guard tells where that ends. In the inner half of the range there are no
//! guards, as there are none for the overflow of a sum.

use std::num::TryFromIntError;
use std::ops::{Add, Neg, Sub};

use super::nonlinear::{Operand, abs, gt, lt, mul};
use super::primitive::Primitive;
use super::scalar::Tr;

/// Converts an exact result to its type; `Err` has the limit of the type that it is beyond.
/// Comparisons with the limits become guards, conditions under which the trace holds, which are
/// left out in the inner half of the type's range. A type of 64 bits has no guards at all: what
/// leaves it counts as an overflow.
fn within<P: Primitive>(wide: Tr<i64>) -> Result<Tr<P>, Tr<P>> {
    let limits = [f64::MIN, f64::MAX].map(P::from_f64);
    // The upper limit of `u64` does not fit into 64 bits with a sign.
    let [low, high] = limits.map(|limit| limit.to_i64().unwrap_or(i64::MAX));
    // A quarter of the range: the inner half is that far from both limits.
    let quarter = high / 4 - low / 4;
    let value = wide.value();
    if high == i64::MAX || (low + quarter <= value && value <= high - quarter) {
        Ok(wide.converted())
    } else if gt(wide, high) {
        Err(Tr::lit(limits[1]))
    } else if lt(wide, low) {
        Err(Tr::lit(limits[0]))
    } else {
        Ok(wide.converted())
    }
}

/// Converts a number to 64 bits, in which the exact result of an operation on numbers of at most 32
/// bits fits.
fn wide(a: impl Operand) -> Tr<i64> {
    a.operand().converted()
}

/// The saturating, checked, overflowing and wrapping versions of an operator.
macro_rules! ranged {
    ($($exact:expr, $of:literal $($b:ident $other:ident)?,
        $saturating:ident $checked:ident $overflowing:ident $wrapping:ident;)*) => {$(
        #[doc = concat!("Stands for `a.saturating_", $of, "`.")]
        pub fn $saturating<A: Operand $(, $other: Operand<Plain = A::Plain>)?>(
            a: A $(, $b: $other)?
        ) -> Tr<A::Plain> {
            within($exact(wide(a) $(, wide($b))?)).unwrap_or_else(|limit| limit)
        }

        #[doc = concat!("Stands for `a.checked_", $of, "`.")]
        pub fn $checked<A: Operand $(, $other: Operand<Plain = A::Plain>)?>(
            a: A $(, $b: $other)?
        ) -> Option<Tr<A::Plain>> {
            within($exact(wide(a) $(, wide($b))?)).ok()
        }

        #[doc = concat!("Stands for `a.overflowing_", $of, "`.")]
        pub fn $overflowing<A: Operand $(, $other: Operand<Plain = A::Plain>)?>(
            a: A $(, $b: $other)?
        ) -> (Tr<A::Plain>, bool) {
            let exact = $exact(wide(a) $(, wide($b))?);
            within(exact).map_or_else(|_| (exact.converted(), true), |fits| (fits, false))
        }

        #[doc = concat!("Stands for `a.wrapping_", $of, "`: a number that does leave its type ",
            "counts as an overflow.")]
        pub fn $wrapping<A: Operand $(, $other: Operand<Plain = A::Plain>)?>(
            a: A $(, $b: $other)?
        ) -> Tr<A::Plain> {
            $exact(a.operand() $(, $b.operand())?)
        }
    )*};
}
ranged! {
    Add::add, "add(b)" b B, saturating_add checked_add overflowing_add wrapping_add;
    Sub::sub, "sub(b)" b B, saturating_sub checked_sub overflowing_sub wrapping_sub;
    mul, "mul(b)" b B, saturating_mul checked_mul overflowing_mul wrapping_mul;
    Neg::neg, "neg()", saturating_neg checked_neg overflowing_neg wrapping_neg;
    abs, "abs()", saturating_abs checked_abs overflowing_abs wrapping_abs;
}

/// Implements `From` to types that hold all values, and `TryFrom` to others.
macro_rules! conversions {
    ($($from:ty: $($to:ty)*, $($smaller:ty)*;)*) => {$(
        $(impl From<Tr<$from>> for Tr<$to> {
            fn from(x: Tr<$from>) -> Self {
                x.converted()
            }
        })*
        $(impl TryFrom<Tr<$from>> for Tr<$smaller> {
            type Error = TryFromIntError;
            /// Converts a number to a smaller type; fails where production does, beyond the limits
            /// of the type.
            fn try_from(x: Tr<$from>) -> Result<Self, TryFromIntError> {
                // Beyond the limits the number itself fails.
                within(wide(x)).or_else(|limit| <$smaller>::try_from(x.value()).map(|_| limit))
            }
        })*
    )*};
}
conversions! {
    i8: i16 i32 i64 isize f32 f64,;
    i16: i32 i64 isize f32 f64, i8;
    i32: i64 f64, i8 i16 isize;
    i64:, i8 i16 i32 isize;
    isize:, i8 i16 i32 i64;
    f32: f64,;
}
