//! The entry, and the loop over iterations.

use std::ops::ControlFlow;

use super::checkpoint::MethodState;
use super::constraint::{feasible, within};
use super::method::{IterativeMethod, create};
use super::sampled_start::sampled_start;
use super::state::{Point, State};
use super::summarise::Findings;
use super::{
    Checkpoint, CheckpointError, Options, Prior, Problem, Progress, Solution, Termination,
};

/// Minimises a problem from a start within its bounds.
///
/// The observer is called with the start and after every step;
/// [`ControlFlow::Break`] ends the descent with the best variables so far.
///
/// *Numerics*: deterministic; no absolute tolerance.
/// *Cost*: see [`Solver`](super::Solver).
///
/// # Panics
/// If start or bounds have another length than the objective, a lower bound is
/// above its upper bound, or there are constraints or kinks for a method without a matrix.
pub fn minimise(
    problem: &Problem<'_>,
    start: &[f64],
    options: &Options,
    observer: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Solution {
    let count = problem.objective.len();
    assert_eq!(start.len(), count, "one start per variable");
    assert_eq!(problem.bounds.len(), count, "bounds of each variable");
    // Where nothing is feasible, which a reduction refuses, bounds come first.
    let x = feasible(start, problem.bounds, problem.constraints);
    let x = x.unwrap_or_else(|| within(start, &vec![0.0; start.len()], problem.bounds));
    assert!(
        options.solver.forms_matrix()
            || (problem.constraints.is_empty() && !problem.prior.is_some_and(Prior::has_kinks)),
        "a method with a matrix, as there are constraints or kinks"
    );
    let (point, read) = match Point::at(problem, x.clone()) {
        Ok(point) => (point, Ok(())),
        Err(error) => (Point::unknown(x), Err(error.into())),
    };
    let mut state = State::new(problem, point, observer);
    match read.and_then(|()| state.record_start()) {
        Ok(()) => run(state, &MethodState::Start, options),
        Err(end) => state.finish(end, Findings::default()),
    }
}

/// Resumes a descent from what its observer [saved](Progress::save).
///
/// The observer is called after every further step. With the same problem and
/// options, but for the number of iterations, everything comes out as if there
/// had been no interruption, to the bit; seconds are added up.
///
/// # Errors
/// If the checkpoint is not of such a problem.
///
/// # Panics
/// If bounds have another length than the objective.
pub fn resume(
    problem: &Problem<'_>,
    checkpoint: &Checkpoint,
    options: &Options,
    observer: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Result<Solution, CheckpointError> {
    let count = problem.objective.len();
    assert_eq!(problem.bounds.len(), count, "bounds of each variable");
    checkpoint.check(problem)?;
    let state = State::restored(problem, checkpoint, observer);
    Ok(run(state, &checkpoint.method, options))
}

/// Iterates until there is a reason to stop.
fn run(mut state: State<'_, '_>, saved: &MethodState, options: &Options) -> Solution {
    if *saved == MethodState::Start && options.iterations == 0 {
        return state.finish(Termination::IterationLimit, Findings::default());
    }
    if let Some(end) = state.cannot_begin() {
        return state.finish(end, Findings::default());
    }
    if *saved == MethodState::Start {
        let step = sampled_start(&mut state, options);
        let recorded = step.and_then(|step| {
            step.map_or(Ok(()), |step| state.record(step, &|| MethodState::Sampled))
        });
        if let Err(end) = recorded {
            return state.finish(end, Findings::default());
        }
    }
    let mut method = match create(saved, &mut state, options) {
        Ok(method) => method,
        Err(error) => return state.finish(error.into(), Findings::default()),
    };
    let termination = loop {
        if let Err(end) = iterate(&mut *method, &mut state, options) {
            break end;
        }
    };
    let termination = match termination {
        Termination::SmallDecrease if options.ends_by_worth(state.point.value) => {
            Termination::WithinStandardError
        }
        other => other,
    };
    match method.findings(&mut state) {
        Ok(findings) => state.finish(termination, findings),
        Err(error) => state.finish(error.into(), Findings::default()),
    }
}

/// Makes an iteration, records it, and shows it to the observer.
fn iterate(
    method: &mut dyn IterativeMethod,
    state: &mut State<'_, '_>,
    options: &Options,
) -> Result<(), Termination> {
    if let Some(end) = method.terminate(state, options) {
        return Err(end);
    }
    let step = method.next_iter(state, options)?;
    state.record(step, &|| method.state())
}
