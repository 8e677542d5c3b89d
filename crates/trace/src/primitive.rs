//! The number types that an evaluation computes with.

use std::fmt;

/// A number type that a score can have: `i8` to `i64`, `isize`, `f32`, `f64`;
/// and `u16` to `u64`, through which packed pairs go on their way.
///
/// Arithmetic is the release build's: integers wrap. Each operation also
/// tells whether it wrapped, so that an overflow at tuned weights is found.
pub trait Primitive: Copy + Default + PartialOrd + fmt::Debug + fmt::Display + 'static {
    /// Whether division truncates.
    const INTEGER: bool;
    /// Whether it has negative numbers.
    const SIGNED: bool;
    /// Relative rounding of one operation; 0 for integers.
    const EPSILON: f64;
    /// Converts as `value as Self` does.
    fn from_f64(value: f64) -> Self;
    /// Converts as `self as f64` does.
    fn to_f64(self) -> f64;
    /// Converts a number that the type has, `None` of any other; floats take the nearest.
    fn from_i64(value: i64) -> Option<Self>;
    /// Converts an integer that 64 bits hold; `None` of a float.
    fn to_i64(self) -> Option<i64>;
    /// Adds; true when the sum wrapped.
    fn add(self, other: Self) -> (Self, bool);
    /// Subtracts; true when the difference wrapped.
    fn sub(self, other: Self) -> (Self, bool);
    /// Adds or, with `sign` −1, subtracts; true when the result wrapped.
    #[inline]
    fn joined(self, other: Self, sign: i64) -> (Self, bool) {
        if sign < 0 {
            self.sub(other)
        } else {
            self.add(other)
        }
    }
    /// Multiplies; true when the product wrapped.
    fn mul(self, other: Self) -> (Self, bool);
    /// Divides as `/` does; true when the quotient wrapped, of the smallest integer by −1.
    ///
    /// # Panics
    /// Panics as `/` does when an integer is divided by zero.
    fn div(self, other: Self) -> (Self, bool);
    /// Shifts left; what leaves the type is lost, as in production.
    #[must_use]
    fn shift_left(self, bits: u32) -> Self;
    /// Keeps the bits of a mask; floats have none and stay as they are.
    #[must_use]
    fn masked(self, mask: Self) -> Self;
    /// Shifts right, rounding toward minus infinity; floats are divided by 2ⁿ.
    #[must_use]
    fn shift_right(self, bits: u32) -> Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Primitive for $t {
            const INTEGER: bool = true;
            #[allow(unused_comparisons, clippy::absurd_extreme_comparisons, reason = "one macro for all")]
            const SIGNED: bool = <$t>::MIN < 0;
            const EPSILON: f64 = 0.0;
            fn from_f64(value: f64) -> Self { value as Self }
            #[allow(clippy::cast_lossless, reason = "one macro for all widths")]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline]
            fn from_i64(value: i64) -> Option<Self> { Self::try_from(value).ok() }
            #[inline]
            fn to_i64(self) -> Option<i64> { i64::try_from(self).ok() }
            #[inline]
            fn add(self, other: Self) -> (Self, bool) { self.overflowing_add(other) }
            #[inline]
            fn sub(self, other: Self) -> (Self, bool) { self.overflowing_sub(other) }
            #[inline]
            fn mul(self, other: Self) -> (Self, bool) { self.overflowing_mul(other) }
            #[inline]
            fn div(self, other: Self) -> (Self, bool) { self.overflowing_div(other) }
            #[inline]
            fn shift_left(self, bits: u32) -> Self { self << bits }
            #[inline]
            fn masked(self, mask: Self) -> Self { self & mask }
            #[inline]
            fn shift_right(self, bits: u32) -> Self { self >> bits }
        }
    )*};
}
integers!(i8, i16, i32, i64, isize, u16, u32, u64);

/// A float: what it can do that integers cannot, by its own precision.
pub trait Float: Primitive {
    /// Computes `self.powi(n)`.
    #[must_use]
    fn powi(self, n: i32) -> Self;
    /// Computes `self.powf(exponent)`.
    #[must_use]
    fn powf(self, exponent: Self) -> Self;
    /// Computes `self.sqrt()`.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Computes `self.exp()`.
    #[must_use]
    fn exp(self) -> Self;
    /// Computes `self.ln()`.
    #[must_use]
    fn ln(self) -> Self;
    /// Computes `self.tanh()`.
    #[must_use]
    fn tanh(self) -> Self;
}

macro_rules! floats {
    ($($t:ty),*) => {$(
        impl Primitive for $t {
            const INTEGER: bool = false;
            const SIGNED: bool = true;
            #[allow(clippy::cast_lossless, reason = "one macro for both widths")]
            const EPSILON: f64 = <$t>::EPSILON as f64;
            fn from_f64(value: f64) -> Self { value as Self }
            #[allow(clippy::cast_lossless, reason = "one macro for both widths")]
            fn to_f64(self) -> f64 { self as f64 }
            fn from_i64(value: i64) -> Option<Self> { Some(value as Self) }
            fn to_i64(self) -> Option<i64> { None }
            #[inline]
            fn add(self, other: Self) -> (Self, bool) { (self + other, false) }
            #[inline]
            fn sub(self, other: Self) -> (Self, bool) { (self - other, false) }
            #[inline]
            fn mul(self, other: Self) -> (Self, bool) { (self * other, false) }
            #[inline]
            fn div(self, other: Self) -> (Self, bool) { (self / other, false) }
            #[inline]
            fn shift_left(self, bits: u32) -> Self { self * <$t>::powi(2.0, bits as i32) }
            #[inline]
            fn masked(self, _: Self) -> Self { self }
            #[inline]
            fn shift_right(self, bits: u32) -> Self { self / <$t>::powi(2.0, bits as i32) }
        }
        impl Float for $t {
            fn powi(self, n: i32) -> Self { <$t>::powi(self, n) }
            fn powf(self, exponent: Self) -> Self { <$t>::powf(self, exponent) }
            fn sqrt(self) -> Self { <$t>::sqrt(self) }
            fn exp(self) -> Self { <$t>::exp(self) }
            fn ln(self) -> Self { <$t>::ln(self) }
            fn tanh(self) -> Self { <$t>::tanh(self) }
        }
    )*};
}
floats!(f32, f64);
