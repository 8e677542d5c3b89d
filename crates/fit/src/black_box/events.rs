//! The events of a fit of a black box, and the answers to them.

use super::NonlinearityReport;
use crate::{Fit, FitProgress};

/// How long rows are taken again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoundOptions {
    /// Most rounds. Default: 30; a linear score takes one, those of the tests
    /// that are not linear up to ten.
    pub most: usize,
    /// The fit ends when rows predict to lower the true objective, or a round
    /// has lowered it, by less than this part of it; from 0 up. Default: 1e-10,
    /// chosen: weights then no longer change in a digit that rounding leaves.
    pub decrease: f64,
    /// How often a step that does not lower the true objective is halved.
    /// Default: 20, a millionth of the step.
    pub halvings: usize,
}

impl Default for RoundOptions {
    fn default() -> Self {
        Self {
            most: 30,
            decrease: 1e-10,
            halvings: 20,
        }
    }
}

/// Why a fit of a black box ended. Whatever the reason, the weights are the
/// best found by true scores, and never worse than the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlackBoxEnd {
    /// All scores at the weights found are as the rows predicted: the score is
    /// linear as far as the fit went, and its end is that of the fit.
    #[error("optimum: all scores are as the rows predicted")]
    AsPredicted,
    /// Rows at the weights found predict nothing more.
    #[error("optimum: rows taken again predict nothing more")]
    Settled,
    /// The last round lowered the true objective by less than asked for.
    #[error("optimum: the last round changed less than asked for")]
    SmallDecrease,
    /// No step towards what the rows predict, however short, lowers the true
    /// objective: the optimum as far as quotients tell.
    #[error(
        "optimum: no step, however short, lowers the error of the true scores; if this is early, \
         try other steps of the difference quotients"
    )]
    NoDecrease,
    /// As many rounds as allowed.
    #[error("stopped at the round limit; the weights are the best so far")]
    RoundLimit,
    /// The observer ended it.
    #[error("interrupted; the weights are the best so far")]
    Interrupted,
}

impl BlackBoxEnd {
    /// Tells whether rounds could bring no more; whether each round's solver
    /// got to its optimum, its termination says.
    pub const fn is_optimum(self) -> bool {
        !matches!(self, Self::RoundLimit | Self::Interrupted)
    }
}

/// One round: rows taken, fitted, and the step that the true scores allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct BlackBoxRound {
    /// Its number, from 1.
    pub round: usize,
    /// How nonlinear the rows are that it fitted.
    pub nonlinearity: NonlinearityReport,
    /// Iterations of the solver.
    pub iterations: usize,
    /// E and prior that the rows predicted at the end of the whole step.
    pub predicted: f64,
    /// The part of the step that was taken, 1 for the whole.
    pub step: f64,
    /// True E after it, of the games fitted on.
    pub error: f64,
    /// True E and the prior's part.
    pub objective: f64,
    /// True E of the held-out games.
    pub held_out_error: Option<f64>,
    /// The largest difference between a score and what its row predicted, in
    /// centipawns.
    pub deviation: f64,
}

/// A fit of a black box that has ended, for whatever reason.
#[derive(Clone, Debug, PartialEq)]
pub struct BlackBoxFit {
    /// The weights and what is known of them. Errors, held-out ones too, are
    /// those of true scores; the records in its summary those of the rows, all
    /// rounds one after the other.
    pub fit: Fit,
    /// Why it ended.
    pub end: BlackBoxEnd,
    /// All rounds.
    pub rounds: Vec<BlackBoxRound>,
    /// How nonlinear the last rows are.
    pub nonlinearity: NonlinearityReport,
    /// How often the closure was asked.
    pub evaluations: u64,
}

/// Where a fit of a black box stands; the observer answers whether to continue.
#[derive(Clone, Copy, Debug)]
pub enum BlackBoxEvent<'a> {
    /// Rows are being taken.
    Rows {
        /// Positions done.
        done: usize,
        /// All positions.
        of: usize,
    },
    /// An iteration of a round's fit has ended; its errors are those of rows.
    Iteration(&'a FitProgress<'a>),
    /// A round has ended.
    Round(&'a BlackBoxRound),
}
