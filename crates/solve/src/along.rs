//! A step along a direction, within bounds: what `newton-cg`, `cg` and `lbfgs`
//! share.

use super::feasible::{cut, most, point};
use super::search::{Wanted, search};
use super::state::{Point, State};
use super::without_matrix::downhill;
use crate::Along;
use crate::linalg::dot;

/// A direction cut off by bounds must keep this part of the slope that the
/// scaled gradient has, cut off as well, or it is replaced by that. Chosen;
/// any small number keeps the method from stalling.
const LEAST_SLOPE: f64 = 1e-3;

/// How a direction is gone along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Whether the whole direction, t = 1, is probably right: then it is tried
    /// by a gradient, before any line.
    pub(super) whole: bool,
    /// See [`Wanted::slope_left`].
    pub(super) slope_left: f64,
}

/// Goes along `d` from where the state is and returns the point found; `None`
/// if no point lowers the value.
///
/// Where bounds cut too much off `d`, the scaled gradient takes its place:
/// cut off, that is downhill still, which holds for no other direction.
///
/// *Cost*: a pass where the whole direction is right; else a pass for the
/// line, its points, and a pass at the point found.
pub(super) fn along(
    state: &mut State<'_, '_>,
    inverse: &[f64],
    d: &mut Vec<f64>,
    way: Way,
) -> Option<Point> {
    let bounds = state.problem.bounds;
    let mut limited = false;
    let mut way = way;
    if cut(&state.x, d, bounds) {
        limited = true;
        let mut plain = downhill(&state.gradient, inverse);
        let plain_cut = cut(&state.x, &mut plain, bounds);
        if dot(&state.gradient, d) > LEAST_SLOPE * dot(&state.gradient, &plain) {
            *d = plain;
            limited = plain_cut;
            way.whole = false;
        }
    }
    let slope = dot(&state.gradient, d);
    let down = slope < 0.0; // NaN is no way down either
    if !down {
        return None;
    }
    let wanted = Wanted {
        start: Along {
            value: state.value,
            slope,
            curvature: None,
        },
        slope_left: way.slope_left,
        // What was cut off ends at a bound; t = 1 is exactly there.
        most: if limited {
            1.0
        } else {
            most(&state.x, d, bounds).max(1.0)
        },
    };
    let mut known = None;
    if way.whole {
        let whole = state.evaluate(point(&state.x, 1.0, d, bounds));
        let along = Along {
            value: whole.value,
            slope: dot(&whole.gradient, d),
            curvature: None,
        };
        if wanted.accepts(1.0, &along) {
            return Some(whole);
        }
        known = Some((1.0, along));
    }
    let mut line = state.line(d);
    let mut guess = 1.0;
    if known.is_none()
        && let Some(curvature) = line.at(0.0).curvature.filter(|&c| c > 0.0)
    {
        guess = -slope / curvature;
    }
    let found = search(&wanted, guess, known, &mut |t| line.at(t));
    let cost = (line.passes(), line.score_passes());
    drop(line);
    state.count(cost);
    let (t, _) = found?;
    Some(state.evaluate(point(&state.x, t, d, bounds)))
}
