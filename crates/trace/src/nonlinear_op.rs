//! The operations that are not linear: their values, derivatives and what
//! truncation can do to them.
//!
//! The tests in `expression` compare all three for every operation.

/// An operation that is not linear, on operands named by `R`: nodes on a tape,
/// earlier steps in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NonlinearOp<R> {
    /// a · b
    Mul(R, R),
    /// a / b, not truncated
    Div(R, R),
    /// The smaller one; the first where both are equal.
    Min(R, R),
    /// The larger one; the first where both are equal.
    Max(R, R),
    /// |a|
    Abs(R),
    /// aⁿ
    Power(R, i32),
    /// aᵇ
    PowerOf(R, R),
    /// √a
    Sqrt(R),
    /// eᵃ
    Exp(R),
    /// ln a
    Ln(R),
    /// tanh a
    Tanh(R),
}

impl<R: Copy> NonlinearOp<R> {
    /// Returns the operation with the operands that `f` gives for its own, in their order.
    pub fn map<S>(self, mut f: impl FnMut(R) -> S) -> NonlinearOp<S> {
        match self {
            Self::Mul(a, b) => NonlinearOp::Mul(f(a), f(b)),
            Self::Div(a, b) => NonlinearOp::Div(f(a), f(b)),
            Self::Min(a, b) => NonlinearOp::Min(f(a), f(b)),
            Self::Max(a, b) => NonlinearOp::Max(f(a), f(b)),
            Self::Abs(a) => NonlinearOp::Abs(f(a)),
            Self::Power(a, n) => NonlinearOp::Power(f(a), n),
            Self::PowerOf(a, b) => NonlinearOp::PowerOf(f(a), f(b)),
            Self::Sqrt(a) => NonlinearOp::Sqrt(f(a)),
            Self::Exp(a) => NonlinearOp::Exp(f(a)),
            Self::Ln(a) => NonlinearOp::Ln(f(a)),
            Self::Tanh(a) => NonlinearOp::Tanh(f(a)),
        }
    }
}

impl NonlinearOp<u32> {
    /// Returns the two operands of an operation, or twice the only one. An exponent that is fixed
    /// is not an operand.
    pub fn operands(self) -> [u32; 2] {
        match self {
            Self::Mul(a, b)
            | Self::Div(a, b)
            | Self::Min(a, b)
            | Self::Max(a, b)
            | Self::PowerOf(a, b) => [a, b],
            Self::Abs(a)
            | Self::Power(a, _)
            | Self::Sqrt(a)
            | Self::Exp(a)
            | Self::Ln(a)
            | Self::Tanh(a) => [a, a],
        }
    }

    /// Returns the result of the operation; `at` gives the values of the operands by their numbers.
    #[inline]
    pub fn value(self, at: impl Fn(u32) -> f64) -> f64 {
        match self {
            Self::Mul(a, b) => at(a) * at(b),
            Self::Div(a, b) => at(a) / at(b),
            Self::Min(a, b) => at(a).min(at(b)),
            Self::Max(a, b) => at(a).max(at(b)),
            Self::Abs(a) => at(a).abs(),
            Self::Power(a, n) => at(a).powi(n),
            Self::PowerOf(a, b) => at(a).powf(at(b)),
            Self::Sqrt(a) => at(a).sqrt(),
            Self::Exp(a) => at(a).exp(),
            Self::Ln(a) => at(a).ln(),
            Self::Tanh(a) => at(a).tanh(),
        }
    }

    /// Returns the two operands and the derivative of the result by each. `at` gives the operands'
    /// values by their numbers, `y` is the result at these. An operation of one operand has it
    /// twice, the second time with a derivative of 0.
    ///
    /// At a kink the derivative is that of one side: of the operand taken, and 0 for |a| at 0.
    /// Where that of a power by its base, a root or a logarithm is infinite (√a at 0) it is 0; so
    /// is that of aᵇ by the exponent where a is not positive, as there is no logarithm of a.
    #[inline]
    pub fn slopes(self, at: impl Fn(u32) -> f64, y: f64) -> [(u32, f64); 2] {
        let one = |a, slope: f64| [(a, slope), (a, 0.0)];
        // Of a minimum or maximum: the operand that is taken. Of a NaN and a number it is the
        // number.
        let of_one = |is_first, a, b| one(if is_first { a } else { b }, 1.0);
        match self {
            Self::Mul(a, b) => [(a, at(b)), (b, at(a))],
            Self::Div(a, b) => [(a, at(b).recip()), (b, -y / at(b))],
            Self::Min(a, b) => of_one(at(a) <= at(b) || at(b).is_nan(), a, b),
            Self::Max(a, b) => of_one(at(a) >= at(b) || at(b).is_nan(), a, b),
            Self::Abs(a) if at(a) == 0.0 => one(a, 0.0),
            Self::Abs(a) => one(a, at(a).signum()),
            Self::Power(a, n) => one(a, finite(f64::from(n) * at(a).powi(n.saturating_sub(1)))),
            Self::PowerOf(a, b) => {
                let by_exponent = if at(a) > 0.0 { y * at(a).ln() } else { 0.0 };
                [
                    (a, finite(at(b) * at(a).powf(at(b) - 1.0))),
                    (b, by_exponent),
                ]
            }
            Self::Sqrt(a) => one(a, finite(0.5 / y)),
            Self::Exp(a) => one(a, y),
            Self::Ln(a) => one(a, finite(at(a).recip())),
            Self::Tanh(a) => one(a, 1.0 - y * y),
        }
    }

    /// Returns the two operands (the same one twice, if there is only one) and the second
    /// derivatives `[aa, ab, bb]` of the result by them. `at` gives the operands' values by their
    /// numbers, `y` is the result at these. `None` for an operation that has none whatever the
    /// values: a minimum, a maximum, an absolute value.
    ///
    /// At a kink they are those of one side; where one is infinite it is 0. So are those of aᵇ by
    /// the exponent where a is not positive, as there is no logarithm of a.
    #[inline]
    pub fn seconds(self, at: impl Fn(u32) -> f64, y: f64) -> Option<(u32, u32, [f64; 3])> {
        let one = |a, second: f64| Some((a, a, [finite(second), 0.0, 0.0]));
        match self {
            Self::Mul(a, b) => Some((a, b, [0.0, 1.0, 0.0])),
            Self::Div(a, b) => {
                let square = at(b) * at(b);
                let seconds = [0.0, finite(-square.recip()), finite(2.0 * y / square)];
                Some((a, b, seconds))
            }
            Self::Min(..) | Self::Max(..) | Self::Abs(_) => None,
            Self::Power(a, n) => one(
                a,
                f64::from(n) * (f64::from(n) - 1.0) * at(a).powi(n.saturating_sub(2)),
            ),
            Self::PowerOf(a, b) => {
                let (base, exponent) = (at(a), at(b));
                let log = if base > 0.0 { base.ln() } else { 0.0 };
                let first = exponent * (exponent - 1.0) * base.powf(exponent - 2.0);
                let mixed = if base > 0.0 {
                    base.powf(exponent - 1.0) * (1.0 + exponent * log)
                } else {
                    0.0
                };
                Some((a, b, [finite(first), finite(mixed), finite(y * log * log)]))
            }
            Self::Sqrt(a) => one(a, -0.25 / (y * y * y)),
            Self::Exp(a) => one(a, y),
            Self::Ln(a) => one(a, -(at(a) * at(a)).recip()),
            Self::Tanh(a) => one(a, -2.0 * y * (1.0 - y * y)),
        }
    }

    /// Bounds how far the result `y` may be off if operands are off. `at` gives for an operand, by
    /// its number, its value and the bound on how far that is off; in the body `e` and `f` are
    /// these bounds. An exponent is taken for exact. The operand of a root or a logarithm, and the
    /// base of a power whose exponent is an operand, count as 0 where they would be below it; that
    /// of a logarithm as the least positive normal number.
    pub(super) fn bound(self, at: impl Fn(u32) -> (f64, f64), y: f64) -> f64 {
        // The largest change of a monotone function f at x ± e.
        let monotone = |a: u32, f: &dyn Fn(f64) -> f64| {
            let (x, e) = at(a);
            (f(x + e) - f(x)).abs().max((f(x) - f(x - e)).abs())
        };
        match self {
            Self::Mul(a, b) => {
                let ((x, e), (y, f)) = (at(a), at(b));
                // The most that (x ± e)·(y ± f) differs from x·y.
                x.abs() * f + y.abs() * e + e * f
            }
            Self::Div(a, b) => {
                let ((_, e), (x, f)) = (at(a), at(b));
                // The most that a dividend off by e over a divisor x ± f differs from the quotient
                // y.
                if f < x.abs() {
                    (e + y.abs() * f) / (x.abs() - f)
                } else {
                    f64::INFINITY
                }
            }
            Self::Min(a, b) | Self::Max(a, b) => at(a).1.max(at(b).1),
            Self::Abs(a) => at(a).1,
            Self::Power(a, n) => monotone(a, &|x| x.powi(n)),
            Self::PowerOf(a, b) => {
                let exponent = at(b).0;
                monotone(a, &|x: f64| x.max(0.0).powf(exponent))
            }
            Self::Sqrt(a) => monotone(a, &|x: f64| x.max(0.0).sqrt()),
            Self::Exp(a) => monotone(a, &f64::exp),
            Self::Ln(a) => monotone(a, &|x: f64| x.max(f64::MIN_POSITIVE).ln()),
            Self::Tanh(a) => monotone(a, &f64::tanh),
        }
    }
}

/// Returns a derivative, or 0 where it is infinite or NaN.
fn finite(slope: f64) -> f64 {
    if slope.is_finite() { slope } else { 0.0 }
}
