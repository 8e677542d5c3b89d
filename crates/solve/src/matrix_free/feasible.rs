//! Directions and points within bounds.
//!
//! Variables at a bound that the gradient pushes against are left out of a
//! step; a direction of the others is cut off where it leaves the bounds, so
//! that the whole step may meet many of them at once and the way there stays
//! a straight line.
//!
//! *Source*: D. Bertsekas, Projected Newton methods for optimization problems
//! with simple constraints, SIAM J. Control 20, 1982 (which variables to leave
//! out); Nonlinear Programming, 2nd ed., 1999, §2.3 (feasible directions).

use crate::constraint::within;

/// Smallest and largest value of each variable.
pub(super) type Bounds<'a> = &'a [(f64, f64)];

/// Tells of each variable whether it may move: it is in play (the caller says which are: those that
/// the function depends on, with room between their bounds), and not at a bound that the gradient
/// pushes against.
pub(super) fn free(x: &[f64], gradient: &[f64], bounds: Bounds<'_>, in_play: &[bool]) -> Vec<bool> {
    let pushed = |i: usize| {
        let (low, high) = bounds[i];
        (x[i] <= low && gradient[i] > 0.0) || (x[i] >= high && gradient[i] < 0.0)
    };
    (0..x.len()).map(|i| in_play[i] && !pushed(i)).collect()
}

/// Shortens each element of a direction where x + d would leave the bounds, so that it ends at the
/// bound. Tells whether an element has changed.
pub(super) fn cut(x: &[f64], d: &mut [f64], bounds: Bounds<'_>) -> bool {
    let mut cut = false;
    for ((d, x), &(low, high)) in d.iter_mut().zip(x).zip(bounds) {
        let within = d.max(low - x).min(high - x);
        // A 0 that becomes −0 has not changed.
        cut |= within.to_bits() != d.to_bits() && (within - *d).abs() > 0.0;
        *d = within;
    }
    cut
}

/// Returns the largest t at which x + t·d is within the bounds, ∞ if it never leaves them.
pub(super) fn most(x: &[f64], d: &[f64], bounds: Bounds<'_>) -> f64 {
    let reach = |((&x, &d), &(low, high)): ((&f64, &f64), &(f64, f64))| {
        if d > 0.0 {
            (high - x) / d
        } else if d < 0.0 {
            (low - x) / d
        } else {
            f64::INFINITY
        }
    };
    let all = x.iter().zip(d).zip(bounds).map(reach);
    all.fold(f64::INFINITY, f64::min)
}

/// Returns x + t·d, exactly at a bound that it touches.
pub(super) fn point(x: &[f64], t: f64, d: &[f64], bounds: Bounds<'_>) -> Vec<f64> {
    let change: Vec<f64> = d.iter().map(|d| t * d).collect();
    within(x, &change, bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: [(f64, f64); 3] = [(0.0, 1.0), (-1.0, 0.3), (f64::NEG_INFINITY, f64::INFINITY)];

    #[test]
    fn a_variable_pushed_against_its_bound_is_not_free() {
        let x = [0.0, 0.3, 5.0];
        assert_eq!(
            free(&x, &[1.0, 1.0, 1.0], &BOUNDS, &[true; 3]),
            [false, true, true]
        );
        assert_eq!(
            free(&x, &[-1.0, -1.0, 1.0], &BOUNDS, &[true, true, false]),
            [true, false, false]
        );
    }

    #[test]
    fn a_cut_direction_ends_exactly_at_the_bounds() {
        let x = [0.1, 0.1, 0.0];
        let mut d = [2.0, 0.1, -4.0];
        assert!(cut(&x, &mut d, &BOUNDS));
        let end = point(&x, 1.0, &d, &BOUNDS);
        assert_eq!(end[0].to_bits(), 1.0_f64.to_bits());
        assert!((end[1] - 0.2).abs() < 1e-15 && (end[2] + 4.0).abs() < 1e-15);
        assert!(!cut(&x, &mut d, &BOUNDS), "what is cut stays as it is");
        let reach = most(&x, &[0.1, 0.1, 7.0], &BOUNDS);
        assert!((reach - 2.0).abs() < 1e-14);
        let there = point(&x, reach, &[0.1, 0.1, 7.0], &BOUNDS);
        assert!(there[1] <= 0.3);
    }
}
