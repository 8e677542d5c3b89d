//! Floats: what depends on the sign of a zero, and what NaN gives, is as in production.

use std::fmt::Debug;

use tuner_trace::{ExpressionValues, Recorder, Tr, Trace, cast, nonlinear};

const NUMBERS: [f64; 7] = [0.0, -0.0, 2.5, -2.5, 1e300, f64::NEG_INFINITY, f64::NAN];

/// The value of `twin` under trace; text tells signs of zeros apart, but not those of NaN.
fn text<T: Debug>(twin: impl Fn() -> T) -> String {
    let (mut value, mut trace) = (String::new(), Trace::default());
    let recorded = || {
        value = format!("{:?}", twin());
        Tr::lit(0)
    };
    Recorder::new().record(recorded, &mut trace);
    value
}

/// The number as a weight, and as a plain one.
fn both(x: f64) -> [Tr<f64>; 2] {
    [Tr::weight(x, 0), Tr::lit(x)]
}

/// Whether `twin` of each number is `production` of it.
fn assert_same<P: Debug, T: Debug>(production: impl Fn(f64) -> P, twin: impl Fn(Tr<f64>) -> T) {
    for x in NUMBERS {
        for traced in both(x) {
            assert_eq!(text(|| twin(traced)), text(|| production(x)), "of {x:?}");
        }
    }
}

/// Whether `twin` of each two numbers, one or both traced, is `production` of them.
fn assert_same_of_two<P: Debug, T: Debug>(
    production: impl Fn(f64, f64) -> P,
    twin: impl Fn(Tr<f64>, Tr<f64>) -> T,
) {
    for y in NUMBERS.into_iter().filter(|&y| y != 0.0) {
        for of_y in both(y) {
            assert_same(|x| production(x, y), |x| twin(x, of_y));
            assert_same(|x| production(y, x), |x| twin(of_y, x));
        }
    }
}

#[test]
fn the_sign_of_a_float_is_never_zero() {
    assert_same(f64::signum, nonlinear::signum);
    for (x, sign) in [(-3, "-1"), (0, "0"), (8, "1")] {
        assert_eq!(text(|| nonlinear::signum(Tr::weight(x, 0))), sign);
    }
}

#[test]
fn zeros_change_their_signs() {
    assert_same(|x| -x, |x| -x);
    assert_same(f64::abs, nonlinear::abs);
}

#[test]
fn nan_gives_way_to_the_other_number() {
    assert_same_of_two(f64::min, nonlinear::min);
    assert_same_of_two(f64::max, nonlinear::max);
}

#[test]
fn nan_has_no_limits() {
    assert_same(|x| x.clamp(-1.0, 2.0), |x| nonlinear::clamp(x, -1.0, 2.0));

    let mut trace = Trace::default();
    let clamped = || nonlinear::clamp(nonlinear::sqrt(Tr::weight(-1.0, 0)), -2.0, 2.0);
    Recorder::new().record(|| cast::<i32, _>(clamped()), &mut trace);
    let recorded = trace.score_at(&[-1.0], &mut ExpressionValues::default());
    assert!(trace.score == 0.0 && recorded.score.is_nan(), "{trace:?}");
}

#[test]
fn comparisons_with_nan_are_production_s() {
    assert_same_of_two(|x, y| x < y, nonlinear::lt);
    assert_same_of_two(|x, y| x > y, nonlinear::gt);
    assert_same_of_two(|x, y| x <= y, nonlinear::le);
    assert_same_of_two(|x, y| x >= y, nonlinear::ge);
    assert_same_of_two(|x, y| f64::eq(&x, &y), nonlinear::eq);
    assert_same_of_two(|x, y| f64::ne(&x, &y), nonlinear::ne);
}
