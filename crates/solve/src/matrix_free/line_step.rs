//! A step along a direction, within bounds: what `newton-cg`, `cg` and `lbfgs`
//! share.

use super::direction::downhill;
use super::feasible::{cut, most, point};
use super::line_search::{WolfeConditions, search};
use crate::linalg::dot;
use crate::state::{Point, State};
use crate::{LinePoint, Objective as _, PassResult};

/// A direction cut off by bounds must keep this part of the slope that the
/// scaled gradient has, cut off as well, or it is replaced by that. Chosen;
/// any small number keeps the method from stalling.
const LEAST_SLOPE: f64 = 1e-3;

/// How far to go along a direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepRule {
    /// Whether the whole direction, t = 1, is probably right: then it is tried
    /// by a gradient, before any line.
    pub(super) whole: bool,
    /// Part of the slope that may be left along the line (see [`WolfeConditions::slope_left`]).
    pub(super) slope_left: f64,
}

/// Searches along `d` from the state's point and returns the point found; `None` if `d` does not
/// lead downhill or no point lowers the value. The state does not move, but counts the passes.
/// `inverse`: 1/scale of the variables that may move, 0 of the others.
///
/// Where bounds cut too much off `d`, it is replaced by the scaled gradient, −g times `inverse`: of
/// all directions it alone is sure to lead downhill still when bounds cut it off.
///
/// *Cost*: a pass where the whole direction is right; else a pass for the line, its points, and a
/// pass at the point found.
pub(super) fn step_along(
    state: &mut State<'_>,
    inverse: &[f64],
    d: &mut Vec<f64>,
    mut rule: StepRule,
) -> PassResult<Option<Point>> {
    let bounds = state.problem.bounds;
    let limited = cut_off(state, inverse, d, &mut rule);
    let slope = dot(&state.point.gradient, d);
    let descends = slope < 0.0; // NaN does not
    if !descends {
        return Ok(None);
    }
    let conditions = WolfeConditions {
        start: LinePoint {
            value: state.point.value,
            slope,
            curvature: None,
        },
        slope_left: rule.slope_left,
        // A direction that was cut off ends at a bound; t = 1 is exactly there. Any other one stays
        // within the bounds up to t = 1 at least, though rounding may say a little less.
        most: if limited {
            1.0
        } else {
            most(&state.point.x, d, bounds).max(1.0)
        },
    };
    let mut tried = None;
    // The whole direction is tried by a gradient first, which needs no line if it is right.
    if rule.whole {
        let whole = state.evaluate(point(&state.point.x, 1.0, d, bounds))?;
        let along = LinePoint {
            value: whole.value,
            slope: dot(&whole.gradient, d),
            curvature: None,
        };
        if conditions.accept(1.0, &along) {
            return Ok(Some(whole));
        }
        tried = Some((1.0, along));
    }
    let mut line = state.function.line(&state.point.x, d)?;
    // Without a point yet, the first guess is the minimum by the curvature along the line, or the
    // whole direction where the line does not tell a curvature above 0.
    let mut guess = 1.0;
    if tried.is_none()
        && let Some(curvature) = line.at(0.0)?.curvature.filter(|&c| c > 0.0)
    {
        guess = -slope / curvature;
    }
    let found = search(&conditions, guess, tried, &mut |t| line.at(t))?;
    let cost = line.cost();
    drop(line); // it borrows the state
    state.cost += cost;
    let found = found.map(|(t, _)| state.evaluate(point(&state.point.x, t, d, bounds)));
    found.transpose()
}

/// Cuts off the elements of `d` that lead beyond the bounds, and tells whether any was cut off.
/// Where `d` then has less than `LEAST_SLOPE` times the slope of the scaled gradient, cut off
/// alike, it is replaced by that: the answer is then whether the scaled gradient was cut off, and
/// `rule` no longer says that the whole direction is probably right. `inverse`: 1/scale of the
/// variables that may move, 0 of the others.
fn cut_off(state: &State<'_>, inverse: &[f64], d: &mut Vec<f64>, rule: &mut StepRule) -> bool {
    let bounds = state.problem.bounds;
    if !cut(&state.point.x, d, bounds) {
        return false;
    }
    let mut plain = downhill(&state.point.gradient, inverse);
    let is_plain_cut = cut(&state.point.x, &mut plain, bounds);
    // Slopes are below 0 where the way is downhill: a greater one is less steep.
    if dot(&state.point.gradient, d) > LEAST_SLOPE * dot(&state.point.gradient, &plain) {
        *d = plain;
        rule.whole = false;
        return is_plain_cut;
    }
    true
}
