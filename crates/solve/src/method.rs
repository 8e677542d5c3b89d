//! The interface of a method to the loop over iterations.

use super::checkpoint::MethodState;
use super::matrix_free::MatrixFree;
use super::second_order::SecondOrder;
use super::state::State;
use super::summarise::Findings;
use super::{Method, Termination};
use crate::PassResult;

/// A method of minimisation: one step an iteration.
///
/// [`create`] makes one, from a start or from where it was saved. *Source* of the
/// division: the trait `Solver` of argmin (`init`, `next_iter`, `terminate`).
pub(super) trait IterativeMethod {
    /// Returns why the descent ends now, judged by the iterations made; `None` if there is to be
    /// another one.
    fn terminate(&self, state: &State<'_>) -> Option<Termination>;

    /// Moves the state by one step.
    ///
    /// # Errors
    /// If there is no further step, with the reason; the state has not moved.
    fn next_iter(&mut self, state: &mut State<'_>) -> Result<Step, Termination>;

    /// Returns the state of the method after this iteration, for a checkpoint: a method made from
    /// it continues as if there had been no interruption.
    fn state(&self) -> MethodState;

    /// Returns what the method has found out about variables, such as which ones the data do not
    /// depend on, and which they separate. *Cost*: up to three passes where there is no prior.
    ///
    /// # Errors
    /// If data cannot be read.
    fn findings(self: Box<Self>, state: &mut State<'_>) -> PassResult<Findings>;
}

/// What a step gives, or why the descent ends.
pub(super) type StepResult<T> = Result<T, Termination>;

/// A step that was taken, for its record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The method that took it.
    pub(super) method: Method,
    /// The largest change of a variable.
    pub(super) length: f64,
    /// The damping: what was added to the diagonal, in parts of it.
    pub(super) damping: f64,
}

/// Makes the method that the options name, beginning where the state is, or the one that was saved.
///
/// # Errors
/// If data cannot be read.
pub(super) fn create(
    saved: &MethodState,
    state: &mut State<'_>,
) -> PassResult<Box<dyn IterativeMethod>> {
    Ok(match saved {
        MethodState::Start | MethodState::Sampled if state.options.solver.forms_matrix() => {
            Box::new(SecondOrder::init(state)?)
        }
        MethodState::Start | MethodState::Sampled => Box::new(MatrixFree::init(state)?),
        MethodState::SecondOrder(saved) => Box::new(SecondOrder::restore(state, saved)?),
        MethodState::MatrixFree(saved) => Box::new(saved.clone()),
    })
}
