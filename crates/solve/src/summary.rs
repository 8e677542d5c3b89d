//! The summary of a solver: what it did and why it stopped.

use serde::{Deserialize, Serialize};

use crate::PassError;
use crate::linalg::Failure;

/// Why a solver stopped. Whatever the reason, the variables returned are the
/// best found, and never worse than the start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Termination {
    /// The gradient is at rounding: this is the optimum.
    #[error("optimum: the gradient is at rounding")]
    GradientAtRounding,
    /// No step, however short, lowers the value: the optimum as far as
    /// rounding tells.
    #[error("optimum: no step lowers the error any more")]
    NoFurtherDecrease,
    /// The predicted decrease is below [`Options::decrease`](super::Options).
    #[error("optimum: the next step would change less than asked for")]
    SmallDecrease,
    /// The predicted decrease is below [`Options::worth`](super::Options): the data do not
    /// tell the optimum from here.
    #[error(
        "optimum as far as the data tell: the next step would gain less than a millionth of \
         the standard error of E; --exact continues to rounding"
    )]
    WithinStandardError,
    /// The last step needed damping and brought next to nothing: the optimum as
    /// far as steps of a second-order method tell, as at kinks of scores that are not
    /// linear, or where the loss is nearly one.
    #[error(
        "optimum: the last step had to be damped, and lowered the error by less than a billionth"
    )]
    Kink,
    /// Combinations of weights that the data separate grow ever further, and bring
    /// next to nothing: the optimum as far as there is one.
    #[error(
        "converged: the remaining improvement is below 1e-9; some results are predicted almost \
         surely"
    )]
    Tail,
    /// Near the optimum of a function that no longer resembles the one that it
    /// stands for: see [`Problem::needs_retrace`](super::Problem).
    #[serde(rename = "stale")]
    #[error("stopped near the optimum, where positions take another branch: trace them again")]
    NeedsRetrace,
    /// All variables are integers, and no step of one lowers the value.
    #[error("optimum among integers: no step of one weight lowers the error")]
    NoBetterStep,
    /// The curvature is not finite, or no damping makes it usable.
    #[error(
        "failed: no step can be computed from the curvature; look for weights, K or a prior of a \
         wrong order of magnitude"
    )]
    NumericalFailure,
    /// A baseline without further progress: this may be near the optimum or not.
    #[error(
        "stopped: for long no step was better than the best so far, which says little of the \
         optimum; see what another solver finds"
    )]
    NoImprovement,
    /// The largest number of iterations that is allowed was made.
    #[error("stopped at the iteration limit; the weights are the best so far")]
    IterationLimit,
    /// Data could not be read during a pass.
    #[error("stopped, as data could not be read; the weights are the best so far: {0}")]
    PassFailed(#[from] PassError),
    /// The observer ended the descent.
    #[error("interrupted; the weights are the best so far")]
    Interrupted,
    /// There is no variable, or the data say nothing about any.
    #[error(
        "nothing to fit: no weight is free and seen in the data; the weights are the initial ones"
    )]
    NothingToFit,
    /// The value falls ever further as the variables grow, all that were in play. See
    /// [`Summary::separated`].
    #[error(
        "no optimum: the error falls ever further as the weights grow; a prior or bounds give \
         it one; the weights are the initial ones"
    )]
    NoOptimum,
    /// The start, or the value or gradient there, is not finite.
    #[error("the error at the initial weights is not finite; the weights are the initial ones")]
    NotFinite,
}

impl Termination {
    /// Tells whether the solver ended at an optimum, as far as rounding, the data or integers
    /// allow; not after a limit, a failure, or where there is no optimum.
    pub const fn is_optimum(&self) -> bool {
        matches!(
            self,
            Self::GradientAtRounding
                | Self::NoFurtherDecrease
                | Self::SmallDecrease
                | Self::WithinStandardError
                | Self::Kink
                | Self::Tail
                | Self::NoBetterStep
        )
    }
}

/// The method by which an iteration was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// No method: the entry of the start.
    Start,
    /// Gauss-Newton.
    GaussNewton,
    /// Newton.
    Newton,
    /// A step with the last factorisation again.
    Polish,
    /// Newton by conjugate gradients.
    NewtonCg,
    /// Non-linear conjugate gradients.
    Cg,
    /// Limited-memory BFGS.
    Lbfgs,
    /// Adam.
    Adam,
    /// Gradient descent.
    Gd,
    /// Single steps of integers.
    LocalSearch,
}

tuner_base::impl_fmt! { Display for Method, |self, f| self.serialize(f) }

/// Why an iteration needed more damping than it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("iteration {iteration}: {reason}; damped until it was usable")]
pub struct Fallback {
    /// The iteration, from 1.
    pub iteration: usize,
    /// The defect of the curvature.
    pub reason: Failure,
}

/// The cost of a descent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Curvature matrices formed.
    pub curvature_evaluations: usize,
    /// Passes over the data, held-out error not counted.
    pub passes: usize,
    /// Points of lines tried on stored scores, each a part of a pass.
    pub score_passes: usize,
    /// Wall-clock time.
    pub seconds: f64,
}

impl Cost {
    /// Returns the cost of `passes` passes over the data and of nothing else.
    pub const fn of_passes(passes: usize) -> Self {
        Self {
            curvature_evaluations: 0,
            passes,
            score_passes: 0,
            seconds: 0.0,
        }
    }
}

tuner_base::add_fields! { Cost { curvature_evaluations, passes, score_passes, seconds } }

/// One iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The number of the iteration; 0 is the start.
    pub iteration: usize,
    /// The method that made it.
    pub method: Method,
    /// E after it.
    pub error: f64,
    /// F after it: E and the prior's part. What the solver lowers.
    pub objective: f64,
    /// E of the held-out games after it.
    pub held_out_error: Option<f64>,
    /// The largest change of a variable.
    pub step: f64,
    /// The largest optimality residual (see [`kkt_residual`](super::kkt_residual)).
    pub gradient: f64,
    /// The damping: what was added to the diagonal, in parts of it.
    pub damping: f64,
    /// The cost so far.
    #[serde(flatten)]
    pub cost: Cost,
}

/// How a fit went; variables are numbers, or the names that they have in a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary<V = usize> {
    /// E at the start.
    pub initial_error: f64,
    /// E at the end.
    pub error: f64,
    /// F at the end: E and the prior's part.
    pub objective: f64,
    /// E of the held-out games at the end.
    pub held_out_error: Option<f64>,
    /// Why the solver ended.
    pub termination: Termination,
    /// Steps taken, those of the polish included.
    pub iterations: usize,
    /// The cost of the descent.
    #[serde(flatten)]
    pub cost: Cost,
    /// The largest optimality residual at the end.
    pub gradient: f64,
    /// Variables that no position of the fit depends on: left at their start,
    /// or where the prior says.
    pub unseen: Vec<V>,
    /// Independent combinations of seen variables of which the data say
    /// nothing, as of a piece's value against its whole table. The solution
    /// has no part along them, so nothing drifts; where there is a prior, it
    /// decides. `None` where no matrix was formed that would tell.
    pub undetermined: Option<usize>,
    /// Variables that the data separate: every position that they occur in has the
    /// same result, so the error falls for ever as they grow. A prior, bounds or
    /// more games make them finite.
    pub separated: Vec<V>,
    /// Variables at a bound that the error pushes against.
    pub at_bound: Vec<V>,
    /// Variables that a Laplace prior keeps exactly where it draws them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<V>,
    /// Constraints, by their number in the problem, that hold with equality.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub binding: Vec<usize>,
    /// Where the curvature was not usable as it came.
    pub fallbacks: Vec<Fallback>,
    /// All iterations, the start first.
    pub records: Vec<Record>,
}

impl Summary {
    /// Returns the summary with names in place of the numbers of variables; `name` gives the name
    /// of a number. Constraints keep their numbers.
    pub fn named(&self, name: impl Fn(usize) -> String) -> Summary<String> {
        let named = |variables: &[usize]| variables.iter().map(|&v| name(v)).collect();
        tuner_base::cloned_fields! { Summary {
            initial_error, error, objective, held_out_error, termination, iterations, cost, gradient,
            undetermined, binding, fallbacks, records,
        } of self,
            unseen: named(&self.unseen),
            separated: named(&self.separated),
            at_bound: named(&self.at_bound),
            kept: named(&self.kept),
        }
    }

    /// Returns the summary of two descents as one, where this one started from the end of the
    /// `earlier` one: steps, costs and records add up, the start is that of the earlier one, and
    /// all else is of the end of this one. This one's first record is left out, as it is the point
    /// of the earlier one's last.
    #[must_use]
    pub fn after(mut self, earlier: Self) -> Self {
        self.initial_error = earlier.initial_error;
        let steps = self.records.into_iter().skip(1).map(|mut record| {
            record.iteration += earlier.iterations;
            record.cost += earlier.cost;
            record
        });
        self.records = earlier.records.into_iter().chain(steps).collect();
        let fallbacks = self.fallbacks.into_iter().map(|fallback| Fallback {
            iteration: earlier.iterations + fallback.iteration,
            ..fallback
        });
        self.fallbacks = earlier.fallbacks.into_iter().chain(fallbacks).collect();
        self.iterations += earlier.iterations;
        self.cost += earlier.cost;
        self
    }
}
