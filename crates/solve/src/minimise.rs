//! The entry, and the loop over iterations.

use std::ops::ControlFlow;

use super::checkpoint::MethodState;
use super::constraint::{feasible, within};
use super::method::{IterativeMethod, StepResult, create};
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
/// *Cost*: that of the options' [`Solver`](super::Solver), from a few curvature matrices to
/// thousands of passes.
///
/// # Panics
/// If start or bounds have another length than the objective, a lower bound is above its upper
/// bound, or there are constraints or kinks (Laplace terms of the prior) for a method without a
/// matrix.
pub fn minimise(
    problem: &Problem<'_>,
    start: &[f64],
    options: &Options,
    observer: &mut dyn FnMut(&Progress<'_>) -> ControlFlow<()>,
) -> Solution {
    let count = problem.objective.len();
    assert_eq!(start.len(), count, "one start per variable");
    assert_eq!(problem.bounds.len(), count, "bounds of each variable");
    // Constraints that no point within the bounds satisfies are refused where a `Reduction` is
    // made; should they come nevertheless, the start is moved into the bounds alone.
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
    let mut state = State::new(problem, options, point, observer);
    match read.and_then(|()| state.record_start()) {
        Ok(()) => run(state, &MethodState::Start),
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
/// If the checkpoint cannot be of this problem: it has another number of variables, or values that
/// no descent of it has.
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
    let state = State::restored(problem, options, checkpoint, observer);
    Ok(run(state, &checkpoint.method))
}

/// Descends until there is a reason to stop, and makes the solution. `saved`: the method's part of
/// a checkpoint to resume from, or [`MethodState::Start`].
fn run(mut state: State<'_>, saved: &MethodState) -> Solution {
    let found = descend(&mut state, saved);
    let (end, findings) = found.unwrap_or_else(|end| (end, Findings::default()));
    state.finish(end, findings)
}

/// Makes the method, from what was `saved` or anew, and iterates until it ends. A new descent first
/// goes near the optimum on a sample of the rows, where the problem has one. Returns why the method
/// ended, and what it found out about variables. The error is the reason for the end where no
/// method could begin, or data could not be read.
fn descend(state: &mut State<'_>, saved: &MethodState) -> StepResult<(Termination, Findings)> {
    // Without an iteration nothing need be formed.
    if *saved == MethodState::Start && state.options.iterations == 0 {
        return Err(Termination::IterationLimit);
    }
    if let Some(end) = state.cannot_begin() {
        return Err(end);
    }
    if *saved == MethodState::Start
        && let Some(step) = sampled_start(state)?
    {
        state.record(step, &|| MethodState::Sampled)?;
    }
    let mut method = create(saved, state)?;
    let mut end = loop {
        if let Err(end) = iterate(&mut *method, state) {
            break end;
        }
    };
    // Here the least decrease worth a step is what the data can tell, not rounding.
    if end == Termination::SmallDecrease && state.ends_by_worth() {
        end = Termination::WithinStandardError;
    }
    Ok((end, method.findings(state)?))
}

/// Makes an iteration, records it, and shows it to the observer. The error is the reason why the
/// descent ends.
fn iterate(method: &mut dyn IterativeMethod, state: &mut State<'_>) -> StepResult<()> {
    if let Some(end) = method.terminate(state) {
        return Err(end);
    }
    let step = method.next_iter(state)?;
    state.record(step, &|| method.state())
}
