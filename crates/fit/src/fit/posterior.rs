//! What the evidence asks of the posterior A⁻¹ = (H + P)⁻¹ of the weights at the prior
//! means: a step, the diagonal, and traces. By matrices, or where these are too large
//! by conjugate gradients and random signs.
//!
//! With z a vector of random signs, E[z∘A⁻¹z] is the diagonal of A⁻¹, E[zᵀH·A⁻¹z] =
//! tr(A⁻¹H), and E[zᵀJ·A⁻¹z] = tr(A⁻¹J), where zᵀJy = Σ over games of the games' slopes
//! along z and y. For each prior the same signs are taken, so that one that changes a
//! little changes these numbers a little. And with γ(r) = tr(H·(H + eʳ·P)⁻¹),
//!
//! ```text
//! ln det A − ln det P = ∫₀^∞ γ(r) dr
//! ```
//!
//! *Source*: M. Hutchinson, A stochastic estimator of the trace of the influence
//! matrix, Communications in Statistics 19, 1990. The integral: each eigenvalue λ of
//! P⁻¹H gives λ/(λ + eʳ), whose integral is ln(1 + λ).

use crate::model::{CLUSTERS, ClusterScores, CurvatureSystem, Regression, sign};
use tuner_solve::linalg::{Cholesky, Symmetric, dot};
use tuner_solve::{Curvature, Objective, PassResult, PoolParts, Prior};

/// Vectors of random signs where H is not formed. A trace over thousands of variables is off by a
/// hundredth or two, that of a group of two by some tenths of a variable.
const PROBES: u64 = 7;

/// Most variables for which J, the covariance of the gradient, and in each round the inverse are
/// formed.
const MOST_FORMED: usize = 1000;

/// Vectors of random signs that estimate tr(A⁻¹J) where J is not formed.
const SIGNS: u64 = 64;

/// Most frequent variables of which H is formed, for the preconditioner. Chosen: its
/// inverse, one a prior, takes less time than the passes.
const FREQUENT: usize = 500;

/// Residual of a solution, in parts of the right side; random signs are off by more.
const TOLERANCE: f64 = 0.02;

/// Nodes of the integral, and the step between them: from one to the next the prior is
/// four times as strong.
const NODES: usize = 9;
const STEP: f64 = 2.0 * std::f64::consts::LN_2;

/// The parts of A⁻¹ that a round of the evidence needs; A is the curvature of E plus that of the
/// prior.
pub(super) struct PosteriorAt {
    /// A⁻¹ times the slope of E and of pools.
    pub(super) step: Vec<f64>,
    /// The diagonal of A⁻¹.
    pub(super) diagonal: Vec<f64>,
    /// tr(A⁻¹J), with J the covariance of the gradient of E.
    pub(super) covariance_trace: f64,
    /// tr(A⁻¹H), with H the curvature of E: the number of parameters that the data determine.
    pub(super) curvature_trace: f64,
    /// tr(A⁻¹M) of each set of a pool, M the matrix of its mean and of its differences.
    pub(super) pools: Vec<PoolParts>,
}

/// The curvature H, the covariance J of the gradient and the gradient g at the prior means.
pub(super) struct Posterior<'a> {
    gradient: Vec<f64>,
    mean: &'a [f64],
    /// Clusters of games that J rests on.
    pub(super) clusters: usize,
    form: Form<'a>,
}

/// What A⁻¹ is computed from: the matrices, or products with vectors of random signs.
#[expect(clippy::large_enum_variant, reason = "there is one at a time")]
enum Form<'a> {
    Matrices {
        curvature: Symmetric,
        spread: Spread,
    },
    Probes(Probes<'a>),
}

/// What tr(A⁻¹J) is computed from.
pub(super) enum Spread {
    /// J.
    Formed(Symmetric),
    /// The scores of clusters, and vectors of random signs, by which all rounds after the first
    /// tell how tr(A⁻¹J) has changed.
    Scores {
        scores: ClusterScores,
        signs: Vec<Vec<f64>>,
        /// tr(A⁻¹J) of the first round in parts of its estimate.
        part: Option<f64>,
    },
}

/// The estimate by vectors of random signs, where H is too large to be formed.
struct Probes<'a> {
    objective: &'a Regression<'a>,
    system: CurvatureSystem<'a>,
    /// Vectors of random signs, and in `curved` the products of H with each.
    signs: Vec<Vec<f64>>,
    curved: Vec<Vec<f64>>,
    /// Slopes of games along them: a value for each, game after game.
    slopes: Vec<f64>,
    /// The solutions of the prior before: of the signs, then of the gradient.
    solutions: Vec<Vec<f64>>,
}

impl<'a> Posterior<'a> {
    /// Prepares the posterior of the weights at the prior means `mean`, by variable: the gradient
    /// of E there, its curvature H, and the spread J of the gradient between games. `by_matrices`:
    /// whether H is formed; else products with vectors of random signs take its place.
    ///
    /// *Cost*: with matrices a curvature matrix and two passes, else five passes.
    pub(super) fn new(
        objective: &'a Regression<'a>,
        mean: &'a [f64],
        by_matrices: bool,
    ) -> PassResult<Self> {
        let size = objective.len();
        let mut gradient = vec![0.0; size];
        objective.gradient(mean, &mut gradient)?;
        let (clusters, form) = if by_matrices {
            let curvature = objective.curvature_at(mean, Curvature::GaussNewton)?;
            // The gradients of clusters of games, of which J is the covariance.
            let scores = objective.scores_by_cluster(mean, CLUSTERS)?;
            let clusters = scores.clusters;
            let spread = Spread::of(scores, size <= MOST_FORMED, size);
            (clusters, Form::Matrices { curvature, spread })
        } else {
            // No variable is asked for beside the most frequent ones of the preconditioner.
            let chosen: &[usize] = &[];
            let mut system = CurvatureSystem::new(objective, mean, chosen, FREQUENT, TOLERANCE)?;
            let signs: Vec<Vec<f64>> = (0..PROBES).map(|probe| signs(probe, size)).collect();
            let curved = system.curvature_products(&signs)?;
            let slopes = objective.slopes_by_game(mean, &signs)?;
            let probes = Probes {
                objective,
                system,
                curved,
                solutions: Vec::new(),
                signs,
                slopes,
            };
            // Each game is a cluster here, and has a slope along each vector of signs.
            let clusters = probes.slopes.len() / probes.signs.len();
            (clusters, Form::Probes(probes))
        };
        Ok(Self {
            gradient,
            mean,
            clusters,
            form,
        })
    }

    /// Tells whether what it computes is estimated by vectors of random signs, which is off by
    /// chance.
    pub(super) const fn is_estimated(&self) -> bool {
        matches!(self.form, Form::Probes(_))
    }

    /// Returns the gradient of E and of the prior at the prior means. Of the prior only pools have
    /// one there: the entries of a pool may differ from their common mean, to which its prior draws
    /// them.
    fn slope(&self, prior: &Prior) -> Vec<f64> {
        let mut slope = self.gradient.clone();
        for pool in prior.pools() {
            pool.add_gradient(self.mean, &mut slope);
        }
        slope
    }

    /// Returns what the choice of a prior needs of A⁻¹, with A the curvature of E plus that of
    /// `prior`: its product with the slope, its diagonal, and traces of its products. `None` where
    /// A is formed and singular within rounding, as where the prior is too weak to be felt.
    ///
    /// *Cost*: with matrices an inverse, of more than [`MOST_FORMED`] variables that of a factor;
    /// else some tens of passes.
    pub(super) fn at(&mut self, prior: &Prior) -> PassResult<Option<PosteriorAt>> {
        let slope = self.slope(prior);
        match &mut self.form {
            Form::Matrices { curvature, spread } => {
                let mut matrix = curvature.clone();
                let all: Vec<usize> = (0..slope.len()).collect();
                prior.add_curvature(&all, &mut matrix);
                let factor = Cholesky::of(matrix).ok();
                Ok(factor.map(|factor| spread.posterior(prior, &slope, curvature, &factor)))
            }
            Form::Probes(probes) => {
                // A⁻¹ times each vector of signs, and last A⁻¹ times the slope: the step.
                let mut solutions = probes.solved(prior, Some(&slope))?;
                let step = solutions.pop().unwrap_or_default();
                let covariance_trace = probes.covariance_trace(self.mean, &solutions)?;
                Ok(Some(PosteriorAt {
                    step,
                    diagonal: probes.diagonal(&solutions),
                    pools: probes.pools(prior, &solutions),
                    covariance_trace,
                    curvature_trace: probes.curvature_trace(&solutions),
                }))
            }
        }
    }

    /// Returns the natural logarithm of the evidence for a prior, less that for weights that stay
    /// at the prior means: ½·((gᵀA⁻¹g − 2·P₀)/u − (ln det A − ln det P)). g is the gradient at the
    /// prior means, P the prior's curvature and A that of E plus P, P₀ the penalty of pools at the
    /// means, and u the `unit`. Infinite where a matrix that is formed is singular within rounding:
    /// data so strong need no prior. `prior` makes the prior with a unit.
    pub(super) fn ln_evidence(
        &mut self,
        prior: &dyn Fn(f64) -> Prior,
        unit: f64,
    ) -> PassResult<f64> {
        let at_unit = prior(unit);
        let gradient = &self.slope(&at_unit);
        let (explained, determinants) = match &mut self.form {
            Form::Matrices { curvature, .. } => {
                let size = curvature.size();
                let all: Vec<usize> = (0..size).collect();
                let mut penalty = Symmetric::zeros(size);
                at_unit.add_curvature(&all, &mut penalty);
                let both = curvature.plus(&penalty);
                let factors = (Cholesky::of(both), Cholesky::of(penalty));
                let (Ok(with), Ok(without)) = factors else {
                    return Ok(f64::INFINITY);
                };
                let explained = dot(gradient, &with.solve(gradient));
                (explained, with.ln_determinant() - without.ln_determinant())
            }
            Form::Probes(probes) => {
                let mut determined = [0.0; NODES];
                let mut explained = 0.0;
                // ln det A − ln det P is the integral over r of γ(r) = tr(H·(H + eʳ·P)⁻¹): γ at its
                // nodes. A⁻¹g is asked for at the first alone, r = 0, where the prior is as given.
                for (node, determined) in determined.iter_mut().enumerate() {
                    let prior = prior(unit * (STEP * node as f64).exp());
                    let own = (node == 0).then_some(gradient);
                    let mut solutions = probes.solved(&prior, own.map(|own| &own[..]))?;
                    if own.is_some() {
                        explained = dot(gradient, &solutions.pop().unwrap_or_default());
                    }
                    *determined = probes.curvature_trace(&solutions);
                }
                (explained, integral(&determined))
            }
        };
        let pools = at_unit.pools().iter().map(|pool| pool.value(self.mean));
        let twice_penalty = 2.0 * pools.sum::<f64>();
        Ok(0.5 * ((explained - twice_penalty) / unit - determinants))
    }
}

impl Spread {
    /// Prepares tr(A⁻¹J) over `size` variables, with J the covariance of the gradient between
    /// clusters of games. J is formed if it `is_formed`; else the gradients of the clusters are
    /// kept, with vectors of random signs.
    pub(super) fn of(scores: ClusterScores, is_formed: bool, size: usize) -> Self {
        if is_formed {
            return Self::Formed(scores.covariance());
        }
        Self::Scores {
            scores,
            signs: (0..SIGNS).map(|probe| signs(probe, size)).collect(),
            part: None,
        }
    }

    /// Returns what the choice of a prior needs of A⁻¹, with A the curvature of E plus that of the
    /// prior, by its `factor`: the product with `slope`, the gradient, which is the step; the
    /// diagonal; tr(A⁻¹J), with J the covariance of the gradient between games, exact if J is
    /// formed and else estimated; tr(A⁻¹H), with H the `curvature` of E alone; and of each set of
    /// weights that the prior draws to their mean two traces, one for the mean and one for the
    /// differences from it.
    pub(super) fn posterior(
        &mut self,
        prior: &Prior,
        slope: &[f64],
        curvature: &Symmetric,
        factor: &Cholesky,
    ) -> PosteriorAt {
        let pools = |element: &dyn Fn(usize, usize) -> f64| {
            let pools = prior.pools().iter();
            pools.map(|pool| pool.traces(element)).collect()
        };
        match self {
            Self::Formed(covariance) => {
                let inverse = factor.inverse();
                PosteriorAt {
                    step: inverse.multiply(slope),
                    pools: pools(&|row, column| inverse.get(row, column)),
                    diagonal: inverse.diagonal(),
                    covariance_trace: inverse.trace_of_product(covariance),
                    curvature_trace: inverse.trace_of_product(curvature),
                }
            }
            Self::Scores {
                scores,
                signs,
                part,
            } => {
                let inverse = factor.inverse_factor();
                let element = |row, column| inverse.get(row, column);
                // With A = L·Lᵀ and y = L⁻ᵀ times random signs E[y·yᵀ] = A⁻¹, so yᵀJy has tr(A⁻¹J)
                // as its mean, and is never negative. The first round's exact trace says how far
                // the estimate is off; an estimate of 0 is left as it is, as no factor changes it.
                let along = scores.along(&factor.half_solve_all(signs));
                let estimate = covariance_between(&along, &along, signs.len());
                let part = part.get_or_insert_with(|| {
                    if estimate > 0.0 {
                        scores.covariance_trace(&inverse) / estimate
                    } else {
                        1.0
                    }
                });
                PosteriorAt {
                    step: factor.solve(slope),
                    pools: pools(&element),
                    diagonal: (0..slope.len()).map(|of| element(of, of)).collect(),
                    covariance_trace: *part * estimate,
                    // tr(A⁻¹H) = tr(A⁻¹·(A − P)), with P the prior's curvature.
                    curvature_trace: slope.len() as f64 - prior.inner_product(&element),
                }
            }
        }
    }
}

impl Probes<'_> {
    /// Returns A⁻¹ times each vector of random signs, and last A⁻¹ times the gradient where that is
    /// given, with A the curvature of E plus that of `prior`. Each solution begins at the one for
    /// the prior of the call before. One that is not exact enough after the most steps is used as
    /// it is.
    fn solved(&mut self, prior: &Prior, gradient: Option<&[f64]>) -> PassResult<Vec<Vec<f64>>> {
        self.system.set_prior(Some(prior.clone()));
        let gradient = gradient.map(<[f64]>::to_vec);
        let rights: Vec<_> = self.signs.iter().cloned().chain(gradient).collect();
        // Where the call before solved for fewer vectors, or there was none, all begin at 0.
        let near = self.solutions.get(..rights.len()).unwrap_or_default();
        let solved = self.system.solve(rights, near)?;
        self.solutions = solved.into_iter().map(|(solution, _)| solution).collect();
        Ok(self.solutions.clone())
    }

    /// Estimates the diagonal of A⁻¹, where A is the curvature of E plus that of the prior: the
    /// mean of z times A⁻¹z, element by element, over the vectors z of random signs. `solutions`:
    /// A⁻¹z of each z.
    fn diagonal(&self, solutions: &[Vec<f64>]) -> Vec<f64> {
        let mut sums = vec![0.0; self.signs[0].len()];
        for (sign, solution) in self.signs.iter().zip(solutions) {
            for ((sum, z), y) in sums.iter_mut().zip(sign).zip(solution) {
                *sum += z * y / PROBES as f64;
            }
        }
        sums
    }

    /// Estimates two traces tr(A⁻¹M) for each set of weights that the prior draws to their common
    /// mean w̄. A is the curvature of E plus that of the prior; M is once the matrix of second
    /// derivatives of ½·w̄², and once that of ½·Σ (w − w̄)² over the weights w of the set. Each is
    /// the mean of zᵀM·A⁻¹z over the vectors z of random signs. `solutions`: A⁻¹z of each z.
    fn pools(&self, prior: &Prior, solutions: &[Vec<f64>]) -> Vec<PoolParts> {
        let pools = prior.pools().iter().map(|pool| {
            let mut sums = PoolParts::default();
            for (sign, solution) in self.signs.iter().zip(solutions) {
                let parts = pool.products(sign, solution);
                sums.mean += parts.mean / PROBES as f64;
                sums.apart += parts.apart / PROBES as f64;
            }
            sums
        });
        pools.collect()
    }

    /// Estimates tr(A⁻¹H), the number of parameters that the data determine, where H is the
    /// curvature of E at the prior means, and A is H plus the curvature of the prior: the mean of
    /// zᵀH·A⁻¹z over the vectors z of random signs, of which `curved` has Hz. `solutions`: A⁻¹z of
    /// each z.
    ///
    /// *Source*: M. Hutchinson, A stochastic estimator of the trace of the influence matrix,
    /// Communications in Statistics 19, 1990.
    fn curvature_trace(&self, solutions: &[Vec<f64>]) -> f64 {
        let pairs = self.curved.iter().zip(solutions);
        pairs.map(|(curved, y)| dot(curved, y)).sum::<f64>() / PROBES as f64
    }

    /// Estimates tr(A⁻¹J), where J is the covariance of the gradient of E between games, and A the
    /// curvature of E plus that of the prior: the mean of zᵀJ·A⁻¹z over the vectors z of random
    /// signs. It takes the slopes of games along each z, which `slopes` has, and those along A⁻¹z,
    /// a pass. `mean`: the prior means, by variable; `solutions`: A⁻¹z of each z.
    fn covariance_trace(&self, mean: &[f64], solutions: &[Vec<f64>]) -> PassResult<f64> {
        let along = self.objective.slopes_by_game(mean, solutions)?;
        Ok(covariance_between(&self.slopes, &along, solutions.len()))
    }
}

/// Returns the mean, over `count` pairs of vectors z and y, of games·cov(slopes along z, slopes
/// along y), the covariance being between games. Both lists have a slope for each vector, game
/// after game.
fn covariance_between(along_z: &[f64], along_y: &[f64], count: usize) -> f64 {
    let games = along_y.len() / count;
    let mut sum = 0.0;
    for probe in 0..count {
        let of_probe = |slopes: &[f64]| -> Vec<f64> {
            slopes.iter().skip(probe).step_by(count).copied().collect()
        };
        let (z, y) = (of_probe(along_z), of_probe(along_y));
        let means = [&z, &y].map(|slopes| slopes.iter().sum::<f64>() / games as f64);
        let parts = (z.iter().zip(&y)).map(|(z, y)| (z - means[0]) * (y - means[1]));
        sum += parts.sum::<f64>();
    }
    // The covariance of n games is a sum over n − 1, as their mean is taken from the same games.
    // Times n that is n/(n − 1) of the sum.
    let correction = games as f64 / (games.max(2) - 1) as f64;
    correction * sum / count as f64
}

/// Returns the integral over r from 0 of γ(r), how many parameters the data determine with a prior
/// eʳ times as strong. `determined`: γ at r = 0, [`STEP`], 2·[`STEP`] and so on; behind the last of
/// these γ falls as e⁻ʳ, so the rest of the integral is γ at the last.
fn integral(determined: &[f64; NODES]) -> f64 {
    let inner: f64 = determined[1..NODES - 1].iter().sum();
    let (first, last) = (determined[0], determined[NODES - 1]);
    // The rule of trapezoids, with its correction at the first end (Euler, Maclaurin).
    let slope = (-3.0 * first + 4.0 * determined[1] - determined[2]) / (2.0 * STEP);
    STEP * (0.5 * (first + last) + inner) + STEP * STEP / 12.0 * slope + last
}

/// Returns a vector of `size` pseudo-random signs, ±1, that depends on the number `probe` alone.
fn signs(probe: u64, size: usize) -> Vec<f64> {
    let sign = |variable| sign(probe as usize, variable);
    (0..size as u32).map(sign).collect()
}
