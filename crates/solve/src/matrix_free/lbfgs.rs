//! Limited-memory BFGS, its first matrix the diagonal.
//!
//! *Source*: D. Liu, J. Nocedal, On the limited memory BFGS method for large
//! scale optimization, Math. Program. 45, 1989, algorithm 2.1; with the
//! diagonal of the curvature in place of a multiple of the identity (their
//! §4), and on the free variables only where there are bounds.

use serde::{Deserialize, Serialize};

use super::direction::{downhill, move_to};
use super::line_step::{StepRule, step_along};
use super::scales::Scales;
use crate::Termination;
use crate::linalg::{add_scaled, difference, dot};
use crate::method::StepResult;
use crate::state::State;

/// Steps remembered. On the two sets of the benchmark 5, 10, 20, 40 and 80
/// take 93, 79, 68, 70 and 67, and 130, 103, 100, 84 and 85 passes to within
/// 1e-6 of the optimum (measured by their records); each costs two numbers a
/// variable, and next to no time against a pass.
const PAIRS: usize = 40;

/// Part of the slope that may be left: the value of the source.
const SLOPE_LEFT: f64 = 0.9;

/// A change of the gradient below this part of what it could be says nothing
/// of the curvature.
const NO_CURVATURE: f64 = 1e-10;

/// The state of the method between two steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lbfgs {
    /// Steps with the changes of the gradient, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pairs: Vec<Pair>,
}

/// A step and how it changed the gradient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    step: Vec<f64>,
    change: Vec<f64>,
}

impl Lbfgs {
    /// Moves the state by a step and returns the largest change of a variable, or why the method
    /// ends; then the state has not moved. The direction is that of the stored pairs, each a step
    /// with its change of the gradient; where it gives no step the pairs are forgotten, and the
    /// scaled gradient is tried.
    pub(super) fn update(&mut self, scales: &mut Scales, state: &mut State<'_>) -> StepResult<f64> {
        scales.renew_near(state)?;
        if scales.have_converged(state)? {
            return Err(Termination::SmallDecrease);
        }
        let inverse = scales.inverse(state);
        let old = state.point.x.clone();
        let gradient = state.point.gradient.clone();
        let mut d = self.direction(&gradient, &inverse);
        let mut rule = StepRule {
            // With pairs the direction most likely has the right length.
            whole: !self.pairs.is_empty(),
            slope_left: SLOPE_LEFT,
        };
        let mut found = None;
        if dot(&d, &gradient) < 0.0 {
            found = step_along(state, &inverse, &mut d, rule)?;
        }
        if found.is_none() && !self.pairs.is_empty() {
            self.pairs.clear();
            rule.whole = false;
            d = downhill(&gradient, &inverse);
            found = step_along(state, &inverse, &mut d, rule)?;
        }
        let point = found.ok_or(Termination::NoFurtherDecrease)?;
        let pair = Pair {
            step: difference(&point.x, &old),
            change: difference(&point.gradient, &gradient),
        };
        if self.pairs.len() == PAIRS {
            self.pairs.remove(0);
        }
        self.pairs.push(pair);
        Ok(move_to(state, point))
    }

    /// Tells whether what was read from a file can be the method's state: it has no more pairs than
    /// are kept.
    pub(super) fn is_possible(&self) -> bool {
        self.pairs.len() <= PAIRS
    }

    /// Returns minus the inverse curvature times the gradient. The inverse is that of BFGS from the
    /// stored pairs, each a step s with its change y of the gradient, by the two loops of Liu and
    /// Nocedal (1989), the newest pair first and then the oldest. `inverse`: 1/scale of each
    /// variable, the matrix that BFGS begins with; 0 for variables that are not free, where the
    /// direction is 0 too. Pairs without curvature (sᵀy next to 0) are left out.
    fn direction(&self, gradient: &[f64], inverse: &[f64]) -> Vec<f64> {
        let free = |v: &[f64]| -> Vec<f64> {
            let keep = |(v, m): (&f64, &f64)| if *m > 0.0 { *v } else { 0.0 };
            v.iter().zip(inverse).map(keep).collect()
        };
        let mut q = free(gradient);
        // Of each pair used: s, y, sᵀy, and the share of q that was taken out along y.
        let mut used = Vec::new();
        // The first matrix is multiplied by sᵀy/yᵀDy of the newest pair, D having `inverse` on its
        // diagonal, so that it fits the curvature seen last.
        let mut gamma = None;
        for pair in self.pairs.iter().rev() {
            let (s, y) = (free(&pair.step), free(&pair.change));
            let along = dot(&s, &y);
            // sᵀy is at most √(moved·scaled), by the inequality of Cauchy and Schwarz.
            let scaled: f64 = y.iter().zip(inverse).map(|(y, m)| y * y * m).sum();
            let moved = s.iter().zip(inverse).filter(|(_, m)| **m > 0.0);
            let moved: f64 = moved.map(|(s, m)| s * s / m).sum();
            let has_curvature = along > NO_CURVATURE * (moved * scaled).sqrt();
            if !has_curvature {
                continue; // NaN as well
            }
            gamma = gamma.or(Some(along / scaled));
            let share = dot(&s, &q) / along;
            add_scaled(&mut q, -share, &y);
            used.push((s, y, along, share));
        }
        let gamma = gamma.unwrap_or(1.0); // no pair with curvature: the first matrix as it is
        let mut d: Vec<f64> = q.iter().zip(inverse).map(|(q, m)| gamma * m * q).collect();
        for (s, y, along, share) in used.iter().rev() {
            let other = dot(y, &d) / along;
            add_scaled(&mut d, share - other, s);
        }
        d.iter().map(|d| -d).collect()
    }
}
