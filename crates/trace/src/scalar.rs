//! The traced number that replaces a score in the twin.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::bits::wrap_to;
use super::in_force;
use super::primitive::Primitive;
use super::tape::{Op, Ref, Site, Tape, quick_sum, with};

/// A score under trace: a value of the production type and what it depends on.
///
/// It is `Copy`, 8 bytes for `P` up to 32 bits, and computes its value by the
/// production type's own rules (truncating division, wrapping sums), so the
/// twin's score equals the production score exactly. It mixes with plain `P`
/// only, as `P` itself does. The only way back to `P` is
/// [`freeze!`](crate::freeze): any other score that leaves the trace is a type
/// error.
///
/// Cost: an operation on a number that depends on weights appends one node to
/// the thread's tape.
#[derive(Clone, Copy)]
pub struct Tr<P> {
    pub(super) value: P,
    pub(super) at: Ref,
}

impl<P> Tr<P> {
    /// Makes a plain number, which depends on nothing.
    pub const fn lit(value: P) -> Self {
        let at = Ref::NONE;
        Self { value, at }
    }

    /// Makes the traced number of the weight that is literal number `leaf` of the source, where it
    /// reads `value`.
    pub const fn weight(value: P, leaf: u32) -> Self {
        let at = Ref::weight(leaf);
        Self { value, at }
    }
}

impl<P: Primitive> Tr<P> {
    /// Makes a plain number that is written as a literal at a place of the source: file, line,
    /// expression.
    pub fn lit_at(value: P, place: &'static str) -> Self {
        let literal = true;
        Self::constant(value, Site { place, literal })
    }

    /// Makes a plain number that joins the score at a place of the source. A 0 explains nothing,
    /// and needs no node; nor does any number while operations leave none.
    #[inline]
    pub(super) fn constant(value: P, site: Site) -> Self {
        if value == P::default() || in_force::is_active() {
            return Self::lit(value);
        }
        Self::joining(value, site)
    }

    /// Makes a plain number with a node of its own, which names the place of the source where it
    /// joined the score; without a node where operations leave none.
    #[inline(never)]
    fn joining(value: P, site: Site) -> Self {
        with(|tape| {
            if !tape.keeps_nodes() {
                return Self::lit(value);
            }
            tape.sites.push(site);
            let number = tape.sites.len() as u32 - 1;
            Self::noted(tape, value, Op::Constant(value.to_f64(), number))
        })
    }

    /// Returns the value at the weights in force on this thread.
    pub(super) fn value(self) -> P {
        self.scored()
            .unwrap_or_else(|| with(|tape| self.read(tape)))
    }

    /// Returns the value if the tape need not be asked for it: that of a plain number, and, while
    /// other weights than the source's are in force and operations leave no nodes, that of an
    /// integer weight or of an integer entry of a table computed from weights. `None` where the
    /// tape must be asked.
    #[inline]
    pub(super) fn scored(self) -> Option<P> {
        if self.at.is_none() {
            return Some(self.value);
        }
        if !P::INTEGER {
            return None;
        }
        P::from_i64(in_force::weight(self.at).or_else(|| in_force::entry(self.at))?)
    }

    /// Returns the value of a plain number or of an integer weight in force; `None` where the tape,
    /// or the array of the entries of tables, must be asked. Unlike [`scored`](Self::scored) it is
    /// small enough to be inlined.
    #[inline(always)]
    fn read_at_once(self) -> Option<P> {
        if self.at.is_none() {
            return Some(self.value);
        }
        if !P::INTEGER {
            return None;
        }
        P::from_i64(in_force::weight(self.at)?)
    }

    /// Returns the value at the weights in force, for callers that have the tape. In a quick
    /// recording, at the source's weights, it is the one that the number holds.
    #[inline]
    pub(super) fn read(self, tape: &Tape) -> P {
        if tape.quick {
            self.value
        } else {
            self.value_in_force(tape)
        }
    }

    /// Returns the value at the weights in force, by the tape: a weight, or an entry of a table
    /// computed from weights, holds its value at the source's weights, so the tape is asked; any
    /// other number holds its own.
    #[cold]
    fn value_in_force(self, tape: &Tape) -> P {
        if let Some(leaf) = self.at.as_weight() {
            return match tape.values.get(leaf) {
                Some(&value) if P::SIGNED => P::from_f64(value),
                // An unsigned number is on its way into two numbers packed in one: a negative one
                // wraps.
                Some(&value) => wrap_to(value),
                None => self.value,
            };
        }
        match self.at.as_derived() {
            Some(at) if P::INTEGER => wrap_to(tape.tables.value(at)),
            Some(at) => P::from_f64(tape.tables.value(at)),
            None => self.value,
        }
    }

    /// Appends an operation with its result `value` to the tape; returns the number that depends on
    /// it. While a table is built from weights, its node gets the value too; in a quick recording
    /// (at the source's weights) the number alone holds it.
    #[inline]
    pub(super) fn noted(tape: &mut Tape, value: P, op: Op) -> Self {
        let at = tape.push(op);
        if !tape.quick {
            tape.note(at, value.to_f64());
        }
        Self { value, at }
    }

    /// Computes an operation on this number by `f`, which also tells whether the result wrapped. If
    /// the number depends on anything, and its value cannot be read without the tape, the node that
    /// `op` makes of what it depends on is appended.
    #[inline]
    pub(super) fn unary(self, f: impl Fn(P) -> (P, bool), op: impl FnOnce(Ref) -> Op) -> Self {
        // A result that wrapped is left to the tape, which notes the overflow.
        if P::INTEGER
            && let Some((value, false)) = self.scored().map(&f)
        {
            return Self::lit(value);
        }
        self.unary_slow(f, op)
    }

    /// Computes an operation on this number by `f`, which also tells whether the result wrapped;
    /// the tape is asked for the value, and notes whether that wrapped. If the number depends on
    /// anything, the node that `op` makes of it is appended.
    #[inline(never)]
    fn unary_slow(self, f: impl Fn(P) -> (P, bool), op: impl FnOnce(Ref) -> Op) -> Self {
        with(|tape| {
            let (value, wrapped) = f(self.read(tape));
            tape.computed::<P>(wrapped);
            if self.at.is_none() {
                Self::lit(value)
            } else {
                Self::noted(tape, value, op(self.at))
            }
        })
    }

    /// Returns the sum or, with `sign` −1, the difference of two numbers, without a node if both
    /// are plain or weights in force. This part is small enough to be inlined; `joined_traced` puts
    /// a node into the buffer of a quick recording (at the source's weights), and `joined_slow`
    /// asks the tape.
    #[inline(always)]
    fn joined(self, other: Self, sign: i64) -> Self {
        // A sum that wrapped is left to the tape, which notes the overflow.
        if P::INTEGER
            && let Some(a) = self.read_at_once()
            && let Some(b) = other.read_at_once()
            && let (value, false) = a.joined(b, sign)
        {
            return Self::lit(value);
        }
        self.joined_traced(other, sign)
    }

    /// Returns the sum or, with `sign` −1, the difference of two numbers whose values are not both
    /// at hand: by the buffer of a quick recording (at the source's weights), if there is room;
    /// without a node where a plain 0 is added, or both values can be read without the tape; else
    /// by the tape. It is apart from `joined` so that sums of plain numbers are small enough to be
    /// inlined.
    #[inline(never)]
    fn joined_traced(self, other: Self, sign: i64) -> Self {
        // A sum that wrapped is left to the tape, here and below: it notes the overflow.
        if P::INTEGER && !self.at.is_none() && !other.at.is_none() {
            let (value, wrapped) = self.value.joined(other.value, sign);
            if !wrapped {
                let at = quick_sum(self.at, other.at, sign);
                if !at.is_none() {
                    return Self { value, at };
                }
            }
        }
        // A plain zero (the start of a sum, mostly) changes nothing.
        if P::INTEGER && other.is_plain_zero() {
            return self;
        }
        if P::INTEGER && sign > 0 && self.is_plain_zero() {
            return other;
        }
        if P::INTEGER
            && let (Some(a), Some(b)) = (self.scored(), other.scored())
            && let (value, false) = a.joined(b, sign)
        {
            return Self::lit(value);
        }
        self.joined_slow(other, sign)
    }

    /// Tells whether the number is a 0 that depends on nothing.
    fn is_plain_zero(self) -> bool {
        self.at.is_none() && self.value == P::default()
    }

    /// Returns the sum or, with `sign` −1, the difference of two numbers, by the tape; a node is
    /// appended unless neither depends on anything.
    #[inline(never)]
    fn joined_slow(self, other: Self, sign: i64) -> Self {
        with(|tape| {
            let (a, b) = (self.read(tape), other.read(tape));
            let (value, wrapped) = a.joined(b, sign);
            tape.computed::<P>(wrapped);
            let at = if self.at.is_none() || other.at.is_none() {
                with_plain(tape, (self.at, a.to_f64()), (other.at, b.to_f64()), sign)
            } else {
                tape.push(Op::Sum(self.at, other.at, sign))
            };
            if !tape.quick {
                tape.note(at, value.to_f64());
            }
            Self { value, at }
        })
    }

    /// Returns the product with a plain number. This part is inlined; `times_traced` puts a node
    /// into the buffer of a quick recording (at the source's weights), and `times_slow` asks the
    /// tape.
    #[inline]
    pub(super) fn times(self, k: P) -> Self {
        // A product that wrapped is left to the tape, which notes the overflow.
        if P::INTEGER
            && let Some((value, false)) = self.read_at_once().map(|v| v.mul(k))
        {
            return Self::lit(value);
        }
        self.times_traced(k)
    }

    /// Returns the product with a plain number. While a trace is recorded at the source's weights,
    /// `self.value` is this number's value, and a node goes into the tape's buffer if that has
    /// room. At other weights `self.value` may be an old one, and the buffer has no room. What is
    /// left is for `times_slow`: that, factors of 2⁴⁰ or more or with a fraction, and products that
    /// wrap.
    #[inline(never)]
    fn times_traced(self, k: P) -> Self {
        // A product that wrapped is left to the tape, here and below: it notes the overflow.
        if P::INTEGER && !self.at.is_none() {
            let (value, wrapped) = self.value.mul(k);
            if let (false, Some(k)) = (wrapped, whole(k)) {
                let at = quick_sum(Ref::NONE, self.at, k);
                if !at.is_none() {
                    return Self { value, at };
                }
            }
        }
        // At other weights only scores are asked for, and nothing is recorded: so a plain number
        // will do.
        if P::INTEGER
            && let Some((value, false)) = self.scored().map(|v| v.mul(k))
        {
            return Self::lit(value);
        }
        self.times_slow(k)
    }

    /// Returns the product with a plain number, by the tape: as an integer multiple where the
    /// factor is whole, so that coefficients stay integers.
    #[inline(never)]
    fn times_slow(self, k: P) -> Self {
        let product = |v: P| v.mul(k);
        self.unary(product, |a| match whole(k) {
            Some(k) => Op::times(a, k),
            None => Op::Scale(a, k.to_f64()),
        })
    }

    /// Returns the quotient by a plain number; that of integers is truncated toward 0, which its
    /// node notes.
    #[inline]
    pub(super) fn divided(self, d: P) -> Self {
        let divisor = d.to_f64();
        self.unary(
            |v| v.div(d),
            |a| {
                if P::INTEGER {
                    Op::Divide(a, divisor)
                } else {
                    Op::Scale(a, divisor.recip())
                }
            },
        )
    }
}

/// Returns a factor as an integer; `None` if it is not whole, or 2⁴⁰ or more in size, as the counts
/// of weights in sums must not overflow.
#[inline]
fn whole<P: Primitive>(k: P) -> Option<i64> {
    let factor = k.to_f64();
    let small = factor as i64;
    let is_whole = (small as f64).to_bits() == factor.to_bits() && small.unsigned_abs() < 1 << 40;
    is_whole.then_some(small)
}

/// Returns what the sum a + sign·b depends on, of which at least one side is plain, and appends the
/// nodes for it. `(x, a)`: what the left side depends on, [`Ref::NONE`] if it is plain, and its
/// value; `(y, b)`: what the right side depends on, and its value. The result is [`Ref::NONE`] if
/// both are plain.
fn with_plain(tape: &mut Tape, (x, a): (Ref, f64), (y, b): (Ref, f64), sign: i64) -> Ref {
    // Adding a plain zero (the start of a sum, mostly) changes nothing.
    match (x.is_none(), y.is_none()) {
        (false, true) if b == 0.0 => x,
        (false, true) => tape.push(Op::Offset(x, sign as f64 * b)),
        (true, false) => {
            let y = if sign < 0 {
                tape.push(Op::times(y, sign))
            } else {
                y
            };
            if a == 0.0 {
                y
            } else {
                tape.push(Op::Offset(y, a))
            }
        }
        _ => Ref::NONE,
    }
}

/// Implements operators whose result is traced.
macro_rules! operators {
    ($($(#[$attribute:meta])* $op:ident $f:ident($this:ident $(, $other:ident: $by:ty)?) $value:expr;)*) => {$(
        impl<P: Primitive> $op$(<$by>)? for Tr<P> {
            type Output = Self;
            $(#[$attribute])*
            fn $f($this $(, $other: $by)?) -> Self {
                $value
            }
        }
    )*};
}
pub(super) use operators;

operators! {
    #[inline(always)] Add add(self, other: Self) self.joined(other, 1);
    #[inline(always)] Sub sub(self, other: Self) self.joined(other, -1);
    // Of a float, 0 − v has not the sign of −v where v is 0.
    #[inline] Neg neg(self) self.unary(|v| P::from_f64(-0.0).sub(v), |a| Op::times(a, -1));
    #[inline] Mul mul(self, k: P) self.times(k);
    #[inline] Div div(self, d: P) self.divided(d);
    #[inline] Add add(self, other: P) self + Self::lit(other);
    #[inline] Sub sub(self, other: P) self - Self::lit(other);
}

/// Implements a binary operator for references to its operands.
macro_rules! by_reference {
    ([$($of:tt)*] $op:ident $f:ident $this:ty, $other:ty => $output:ty) => {
        impl $($of)* $op<&$other> for $this {
            type Output = $output;
            #[inline]
            fn $f(self, other: &$other) -> $output { $op::$f(self, *other) }
        }
        impl $($of)* $op<$other> for &$this {
            type Output = $output;
            #[inline]
            fn $f(self, other: $other) -> $output { $op::$f(*self, other) }
        }
        impl $($of)* $op<&$other> for &$this {
            type Output = $output;
            #[inline]
            fn $f(self, other: &$other) -> $output { $op::$f(*self, *other) }
        }
    };
}
by_reference!([<P: Primitive>] Add add Tr<P>, Tr<P> => Tr<P>);
by_reference!([<P: Primitive>] Sub sub Tr<P>, Tr<P> => Tr<P>);
by_reference!([<P: Primitive>] Mul mul Tr<P>, P => Tr<P>);
by_reference!([<P: Primitive>] Div div Tr<P>, P => Tr<P>);

/// Implements sums and products of a plain number on the left and a traced one.
macro_rules! from_the_left {
    ($($t:ty),*) => {$(
        impl Add<Tr<$t>> for $t {
            type Output = Tr<$t>;
            #[inline]
            fn add(self, other: Tr<$t>) -> Tr<$t> { Tr::lit(self) + other }
        }
        impl Sub<Tr<$t>> for $t {
            type Output = Tr<$t>;
            #[inline]
            fn sub(self, other: Tr<$t>) -> Tr<$t> { Tr::lit(self) - other }
        }
        impl Mul<Tr<$t>> for $t {
            type Output = Tr<$t>;
            #[inline]
            fn mul(self, other: Tr<$t>) -> Tr<$t> { other.times(self) }
        }
        by_reference!([] Mul mul $t, Tr<$t> => Tr<$t>);
    )*};
}
from_the_left!(i8, i16, i32, i64, isize, u16, u32, u64, f32, f64);

impl<P: Primitive> Neg for &Tr<P> {
    type Output = Tr<P>;
    fn neg(self) -> Tr<P> {
        -*self
    }
}

/// Implements `a += b` and the like by the operator.
macro_rules! assigning {
    ($($op:ident $f:ident $by:ident $sign:tt),*) => {$(
        impl<P: Primitive, T> $op<T> for Tr<P>
        where
            Self: $by<T, Output = Self>,
        {
            #[inline]
            fn $f(&mut self, other: T) {
                *self = *self $sign other;
            }
        }
    )*};
}
assigning!(AddAssign add_assign Add +, SubAssign sub_assign Sub -, MulAssign mul_assign Mul *, DivAssign div_assign Div /);

impl<P: Primitive> Sum for Tr<P> {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Add::add)
    }
}

impl<'a, P: Primitive> Sum<&'a Self> for Tr<P> {
    fn sum<I: Iterator<Item = &'a Self>>(items: I) -> Self {
        items.fold(Self::default(), Add::add)
    }
}

impl<P: Primitive> Default for Tr<P> {
    fn default() -> Self {
        Self::lit(P::default())
    }
}

impl<P: Primitive> fmt::Debug for Tr<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.value(), f)
    }
}

impl<P: Primitive> fmt::Display for Tr<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.value(), f)
    }
}
