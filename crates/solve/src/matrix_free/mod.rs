//! The methods that never form a matrix.
//!
//! [`MatrixFree`] is what they share: which variables are in play, the diagonal
//! that scales them, when to stop. A method is one struct, its state from one step
//! to the next; [`Updates`] lists them.

mod adam;
mod cg;
mod direction;
mod feasible;
mod frequent_block;
mod gd;
mod lbfgs;
mod line_search;
mod line_step;
mod newton_cg;
mod sample_steps;
mod scales;
mod steihaug_cg;

use serde::{Deserialize, Serialize};

use adam::Adam;
use cg::Cg;
use gd::GradientDescent;
use lbfgs::Lbfgs;
use newton_cg::NewtonCg;
pub(super) use sample_steps::steps_of_sample;
use scales::Scales;

use super::checkpoint::MethodState;
use super::method::{IterativeMethod, Step};
use super::separation::{Beginning, separated};
use super::state::State;
use super::summarise::Findings;
use super::{Method, Solver, Termination};
use crate::PassResult;
use crate::linalg::max_abs;

/// So many steps without a lower value are the end: where the data are matched
/// exactly, there is no other, for every decrease is a large part of what is
/// left. Chosen; at rounding a second lower value in a row is rare.
const STALLED: usize = 5;

/// A descent without a matrix; also what is saved of it besides the point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MatrixFree {
    scales: Scales,
    method: Updates,
}

/// The methods, each with `update`: moves the state by one step and returns the
/// largest change of a variable, or why there is no further step; then the state has
/// not moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Updates {
    NewtonCg(NewtonCg),
    Cg(Cg),
    Lbfgs(Lbfgs),
    Adam(Adam),
    Gd(GradientDescent),
}

impl Updates {
    /// Makes the method of a solver; one that forms a matrix becomes Newton's by conjugate
    /// gradients.
    fn new(solver: Solver, state: &State<'_>) -> Self {
        match solver {
            Solver::Cg => Self::Cg(Cg::default()),
            Solver::Lbfgs => Self::Lbfgs(Lbfgs::default()),
            Solver::Adam => Self::Adam(Adam::new(state)),
            Solver::Gd => Self::Gd(GradientDescent::default()),
            // The last three form a matrix; without one this method is nearest to them.
            Solver::NewtonCg | Solver::Auto | Solver::GaussNewton | Solver::Newton => {
                Self::NewtonCg(NewtonCg::default())
            }
        }
    }
}

impl MatrixFree {
    /// Begins a descent at the state's point, by the method of its options: forms the scales, the
    /// diagonal of the Gauss-Newton matrix, which takes a pass.
    pub(super) fn init(state: &mut State<'_>) -> PassResult<Self> {
        Ok(Self {
            scales: Scales::new(state)?,
            method: Updates::new(state.options.solver, state),
        })
    }

    /// Checks that no number that was read from a file is one that the method cannot have; the
    /// lengths of vectors are checked by `Checkpoint::check`. The error is a message for users.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let is_possible = match &self.method {
            Updates::Lbfgs(lbfgs) => lbfgs.is_possible(),
            Updates::Gd(gd) => gd.is_possible(),
            Updates::NewtonCg(_) | Updates::Cg(_) | Updates::Adam(_) => true,
        };
        let is_possible = is_possible && self.scales.are_possible();
        let wrong = "a number of the method is missing or cannot be";
        is_possible.then_some(()).ok_or(wrong)
    }
}

impl IterativeMethod for MatrixFree {
    /// Ends where no variable is in play, at the limit of iterations, or, but for Adam and gradient
    /// descent, after [`STALLED`] steps without a lower value.
    fn terminate(&self, state: &State<'_>) -> Option<Termination> {
        // Without a scale above 0 no variable is in play.
        let nothing = max_abs(&self.scales.now) <= 0.0;
        // Adam and gradient descent, the baselines, say themselves when to end.
        let baseline = matches!(self.method, Updates::Adam(_) | Updates::Gd(_));
        if nothing {
            Some(Termination::NothingToFit)
        } else if state.iterations() >= state.options.iterations {
            Some(Termination::IterationLimit)
        } else if !baseline && state.has_stalled(STALLED) {
            Some(Termination::NoFurtherDecrease)
        } else {
            None
        }
    }

    /// Moves the state by one step of the method, and tells the scales how much the value has
    /// fallen.
    fn next_iter(&mut self, state: &mut State<'_>) -> Result<Step, Termination> {
        let (scales, before) = (&mut self.scales, state.point.value);
        let (method, length) = match &mut self.method {
            Updates::NewtonCg(newton) => (Method::NewtonCg, newton.update(scales, state)),
            Updates::Cg(cg) => (Method::Cg, cg.update(scales, state)),
            Updates::Lbfgs(lbfgs) => (Method::Lbfgs, lbfgs.update(scales, state)),
            Updates::Adam(adam) => (Method::Adam, adam.update(state)),
            Updates::Gd(gd) => (Method::Gd, gd.update(state)),
        };
        let length = length?;
        scales.stepped(before, state.point.value);
        Ok(Step {
            method,
            length,
            damping: 0.0,
        })
    }

    fn state(&self) -> MethodState {
        MethodState::MatrixFree(self.clone())
    }

    /// Returns the variables that the data do not depend on, with no curvature at the start, and
    /// those that they separate.
    fn findings(self: Box<Self>, state: &mut State<'_>) -> PassResult<Findings> {
        // Adam's last step need not be its best.
        if let Updates::Adam(adam) = self.method {
            adam.finish(state);
        }
        let first = &self.scales.first;
        let begun = Beginning {
            x: &self.scales.start,
            diagonal: first,
            near: None, // no matrix was formed
        };
        Ok(Findings {
            unseen: (0..first.len()).filter(|&i| first[i] <= 0.0).collect(),
            separated: separated(state, &begun, self.scales.in_play())?,
            ..Findings::default()
        })
    }
}
