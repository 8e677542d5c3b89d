//! Gauss-Newton and Newton with Levenberg-Marquardt damping.
//!
//! This page is the iteration; its parts decide: `matrix_policy` when a curvature
//! matrix is formed, `DampedSystem` what step it gives, `Damping`
//! how much is added to its diagonal, `stopping` when there is no further step,
//! `Polish` what follows then. `SecondOrderState` is what is saved of them.
//!
//! *Source*: K. Madsen, H. Nielsen, O. Tingleff, Methods for non-linear least
//! squares problems, 2nd ed., 2004, §3.2 (gain ratio, damping). The division into
//! parts is that of Ceres' trust region minimiser.

mod box_qp;
mod cached_factor;
mod curvature_matrix;
mod damped_system;
mod damping;
mod free_system;
mod history;
mod matrix_policy;
mod polish;
mod saved_state;
mod stopping;

use curvature_matrix::CurvatureMatrix;
use damped_system::DampedSystem;
use damping::Damping;
use history::History;
use polish::Polish;
pub(super) use saved_state::SecondOrderState;

use super::checkpoint::MethodState;
use super::method::{IterativeMethod, Step};
use super::sampled_start::{SampleStep, SampleSteps};
use super::separation::{Beginning, separated};
use super::state::State;
use super::summarise::Findings;
use super::{KnownCurvature, Method, Problem, Solver, Termination};
use crate::linalg::{Symmetric, max_abs};
use crate::{Curvature, PassResult};

/// Least part of the predicted decrease that a step must bring to be taken.
/// Any small number does; this is that of Moré 1978.
const LEAST_GAIN: f64 = 1e-4;

/// A second-order descent.
///
/// *Cost*: per iteration one curvature matrix, its factorisation, and one
/// pass per step tried, nearly always one.
pub(super) struct SecondOrder {
    matrix: CurvatureMatrix,
    system: DampedSystem,
    damping: Damping,
    history: History,
    /// Once the descent itself has converged.
    polish: Option<Polish>,
}

impl SecondOrder {
    /// Begins the descent at the state's point, with the Gauss-Newton matrix there, which tells the
    /// variables in play. For Newton's method, or where the start is near the optimum already,
    /// Newton's matrix is formed then, and used.
    pub(super) fn init(state: &mut State<'_>) -> PassResult<Self> {
        let mut values = Symmetric::zeros(state.point.x.len());
        state.curvature(Curvature::GaussNewton, &mut values)?;
        let matrix = CurvatureMatrix::at_start(values, &state.point.x);
        let mut method = Self {
            system: of_problem(&matrix.values, state.problem),
            matrix,
            damping: Damping::default(),
            history: History::new(state.point.value),
            polish: None,
        };
        // A record before the method begins is that of the descent on a sample, which leads near.
        let is_near = state.options.solver == Solver::Newton || state.iterations() > 0;
        if is_near && !method.system.in_play.is_empty() {
            // From all rows, as Newton's matrices always are.
            method.form(Curvature::Newton, false, state)?;
        }
        Ok(method)
    }

    /// Makes the method as it was saved. The matrices, at the start and in use, were not saved and
    /// are formed again. *Cost*: two curvature matrices, not counted, as they were before.
    pub(super) fn restore(state: &State<'_>, saved: &SecondOrderState) -> PassResult<Self> {
        let objective = state.problem.objective;
        let start = &saved.matrix.start;
        let values = objective.curvature_at(start, Curvature::GaussNewton)?;
        let mut matrix = CurvatureMatrix::at_start(values, start);
        let mut system = of_problem(&matrix.values, state.problem);
        matrix.restore(objective, &saved.matrix)?;
        system.restore(&matrix.values, saved);
        Ok(Self {
            matrix,
            system,
            damping: saved.damping.clone(),
            history: saved.history.clone(),
            polish: saved.polish.map(|progress| Polish {
                progress,
                next: None,
            }),
        })
    }

    /// Takes one step of the descent, with a new curvature matrix if that pays. `Err` says why
    /// there is no step to take.
    fn descend(&mut self, state: &mut State<'_>) -> Result<Step, Termination> {
        if self.history.has_steps() {
            self.choose_matrix(state)?;
        }
        self.try_steps(state)
    }

    /// Forms a new curvature matrix unless the one in use is good enough for another step. `Err`
    /// says that there is to be no step: it would change too little, or, near the optimum, the
    /// problem says that its rows must be traced again.
    fn choose_matrix(&mut self, state: &mut State<'_>) -> Result<(), Termination> {
        let near = stopping::is_near(&self.history, &state.options);
        if near && stopping::was_far(&self.history, &state.options) && state.needs_retrace()? {
            return Err(Termination::NeedsRetrace);
        }
        // The last factor is good enough to tell that the end is here, which saves
        // a matrix that would only say so.
        let (x, gradient) = (&state.point.x, &state.point.gradient);
        // At the damping that the last step asked for no new factor is needed.
        let damping = self.system.factor().map_or(0.0, |factor| factor.asked);
        let trial = self.system.step(x, gradient, damping);
        let predicted = trial.as_ref().map(|trial| trial.predicted);
        let least = state.least();
        if trial.is_some_and(|trial| stopping::has_converged(&trial, least)) {
            return Err(Termination::SmallDecrease);
        }
        let kind = match state.options.solver {
            Solver::Auto if near => Curvature::Newton,
            _ => self.matrix.formed.kind,
        };
        // Where the descent ends as soon as the data tell no more, a matrix that leads there serves
        // whatever its kind.
        let early = near && state.ends_by_worth();
        let serves = self.matrix.formed.kind == kind || early;
        // Steps to the end are counted to the options' `worth` only near the optimum. Far out that
        // end is so close that any matrix would look good enough.
        let computed = state.options.decrease * state.point.value;
        let end = if early { least } else { computed };
        let keeps =
            |predicted| serves && matrix_policy::keeps(&self.matrix, &self.history, predicted, end);
        if !predicted.is_some_and(keeps) {
            let samples = matrix_policy::samples(near, state.iterations());
            self.form(kind, samples, state)?;
        }
        self.history.begin();
        Ok(())
    }

    /// Forms the curvature matrix at the state's point and hands it to the damped system. `sample`:
    /// a Gauss-Newton matrix of a sample of the rows will do, if the objective has one.
    fn form(&mut self, kind: Curvature, sample: bool, state: &mut State<'_>) -> PassResult<()> {
        self.matrix.form(kind, sample, state)?;
        self.system
            .update(&self.matrix.values, self.matrix.formed.rough);
        Ok(())
    }

    /// Tries steps, each more damped than the one before, until one lowers the value enough, and
    /// moves the state there. `Err` says why no step was taken; then the state has not moved.
    fn try_steps(&mut self, state: &mut State<'_>) -> Result<Step, Termination> {
        self.damping.begin();
        let least = state.least();
        loop {
            let (x, gradient) = (&state.point.x, &state.point.gradient);
            let trial = self.system.step(x, gradient, self.damping.asked);
            let trial = trial.ok_or(Termination::NumericalFailure)?;
            if let Some(reason) = trial.failure {
                state.note(reason);
            }
            let rejected = self.damping.has_rejected();
            if let Some(end) = stopping::before_trial(&trial, least, rejected) {
                return Err(end);
            }
            let point = state.evaluate(self.system.apply(&state.point.x, &trial.d))?;
            // Decrease over predicted decrease; NaN, which a value may be, is not above the least.
            let gain = (state.point.value - point.value) / trial.predicted;
            if gain > LEAST_GAIN && max_abs(&point.gradient).is_finite() {
                self.damping.accept(trial.damping, gain);
                self.history
                    .record(state.point.value, point.value, trial.predicted);
                state.point = point;
                let method = match self.matrix.formed.kind {
                    Curvature::GaussNewton => Method::GaussNewton,
                    Curvature::Newton => Method::Newton,
                };
                return Ok(trial.taken_by(method));
            }
            self.damping.reject(trial.damping);
        }
    }
}

/// Returns a function that computes an undamped step of Newton's from a point with the gradient of
/// all rows, by the matrix of a sample formed at `x`. `problem` is that of the sample. *Cost*: a
/// pass over the sample.
pub(super) fn steps_of_sample<'a>(
    problem: &Problem<'_>,
    x: &[f64],
) -> PassResult<Box<SampleSteps<'a>>> {
    let matrix = (problem.objective).curvature_at(x, Curvature::Newton)?;
    let mut system = of_problem(&matrix, problem);
    Ok(Box::new(move |point| {
        let trial = system.step(&point.x, &point.gradient, 0.0);
        Ok(trial.map(|trial| SampleStep {
            x: system.apply(&point.x, &trial.d),
            predicted: trial.predicted,
            passes: 0, // the matrix was formed before
        }))
    }))
}

/// Makes the damped system of a problem from `matrix`, the curvature of all variables without the
/// prior's part.
fn of_problem(matrix: &Symmetric, problem: &Problem<'_>) -> DampedSystem {
    DampedSystem::new(matrix, problem.bounds, problem.prior, problem.constraints)
}

impl IterativeMethod for SecondOrder {
    /// Ends where no variable is in play; in the last steps, with one factorisation, where these
    /// end; else where a step brought next to nothing, or at the limit of iterations.
    fn terminate(&self, state: &State<'_>) -> Option<Termination> {
        if self.system.in_play.is_empty() {
            return Some(Termination::NothingToFit);
        }
        if let Some(polish) = &self.polish {
            return polish.terminate();
        }
        if self.history.has_steps()
            && let Some(end) =
                stopping::after_step(&self.history, &self.damping, self.matrix.formed.kind)
        {
            return Some(end);
        }
        (state.iterations() >= state.options.iterations).then_some(Termination::IterationLimit)
    }

    /// Takes a step of the descent or, once that has converged, one of the last steps, which reuse
    /// the last factorisation. A descent that ends because the data tell no more has no last steps.
    fn next_iter(&mut self, state: &mut State<'_>) -> Result<Step, Termination> {
        if self.polish.is_none() {
            match self.descend(state) {
                // Where the descent has converged it continues with steps that reuse the last
                // factorisation, unless it ended because the data tell no more.
                Err(Termination::SmallDecrease)
                    if state.options.polish && !state.ends_by_worth() => {}
                ended => return ended,
            }
        }
        self.polish
            .get_or_insert_default()
            .next_iter(state, &mut self.system)
    }

    fn state(&self) -> MethodState {
        let matrix = self.matrix.formed.clone();
        MethodState::SecondOrder(SecondOrderState {
            scale: self.system.scale(matrix.start.len()),
            matrix,
            damping: self.damping.clone(),
            history: self.history.clone(),
            factor: self.system.factor(),
            polish: self.polish.as_ref().map(|polish| polish.progress),
        })
    }

    /// Returns the variables that the data do not depend on (no curvature at the start) and those
    /// that they separate, how many combinations they leave undetermined, and the matrix in use,
    /// unless it is of a sample.
    fn findings(self: Box<Self>, state: &mut State<'_>) -> PassResult<Findings> {
        let first_diagonal = &self.matrix.first_diagonal;
        let unseen = (0..first_diagonal.len()).filter(|&i| first_diagonal[i] == 0.0);
        let in_play = self.system.in_play.indices().iter().copied();
        let begun = Beginning {
            x: &self.matrix.formed.start,
            diagonal: first_diagonal,
            near: (!self.matrix.formed.rough).then_some(&self.matrix.values),
        };
        Ok(Findings {
            unseen: unseen.collect(),
            undetermined: Some(self.system.undetermined()),
            separated: separated(state, &begun, in_play)?,
            curvature: (!self.matrix.formed.rough).then_some(KnownCurvature {
                x: self.matrix.formed.x,
                kind: self.matrix.formed.kind,
                values: self.matrix.values,
            }),
        })
    }
}
