//! Line search: how far to go along a direction.
//!
//! *Source*: W. Hager, H. Zhang, A new conjugate gradient method with
//! guaranteed descent and an efficient line search, SIAM J. Optim. 16, 2005,
//! §4: Wolfe's conditions, and near the optimum the approximate ones, which
//! ask the slope where the value is below rounding.

use crate::{LinePoint, PassResult};

/// Least part of the decrease predicted by the slope that a step must bring:
/// δ of the source, with its value.
const LEAST_GAIN: f64 = 0.1;

/// The value may rise by this part of it where only the slope can judge: some
/// fifty units of rounding, as [`Options::decrease`](crate::Options).
const ROUNDING: f64 = 1e-14;

/// Most points tried. With a curvature two are usual; bisection of the whole
/// range of numbers that matter takes forty.
const POINTS: usize = 50;

/// How far an extrapolation goes at most, in parts of the step before.
const FARTHEST: f64 = 10.0;

/// The conditions that a point of a line must satisfy to end the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct WolfeConditions {
    /// Value and slope at t = 0; the slope is negative.
    pub(super) start: LinePoint,
    /// Largest part of that slope that may be left: near 0 for the minimum
    /// along the line, near 1 for any sufficient decrease.
    pub(super) slope_left: f64,
    /// Largest t.
    pub(super) most: f64,
}

impl WolfeConditions {
    /// Tells whether the point at step length `t` ends the search, by two conditions. Little slope
    /// is left, or it is the last point allowed and the way is still downhill. And the value has
    /// fallen enough, or, where it changes by no more than rounding, the slope says that it has
    /// (the approximate conditions of Hager and Zhang).
    pub(super) fn accept(&self, t: f64, at: &LinePoint) -> bool {
        let start = &self.start;
        let enough = at.value <= start.value + LEAST_GAIN * t * start.slope;
        let flat = at.slope.abs() <= self.slope_left * start.slope.abs();
        // A minimum beyond the last allowed point is at that point.
        let stopped = t >= self.most && at.slope <= 0.0;
        let no_rise = at.value <= start.value + ROUNDING * start.value.abs();
        let approximate = at.slope <= (2.0 * LEAST_GAIN - 1.0) * start.slope;
        finite(at) && (flat || stopped) && (enough || (no_rise && approximate))
    }
}

/// Tells whether value and slope of a point are finite.
fn finite(at: &LinePoint) -> bool {
    at.value.is_finite() && at.slope.is_finite()
}

/// An end of the range in which a minimum is searched: the lower one has a slope below 0, the upper
/// one is beyond a minimum.
#[derive(Clone, Copy, Debug)]
struct End {
    t: f64,
    slope: f64,
}

/// Finds a point of a line that satisfies the conditions; failing that, the best one that lowers
/// the value. `None` if no point tried does.
///
/// A point is a step length t, in lengths of the direction, with what `at` computes there, a pass
/// or a part of one. `guess` is the first t to try; `tried`, a point that has been evaluated
/// already, takes its place.
pub(super) fn search(
    conditions: &WolfeConditions,
    guess: f64,
    tried: Option<(f64, LinePoint)>,
    at: &mut dyn FnMut(f64) -> PassResult<LinePoint>,
) -> PassResult<Option<(f64, LinePoint)>> {
    // The minimum is between `low` and `high`, which is `None` until a point beyond it is known.
    let mut low = End {
        t: 0.0,
        slope: conditions.start.slope,
    };
    let mut high: Option<End> = None;
    let mut best: Option<(f64, LinePoint)> = None;
    let mut next = tried.map_or(guess, |(t, _)| t).min(conditions.most);
    let mut tried = tried.map(|(_, along)| along);
    // The length of that range before its last change.
    let mut width = f64::INFINITY;
    for _ in 0..POINTS {
        let t = next;
        let along = match tried.take() {
            Some(along) => along,
            None => at(t)?,
        };
        if conditions.accept(t, &along) {
            return Ok(Some((t, along)));
        }
        let better = best.map_or(conditions.start.value, |(_, best)| best.value);
        if finite(&along) && along.value < better {
            best = Some((t, along));
        }
        let rounding = ROUNDING * conditions.start.value.abs();
        let risen = along.value > conditions.start.value + rounding;
        let end = End {
            t,
            slope: along.slope,
        };
        if !finite(&along) || risen || along.slope >= 0.0 {
            high = Some(end);
        } else if t >= conditions.most {
            break; // downhill up to the end, and yet not enough
        } else {
            low = end;
        }
        // Where the parabola through value, slope and curvature has its minimum.
        let newton = along.curvature.filter(|&c| c > 0.0 && finite(&along));
        let newton = newton.map(|c| t - along.slope / c);
        next = match high {
            None => further(low, newton, t).min(conditions.most),
            Some(high) => {
                let slow = high.t - low.t > 0.5 * width;
                width = high.t - low.t;
                within(low, high, newton, slow || risen)
            }
        };
        if next <= low.t || high.is_some_and(|high| next >= high.t) {
            break; // no number is left between the two
        }
    }
    Ok(best)
}

/// Returns the next step length to try beyond `t`, where the slope is still negative: `newton`, the
/// minimum by Newton's method, if there is one, but from 1.1 to 10 times `t`, else 10 times `t`.
/// `low`: the farthest point known to be before the minimum.
fn further(low: End, newton: Option<f64>, t: f64) -> f64 {
    let minimum = newton.filter(|&n| n > low.t).unwrap_or(f64::INFINITY);
    minimum.min(FARTHEST * t).max(1.1 * t)
}

/// Returns the next step length to try between two: the minimum by Newton's method, `newton`, if it
/// is between them; else where the slope, interpolated linearly, is 0, but not within 5 % of an
/// end. If `slow` it is the middle and not the interpolation, as the last point did not halve the
/// range, or the value has risen there and the slope says little.
fn within(low: End, high: End, newton: Option<f64>, slow: bool) -> f64 {
    let middle = 0.5 * (low.t + high.t);
    let inside = |t: &f64| *t > low.t && *t < high.t;
    if let Some(newton) = newton.filter(inside) {
        return newton;
    }
    let span = high.slope - low.slope;
    let secant = low.t - low.slope * (high.t - low.t) / span;
    if slow || span <= 0.0 || !secant.is_finite() {
        return middle;
    }
    let margin = 0.05 * (high.t - low.t);
    secant.max(low.t + margin).min(high.t - margin)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    fn run(
        f: impl Fn(f64) -> (f64, f64, f64),
        with_curvature: bool,
        slope_left: f64,
        most: f64,
        guess: f64,
    ) -> (Option<(f64, LinePoint)>, usize) {
        let mut points = 0;
        let at = |t: f64| {
            let (value, slope, curvature) = f(t);
            LinePoint {
                value,
                slope,
                curvature: with_curvature.then_some(curvature),
            }
        };
        let start = at(0.0);
        let conditions = WolfeConditions {
            start,
            slope_left,
            most,
        };
        let found = search(&conditions, guess, None, &mut |t| {
            points += 1;
            Ok(at(t))
        });
        (found.unwrap(), points)
    }

    /// Flat far out: √(1 + (t − 3)²), with its minimum 1 at 3.
    fn bowl(t: f64) -> (f64, f64, f64) {
        let value = (1.0 + (t - 3.0) * (t - 3.0)).sqrt();
        (value, (t - 3.0) / value, value.powi(-3))
    }

    #[test]
    fn finds_the_minimum_from_any_guess() {
        for with_curvature in [true, false] {
            for guess in [1e-6, 0.1, 2.9, 10.0, 1e9] {
                let (found, points) = run(bowl, with_curvature, 1e-6, f64::INFINITY, guess);
                let (t, along) = found.unwrap();
                assert!((t - 3.0).abs() < 1e-5, "{with_curvature} {guess}: {t}");
                assert!(along.slope.abs() < 1e-6);
                assert!(points < 45, "{with_curvature} {guess}: {points} points");
            }
        }
    }

    #[test]
    fn takes_a_parabola_in_one_newton_step() {
        let parabola = |t: f64| ((t - 2.0) * (t - 2.0), 2.0 * (t - 2.0), 2.0);
        let (found, points) = run(parabola, true, 1e-9, f64::INFINITY, 0.1);
        // One at the guess, one at the farthest extrapolation, one at the minimum.
        assert_eq!((found.unwrap().0.to_bits(), points), (2.0_f64.to_bits(), 3));
    }

    #[test]
    fn stops_at_the_last_allowed_point() {
        let (found, _) = run(bowl, true, 0.1, 1.5, 1.0);
        assert_eq!(found.unwrap().0.to_bits(), 1.5_f64.to_bits());
    }

    #[test]
    fn comes_back_from_where_nothing_is_finite() {
        let wall = |t: f64| {
            if t > 4.0 {
                (f64::NAN, f64::NAN, f64::NAN)
            } else {
                bowl(t)
            }
        };
        let (found, _) = run(wall, true, 0.01, f64::INFINITY, 1e3);
        assert!((found.unwrap().0 - 3.0).abs() < 0.05);
    }

    #[test]
    fn a_kink_gives_the_best_point_and_a_rise_none() {
        let kink = |t: f64| ((t - 1.0).abs(), if t < 1.0 { -1.0 } else { 1.0 }, 0.0);
        let (found, _) = run(kink, true, 0.1, f64::INFINITY, 0.3);
        let (t, along) = found.unwrap();
        assert!((t - 1.0).abs() < 1e-6 && along.value < 1e-6, "{t}");
        let lie = |t: f64| (t, if t > 0.0 { 1.0 } else { -1.0 }, 0.0);
        assert!(run(lie, true, 0.1, f64::INFINITY, 1.0).0.is_none());
    }

    #[test]
    fn the_slope_judges_where_the_value_is_rounding() {
        // The decrease, 1e-16, is far below the rounding of the value.
        let tiny = |t: f64| (1.0, 1e-16 * (t - 1.0), 1e-16);
        let (found, _) = run(tiny, true, 0.1, f64::INFINITY, 1.0);
        assert!((found.unwrap().0 - 1.0).abs() < 0.2);
    }
}
