//! The diagonal preconditioner.

use serde::{Deserialize, Serialize};

use super::direction::predicted_decrease;
use super::feasible::free;
use crate::state::State;
use crate::{Curvature, PassResult};

/// The scale of a variable is at least this part of its largest so far, so
/// that a weight whose curvature vanishes, as the data separate it, takes no giant
/// steps.
const LEAST_SCALE: f64 = 1e-10;

/// The diagonal of the Gauss-Newton matrix, which makes variables of rare and
/// of frequent features alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scales {
    /// The point at which the descent started.
    pub(super) start: Vec<f64>,
    /// The diagonal at the start, without the prior's part.
    pub(super) first: Vec<f64>,
    /// The largest value of each element so far, the prior's part included.
    largest: Vec<f64>,
    /// The scale in use of each variable, the prior's part included; 0 for variables that are not
    /// in play: neither in the data nor in a prior, or without room between their bounds.
    pub(super) now: Vec<f64>,
    /// Whether the diagonal was formed again where the end seemed near.
    checked: bool,
    /// Whether the diagonal was formed near the optimum, or formed again there.
    pub(super) near: bool,
    decrease: Option<Decrease>,
}

/// The decrease of the value by the last step, and the value before it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Decrease {
    by: f64,
    from: f64,
}

impl Scales {
    /// Tells whether the scales, which were read from a file, are all at least 0, and not NaN.
    pub(super) fn are_possible(&self) -> bool {
        let all = [&self.first, &self.largest, &self.now];
        all.into_iter().flatten().all(|&scale| scale >= 0.0)
    }

    /// Forms the diagonal of the Gauss-Newton matrix at the start, a pass, and the prior's part of
    /// it. A variable is in play, with a scale above 0, if the data or the prior depend on it and
    /// there is room between its bounds.
    pub(super) fn new(state: &mut State<'_>) -> PassResult<Self> {
        let first = state.diagonal(Curvature::GaussNewton)?;
        let mut now = first.clone();
        if let Some(prior) = state.problem.prior {
            prior.add_diagonal(&mut now);
        }
        for (scale, (low, high)) in now.iter_mut().zip(state.problem.bounds) {
            if low >= high {
                *scale = 0.0;
            }
        }
        Ok(Self {
            start: state.point.x.clone(),
            first,
            largest: now.clone(),
            now,
            checked: false,
            // A descent that began on a sample starts near the optimum.
            near: state.iterations() > 0,
            decrease: None,
        })
    }

    /// Forms the scales again at the state's point, from the diagonal of the Gauss-Newton matrix:
    /// one pass. A scale does not fall below [`LEAST_SCALE`] times its largest; variables not in
    /// play, whose scale is 0, stay so.
    pub(super) fn renew(&mut self, state: &mut State<'_>) -> PassResult<()> {
        let mut diagonal = state.diagonal(Curvature::GaussNewton)?;
        if let Some(prior) = state.problem.prior {
            prior.add_diagonal(&mut diagonal);
        }
        for (i, diagonal) in diagonal.into_iter().enumerate() {
            if self.now[i] > 0.0 {
                self.largest[i] = self.largest[i].max(diagonal);
                self.now[i] = diagonal.max(LEAST_SCALE * self.largest[i]);
            }
        }
        Ok(())
    }

    /// Notes by how much a step has lowered the value, from the value before it and the one after.
    pub(super) fn stepped(&mut self, from: f64, to: f64) {
        let by = from - to;
        self.decrease = Some(Decrease { by, from });
    }

    /// Forms the scales again, once in a descent, where the last step lowered the value by less
    /// than the options' `near` of it: from then on the optimum counts as near. Tells whether they
    /// were formed.
    pub(super) fn renew_near(&mut self, state: &mut State<'_>) -> PassResult<bool> {
        let is_little = |last: Decrease| last.by < state.options.near * last.from;
        let renews = !self.near && self.decrease.is_some_and(is_little);
        if renews {
            self.near = true;
            self.renew(state)?;
        }
        Ok(renews)
    }

    /// Returns the variables that are in play, ascending.
    pub(super) fn in_play(&self) -> impl Iterator<Item = usize> {
        (0..self.now.len()).filter(|&i| self.now[i] > 0.0)
    }

    /// Returns 1/scale of the variables that may move, those in play (with a scale above 0) and not
    /// at a bound that the gradient pushes against; 0 of all others.
    pub(super) fn inverse(&self, state: &State<'_>) -> Vec<f64> {
        let in_play: Vec<bool> = self.now.iter().map(|&scale| scale > 0.0).collect();
        let (x, gradient) = (&state.point.x, &state.point.gradient);
        let free = free(x, gradient, state.problem.bounds, &in_play);
        let inverse = |(free, scale): (bool, &f64)| if free { scale.recip() } else { 0.0 };
        free.into_iter().zip(&self.now).map(inverse).collect()
    }

    /// Tells whether the decrease that the scales predict, ½·Σ g²/scale with g the gradient, is too
    /// little for another step. The first time that it seems so the scales are formed again, a
    /// pass, as the curvature of weights that the data separate may have fallen far below them.
    pub(super) fn have_converged(&mut self, state: &mut State<'_>) -> PassResult<bool> {
        let least = state.least();
        let little = |scales: &Self, state: &State<'_>| {
            predicted_decrease(&state.point.gradient, &scales.inverse(state)) <= least
        };
        if little(self, state) && !self.checked {
            self.checked = true;
            self.renew(state)?;
        }
        Ok(little(self, state))
    }
}
