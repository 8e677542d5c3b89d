//! Operations on bits of traced numbers: casts, shifts and
//! masks. Pairs packed in one integer are made and taken apart
//! so, see [`packed`](super::packed).

use std::ops::{BitAnd, Shl, ShlAssign, Shr, ShrAssign};

use super::packed::Part;
use super::primitive::Primitive;
use super::scalar::Tr;
use super::tape::{Op, Ref, Tape, with};

impl<P: Primitive> Tr<P> {
    /// Returns the lower half, of so many bits, of two numbers packed in one integer; `value`
    /// computes it from the whole number.
    fn lower_half(self, bits: u8, value: impl Fn(P) -> P) -> Self {
        // The first `false`: not the upper half. The second: no overflow.
        let part = Part::exact(bits, false);
        self.unary(|v| (value(v), false), |a| Op::Half(a, part))
    }

    /// Computes `self << bits`. Two numbers packed in one integer that fills its type lose the
    /// upper one if they are shifted by half of the type's bits: `(packed << 32) >> 32` is the
    /// lower one. Then the result depends on the lower half alone.
    fn shifted_left(self, bits: u32) -> Self {
        // The bits of the lower of two packed numbers; 0 if this is one number.
        let packed = u32::from(self.at.packed());
        let is_half = packed == bits && 2 * bits as usize == 8 * size_of::<P>();
        let value = self.value().shift_left(bits);
        let low = match bits {
            1.. if is_half => self.lower_half(bits as u8, |v| v),
            _ => self,
        };
        // Beyond 62 bits the factor would leave `i64`; no score is shifted so far. Bits that a
        // shift loses do not count as an overflow (`false`).
        low.unary(|_| (value, false), |a| Op::times(a, 1 << bits.min(62)))
    }

    /// Computes `self >> bits`. If that takes the upper of two numbers packed in one integer, the
    /// result depends on that half; else it depends on the number as a quotient by 2^bits does.
    fn shifted_right(self, bits: u32) -> Self {
        // Where the value can be read without the tape, the number is plain or operations leave no
        // nodes, and the result is plain too.
        if let Some(value) = self.scored() {
            return Self::lit(value.shift_right(bits));
        }
        with(|tape| {
            let value = self.read(tape).shift_right(bits);
            // Not the upper half of a packed number, whose lower half has `bits` bits.
            if u32::from(self.at.packed()) != bits || bits == 0 {
                return Self::noted(tape, value, Op::Divide(self.at, power_of_two(bits)));
            }
            // If the addition that rounds the half is found, the half is taken of the number in
            // front of it; one that was not rounded may be one too small (`floors`).
            let before = before_rounding(tape, self.at, bits);
            let part = Part {
                floors: before.is_none(),
                ..Part::exact(bits as u8, true)
            };
            Self::noted(tape, value, Op::Half(before.unwrap_or(self.at), part))
        })
    }

    /// Converts as the cast `self as Q` does. The result depends on the node that the number
    /// depends on; only a float cut to an integer, and the lower of two numbers packed in one
    /// integer, get a node of their own. A number that leaves a signed type counts as an overflow,
    /// unless it may be half of a packed one.
    pub(super) fn converted<Q: Primitive>(self) -> Tr<Q> {
        // A number that fits is enough if it is plain, or if scores are computed at other weights
        // and no trace is recorded: then no derivative is asked for.
        let fits = self.scored().and_then(P::to_i64).and_then(Q::from_i64);
        if let Some(value) = fits {
            return Tr::lit(value);
        }
        if P::INTEGER && Q::INTEGER && self.at.packed() != 0 {
            let bits = u32::try_from(8 * size_of::<Q>()).unwrap_or(64);
            if u32::from(self.at.packed()) == bits {
                // `packed as i16` is its lower half.
                let half = self.lower_half(bits as u8, |v| v);
                let value = wrap_to::<Q>(self.value().to_f64());
                return with(|tape| {
                    tape.note(half.at, value.to_f64());
                    Tr { value, at: half.at }
                });
            }
        }
        if self.at.is_none() && P::INTEGER && Q::INTEGER {
            // No weight is in it, so it is what production makes of it: a half of
            // a packed constant, say.
            return Tr::lit(wrap_to(self.value.to_f64()));
        }
        with(|tape| {
            let from = self.read(tape).to_f64();
            let value = if P::INTEGER && Q::INTEGER {
                wrap_to::<Q>(from)
            } else {
                Q::from_f64(from)
            };
            let cut = !P::INTEGER && Q::INTEGER;
            // By way of unsigned types, packed pairs wrap as they should.
            let wraps = P::SIGNED && Q::SIGNED && Q::INTEGER;
            // Without nodes nobody knows which numbers are packed.
            let may_be_half = !tape.keeps_nodes() && 2 * size_of::<Q>() == size_of::<P>();
            // The upper of two packed numbers, which fits into the smaller type.
            let is_half = matches!(tape.behind(self.at),
                Some(Op::Half(_, part)) if usize::from(part.shift) == 8 * size_of::<Q>());
            let wraps = wraps && !may_be_half && !is_half;
            tape.wrapped |= wraps && (value.to_f64() - from.trunc()).abs() >= 1.0;
            if cut && !self.at.is_none() {
                Tr::noted(tape, value, Op::Truncate(self.at))
            } else {
                Tr { value, at: self.at }
            }
        })
    }
}

/// Looks for the addition that rounds the upper of two numbers packed in one integer: before a
/// shift by 16 it adds 0x8000, half of the lower number's range. `r`: the number that is shifted;
/// `bits`: how many bits the lower half has, at least 1. Returns the reference to the packed number
/// in front of the addition. `None` if nothing of that size was added last, so that the upper half
/// may be one too small.
fn before_rounding(tape: &Tape, r: Ref, bits: u32) -> Option<Ref> {
    let rounding = power_of_two(bits - 1).to_bits();
    match tape.behind(r)? {
        Op::Offset(before, c) if c.to_bits() == rounding => Some(before),
        Op::Sum(before, other, 1) => match tape.behind(other)? {
            Op::Constant(c, _) | Op::Plain(c) if c.to_bits() == rounding => Some(before),
            _ => None,
        },
        _ => None,
    }
}

/// Converts a whole number to an integer type as a cast between integers does: it wraps, where a
/// cast from a float would take the limit of the type.
pub(super) fn wrap_to<Q: Primitive>(from: f64) -> Q {
    let clamped = Q::from_f64(from);
    if (clamped.to_f64() - from).abs() < 1.0 {
        return clamped;
    }
    // The number of values of the type, by which wrapped numbers differ.
    let span = Q::from_f64(f64::MAX).to_f64() - Q::from_f64(f64::MIN).to_f64() + 1.0;
    let low = Q::from_f64(f64::MIN).to_f64();
    Q::from_f64((from - low).rem_euclid(span) + low)
}

/// Returns 2ⁿ for n = `bits`.
fn power_of_two(bits: u32) -> f64 {
    2f64.powi(bits as i32)
}

/// Implements shifts by integers of all widths.
macro_rules! shifts {
    ($op:ident $f:ident $shifted:ident $assign:ident $g:ident: $($t:ty),*) => {$(
        impl<P: Primitive> $op<$t> for Tr<P> {
            type Output = Self;
            fn $f(self, bits: $t) -> Self {
                #[allow(clippy::cast_lossless, reason = "one macro for all widths")]
                let bits = bits as u32;
                self.$shifted(bits)
            }
        }
        impl<P: Primitive> $assign<$t> for Tr<P> {
            fn $g(&mut self, bits: $t) {
                *self = self.$f(bits);
            }
        }
    )*};
}
shifts!(Shr shr shifted_right ShrAssign shr_assign: i8, i16, i32, i64, u8, u16, u32, u64, usize);
shifts!(Shl shl shifted_left ShlAssign shl_assign: i8, i16, i32, i64, u8, u16, u32, u64, usize);

/// Takes the lower half of a packed pair: the macro admits only masks of its 16 or 32 bits.
impl<P: Primitive> BitAnd<P> for Tr<P> {
    type Output = Self;
    /// Takes the lower of two numbers packed in one integer. The mask has its bits, 16 or 32 of
    /// them: the macro admits no other.
    fn bitand(self, mask: P) -> Self {
        let bits = if mask.to_f64() > 65_535.0 { 32 } else { 16 };
        self.lower_half(bits, |v| v.masked(mask))
    }
}
