//! The way from a far start to near the optimum, mostly on a sample of the rows.
//!
//! A descent on the sample costs its part of passes and matrices. From its end a few steps
//! follow whose gradient is that of all rows and whose curvature is Newton's of the sample:
//! each costs one pass, and leaves as much of the distance as that curvature is wrong.
//!
//! *Source*: R. Byrd, G. Chin, W. Neveitt, J. Nocedal, On the use of stochastic Hessian
//! information in optimization methods for machine learning, SIAM J. Optim. 21, 2011.

use std::ops::ControlFlow;

use super::method::Step;
use super::state::{Point, State};
use super::{
    Method, Options, PassResult, Prior, Problem, SampledObjective, Solver, Termination,
    matrix_free, minimise, second_order,
};
use crate::linalg::{difference, max_abs};
use tuner_base::break_if;

/// The descent on the sample ends where a step brings no more than this part of the value:
/// the optimum of all rows is further away.
const SETTLED: f64 = 1e-3;

/// Steps with the sample's curvature end where they predict no more than this part of the
/// value: from there a step or two of Newton lead to rounding.
const NEAR_ENOUGH: f64 = 3e-7;

/// A step that predicts more than this part of what the one before predicted is not taken:
/// the sample's curvature is too wrong.
const SLOW: f64 = 0.3;

/// The end of the descent on the sample is taken where the value of all rows falls by at least
/// this part of what that of the sample falls by: else the sample was learnt, which few
/// games or many weights make easy, and the way back takes longer than the way there.
/// Measured: 0.96 on 640,753 rows of 300 weights, 0.73 on 50,143 rows that are 13 times there.
const LEARNT: f64 = 0.85;

/// Computes a step with the curvature of a sample, from a point with the gradient of all rows;
/// `None` where there is no step.
pub(super) type SampleSteps<'a> = dyn FnMut(&Point) -> PassResult<Option<SampleStep>> + 'a;

/// A step with the curvature of a sample.
#[derive(Debug)]
pub(super) struct SampleStep {
    pub(super) x: Vec<f64>,
    /// The decrease of the value that the model predicts.
    pub(super) predicted: f64,
    /// Passes over the sample.
    pub(super) passes: usize,
}

/// Moves the state near the optimum, mostly by steps on a sample of the rows, and returns the way
/// there as one step. `None`, with the state where it was, if the solver is neither `auto` nor
/// `newton-cg`, there are constraints or kinks of the prior, the objective has no sample, or the
/// descent on it brings too little.
///
/// *Cost*: a pass for the end of the descent on the sample, and one for each step after it; passes
/// over the sample count by its part of all rows.
///
/// # Errors
/// If data cannot be read.
pub(super) fn sampled_start(state: &mut State<'_>) -> Result<Option<Step>, Termination> {
    let problem = state.problem;
    let simple = problem.constraints.is_empty() && !problem.prior.is_some_and(Prior::has_kinks);
    if !simple || !matches!(state.options.solver, Solver::Auto | Solver::NewtonCg) {
        return Ok(None);
    }
    let start = state.point.x.clone();
    let mut moved = Ok(false);
    problem.objective.on_sample(&mut |sample| {
        moved = descend(state, sample);
    })?;
    if !moved? {
        return Ok(None);
    }
    Ok(Some(Step {
        method: match state.options.solver {
            Solver::NewtonCg => Method::NewtonCg,
            _ => Method::Newton,
        },
        length: max_abs(&difference(&state.point.x, &start)),
        damping: 0.0,
    }))
}

/// Descends on a sample, and from its end takes steps with the sample's curvature and the gradient
/// of all rows; tells whether the state has moved. It has not where the value of all rows falls by
/// less than [`LEARNT`] times what the sample's value fell by. Variables that the sample has too
/// few rows of are held in the descent.
fn descend(state: &mut State<'_>, sample: &SampledObjective<'_>) -> PassResult<bool> {
    let pin = |((&bounds, &enough), &x)| if enough { bounds } else { (x, x) };
    let bounds = state.problem.bounds.iter().zip(sample.enough);
    let bounds: Vec<(f64, f64)> = bounds.zip(&state.point.x).map(pin).collect();
    let problem = Problem {
        objective: sample.objective,
        held_out: None,
        needs_retrace: None,
        bounds: &bounds,
        ..*state.problem
    };
    let (end, mut passes) = end_of_sample(&problem, state)?;
    let mut moved = false;
    if let Some(SampleEnd { x, decrease }) = end {
        let point = state.evaluate(x)?;
        if point.is_finite() && state.point.value - point.value >= LEARNT * decrease {
            state.point = point;
            moved = true;
            let x = &state.point.x;
            // This takes a pass over the sample, counted below: for its curvature matrix, or for
            // the diagonal of that.
            let mut steps = if state.options.solver.forms_matrix() {
                second_order::steps_of_sample(&problem, x)?
            } else {
                matrix_free::steps_of_sample(&problem, x)?
            };
            passes += 1 + follow(state, &mut *steps)?;
        }
    }
    state.cost.passes += (sample.part * passes as f64).ceil() as usize;
    Ok(moved)
}

/// Takes steps from `steps` as long as each predicts much less than the one before, and enough to
/// be worth a pass; a step after which the value of all rows is not lower is not taken. Returns the
/// number of passes over the sample; passes over all rows are counted by the state.
fn follow(state: &mut State<'_>, steps: &mut SampleSteps<'_>) -> PassResult<usize> {
    let (mut last, mut passes) = (f64::INFINITY, 0);
    loop {
        let Some(step) = steps(&state.point)? else {
            return Ok(passes);
        };
        passes += step.passes;
        let value = state.point.value;
        let least = state.least().max(NEAR_ENOUGH * value);
        // False also where it is not a number.
        let is_worth_it = step.predicted > least && step.predicted <= SLOW * last;
        if !is_worth_it {
            return Ok(passes);
        }
        last = step.predicted;
        let point = state.evaluate(step.x)?;
        if !point.is_finite() || point.value >= value {
            return Ok(passes);
        }
        state.point = point;
    }
}

/// Where a descent on a sample ends, and by how much the value of the sample fell.
struct SampleEnd {
    x: Vec<f64>,
    decrease: f64,
}

/// Minimises the objective of a sample, `problem`, from the state's point until a step brings
/// little, and returns its end, and the number of passes over the sample. The end is `None` if the
/// first step brought less than the options' `near` of the value: then the start is near the
/// optimum already.
fn end_of_sample(
    problem: &Problem<'_>,
    state: &State<'_>,
) -> PassResult<(Option<SampleEnd>, usize)> {
    // The value at the start, that of the last record, and whether the first step brought much.
    let (mut first, mut last, mut is_far) = (f64::NAN, f64::NAN, false);
    let options = Options {
        polish: false,
        ..state.options
    };
    let solution = minimise(problem, &state.point.x, &options, &mut |at| {
        let (before, value) = (last, at.record.objective);
        last = value;
        let decrease = before - value;
        match at.record.iteration {
            // The start, before any step.
            0 => {
                first = value;
                return ControlFlow::Continue(());
            }
            1 => is_far = decrease >= options.near * before,
            _ => {}
        }
        // The end is here if the start was not far, or once a step brings little.
        break_if(!(is_far && decrease > SETTLED * before))
    });
    match solution.summary.termination {
        Termination::PassFailed(error) => Err(error),
        _ => Ok((
            is_far.then_some(SampleEnd {
                x: solution.x,
                decrease: first - last,
            }),
            solution.summary.cost.passes,
        )),
    }
}
