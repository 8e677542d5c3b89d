//! What can be chosen, with defaults and reasons.

/// Which curvature the second-order solver uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
}

impl Solver {
    /// Returns the name used on the command line and in summaries.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::GaussNewton => "gauss-newton",
            Self::Newton => "newton",
        }
    }
}

/// How to minimise.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which curvature. Default: [`Solver::Auto`].
    pub solver: Solver,
    /// Most iterations, each one curvature matrix. Default: 100, ten times
    /// what real data need; weights that run away need more than others.
    pub iterations: usize,
    /// The descent ends when the quadratic model promises to lower the value
    /// by less than this part of it; from 0 up. Default: 1e-14, some fifty
    /// units of rounding, which is what a sum over a million positions
    /// resolves. Raise it to 1e-8 to stop where weights no longer change in
    /// any digit that rounding to integers leaves.
    pub decrease: f64,
    /// `auto` goes over to Newton when an iteration has lowered the value by
    /// less than this part of it; from 0 (never) up. Default: 0.02. On the two
    /// real sets of the benchmark anything from 0.01 to 0.3 takes 7 and 10
    /// curvature matrices, 1 meets an indefinite Hessian and takes 12, and 0
    /// takes 11 and 29 (`cargo bench --bench solve`).
    pub near: f64,
    /// Whether to close with steps that reuse the last factorisation until
    /// the gradient is at rounding: a pass each, no curvature matrix.
    /// Default: true.
    pub polish: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            solver: Solver::Auto,
            iterations: 100,
            decrease: 1e-14,
            near: 0.02,
            polish: true,
        }
    }
}
