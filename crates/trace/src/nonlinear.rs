//! Operations on traced scores besides sums and multiples: products, quotients,
//! limits, powers, functions, and comparisons that decide branches.
//!
//! `#[tunable(nonlinear)]` brings these into the twin; `#[tunable]` alone does
//! not know them, so an evaluation that is declared linear is.

use std::ops::{Div, Mul};

use super::expression::Relation;
use super::in_force;
use super::nonlinear_op::NonlinearOp;
use super::packed;
use super::primitive::{Float, Primitive};
pub use super::ranges::*;
use super::scalar::{Tr, operators};
use super::tape::{Op, Ref, Tape, with};

/// A number as operand: a traced one, or a plain one of the same type.
#[diagnostic::on_unimplemented(
    message = "a score meets `{Self}`, which is no number",
    note = "under `nonlinear`, scores are compared and multiplied with signed integers and floats"
)]
pub trait Operand {
    /// The production type.
    type Plain: Primitive;
    /// Makes this number a traced one; a plain number depends on nothing.
    fn operand(self) -> Tr<Self::Plain>;
}

impl<P: Primitive> Operand for Tr<P> {
    type Plain = P;
    fn operand(self) -> Self {
        self
    }
}

impl<T: Operand + Copy> Operand for &T {
    type Plain = T::Plain;
    fn operand(self) -> Tr<T::Plain> {
        (*self).operand()
    }
}

/// Makes plain numbers operands.
macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Operand for $t {
            type Plain = $t;
            fn operand(self) -> Tr<$t> {
                Tr::lit(self)
            }
        }
    )*};
}
plain!(i8, i16, i32, i64, isize, u16, u32, u64, f32, f64);

/// Returns what `x` depends on; for a plain number a new node with its value, `value`, so that a
/// nonlinear operation can refer to it.
fn named<P: Primitive>(x: Tr<P>, value: P, tape: &mut Tape) -> Ref {
    if x.at.is_none() {
        tape.push(Op::Plain(value.to_f64()))
    } else {
        x.at
    }
}

/// Computes the result of an operation on two numbers by `f`, which also tells whether it wrapped.
/// Where a number depends on weights and operations leave nodes, appends the node that `op` makes
/// of what both depend on. `truncates`: `f` cuts the result to a whole number, as a quotient of
/// integers.
fn binary<P: Primitive>(
    x: Tr<P>,
    y: Tr<P>,
    f: impl Fn(P, P) -> (P, bool),
    op: impl FnOnce(Ref, Ref) -> NonlinearOp<Ref>,
    truncates: bool,
) -> Tr<P> {
    // Both values can be read without the tape: each is plain, or operations leave no nodes. A
    // result that wrapped is left to the tape, which notes the overflow.
    if P::INTEGER
        && let (Some(a), Some(b)) = (x.scored(), y.scored())
        && let (value, false) = f(a, b)
    {
        return Tr::lit(value);
    }
    let (a, b) = (x.value(), y.value());
    let (value, wrapped) = f(a, b);
    with(|tape| {
        tape.computed::<P>(wrapped);
        if !tape.keeps_nodes() || (x.at.is_none() && y.at.is_none()) {
            return Tr::lit(value);
        }
        let (a, b) = (named(x, a, tape), named(y, b, tape));
        Tr::noted(tape, value, Op::Nonlinear(op(a, b), truncates))
    })
}

/// Computes the result of an operation on one number by `f`, which also tells whether it wrapped.
/// Where the number depends on weights, appends the node that `op` makes of what it depends on.
fn unary<P: Primitive>(
    x: Tr<P>,
    f: impl Fn(P) -> (P, bool),
    op: impl FnOnce(Ref) -> NonlinearOp<Ref>,
) -> Tr<P> {
    // `false`: the result is not cut to a whole number.
    x.unary(f, |a| Op::Nonlinear(op(a), false))
}

/// Stands for `a * b` where both may be traced. A product with a plain number is a multiple, which
/// is linear.
pub fn mul<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> Tr<A::Plain> {
    let (x, y) = (a.operand(), b.operand());
    match (x.at.is_none(), y.at.is_none()) {
        (_, true) => x.times(y.value()),
        (true, false) => y.times(x.value()),
        // `false`: a product is not cut to a whole number.
        (false, false) => binary(x, y, Primitive::mul, NonlinearOp::Mul, false),
    }
}

/// Stands for a product of a score with a constant, which may be two numbers packed in one integer:
/// the score times `pack(1, 1)` is the score in both halves. If the constant depends on weights,
/// the product is that of two scores.
pub fn scaled<A: Operand, B: Operand<Plain = A::Plain>>(score: A, constant: B) -> Tr<A::Plain> {
    let (score, constant) = (score.operand(), constant.operand());
    if !constant.at.is_none() && !with(|tape| is_constant(tape, constant.at)) {
        return mul(score, constant);
    }
    let factor = constant.value();
    let whole = factor.to_f64() as i64;
    // The bits of the lower half; 0 of a number that is not packed, whose halves are not used.
    let bits = packed::width(whole);
    let (lower, upper) = packed::split(whole, bits.max(1));
    if !A::Plain::INTEGER || bits == 0 || lower == 0 {
        return score.times(factor);
    }
    // A pair: the score times the number of each half.
    let times = |k: i64| score.times(A::Plain::from_f64(k as f64));
    (times(upper) << bits) + times(lower)
}

/// Stands for `score *= constant`.
pub fn scale<P: Primitive>(constant: impl Operand<Plain = P>, score: &mut Tr<P>) {
    *score = scaled(*score, constant);
}

/// Tells whether a number is computed from literals alone, by linear operations.
fn is_constant(tape: &Tape, r: Ref) -> bool {
    let Some(op) = tape.behind(r) else {
        return r.is_none();
    };
    let mut all = !matches!(op, Op::Nonlinear(..));
    op.map(|operand| {
        all = all && is_constant(tape, operand);
        operand
    });
    all
}

/// Stands for `a / b` where both may be traced.
///
/// At weights that make an integer divisor 0, where production would panic,
/// the result is 0 and counts as an overflow. So does the quotient of the smallest integer by −1,
/// which wraps.
///
/// # Panics
/// If a plain integer divisor is 0, as with `/`.
pub fn div<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> Tr<A::Plain> {
    let (x, y) = (a.operand(), b.operand());
    if y.at.is_none() {
        return x.divided(y.value());
    }
    let truncates = A::Plain::INTEGER;
    let quotient = |a: A::Plain, b: A::Plain| {
        if truncates && b == A::Plain::default() {
            // The result 0, as an overflow.
            (b, true)
        } else {
            a.div(b)
        }
    };
    binary(x, y, quotient, NonlinearOp::Div, truncates)
}

/// Stands for `a *= b`; `b` comes first, as it is computed first.
pub fn mul_assign<P: Primitive>(b: impl Operand<Plain = P>, a: &mut Tr<P>) {
    *a = mul(*a, b);
}

/// Stands for `a /= b`; `b` comes first, as it is computed first.
///
/// # Panics
/// If `b` is a plain integer 0, as with `/`.
pub fn div_assign<P: Primitive>(b: impl Operand<Plain = P>, a: &mut Tr<P>) {
    *a = div(*a, b);
}

/// Stands for [`freeze!`](crate::freeze): returns the number as a plain one, with its value at the
/// weights in force; the result does not depend on them any more. While recording, guards are added
/// (conditions under which the trace holds): that its integer part stays.
pub fn freeze<A: Operand>(a: A) -> A::Plain {
    let x = a.operand();
    let value = x.value();
    // At other weights than the source's, while operations leave no nodes, nothing is noted.
    if in_force::is_active() {
        return value;
    }
    with(|tape| {
        // A table that is being built with this number must be built anew for other weights.
        tape.tables.depends_on_values();
        if tape.keeps_nodes() && !x.at.is_none() {
            stays(tape, x.at, value.to_f64().trunc());
        }
    });
    value
}

/// Stands for [`interpolated!`](crate::interpolated): the entry, which depends
/// on the index by the slope of the table there.
///
/// At weights that lead out of the table, where production would panic, the
/// result is the entry at its end and counts as an overflow.
///
/// # Panics
/// Panics if the table is empty, as production does.
pub fn interpolated<E: Operand + Copy, A: Operand>(table: &[E], index: A) -> Tr<E::Plain> {
    let x = index.operand();
    let at = x.value();
    let (wanted, last) = (at.to_f64().trunc(), table.len() - 1);
    let here = (wanted.max(0.0) as usize).min(last);
    let entry = table[here].operand();
    // While operations leave no nodes, an entry that the index really selects is all there is to
    // do.
    if in_force::is_active() && (here as f64 - wanted).abs() < 0.5 {
        return entry;
    }
    // The slope between the two neighbours of the entry, or, at an end, to the only one.
    let (low, high) = (here.saturating_sub(1), (here + 1).min(last));
    let rise = table[high].operand().value().to_f64() - table[low].operand().value().to_f64();
    let slope = rise / (high - low).max(1) as f64;
    let value = entry.value();
    with(|tape| {
        tape.wrapped |= wanted < 0.0 || wanted > last as f64;
        // A table that is being built with this number must be built anew for other weights.
        tape.tables.depends_on_values();
        if !tape.keeps_nodes() || x.at.is_none() {
            return entry;
        }
        stays(tape, x.at, wanted);
        // Adds slope·(index − its integer part, cut to an integer): a 0 with the slope as
        // derivative. What was cut off the index is at most 1 of it.
        let slope_part = tape.push(Op::Offset(x.at, -wanted));
        let slope_part = tape.push(Op::Truncate(slope_part));
        let slope_part = tape.push(Op::Scale(slope_part, slope));
        let entry = named(entry, value, tape);
        Tr::noted(tape, value, Op::Sum(entry, slope_part, 1))
    })
}

/// Adds guards, conditions under which the trace holds: that a number `x`, which is used by its
/// integer part, keeps the integer part that it has now, `whole`. It must stay between the two
/// integers around it; for 0 these are −1 and 1, both excluded.
fn stays(tape: &mut Tape, x: Ref, whole: f64) {
    // Adds the guard that x − limit has this relation to 0 or, if `holds` is false, has it not.
    let beyond = |tape: &mut Tape, limit: f64, relation, holds| {
        let difference = tape.push(Op::Offset(x, -limit));
        tape.guard(difference, relation, holds);
    };
    if whole > 0.0 {
        beyond(tape, whole, Relation::Negative, false);
    } else {
        beyond(tape, whole - 1.0, Relation::Positive, true);
    }
    if whole < 0.0 {
        beyond(tape, whole, Relation::Positive, false);
    } else {
        beyond(tape, whole + 1.0, Relation::Negative, true);
    }
}

/// Compares two numbers by `holds`. If one depends on weights, a guard is added, a condition under
/// which the trace holds: whether their difference has this `relation` to 0 must stay as it is.
fn compared<P: Primitive>(
    x: Tr<P>,
    y: Tr<P>,
    relation: Relation,
    holds: impl Fn(P, P) -> bool,
) -> bool {
    // Both values can be read without the tape, so that no guard is needed: each is plain, or
    // operations leave no nodes.
    if let (Some(a), Some(b)) = (x.scored(), y.scored()) {
        return holds(a, b);
    }
    let (a, b) = (x.value(), y.value());
    let holds = holds(a, b);
    with(|tape| {
        if tape.keeps_nodes() {
            let (a, b) = (named(x, a, tape), named(y, b, tape));
            let difference = tape.push(Op::Sum(a, b, -1));
            tape.guard(difference, relation, holds);
        }
    });
    holds
}

/// Tells whether neither number is NaN, with which no comparison but `!=` holds.
fn are_ordered<P: Primitive>(a: Tr<P>, b: Tr<P>) -> bool {
    P::INTEGER || a.value().partial_cmp(&b.value()).is_some()
}

/// Stands for `a < b`.
pub fn lt<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> bool {
    compared(a.operand(), b.operand(), Relation::Negative, |a, b| a < b)
}

/// Stands for `a > b`.
pub fn gt<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> bool {
    compared(a.operand(), b.operand(), Relation::Positive, |a, b| a > b)
}

/// Stands for `a <= b`.
pub fn le<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> bool {
    let (a, b) = (a.operand(), b.operand());
    !gt(a, b) && are_ordered(a, b)
}

/// Stands for `a >= b`.
pub fn ge<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> bool {
    let (a, b) = (a.operand(), b.operand());
    !lt(a, b) && are_ordered(a, b)
}

/// Stands for `a == b`.
pub fn eq<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> bool {
    compared(a.operand(), b.operand(), Relation::Zero, |a, b| a == b)
}

/// Stands for `a != b`.
pub fn ne<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> bool {
    !eq(a, b)
}

/// Tells whether a float is NaN; false of integers.
fn is_nan<P: Primitive>(x: P) -> bool {
    x.partial_cmp(&x).is_none()
}

/// Stands for `a.min(b)` and `min(a, b)`. Of a NaN and a number the result is the number. It is one
/// of the two, so it never wraps and nothing is truncated: both `false` say that.
pub fn min<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> Tr<A::Plain> {
    let pick = |a, b| (if b < a || is_nan(a) { b } else { a }, false);
    binary(a.operand(), b.operand(), pick, NonlinearOp::Min, false)
}

/// Stands for `a.max(b)` and `max(a, b)`. Of a NaN and a number the result is the number. It is one
/// of the two, so it never wraps and nothing is truncated: both `false` say that.
pub fn max<A: Operand, B: Operand<Plain = A::Plain>>(a: A, b: B) -> Tr<A::Plain> {
    let pick = |a, b| (if b > a || is_nan(a) { b } else { a }, false);
    binary(a.operand(), b.operand(), pick, NonlinearOp::Max, false)
}

/// Stands for `a.clamp(low, high)`.
///
/// At weights with `low > high`, where production would panic, the result is
/// `high` and counts as an overflow.
pub fn clamp<A, B, C>(a: A, low: B, high: C) -> Tr<A::Plain>
where
    A: Operand,
    B: Operand<Plain = A::Plain>,
    C: Operand<Plain = A::Plain>,
{
    let (low, high) = (low.operand(), high.operand());
    if low.value() > high.value() {
        with(|tape| tape.wrapped = true);
    }
    let a = a.operand();
    // `max` and `min` would make a limit of a NaN, which stays.
    if are_ordered(a, a) {
        min(max(a, low), high)
    } else {
        a
    }
}

/// Stands for `a.abs()`.
pub fn abs<A: Operand>(a: A) -> Tr<A::Plain> {
    let flip = |v: A::Plain| {
        // 0 − v also makes −0 a 0, and tells whether the smallest integer wrapped.
        if v <= A::Plain::default() {
            A::Plain::default().sub(v)
        } else {
            (v, false)
        }
    };
    unary(a.operand(), flip, NonlinearOp::Abs)
}

/// Stands for `a.signum()`: a plain number. Guards, conditions under which the trace holds, note
/// that it must stay so.
pub fn signum<A: Operand>(a: A) -> Tr<A::Plain> {
    let x = a.operand();
    let one = A::Plain::from_f64(1.0);
    let zero = Tr::lit(A::Plain::default());
    if gt(x, zero) {
        Tr::lit(one)
    } else if lt(x, zero) {
        zero - Tr::lit(one)
    } else if A::Plain::INTEGER {
        zero
    } else {
        // A zero has a sign, and NaN has none.
        Tr::lit(A::Plain::from_f64(x.value().to_f64().signum()))
    }
}

/// Stands for `a.pow(n)` of integers.
pub fn pow<A: Operand>(a: A, n: u32) -> Tr<A::Plain> {
    let power = |v: A::Plain| {
        // n products, any of which may wrap.
        (0..n).fold((A::Plain::from_f64(1.0), false), |(product, wrapped), _| {
            let (next, wraps) = product.mul(v);
            (next, wrapped | wraps)
        })
    };
    unary(a.operand(), power, |a| NonlinearOp::Power(a, n as i32))
}

/// Stands for `a.powi(n)`.
pub fn powi<A: Operand<Plain: Float>>(a: A, n: i32) -> Tr<A::Plain> {
    // `false`: floats do not wrap.
    let power = |v: A::Plain| (v.powi(n), false);
    unary(a.operand(), power, |a| NonlinearOp::Power(a, n))
}

/// Stands for `a.powf(b)`.
pub fn powf<A: Operand<Plain: Float>, B: Operand<Plain = A::Plain>>(a: A, b: B) -> Tr<A::Plain> {
    // Both `false`: floats do not wrap, and the result is not cut to a whole number.
    let power = |a: A::Plain, b| (a.powf(b), false);
    binary(a.operand(), b.operand(), power, NonlinearOp::PowerOf, false)
}

// Operators between traced numbers, for macros of the author that write `self.0 * rhs.0`: in them
// the twin keeps the operators. In a body, a product of two scores is refused or becomes a call of
// `mul`.
operators! {
    Mul mul(self, other: Self) mul(self, other);
    Div div(self, other: Self) div(self, other);
}

/// Implements quotients of a plain number by a traced one.
macro_rules! divided {
    ($($t:ty),*) => {$(
        impl Div<Tr<$t>> for $t {
            type Output = Tr<$t>;
            fn div(self, other: Tr<$t>) -> Tr<$t> {
                div(self, other)
            }
        }
    )*};
}
divided!(i8, i16, i32, i64, isize, f32, f64);

/// Functions of one float, by the methods of their names.
macro_rules! functions {
    ($($name:ident $op:ident $text:literal),*) => {$(
        #[doc = $text]
        pub fn $name<A: Operand<Plain: Float>>(a: A) -> Tr<A::Plain> {
            unary(a.operand(), |v| (v.$name(), false), NonlinearOp::$op)
        }
    )*};
}
functions!(
    sqrt Sqrt "Stands for `a.sqrt()`.",
    exp Exp "Stands for `a.exp()`.",
    ln Ln "Stands for `a.ln()`.",
    tanh Tanh "Stands for `a.tanh()`."
);
