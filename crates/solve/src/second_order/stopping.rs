//! When a second-order descent ends.

use super::damped_system::Trial;
use super::damping::Damping;
use super::history::History;
use crate::{Curvature, Options, Termination};

/// A step that needed more damping than the one before and yet brings no more than this part of the
/// objective is the end. Where a score is smooth the last steps are undamped and square the error;
/// at the kinks of `max` and `clamp` they are neither, and there is no end of them (chess example,
/// 189,541 positions: 1e-11 of the objective a step).
const KINK: f64 = 1e-9;

/// Newton's steps square the error. One that brings no more than [`KINK`] of
/// the objective, and yet more than this part of what the step before brought,
/// walks down the tail of a combination of weights that the data separate:
/// that has no end (a chess engine of 1,309 weights, 10,000
/// positions, no prior: 70 of 83 iterations).
const TAIL: f64 = 0.5;

/// A step damped by no more than this says how far the optimum is; a short one
/// that is damped more does not.
const LITTLE_DAMPING: f64 = 1.0;

/// Tells whether the optimum is near: the last step brought less than the options' `near` of the
/// value before it.
pub(super) fn is_near(last: &History, options: &Options) -> bool {
    last.decrease < options.near * last.value_before
}

/// Tells whether the optimum was not yet near before the last step: the step before it brought at
/// least the options' `near` of the value, or there was no such step.
pub(super) fn was_far(last: &History, options: &Options) -> bool {
    let far = |previous| previous >= options.near * last.value_before;
    last.previous_decrease.is_none_or(far)
}

/// Returns why the descent ends after its last step; `None` if it does not. It ends where the step
/// brought no more than [`KINK`] of the value, and either the damping rose, as at kinks of the
/// scores, or, with Newton's matrix, it was still more than [`TAIL`] of what the step before
/// brought, as where weights are separated and grow for ever. `kind`: of the matrix that the step
/// was made with.
pub(super) fn after_step(
    last: &History,
    damping: &Damping,
    kind: Curvature,
) -> Option<Termination> {
    if last.decrease > KINK * last.value_before {
        return None;
    }
    if damping.has_risen() {
        return Some(Termination::Kink);
    }
    let slow = |previous| last.decrease > TAIL * previous;
    let tail = last.previous_decrease.is_some_and(slow);
    (kind == Curvature::Newton && tail).then_some(Termination::Tail)
}

/// Tells whether the decrease that a step predicts ends the descent: it is no more than `least`,
/// the least that is worth a step, and the step is damped so little that it is not short for that
/// reason.
pub(super) fn has_converged(trial: &Trial, least: f64) -> bool {
    trial.damping <= LITTLE_DAMPING && trial.predicted <= least
}

/// Returns why a step is not worth a pass to try it; `None` if it is. `least`: the least decrease
/// that is worth a step; `rejected`: a longer one was tried in this iteration.
pub(super) fn before_trial(trial: &Trial, least: f64, rejected: bool) -> Option<Termination> {
    if trial.predicted > least {
        None
    } else if trial.predicted.is_nan() {
        Some(Termination::NumericalFailure)
    } else if rejected {
        // Only ever shorter steps were predicted to help, and none did.
        Some(Termination::NoFurtherDecrease)
    } else if trial.damping <= LITTLE_DAMPING {
        Some(Termination::SmallDecrease)
    } else {
        None // it predicts little because it is damped so much: try it
    }
}
