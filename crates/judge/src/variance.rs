//! How far fitted weights may be off: the sandwich, clustered by game.
//!
//! With H the curvature of E at the optimum, J the covariance of its gradient
//! between games, P the curvature of the prior and u its unit (λ = u/τ²), and
//! A = H + P:
//!
//! ```text
//! A⁻¹·J·A⁻¹                what other games would change
//! A⁻¹·(J + u·P)·A⁻¹        mean squared error, with the prior taken as true
//! ```
//!
//! *Source*: H. White, Maximum likelihood estimation of misspecified models,
//! Econometrica 50, 1982; K.-Y. Liang, S. Zeger, Longitudinal data analysis
//! using generalized linear models, Biometrika 73, 1986.

use crate::not_computed::{Computed, NotComputed};
use tuner_base::phase;
use tuner_fit::model::{CLUSTERS, Regression};
use tuner_solve::linalg::{Cholesky, Failure, Symmetric, add_scaled, difference, dot, unit_vector};
use tuner_solve::{Curvature, LinearConstraint, Objective, PassResult, Prior};

/// Standard deviation around 0 of the prior that stands for none, in the unit
/// of the weights: what the data say alone, and yet a number where they say
/// nothing. Chosen far beyond any weight that a game could tell.
pub(crate) const ALONE: f64 = 1000.0;

/// A function that returns Gauss-Newton's curvature at the optimum, of the variables that moved.
pub(crate) type GaussNewton<'a> = &'a dyn Fn() -> PassResult<Symmetric>;

/// Derivatives at the optimum, of variables that moved and of others.
#[derive(Clone, Debug)]
pub(crate) struct Matrices {
    /// H, the curvature of E.
    pub(crate) data: Symmetric,
    /// J, the covariance of the gradient of E between clusters of games.
    pub(crate) covariance: Symmetric,
    /// ∇E, the gradient of E.
    pub(crate) gradient: Vec<f64>,
    /// Clusters of games that J rests on.
    pub(crate) clusters: usize,
    /// The games in these clusters.
    pub(crate) games: usize,
}

/// Most variables beyond those of a known matrix for which it is not formed anew. Chosen: a
/// matrix costs some tens of products, three hundred with thousands of variables.
const MOST_PRODUCTS: usize = 24;

/// Returns the curvature of E at `x` over all variables, of which `known` is that of the first: the
/// rows of the further variables are computed as products of the curvature with unit vectors.
fn widened(known: &Symmetric, objective: &Regression<'_>, x: &[f64]) -> PassResult<Symmetric> {
    let mut all = Symmetric::zeros(x.len());
    for row in 0..known.size() {
        for column in 0..=row {
            all.add(row, column, known.get(row, column));
        }
    }
    let further = (known.size()..x.len()).map(|variable| unit_vector(x.len(), variable));
    let further: Vec<Vec<f64>> = further.collect();
    let further: Vec<&[f64]> = further.iter().map(Vec::as_slice).collect();
    let lines = objective.products(x, Curvature::Newton, &further)?;
    for (row, line) in (known.size()..).zip(lines) {
        for (column, &value) in line[..=row].iter().enumerate() {
            all.add(row, column, value);
        }
    }
    Ok(all)
}

impl Matrices {
    /// Forms at `x` the gradient of E, its curvature H, and the covariance J of the gradient
    /// between games. `known`: H of the first variables, if it is known. *Cost*: a curvature
    /// matrix, or a product for each variable beyond those of `known`, and three passes.
    ///
    /// # Errors
    /// If rows cannot be read, or there is one game only.
    pub(crate) fn at(
        objective: &Regression<'_>,
        x: &[f64],
        known: Option<Symmetric>,
    ) -> Computed<Self> {
        let size = objective.len();
        let scores = {
            let _phase = phase("gradients by game");
            objective.scores_by_cluster(x, CLUSTERS)?
        };
        let (clusters, games) = (scores.clusters, scores.games);
        if clusters < 2 {
            return Err(NotComputed::reason(
                "all positions are of one game; expected at least two, which tell how games differ",
            ));
        }
        let covariance = {
            let _phase = phase("covariance");
            scores.covariance()
        };
        let gradient = scores.sum();
        // These gradients of all clusters take the most memory, and are not needed any more.
        drop(scores);
        // One product for each further variable, unless there are so many that a matrix is cheaper.
        let data = match known {
            Some(known) if size <= known.size() + MOST_PRODUCTS => widened(&known, objective, x)?,
            _ => objective.curvature_at(x, Curvature::Newton)?,
        };
        Ok(Self {
            data,
            covariance,
            gradient,
            clusters,
            games,
        })
    }

    /// Returns gradient, curvature and covariance of the first `count` variables alone.
    pub(crate) fn first(&self, count: usize) -> Self {
        let indices: Vec<usize> = (0..count).collect();
        Self {
            data: self.data.select(&indices),
            covariance: self.covariance.select(&indices),
            gradient: self.gradient[..count].to_vec(),
            ..*self
        }
    }
}

/// How many times the curvature of the data a sum gets that is at a limit: its standard error is
/// then a thousandth of what it would be, and the factorisation loses six of sixteen digits.
const STIFF: f64 = 1e6;

/// Adds to the curvature H, for each constraint whose sum aᵀx is at a limit at `x` and so cannot
/// move, a penalty that fixes the sum: s·aaᵀ with s [`STIFF`] times the largest Hᵢᵢ/aᵢ².
fn hold(constraints: &[LinearConstraint], x: &[f64], curvature: &mut Symmetric) {
    let diagonal = curvature.diagonal();
    for row in constraints {
        // A constraint without terms is of fixed variables alone.
        if row.terms.is_empty() || !row.at_limits(x).contains(&true) {
            continue;
        }
        let each = row.terms.iter();
        let each = each.map(|&(i, factor)| diagonal[i] / (factor * factor));
        let stiffness = STIFF * each.fold(0.0, f64::max);
        for (number, &(i, a)) in row.terms.iter().enumerate() {
            for &(j, b) in &row.terms[..=number] {
                curvature.add(i, j, stiffness * a * b);
            }
        }
    }
}

/// Curvature and covariance at the optimum, of all variables that moved.
#[derive(Clone, Debug)]
pub struct Variance {
    pub(crate) matrices: Matrices,
    /// A⁻¹, the inverse of the curvature of E and the prior.
    pub inverse: Symmetric,
    /// The covariance of the variables: A⁻¹·J·A⁻¹ with J the covariance of the gradient; A⁻¹·(J +
    /// u·P)·A⁻¹ where there is a prior, of curvature P and unit u, which is taken as true.
    pub covariance: Symmetric,
    /// Whether H is that of Gauss and Newton: the second derivatives of the residuals were
    /// left out, as the exact curvature is not that of a minimum.
    pub is_approximate: bool,
}

/// Makes the error that says why the curvature cannot be factorised, and what helps.
pub(crate) fn unusable(failure: Failure) -> NotComputed {
    NotComputed::reason(format!("{failure}; a prior or more games make it usable"))
}

/// The estimates by the data alone, with a prior that says next to nothing, and their covariance.
/// Where the data say nothing an estimate is what its prior is around, so that a test against these
/// values finds nothing there.
#[derive(Clone, Debug)]
pub(crate) struct Alone {
    /// The estimates with a prior around the values before the fit.
    pub(crate) around_before: Vec<f64>,
    /// Those with one around 0.
    pub(crate) around_zero: Vec<f64>,
    /// Their mean squared errors and products.
    pub(crate) covariance: Symmetric,
    /// The inverse of the curvature of E, with the prior that stands for none.
    pub(crate) inverse: Symmetric,
    /// u²/τ², with the unit u and τ = 1000: what the prior that stands for none adds to the
    /// covariance of the gradient.
    of_prior: f64,
}

impl Alone {
    /// Returns by how much E rises where some variables are set to values and all others follow,
    /// for each of several lists `off` of the differences δ between the estimates of these
    /// variables and the values. With M their part of the inverse curvature, `fitted` is ½·δᵀM⁻¹δ;
    /// `expected` is `fitted` less tr(M⁻¹N), with N the covariance of the estimates that the noise
    /// of games explains. `None` where M cannot be factorised.
    ///
    /// *Cost*: of v of n variables v³ and ½·n·v² multiplications, in products of matrices.
    pub(crate) fn worths<const N: usize>(
        &self,
        variables: &[usize],
        off: &[Vec<f64>; N],
    ) -> Option<[Worth; N]> {
        let factor = Cholesky::new(&self.inverse.select(variables)).ok()?;
        let spread = self.covariance.select(variables);
        // The noise of games is tr(M⁻¹N), with N the spread less what the very weak prior, which is
        // used in place of none, added to it: u²/τ²·A⁻² over these variables, with A⁻¹ the inverse
        // curvature.
        let columns: Vec<f64> = (0..self.inverse.size())
            .flat_map(|other| {
                let row = self.inverse.row(other);
                variables.iter().map(|&variable| row[variable])
            })
            .collect();
        // A⁻² over these variables: the sum over all variables of products of two entries of A⁻¹,
        // with no mean taken off.
        let squared = Symmetric::gram(&columns, &vec![0.0; variables.len()]);
        let metric = factor.inverse();
        let noise = dot(metric.values(), spread.values())
            - self.of_prior * dot(metric.values(), squared.values());
        Some(off.each_ref().map(|off| {
            let push = factor.solve(off);
            let fitted = 0.5 * dot(off, &push);
            Worth {
                fitted,
                expected: fitted - noise,
                standard_error: dot(&push, &spread.multiply(&push)).max(0.0).sqrt(),
            }
        }))
    }
}

impl Variance {
    /// Computes the covariance of the variables at `x`, where the sum of E and the prior is
    /// smallest. `unit`: u, with which a prior of standard deviation τ has the strength u/τ²; it is
    /// also that of the very weak prior of τ = 1000 which is used where there is no prior and the
    /// data do not determine all variables.
    ///
    /// *Cost*: a curvature matrix, three passes, and some three products of
    /// matrices of the number of variables.
    ///
    /// # Errors
    /// If rows cannot be read, there is one game only, or the curvature is not
    /// that of a minimum and cannot be replaced.
    pub fn new(
        objective: &Regression<'_>,
        prior: Option<&Prior>,
        unit: f64,
        x: &[f64],
    ) -> Computed<Self> {
        let constraints = objective.reduction().constraints();
        let gauss_newton = || objective.curvature_at(x, Curvature::GaussNewton);
        let matrices = Matrices::at(objective, x, None)?;
        Self::of(matrices, &gauss_newton, constraints, prior, unit, x)
    }

    /// Computes A⁻¹, with A the curvature of E and the prior, and the covariance of the variables
    /// from the derivatives at `x`. A has the exact curvature of E if it can be factorised so, else
    /// the curvature that `gauss_newton` forms; if that fails too and there is no prior, one of
    /// standard deviation 1000 and unit `unit` is added. Sums that are at a limit of `constraints`
    /// do not move.
    pub(crate) fn of(
        mut matrices: Matrices,
        gauss_newton: GaussNewton<'_>,
        constraints: &[LinearConstraint],
        prior: Option<&Prior>,
        unit: f64,
        x: &[f64],
    ) -> Computed<Self> {
        let size = x.len();
        let mut penalty = Symmetric::zeros(size);
        if let Some(prior) = prior {
            prior.add_curvature(&(0..size).collect::<Vec<_>>(), &mut penalty);
        }
        let mut approximate = false;
        // A sum at its limit does not move, as if a prior knew it.
        let factorise = |data: &Symmetric, penalty: &Symmetric| {
            let mut curvature = data.plus(penalty);
            hold(constraints, x, &mut curvature);
            Cholesky::new(&curvature)
        };
        let mut factor = factorise(&matrices.data, &penalty);
        if factor.is_err() {
            approximate = true;
            matrices.data = gauss_newton()?;
            factor = factorise(&matrices.data, &penalty);
        }
        // Combinations that the data do not determine get a prior as good as none.
        if factor.is_err() && prior.is_none() {
            penalty = flat(size, unit);
            factor = factorise(&matrices.data, &penalty);
        }
        let inverse = factor.map_err(unusable)?.inverse();
        // The prior of the fit is taken as true, so what it adds is part of the error; the one that
        // was added here to make the curvature usable is not.
        let covariance = if prior.is_some() {
            penalty.scale(unit);
            matrices.covariance.plus(&penalty).between(&inverse)
        } else {
            matrices.covariance.between(&inverse)
        };
        Ok(Self {
            matrices,
            inverse,
            covariance,
            is_approximate: approximate,
        })
    }

    /// Returns the number of clusters of games that the covariance rests on.
    pub(crate) fn clusters(&self) -> usize {
        self.matrices.clusters
    }

    /// Returns `tr(A⁻¹H)`, with H the curvature of E and A that of E and the prior: how many
    /// weights the data determine; the prior decides on the others.
    ///
    /// *Source*: D. MacKay, Bayesian interpolation, Neural Computation 4, 1992.
    pub fn determined(&self) -> f64 {
        dot(self.inverse.values(), self.matrices.data.values())
    }

    /// Returns `tr(A⁻¹J)`, with A the curvature of E and the prior and J the covariance of the
    /// gradient between games: by how much E of the games fitted is expected to be below that of
    /// other games.
    pub fn optimism(&self) -> f64 {
        dot(self.inverse.values(), self.matrices.covariance.values())
    }

    /// Returns what the data say without the prior of the fit: the estimates with a very weak prior
    /// around b, of standard deviation 1000, by one step of Newton's method from the optimum `x`,
    /// to b + A⁻¹·(H·(x − b) − ∇E); and their covariance. H is the curvature of E, A = H + u/1000²;
    /// b is `before` for one list of estimates, 0 for another. `unit`: u, with which a prior of
    /// standard deviation τ has the strength u/τ².
    ///
    /// *Cost*: an inverse and a product of matrices; Gauss-Newton's curvature where the exact one
    /// is of no use.
    ///
    /// # Errors
    /// If the curvature cannot be factorised even so, or rows cannot be read.
    pub(crate) fn alone(
        &self,
        gauss_newton: GaussNewton<'_>,
        x: &[f64],
        before: &[f64],
        unit: f64,
    ) -> Computed<Alone> {
        let penalty = flat(self.inverse.size(), unit);
        let approximate;
        let mut data = &self.matrices.data;
        let mut factor = Cholesky::new(&data.plus(&penalty));
        // Without the prior the exact curvature need not be that of a minimum, as at kinks.
        if factor.is_err() && !self.is_approximate {
            approximate = gauss_newton()?;
            data = &approximate;
            factor = Cholesky::new(&data.plus(&penalty));
        }
        let inverse = factor.map_err(unusable)?.inverse();
        // The estimates with the weak prior around `center`.
        let around = |center: &[f64]| -> Vec<f64> {
            let mut right = data.multiply(&difference(x, center));
            add_scaled(&mut right, -1.0, &self.matrices.gradient);
            let steps = inverse.multiply(&right).into_iter().zip(center);
            steps.map(|(step, center)| center + step).collect()
        };
        // The covariance is A⁻¹·(J + u·P)·A⁻¹, with P the curvature of the weak prior.
        let mut middle = penalty;
        middle.scale(unit);
        Ok(Alone {
            around_before: around(before),
            around_zero: around(&vec![0.0; x.len()]),
            covariance: self.matrices.covariance.plus(&middle).between(&inverse),
            inverse,
            of_prior: unit * unit / (ALONE * ALONE),
        })
    }
}

/// How much E rises where some weights are set to other values and all others follow, in units of
/// E.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct Worth {
    /// How much E rises on the games fitted.
    pub fitted: f64,
    /// How much E is expected to rise on other games: negative where they are
    /// better off.
    pub expected: f64,
    /// The standard error of both.
    pub standard_error: f64,
}

/// Returns the curvature of a prior that says next to nothing, of standard deviation 1000, over
/// `size` variables: u/1000² on the diagonal, with `unit` for u.
pub(crate) fn flat(size: usize, unit: f64) -> Symmetric {
    let mut penalty = Symmetric::zeros(size);
    (0..size).for_each(|i| penalty.add(i, i, unit / (ALONE * ALONE)));
    penalty
}
