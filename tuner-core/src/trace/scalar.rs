//! The traced number that stands for a score in the twin.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use super::bits::wrap_to;
use super::primitive::Primitive;
use super::tape::{Op, Ref, Site, Tape, with};

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
    /// A plain number.
    pub const fn lit(value: P) -> Self {
        Self {
            value,
            at: Ref::NONE,
        }
    }

    /// The weight that is literal number `leaf` of the source, where it reads `value`.
    pub const fn weight(value: P, leaf: u32) -> Self {
        Self {
            value,
            at: Ref::weight(leaf),
        }
    }

    /// A plain number, written as a literal at a place of the source.
    pub fn lit_at(value: P, place: &'static str) -> Self
    where
        P: Primitive,
    {
        Self::constant(
            value,
            Site {
                place,
                literal: true,
            },
        )
    }

    pub(super) fn constant(value: P, site: Site) -> Self
    where
        P: Primitive,
    {
        if value == P::default() {
            return Self::lit(value);
        }
        with(|tape| {
            if !tape.keeps_nodes() {
                return Self::lit(value);
            }
            tape.sites.push(site);
            let number = tape.sites.len() as u32 - 1;
            Self::noted(tape, value, Op::Constant(value.to_f64(), number))
        })
    }

    pub(super) const fn dependence(&self) -> Ref {
        self.at
    }

    /// A number computed from others.
    pub(super) const fn dependent(value: P, at: Ref) -> Self {
        Self { value, at }
    }
}

impl<P: Primitive> Tr<P> {
    /// Returns the value; for a weight, the one in force in this thread.
    pub(super) fn value(self) -> P {
        with(|tape| self.read(tape))
    }

    pub(super) fn read(self, tape: &Tape) -> P {
        if let Some(leaf) = self.at.as_weight() {
            return match tape.values.get(leaf) {
                Some(&value) if P::SIGNED => P::from_f64(value),
                // On its way into a packed pair.
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

    /// A number with a node of its own.
    pub(super) fn noted(tape: &mut Tape, value: P, op: Op) -> Self {
        let at = tape.push(op);
        tape.note(at, value.to_f64());
        Self { value, at }
    }

    /// Computes `value` by `f` and, where something is depended on, a node by `op`.
    pub(super) fn unary(self, f: impl FnOnce(P) -> (P, bool), op: impl FnOnce(Ref) -> Op) -> Self {
        with(|tape| {
            let (value, wrapped) = f(self.read(tape));
            tape.wrapped |= wrapped;
            tape.epsilon = tape.epsilon.max(P::EPSILON);
            if self.at.is_none() {
                Self::lit(value)
            } else {
                Self::noted(tape, value, op(self.at))
            }
        })
    }

    fn binary(
        self,
        other: Self,
        f: impl FnOnce(P, P) -> (P, bool),
        op: impl FnOnce(&mut Tape, P, P) -> Ref,
    ) -> Self {
        with(|tape| {
            let (a, b) = (self.read(tape), other.read(tape));
            let (value, wrapped) = f(a, b);
            tape.wrapped |= wrapped;
            tape.epsilon = tape.epsilon.max(P::EPSILON);
            let at = op(tape, a, b);
            tape.note(at, value.to_f64());
            Self { value, at }
        })
    }

    pub(super) fn times(self, k: P) -> Self {
        let factor = k.to_f64();
        let small = factor as i64;
        let whole = (small as f64).to_bits() == factor.to_bits() && small.abs() < 1 << 40;
        self.unary(
            |v| v.mul(k),
            |a| {
                if whole {
                    Op::Times(a, small)
                } else {
                    Op::Scale(a, factor)
                }
            },
        )
    }

    fn divided(self, d: P) -> Self {
        let divisor = d.to_f64();
        self.unary(
            |v| (v.div(d), false),
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

fn joined<P: Primitive>(
    (x, y): (Tr<P>, Tr<P>),
    tape: &mut Tape,
    (a, b): (P, P),
    minus: bool,
) -> Ref {
    match (x.at.is_none(), y.at.is_none()) {
        (true, true) => Ref::NONE,
        (false, false) => tape.push(if minus {
            Op::Sub(x.at, y.at)
        } else {
            Op::Add(x.at, y.at)
        }),
        // Adding a plain zero (a seed, mostly) changes nothing.
        (false, true) if b == P::default() => x.at,
        (true, false) if a == P::default() && !minus => y.at,
        (false, true) => {
            let c = if minus { -b.to_f64() } else { b.to_f64() };
            tape.push(Op::Offset(x.at, c))
        }
        (true, false) => {
            let y = if minus {
                tape.push(Op::Neg(y.at))
            } else {
                y.at
            };
            if a == P::default() {
                y
            } else {
                tape.push(Op::Offset(y, a.to_f64()))
            }
        }
    }
}

impl<P: Primitive> Add for Tr<P> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.binary(other, P::add, |tape, a, b| {
            joined((self, other), tape, (a, b), false)
        })
    }
}

impl<P: Primitive> Sub for Tr<P> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.binary(other, P::sub, |tape, a, b| {
            joined((self, other), tape, (a, b), true)
        })
    }
}

impl<P: Primitive> Neg for Tr<P> {
    type Output = Self;
    fn neg(self) -> Self {
        self.unary(|v| P::default().sub(v), Op::Neg)
    }
}

impl<P: Primitive> Mul<P> for Tr<P> {
    type Output = Self;
    fn mul(self, k: P) -> Self {
        self.times(k)
    }
}

impl<P: Primitive> Div<P> for Tr<P> {
    type Output = Self;
    fn div(self, d: P) -> Self {
        self.divided(d)
    }
}

impl<P: Primitive> Add<P> for Tr<P> {
    type Output = Self;
    fn add(self, other: P) -> Self {
        self + Self::lit(other)
    }
}

impl<P: Primitive> Sub<P> for Tr<P> {
    type Output = Self;
    fn sub(self, other: P) -> Self {
        self - Self::lit(other)
    }
}

macro_rules! from_the_left {
    ($($t:ty),*) => {$(
        impl Add<Tr<$t>> for $t {
            type Output = Tr<$t>;
            fn add(self, other: Tr<$t>) -> Tr<$t> { Tr::lit(self) + other }
        }
        impl Sub<Tr<$t>> for $t {
            type Output = Tr<$t>;
            fn sub(self, other: Tr<$t>) -> Tr<$t> { Tr::lit(self) - other }
        }
        impl Mul<Tr<$t>> for $t {
            type Output = Tr<$t>;
            fn mul(self, other: Tr<$t>) -> Tr<$t> { other.times(self) }
        }
        impl Mul<&Tr<$t>> for $t {
            type Output = Tr<$t>;
            fn mul(self, other: &Tr<$t>) -> Tr<$t> { other.times(self) }
        }
        impl Mul<Tr<$t>> for &$t {
            type Output = Tr<$t>;
            fn mul(self, other: Tr<$t>) -> Tr<$t> { other.times(*self) }
        }
        impl Mul<&Tr<$t>> for &$t {
            type Output = Tr<$t>;
            fn mul(self, other: &Tr<$t>) -> Tr<$t> { other.times(*self) }
        }
    )*};
}
from_the_left!(i8, i16, i32, i64, isize, u16, u32, u64, f32, f64);

macro_rules! by_reference {
    ($($op:ident $f:ident),*) => {$(
        impl<P: Primitive> $op<&Tr<P>> for Tr<P> {
            type Output = Tr<P>;
            fn $f(self, other: &Tr<P>) -> Tr<P> { self.$f(*other) }
        }
        impl<P: Primitive> $op<Tr<P>> for &Tr<P> {
            type Output = Tr<P>;
            fn $f(self, other: Tr<P>) -> Tr<P> { (*self).$f(other) }
        }
        impl<P: Primitive> $op<&Tr<P>> for &Tr<P> {
            type Output = Tr<P>;
            fn $f(self, other: &Tr<P>) -> Tr<P> { (*self).$f(*other) }
        }
    )*};
}
by_reference!(Add add, Sub sub);

macro_rules! factor_by_reference {
    ($($op:ident $f:ident),*) => {$(
        impl<P: Primitive> $op<&P> for Tr<P> {
            type Output = Tr<P>;
            fn $f(self, other: &P) -> Tr<P> { self.$f(*other) }
        }
        impl<P: Primitive> $op<P> for &Tr<P> {
            type Output = Tr<P>;
            fn $f(self, other: P) -> Tr<P> { (*self).$f(other) }
        }
        impl<P: Primitive> $op<&P> for &Tr<P> {
            type Output = Tr<P>;
            fn $f(self, other: &P) -> Tr<P> { (*self).$f(*other) }
        }
    )*};
}
factor_by_reference!(Mul mul, Div div);

impl<P: Primitive> Neg for &Tr<P> {
    type Output = Tr<P>;
    fn neg(self) -> Tr<P> {
        -*self
    }
}

macro_rules! assigning {
    ($($op:ident $f:ident $by:ident $sign:tt),*) => {$(
        impl<P: Primitive, T> $op<T> for Tr<P>
        where
            Self: $by<T, Output = Self>,
        {
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
