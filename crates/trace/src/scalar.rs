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

    /// The weight that is literal number `leaf` of the source, where it reads `value`.
    pub const fn weight(value: P, leaf: u32) -> Self {
        let at = Ref::weight(leaf);
        Self { value, at }
    }
}

impl<P: Primitive> Tr<P> {
    /// A plain number, written as a literal at a place of the source.
    pub fn lit_at(value: P, place: &'static str) -> Self {
        let literal = true;
        Self::constant(value, Site { place, literal })
    }

    /// A plain number that joins the score at a place. A 0 explains nothing, and needs no node.
    #[inline]
    pub(super) fn constant(value: P, site: Site) -> Self {
        if value == P::default() || in_force::is_active() {
            return Self::lit(value);
        }
        Self::joining(value, site)
    }

    /// Returns a plain number with a node of its own that names its place; outside recordings, a
    /// plain one without.
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

    /// Returns the value; for a weight, the one in force in this thread.
    pub(super) fn value(self) -> P {
        self.scored()
            .unwrap_or_else(|| with(|tape| self.read(tape)))
    }

    /// Returns the value where the tape need not be asked: that of a plain number, and, while
    /// operations leave no nodes, mostly of any other integer. `None` where the tape is to be
    /// asked.
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

    /// Returns the value of a plain number or of an integer weight in force; unlike
    /// [`scored`](Self::scored), `None` for entries of derived tables, whose look-up is not
    /// inlined.
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

    /// Returns the value at the weights in force, for those who have the tape.
    #[inline]
    pub(super) fn read(self, tape: &Tape) -> P {
        if tape.quick {
            self.value
        } else {
            self.value_in_force(tape)
        }
    }

    /// Returns the value at the weights in force, by the tape: of a weight or an entry of a table
    /// the handle holds that at the source's weights, of all else the value itself.
    #[cold]
    fn value_in_force(self, tape: &Tape) -> P {
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

    /// Appends an operation with its result `value`; returns the number that depends on it. In a
    /// quick recording the handle alone has the value, else a table's node gets it too.
    #[inline]
    pub(super) fn noted(tape: &mut Tape, value: P, op: Op) -> Self {
        let at = tape.push(op);
        if !tape.quick {
            tape.note(at, value.to_f64());
        }
        Self { value, at }
    }

    /// Computes the value by `f`, which also tells whether it wrapped, and where the number depends
    /// on something, appends the node that `op` makes of that.
    #[inline]
    pub(super) fn unary(self, f: impl Fn(P) -> (P, bool), op: impl FnOnce(Ref) -> Op) -> Self {
        if P::INTEGER
            && let Some((value, false)) = self.scored().map(&f)
        {
            return Self::lit(value);
        }
        self.unary_slow(f, op)
    }

    /// Computes the value by `f`, with the tape, where it notes whether that wrapped. Appends the
    /// node that `op` makes of what the number depends on, if it depends on anything.
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

    /// Returns the sum or, with `sign` −1, the difference, without a node where both are plain or
    /// weights in force. In three functions: this one is small enough to be inlined, the second
    /// puts a node into the buffer of a quick recording, the third asks the tape.
    #[inline(always)]
    fn joined(self, other: Self, sign: i64) -> Self {
        if P::INTEGER
            && let Some(a) = self.read_at_once()
            && let Some(b) = other.read_at_once()
            && let (value, false) = a.joined(b, sign)
        {
            return Self::lit(value);
        }
        self.joined_traced(other, sign)
    }

    /// The sum or difference where not both are plain. Apart, so that the sum of plain numbers is
    /// small enough to be inlined: of those there are most where operations leave no nodes.
    #[inline(never)]
    fn joined_traced(self, other: Self, sign: i64) -> Self {
        if P::INTEGER && !self.at.is_none() && !other.at.is_none() {
            let (value, wrapped) = self.value.joined(other.value, sign);
            if !wrapped {
                let at = quick_sum(self.at, other.at, sign);
                if !at.is_none() {
                    return Self { value, at };
                }
            }
        }
        // A plain zero (a seed, mostly) changes nothing.
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

    /// Whether it is a 0 that depends on nothing.
    fn is_plain_zero(self) -> bool {
        self.at.is_none() && self.value == P::default()
    }

    /// The sum or difference with the tape, which appends a node unless neither side depends on
    /// anything.
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

    /// Returns the product with a plain number. In three functions: this one is inlined, the second
    /// puts a node into the buffer of a quick recording, the third asks the tape.
    #[inline]
    pub(super) fn times(self, k: P) -> Self {
        if P::INTEGER
            && let Some((value, false)) = self.read_at_once().map(|v| v.mul(k))
        {
            return Self::lit(value);
        }
        self.times_traced(k)
    }

    /// Returns the product with a plain number where the value cannot be read at once, by the
    /// buffer of a quick recording if there is room.
    #[inline(never)]
    fn times_traced(self, k: P) -> Self {
        if P::INTEGER && !self.at.is_none() {
            let (value, wrapped) = self.value.mul(k);
            if let (false, Some(k)) = (wrapped, whole(k)) {
                let at = quick_sum(Ref::NONE, self.at, k);
                if !at.is_none() {
                    return Self { value, at };
                }
            }
        }
        if P::INTEGER
            && let Some((value, false)) = self.scored().map(|v| v.mul(k))
        {
            return Self::lit(value);
        }
        self.times_slow(k)
    }

    /// Returns the product with a plain number by the tape: as an integer multiple where the factor
    /// is whole, so that coefficients stay integers.
    #[inline(never)]
    fn times_slow(self, k: P) -> Self {
        let product = |v: P| v.mul(k);
        self.unary(product, |a| match whole(k) {
            Some(k) => Op::times(a, k),
            None => Op::Scale(a, k.to_f64()),
        })
    }

    /// Returns the quotient by a plain number: an integer one is truncated toward 0.
    #[inline]
    pub(super) fn divided(self, d: P) -> Self {
        let divisor = d.to_f64();
        let quotient = |v: P| (v.div(d), false);
        self.unary(quotient, |a| {
            if P::INTEGER {
                Op::Divide(a, divisor)
            } else {
                Op::Scale(a, divisor.recip())
            }
        })
    }
}

/// Returns a factor as an integer; `None` if it is not whole, or 2⁴⁰ or more, as counts of a sum
/// must not overflow.
#[inline]
fn whole<P: Primitive>(k: P) -> Option<i64> {
    let factor = k.to_f64();
    let small = factor as i64;
    let is_whole = (small as f64).to_bits() == factor.to_bits() && small.unsigned_abs() < 1 << 40;
    is_whole.then_some(small)
}

/// Returns what a sum `a + sign·b` depends on, one side of which is plain: `x` is what `a` depends
/// on, `y` what `b` does, [`Ref::NONE`] for a plain one. Nothing if both are plain.
fn with_plain(tape: &mut Tape, (x, a): (Ref, f64), (y, b): (Ref, f64), sign: i64) -> Ref {
    // Adding a plain zero (a seed, mostly) changes nothing.
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
