//! The scaled gradient, and the step to a point.

use crate::linalg::{difference, dot, max_abs};
use crate::state::{Point, State};

/// Returns −D⁻¹·g, the direction against the scaled gradient; `inverse` is the diagonal of D⁻¹, 0
/// for variables that do not move.
pub(super) fn downhill(gradient: &[f64], inverse: &[f64]) -> Vec<f64> {
    let scaled = |(g, m): (&f64, &f64)| if *m > 0.0 { -g * m } else { 0.0 };
    gradient.iter().zip(inverse).map(scaled).collect()
}

/// Returns ½·gᵀ·D⁻¹·g, by which the value would fall if the curvature were its diagonal D.
pub(super) fn predicted_decrease(gradient: &[f64], inverse: &[f64]) -> f64 {
    -0.5 * dot(gradient, &downhill(gradient, inverse))
}

/// Moves the state to a point and returns the largest absolute change of a variable.
pub(super) fn move_to(state: &mut State<'_>, point: Point) -> f64 {
    let length = max_abs(&difference(&point.x, &state.point.x));
    state.point = point;
    length
}
