//! The entry: from a start, or from where a solver was saved.

use super::saved::Course;
use super::state::{Findings, State};
use super::{
    Flow, Method, Options, Problem, Progress, Saved, SavedError, Solution, Termination, descent,
    without_matrix,
};

/// Minimises a problem from a start within its bounds.
///
/// The observer is called with the start and after every step; its answer
/// [`Flow::Stop`] ends the descent with the best variables so far.
///
/// *Numerics*: deterministic; no absolute tolerance.
/// *Cost*: see [`Solver`](super::Solver).
///
/// # Panics
/// If start or bounds have another length than the objective, or a lower
/// bound is above its upper bound.
pub fn minimise(
    problem: &Problem<'_>,
    start: &[f64],
    options: &Options,
    observer: &mut dyn FnMut(&Progress<'_>) -> Flow,
) -> Solution {
    assert_eq!(
        start.len(),
        problem.objective.len(),
        "one start per variable"
    );
    assert_eq!(
        problem.bounds.len(),
        start.len(),
        "one pair of bounds per variable"
    );
    let x: Vec<f64> = start
        .iter()
        .zip(problem.bounds)
        .map(|(x, b)| x.clamp(b.0, b.1))
        .collect();
    let mut state = State::new(problem, x, observer);
    if state.record(Method::Start, 0.0, 0.0, &|| Course::Start) == Flow::Stop {
        return state.finish(Termination::Interrupted, Findings::default());
    }
    go_on(state, &Course::Start, options)
}

/// Goes on with a descent where its observer [saved](Progress::save) it.
///
/// The observer is called after every further step. With the same problem and
/// options, but for the number of iterations, everything comes out as if there
/// had been no interruption, to the bit; seconds are added up.
///
/// # Errors
/// If the saved state is none of such a problem.
///
/// # Panics
/// If bounds have another length than the objective.
pub fn resume(
    problem: &Problem<'_>,
    saved: &Saved,
    options: &Options,
    observer: &mut dyn FnMut(&Progress<'_>) -> Flow,
) -> Result<Solution, SavedError> {
    assert_eq!(
        problem.bounds.len(),
        problem.objective.len(),
        "one pair of bounds per variable"
    );
    saved.check(problem)?;
    let state = State::restored(problem, saved, observer);
    Ok(go_on(state, &saved.course, options))
}

/// Runs the method that the options name: each has a line here.
fn go_on(mut state: State<'_, '_>, course: &Course, options: &Options) -> Solution {
    let (termination, findings) = match course {
        Course::Start if options.iterations == 0 => {
            (Termination::IterationLimit, Findings::default())
        }
        Course::Start if options.solver.forms_matrix() => {
            descent::descend(&mut state, options, None)
        }
        Course::Start => without_matrix::descend(&mut state, options, None),
        Course::SecondOrder(saved) => descent::descend(&mut state, options, Some(saved)),
        Course::WithoutMatrix(saved) => without_matrix::descend(&mut state, options, Some(saved)),
    };
    state.finish(termination, findings)
}
