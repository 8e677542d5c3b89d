//! The options of a solver, with defaults and reasons.

use serde::Serialize;

/// The method, as the command line and summaries name it. Costs are in passes over the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Gauss-Newton far out, Newton near. The default, because the Hessian is
    /// indefinite far out, and because with results of 0, ½ and 1 residuals
    /// stay large, so that Gauss-Newton near the optimum only halves the
    /// distance per iteration.
    #[default]
    Auto,
    /// Gauss-Newton with Levenberg-Marquardt damping throughout.
    GaussNewton,
    /// The exact second derivative throughout, damped where it is indefinite.
    Newton,
    /// Newton's steps by conjugate gradients on products with the curvature:
    /// no matrix, so memory and time are linear in the number of variables.
    /// For more of them than a matrix can be formed of; what a fit by `auto` falls
    /// back to. *Cost*: a pass per product, some tens in all an iteration.
    NewtonCg,
    /// Non-linear conjugate gradients (Polak-Ribière+), scaled by the diagonal.
    /// *Cost*: two passes an iteration, and some readings of stored scores.
    Cg,
    /// Limited-memory BFGS, scaled by the diagonal. *Cost*: a pass an
    /// iteration, sometimes three.
    Lbfgs,
    /// Adam as other tuners run it: a baseline. *Cost*: a pass an iteration,
    /// of which it takes thousands.
    Adam,
    /// Gradient descent with one rate: a baseline. *Cost*: a pass an iteration, and
    /// it is not there after thousands.
    Gd,
}

tuner_base::impl_fmt! { Display for Solver, |self, f| self.serialize(f) }

impl Solver {
    /// Tells whether the method forms the dense curvature matrix.
    pub const fn forms_matrix(self) -> bool {
        matches!(self, Self::Auto | Self::GaussNewton | Self::Newton)
    }

    /// Returns how many iterations are allowed by default: about ten times
    /// what real data need, and what other tuners run for the baselines.
    pub const fn iterations(self) -> usize {
        match self {
            Self::Auto | Self::GaussNewton | Self::Newton | Self::NewtonCg => 100,
            Self::Cg | Self::Lbfgs => 2000,
            Self::Adam | Self::Gd => 5000,
        }
    }
}

/// How to minimise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The method. Default: [`Solver::Auto`].
    pub solver: Solver,
    /// Most iterations. Default: [`Solver::iterations`]; separated weights
    /// need more than others.
    pub iterations: usize,
    /// The descent ends when the quadratic model, for methods without one that
    /// of the diagonal, predicts to lower the value by less than this part of
    /// it; for `gd`, when a step brings less; not for `adam`; from 0 up. Default: 1e-14, some fifty
    /// units of rounding, which is what a sum over a million positions
    /// resolves. Raise it to 1e-8 to stop where weights no longer change in
    /// any digit that rounding to integers leaves.
    pub decrease: f64,
    /// The descent ends also when less than this is predicted, in units of the value; of this and
    /// `decrease` the larger one decides. A smaller decrease tells nothing, as the data do not
    /// determine the value so well. A descent that it ends is not polished, and as long as a
    /// curvature matrix is good enough to come there it serves on, also Gauss-Newton's for `auto`.
    /// Default: 0.
    pub worth: f64,
    /// `auto` and `newton-cg` change to Newton, `cg` and `lbfgs` form new
    /// scales, when an iteration has lowered the value by
    /// less than this part of it; from 0 (never) up. Default: 0.02. On the two
    /// real sets of the benchmark anything from 0.01 to 0.3 takes 7 and 10
    /// curvature matrices, 1 meets an indefinite Hessian and takes 12, and 0
    /// takes 11 and 29 (`cargo bench --bench solve`).
    pub near: f64,
    /// Whether to end with steps that reuse the last factorisation until
    /// the gradient is at rounding: a pass each, no curvature matrix.
    /// Methods without a matrix do not. Default: true.
    pub polish: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self::of(Solver::default())
    }
}

impl Options {
    /// Returns the defaults of a method.
    pub const fn of(solver: Solver) -> Self {
        Self {
            solver,
            iterations: solver.iterations(),
            decrease: 1e-14,
            worth: 0.0,
            near: 0.02,
            polish: true,
        }
    }
}
