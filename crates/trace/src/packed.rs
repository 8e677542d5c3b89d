//! Two numbers packed in one integer, `(eg << 16) + mg`, as many engines keep
//! a middlegame and an endgame score.
//!
//! A packed number is an integer combination of weights like any other: a
//! weight of the upper half has a coefficient that is a multiple of 2¹⁶. So
//! nothing is special until a half is taken out. Then each coefficient is
//! split as the number itself is: `c = h·2¹⁶ + l` with `−2¹⁵ ≤ l < 2¹⁵`; the
//! lower half counts the weight `l` times, the upper half `h` times. That is
//! exact as long as the halves themselves do not overflow, which production
//! relies on as well.

/// Which half of a packed number, which is two numbers in one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Bits of the lower half.
    pub(super) shift: u8,
    pub(super) upper: bool,
    /// Whether the half may be one too small: an upper half that was not
    /// rounded by adding half of the lower half's range.
    pub(super) floors: bool,
}

/// Returns 16 or 32 if a factor moves a number to the upper half of two numbers packed in one
/// integer, as the number of bits of the lower half; 0 if it does not, as its lower 16 bits are not
/// 0.
#[inline]
pub(super) const fn shift(factor: i64) -> u8 {
    if factor & 0xffff != 0 || factor == 0 {
        0
    } else if factor.trailing_zeros() >= 32 {
        32
    } else {
        16
    }
}

/// Returns the number of bits of the lower half, 16 or 32, of a constant that is taken for two
/// numbers packed in one integer, since it is too large for one half; 0 if it is small enough to be
/// one number.
pub(super) const fn width(constant: i64) -> u8 {
    match constant.unsigned_abs() {
        ..0x8000 => 0,
        0x8000..0x8000_0000 => 16,
        _ => 32,
    }
}

/// Returns the lower and the upper half of the coefficient of a packed number (two numbers in one
/// integer): c = upper·2ˢ + lower, with s = `shift` and the lower one from −2ˢ⁻¹ to below 2ˢ⁻¹.
pub(super) const fn split(c: i64, shift: u8) -> (i64, i64) {
    let half = 1_i64 << (shift - 1);
    let upper = (c + half) >> shift;
    (c - (upper << shift), upper)
}

impl Part {
    /// Describes a half of two numbers packed in one integer that is never one too small: a lower
    /// half, or an upper one that was rounded when it was taken out. `shift`: the bits of the lower
    /// half.
    pub(super) const fn exact(shift: u8, upper: bool) -> Self {
        Self {
            shift,
            upper,
            floors: false,
        }
    }

    /// Returns the part of a packed number's coefficient that counts for this half.
    pub(super) const fn of(self, c: i64) -> i64 {
        let (lower, upper) = split(c, self.shift);
        if self.upper { upper } else { lower }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_up_the_whole() {
        for c in [
            -70_000_i64,
            -65_536,
            -32_769,
            -1,
            0,
            5,
            32_767,
            32_768,
            131_071,
            655_357,
        ] {
            let (lower, upper) = split(c, 16);
            assert_eq!((upper << 16) + lower, c);
            assert!((-32_768..32_768).contains(&lower), "{c}");
        }
    }

    #[test]
    fn only_a_shift_packs() {
        assert_eq!(
            [1, 24, 65_536, -131_072, 1 << 32].map(shift),
            [0, 0, 16, 16, 32]
        );
        assert_eq!(shift(0), 0);
    }
}
