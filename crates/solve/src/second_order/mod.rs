//! Gauss-Newton and Newton with Levenberg-Marquardt damping.
//!
//! This page is the iteration; its parts decide: `MatrixPolicy` when a curvature
//! matrix is formed and of which kind, `DampedSystem` what step it gives, `Damping`
//! how much is added to its diagonal, `StoppingRules` when there is no further step,
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
mod history;
mod matrix_policy;
mod polish;
mod saved_state;
mod stopping;

use curvature_matrix::CurvatureMatrix;
use damped_system::DampedSystem;
use damping::Damping;
use history::History;
use matrix_policy::MatrixPolicy;
use polish::Polish;
pub(super) use saved_state::SecondOrderState;
use stopping::StoppingRules;

use super::checkpoint::MethodState;
use super::method::{IterativeMethod, Step};
use super::separation::separated;
use super::state::State;
use super::summarise::Findings;
use super::{Method, Options, Termination};
use crate::linalg::max_abs;
use crate::{Curvature, PassError};

/// Least part of the predicted decrease that a step must bring to be taken.
/// Any small number does; this is that of Moré 1978.
const LEAST_GAIN: f64 = 1e-4;

/// A second-order descent.
///
/// *Cost*: per iteration one curvature matrix, its factorisation, and one
/// pass per step tried, nearly always one.
pub(super) struct SecondOrder {
    policy: MatrixPolicy,
    matrix: CurvatureMatrix,
    system: DampedSystem,
    damping: Damping,
    history: History,
    stopping: StoppingRules,
    /// Once the descent itself has converged.
    polish: Option<Polish>,
}

impl SecondOrder {
    /// Forms the curvature at the start.
    pub(super) fn init(state: &mut State<'_, '_>, options: &Options) -> Result<Self, PassError> {
        let matrix = CurvatureMatrix::at_start(state)?;
        let (bounds, prior) = (state.problem.bounds, state.problem.prior);
        let mut method = Self {
            policy: MatrixPolicy::new(options),
            system: DampedSystem::new(&matrix.values, bounds, prior),
            matrix,
            damping: Damping::default(),
            history: History::new(state.value),
            stopping: StoppingRules::new(options),
            polish: None,
        };
        if method.policy.first() == Curvature::Newton && !method.system.indices.is_empty() {
            method.form(Curvature::Newton, false, state)?;
        }
        Ok(method)
    }

    /// Forms again what was not saved. *Cost*: two curvature matrices, which are
    /// not counted.
    pub(super) fn restore(
        state: &State<'_, '_>,
        options: &Options,
        saved: &SecondOrderState,
    ) -> Result<Self, PassError> {
        let (bounds, prior) = (state.problem.bounds, state.problem.prior);
        let objective = state.problem.objective;
        let mut matrix = CurvatureMatrix::restored_start(objective, saved)?;
        let mut system = DampedSystem::new(&matrix.values, bounds, prior);
        matrix.restore(objective, saved)?;
        system.restore(&matrix.values, &saved.scale, saved.factor);
        Ok(Self {
            policy: MatrixPolicy::new(options),
            matrix,
            system,
            damping: saved.damping(),
            history: saved.history(),
            stopping: StoppingRules::new(options),
            polish: saved.polish.map(Polish::restored),
        })
    }

    /// Takes one step of the descent.
    fn descend(&mut self, state: &mut State<'_, '_>) -> Result<Step, Termination> {
        if state.iterations() > 0 {
            self.choose_matrix(state)?;
        }
        self.try_steps(state)
    }

    /// Forms a new matrix unless the one in use serves as well, or the end has come.
    fn choose_matrix(&mut self, state: &mut State<'_, '_>) -> Result<(), Termination> {
        let near = self.stopping.is_near(&self.history);
        if near && self.stopping.was_far(&self.history) && state.needs_retrace()? {
            return Err(Termination::NeedsRetrace);
        }
        // The last factor is good enough to tell that the end is here, which saves
        // a matrix that would only say so.
        let trial = self.system.step_as_before(&state.x, &state.gradient);
        let predicted = trial.as_ref().map(|trial| trial.predicted);
        if trial.is_some_and(|trial| self.stopping.has_converged(&trial, state.value)) {
            return Err(Termination::SmallDecrease);
        }
        let kind = self.policy.kind(&self.matrix, near);
        let least = self.stopping.least_decrease(state.value);
        let keeps =
            |predicted| MatrixPolicy::keeps(&self.matrix, kind, &self.history, predicted, least);
        if !predicted.is_some_and(keeps) {
            let samples = MatrixPolicy::samples(near, state.iterations());
            self.form(kind, samples, state)?;
        }
        self.history.begin();
        Ok(())
    }

    /// Forms the curvature matrix here.
    fn form(
        &mut self,
        kind: Curvature,
        sample: bool,
        state: &mut State<'_, '_>,
    ) -> Result<(), PassError> {
        self.matrix.form(kind, sample, state)?;
        self.system.update(&self.matrix.values);
        Ok(())
    }

    /// Tries steps, each more damped than the one before, until one lowers the value.
    fn try_steps(&mut self, state: &mut State<'_, '_>) -> Result<Step, Termination> {
        self.damping.begin();
        loop {
            let asked = self.damping.asked();
            let Some(trial) = self.system.step(&state.x, &state.gradient, asked) else {
                return Err(Termination::NumericalFailure);
            };
            if let Some(reason) = trial.failure {
                state.note(reason);
            }
            let rejected = self.damping.has_rejected();
            if let Some(end) = self.stopping.before_trial(&trial, state.value, rejected) {
                return Err(end);
            }
            let point = state.evaluate(self.system.apply(&state.x, &trial.d))?;
            let gain = (state.value - point.value) / trial.predicted;
            if gain > LEAST_GAIN && max_abs(&point.gradient).is_finite() {
                self.damping.accept(trial.damping, gain);
                self.history
                    .record(state.value, point.value, trial.predicted);
                state.take(point);
                let method = match self.matrix.kind {
                    Curvature::GaussNewton => Method::GaussNewton,
                    Curvature::Newton => Method::Newton,
                };
                return Ok(trial.taken_by(method));
            }
            self.damping.reject(trial.damping);
        }
    }
}

impl IterativeMethod for SecondOrder {
    fn terminate(&self, state: &State<'_, '_>, options: &Options) -> Option<Termination> {
        if self.system.indices.is_empty() {
            return Some(Termination::NothingToFit);
        }
        if let Some(polish) = &self.polish {
            return polish.terminate();
        }
        if state.iterations() > 0
            && let Some(end) =
                StoppingRules::after_step(&self.history, &self.damping, self.matrix.kind)
        {
            return Some(end);
        }
        (state.iterations() >= options.iterations).then_some(Termination::IterationLimit)
    }

    fn next_iter(
        &mut self,
        state: &mut State<'_, '_>,
        options: &Options,
    ) -> Result<Step, Termination> {
        if self.polish.is_none() {
            match self.descend(state) {
                Err(Termination::SmallDecrease) if options.polish => {}
                ended => return ended,
            }
        }
        self.polish
            .get_or_insert_default()
            .next_iter(state, &mut self.system)
    }

    fn state(&self) -> MethodState {
        MethodState::SecondOrder(SecondOrderState::new(
            &self.matrix,
            &self.system,
            &self.damping,
            &self.history,
            self.polish.as_ref(),
        ))
    }

    fn findings(self: Box<Self>, state: &mut State<'_, '_>) -> Result<Findings, PassError> {
        let first_diagonal = &self.matrix.first_diagonal;
        let unseen = (0..first_diagonal.len()).filter(|&i| first_diagonal[i] == 0.0);
        let in_play = self.system.indices.iter().copied();
        Ok(Findings {
            unseen: unseen.collect(),
            undetermined: Some(self.system.undetermined()),
            separated: separated(state, first_diagonal, in_play)?,
            curvature: (!self.matrix.rough).then_some(self.matrix.values),
        })
    }
}
