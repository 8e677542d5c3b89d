//! One curvature matrix, and the steps that it gives.

use super::box_qp::{self, Factored};
use super::cached_factor::{CachedFactor, FactorOrigin};
use super::saved_state::SecondOrderState;
use crate::active_set::{Region, minimise_quadratic};
use crate::constraint::within;
use crate::linalg::{Cholesky, Failure, RankRevealing, Symmetric, difference, dot, max_abs};
use crate::method::Step;
use crate::{LinearConstraint, Method, Prior, Subset};
use tuner_base::phase;

/// Damping where the curvature is singular, in parts of the diagonal: far
/// above the rounding of a sum over a million rows (1e-13), far below what
/// would slow the descent along directions that the data do determine.
const SINGULAR_DAMPING: f64 = 1e-10;

/// With a matrix of a sample the undetermined part of a step counts as flat, and is taken out,
/// where the value falls along it by no more than this part of what it falls by along the step, to
/// first order. Such matrices are used far from the optimum, where this is far above rounding.
const FLAT_SLOPE: f64 = 1e-9;

/// Most damping tried. A step is then a billionth of a gradient step.
const MOST_DAMPING: f64 = 1e12;

/// The damped Newton system of the variables in play.
#[derive(Clone, Debug)]
pub(super) struct DampedSystem {
    /// Which of all variables are in play.
    pub(super) in_play: Subset,
    /// The curvature of the variables in play, the prior's included.
    pub(super) matrix: Symmetric,
    /// Whether the matrix is of a sample, so that parts with hardly any data were made up.
    is_rough: bool,
    /// Scale of the damping: the largest diagonal so far, so that a weight
    /// whose curvature vanishes, as the data separate it, takes no giant steps.
    /// *Source*: J. Moré, The Levenberg-Marquardt algorithm, 1978, §6.
    scale: Vec<f64>,
    /// The factorisation that tells which variables the data leave undetermined.
    rank: RankRevealing,
    /// Variables in play that the data do not depend on at all.
    unseen: usize,
    prior: Option<Prior>,
    bounds: Vec<(f64, f64)>,
    /// The constraints, on all variables.
    constraints: Vec<LinearConstraint>,
    /// The last factorisation of this matrix.
    cached: Option<CachedFactor>,
    /// How many times a damped matrix was set up to be factorised.
    factorisations: usize,
}

/// A step in the variables in play.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) d: Vec<f64>,
    /// The decrease of the value that the quadratic model predicts, at least 0.
    pub(super) predicted: f64,
    /// The damping really used.
    pub(super) damping: f64,
    /// Why the damping is more than was asked for; `None` if it is not.
    pub(super) failure: Option<Failure>,
}

impl Trial {
    /// Returns the record of this step, once it was taken, with the name of the method whose matrix
    /// it was computed with.
    pub(super) fn taken_by(&self, method: Method) -> Step {
        Step {
            method,
            length: max_abs(&self.d),
            damping: self.damping,
        }
    }
}

impl DampedSystem {
    /// Makes the system from `full`, the Gauss-Newton matrix of all variables at the start, without
    /// the prior's part, which is added here.
    ///
    /// Not in play, that is left where they are, are variables without room between their bounds,
    /// and without a prior those that have no curvature at the start.
    pub(super) fn new(
        full: &Symmetric,
        bounds: &[(f64, f64)],
        prior: Option<&Prior>,
        constraints: &[LinearConstraint],
    ) -> Self {
        let seen = |i: usize| full.get(i, i) > 0.0;
        let plays = |i| (seen(i) || prior.is_some()) && bounds[i].0 < bounds[i].1;
        let in_play = Subset::of(&(0..full.size()).map(plays).collect::<Vec<_>>());
        let indices = in_play.indices();
        let mut matrix = full.select(indices);
        let rank = {
            let _phase = phase("rank");
            RankRevealing::new(&matrix)
        };
        let unseen = indices.iter().filter(|&&i| !seen(i)).count();
        if let Some(prior) = prior {
            prior.add_curvature(indices, &mut matrix);
        }
        Self {
            scale: matrix.diagonal(),
            matrix,
            is_rough: false,
            rank,
            unseen,
            prior: prior.cloned(),
            bounds: in_play.gather(bounds),
            constraints: constraints.to_vec(),
            in_play,
            cached: None,
            factorisations: 0,
        }
    }

    /// Returns how many independent combinations of variables the data leave undetermined: the
    /// dimension of the matrix's null space, less the variables that the data do not depend on at
    /// all.
    pub(super) fn undetermined(&self) -> usize {
        self.rank.null_space.len() - self.unseen
    }

    /// Takes the curvature matrix of all variables, without the prior's part, formed at another
    /// point or of another kind. `is_rough`: it is of a sample. The last factorisation is
    /// forgotten; the scale of the damping only grows.
    pub(super) fn update(&mut self, full: &Symmetric, is_rough: bool) {
        self.cached = None;
        self.is_rough = is_rough;
        self.matrix = full.select(self.in_play.indices());
        if let Some(prior) = &self.prior {
            prior.add_curvature(self.in_play.indices(), &mut self.matrix);
        }
        for (scale, diagonal) in self.scale.iter_mut().zip(self.matrix.diagonal()) {
            *scale = scale.max(diagonal.abs());
        }
    }

    /// Returns the scale of each variable's damping, which is the largest diagonal element of its
    /// curvature so far; 0 for variables not in play. `variables`: how many there are in all.
    pub(super) fn scale(&self, variables: usize) -> Vec<f64> {
        let mut scale = vec![0.0; variables];
        self.in_play.scatter(&self.scale, &mut scale);
        scale
    }

    /// Returns how the last factorisation of this matrix came about. `None` where this matrix has
    /// not been factorised yet.
    pub(super) fn factor(&self) -> Option<FactorOrigin> {
        self.cached.as_ref().map(|cached| cached.origin)
    }

    /// Takes the matrix of all variables, without the prior's part, that was in use when the
    /// descent was saved, and the saved scale of the damping. The factorisation was not saved: its
    /// damped matrix is formed again, and factorised by the next step.
    pub(super) fn restore(&mut self, full: &Symmetric, saved: &SecondOrderState) {
        self.update(full, saved.matrix.rough);
        self.scale = self.in_play.gather(&saved.scale);
        if let Some(origin) = saved.factor {
            self.cached = Some(self.damp(origin));
        }
    }

    /// Solves for a step from `x` with gradient `g`, both of all variables, within bounds and
    /// constraints. `damping`: what is added to the diagonal, in parts of the scale, which is the
    /// largest diagonal so far.
    ///
    /// Raises the damping until there is a factor; `None` if something is not finite or not even
    /// the largest damping helps. Where there is no prior and the data leave combinations of
    /// variables undetermined, the damping is at least [`SINGULAR_DAMPING`], and the part of the
    /// step along these combinations is taken out if no bound or constraint is in the way.
    ///
    /// *Cost*: no factorisation where the last step asked for this damping and no variable has met
    /// or left a bound since.
    pub(super) fn step(&mut self, x: &[f64], g: &[f64], damping: f64) -> Option<Trial> {
        let _phase = phase("factorising and solving");
        // Of the variables in play; bounds are narrower where the prior has a kink (a Laplace
        // term), so that the step stays on one side of it.
        let (gradient, bounds) = self.on_one_side(x, g);
        // Constraints on the variables in play, and the region of steps that they and bounds allow.
        let keeping = |row: &LinearConstraint| row.keeping(&self.in_play, x);
        let rows: Vec<LinearConstraint> = self.constraints.iter().map(keeping).collect();
        let x = self.in_play.gather(x);
        let region = (!rows.is_empty()).then(|| Region::around(&x, &bounds, &rows));
        // The bounds of the step.
        let room = |(x, &(low, high)): (&f64, &(f64, f64))| (low - x, high - x);
        let (lower, upper): (Vec<f64>, Vec<f64>) = x.iter().zip(&bounds).map(room).unzip();
        let singular = self.prior.is_none() && !self.rank.null_space.is_empty();
        let asked = damping.max(if singular { SINGULAR_DAMPING } else { 0.0 });
        // The damped matrix of the last step and its factor serve again if this damping was asked
        // for then.
        let same = |cached: &CachedFactor| cached.origin.asked.to_bits() == asked.to_bits();
        let mut cached = match self.cached.take().filter(same) {
            Some(cached) => cached,
            None => self.damp(FactorOrigin {
                asked,
                damping: asked,
                failure: None,
            }),
        };
        loop {
            let factored = &mut cached.factored;
            let solved = match &region {
                Some(region) => constrained(&cached.damped, &gradient, region, factored),
                None => box_qp::solve(&cached.damped, &gradient, &lower, &upper, factored),
            };
            match solved {
                Ok(step) => {
                    let shortens = singular && !step.clamped && region.is_none();
                    let origin = cached.origin;
                    let trial = self.trial(step.d, origin, shortens, &gradient, &lower, &upper);
                    self.cached = Some(cached);
                    return Some(trial);
                }
                Err(Failure::NotFinite) => return None,
                Err(reason) => {
                    let origin = more_damping(cached.origin, reason)?;
                    drop(cached); // its memory is needed
                    cached = self.damp(origin);
                }
            }
        }
    }

    /// Makes a trial of the step `d`, which was solved for with a factor of this `origin`, and
    /// predicts by how much it lowers the value. `shortens`: the part along combinations of
    /// variables that the data leave undetermined is taken out, where that changes nothing and is
    /// within the bounds `lower` and `upper` of the step.
    ///
    /// The prediction is that of the shortened step; but with the matrix of a sample it is that of
    /// the whole step, as along the part that is taken out its curvature was made up.
    fn trial(
        &self,
        mut d: Vec<f64>,
        origin: FactorOrigin,
        shortens: bool,
        gradient: &[f64],
        lower: &[f64],
        upper: &[f64],
    ) -> Trial {
        if shortens && !self.is_rough {
            self.shorten(&mut d, gradient, lower, upper);
        }
        let quadratic = dot(&d, &self.matrix.multiply(&d));
        let predicted = -(dot(gradient, &d) + 0.5 * quadratic);
        if shortens && self.is_rough {
            self.shorten(&mut d, gradient, lower, upper);
        }
        Trial {
            d,
            predicted,
            damping: origin.damping,
            failure: origin.failure,
        }
    }

    /// Returns gradient and bounds of the variables in play, from `x` and `g` of all variables.
    /// Where the prior has a kink (a Laplace term |x − c|), the bounds keep the variable on the
    /// side of c that it is on, or from c on the side to which the function falls, or at c: within
    /// such bounds the function is smooth.
    fn on_one_side(&self, x: &[f64], g: &[f64]) -> (Vec<f64>, Vec<(f64, f64)>) {
        let mut gradient = self.in_play.gather(g);
        let mut bounds = self.bounds.clone();
        for kink in self.prior.as_ref().map_or(&[][..], |prior| &prior.kinks) {
            if let Some(i) = self.in_play.index_in_part(kink.variable) {
                let value = x[kink.variable];
                (gradient[i], bounds[i]) = kink.on_one_side(value, gradient[i], bounds[i]);
            }
        }
        (gradient, bounds)
    }

    /// Makes the matrix plus `origin.damping` times the scale on its diagonal, not factorised yet,
    /// and counts it as one to be factorised.
    fn damp(&mut self, origin: FactorOrigin) -> CachedFactor {
        self.factorisations += 1;
        CachedFactor {
            origin,
            damped: self.matrix.damped(origin.damping, &self.scale),
            factored: None,
        }
    }

    /// Returns the point, of all variables, that a step `d` of those in play leads to, exactly at a
    /// bound or kink that it touches.
    pub(super) fn apply(&self, x: &[f64], d: &[f64]) -> Vec<f64> {
        let mut next = x.to_vec();
        // With the gradient 0 a variable at a kink of the prior has both bounds there. But a step
        // may leave it to either side, so it gets its own bounds back.
        let anywhere = vec![0.0; x.len()];
        let mut bounds = self.on_one_side(x, &anywhere).1;
        for (bounds, free) in bounds.iter_mut().zip(&self.bounds) {
            if bounds.0 >= bounds.1 {
                *bounds = *free;
            }
        }
        let moved = within(&self.in_play.gather(x), d, &bounds);
        self.in_play.scatter(&moved, &mut next);
        next
    }

    /// Takes out of a step `d` its part along the combinations of variables that the data left
    /// undetermined at the start, unless a bound forbids it or the value changes along that part:
    /// where scores are not linear, what was undetermined at the start need not be so later.
    /// `gradient`, `lower` and `upper` are of the variables in play, the bounds as those of the
    /// step.
    ///
    /// The part is taken out as a whole or not at all, though several combinations be in it.
    fn shorten(&self, d: &mut [f64], gradient: &[f64], lower: &[f64], upper: &[f64]) {
        let mut short = d.to_vec();
        self.rank.shorten(&mut short);
        let out = difference(d, &short);
        let is_flat = if self.is_rough {
            // The curvature of a sample is partly made up, but the gradient is that of all data.
            dot(gradient, &out).abs() <= FLAT_SLOPE * dot(gradient, d).abs()
        } else {
            // No element of M·out is above rounding or the least damping, in units of the scale.
            let pairs = out.iter().zip(&self.scale);
            let damped = pairs.map(|(out, scale)| scale * out * out);
            let length = damped.sum::<f64>().sqrt();
            let most = self.rank.tolerance().max(SINGULAR_DAMPING) * length;
            let product = self.matrix.multiply(&out);
            let mut parts = product.iter().zip(&self.scale);
            parts.all(|(part, scale)| part.abs() <= most * scale.sqrt())
        };
        let mut within = short.iter().zip(lower.iter().zip(upper));
        if is_flat && within.all(|(d, (low, high))| d >= low && d <= high) {
            d.copy_from_slice(&short);
        }
    }
}

/// Returns the step that minimises the quadratic within a region of constraints. It uses the factor
/// of the whole matrix in `last`, or, where there is none, a new one, which is left there.
/// `clamped` is set whether or not the step meets a limit: with constraints nothing depends on it.
fn constrained(
    matrix: &Symmetric,
    gradient: &[f64],
    region: &Region,
    last: &mut Option<Factored>,
) -> Result<box_qp::Step, Failure> {
    let factored = if let Some(factored) = last.take() {
        factored
    } else {
        let all = Subset::of(&vec![true; gradient.len()]);
        (all, Cholesky::new(matrix)?)
    };
    let (_, factor) = &*last.insert(factored);
    let d = minimise_quadratic(&|right| factor.solve(right), gradient, region);
    // A step of 0 is feasible, so only rounding can keep the method from a minimum.
    let d = d.ok_or(Failure::NearSingular)?;
    Ok(box_qp::Step { d, clamped: true })
}

/// Returns the next damping to try where a factorisation failed for `reason`: ten times the last,
/// and at least what that failure needs. The reason noted is that of the first failure. `None`
/// where it would be beyond [`MOST_DAMPING`].
fn more_damping(origin: FactorOrigin, reason: Failure) -> Option<FactorOrigin> {
    let least = match reason {
        Failure::NearSingular => SINGULAR_DAMPING,
        _ => 1e-6, // chosen; an indefinite matrix needs far more anyway
    };
    let damping = (origin.damping * 10.0).max(least);
    (damping <= MOST_DAMPING).then_some(FactorOrigin {
        damping,
        failure: origin.failure.or(Some(reason)),
        ..origin
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn a_matrix_is_factorised_once_for_all_steps_of_one_damping() {
        let mut matrix = Symmetric::zeros(2);
        matrix.add(0, 0, 2.0);
        matrix.add(1, 1, 3.0);
        let free = [(f64::NEG_INFINITY, f64::INFINITY); 2];
        let mut system = DampedSystem::new(&matrix, &free, None, &[]);
        let x = [0.0; 2];
        for g in [[1.0, 1.0], [0.5, -1.0], [0.0, 3.0]] {
            let trial = system.step(&x, &g, 0.0).unwrap();
            assert!((trial.d[0] + g[0] / 2.0).abs() < 1e-15);
            assert!((trial.d[1] + g[1] / 3.0).abs() < 1e-15);
        }
        assert_eq!(system.factorisations, 1);
        let damped = system.step(&x, &[1.0, 0.0], 1.0).unwrap();
        assert!((damped.d[0] + 0.25).abs() < 1e-15);
        let asked = system.factor().unwrap().asked;
        system.step(&x, &[0.0, 1.0], asked).unwrap();
        assert_eq!(system.factorisations, 2);
        matrix.add(0, 0, 2.0);
        system.update(&matrix, false);
        let trial = system.step(&x, &[1.0, 0.0], 1.0).unwrap();
        assert!((trial.d[0] + 0.125).abs() < 1e-15, "the new matrix");
        assert_eq!(system.factorisations, 3);
    }

    #[test]
    fn only_what_has_no_curvature_is_taken_out_of_a_step() {
        // At the start only the sum of both counts.
        let mut matrix = Symmetric::zeros(2);
        for [row, column] in [[0, 0], [0, 1], [1, 1]] {
            matrix.add(row, column, 2.0);
        }
        let free = [(f64::NEG_INFINITY, f64::INFINITY); 2];
        let mut system = DampedSystem::new(&matrix, &free, None, &[]);
        assert_eq!(system.undetermined(), 1);
        let g = [1.0, 1.0];
        let trial = system.step(&[0.0; 2], &g, 0.0).unwrap();
        assert!((trial.d[0] - trial.d[1]).abs() < 1e-12, "the shortest");
        assert!((trial.predicted - 0.25).abs() < 1e-9);
        // Elsewhere each of them does.
        matrix.add(0, 0, 6.0);
        system.update(&matrix, false);
        for g in [[1.0, -1.0], [3.0, 1.0]] {
            let trial = system.step(&[0.0; 2], &g, 0.0).unwrap();
            let left = matrix.multiply(&trial.d);
            assert!(
                left.iter().zip(g).all(|(left, g)| (left + g).abs() < 1e-6),
                "{left:?}"
            );
            assert!(trial.predicted > 0.0, "{}", trial.predicted);
        }
        // A matrix of a sample may have made-up curvature there, which moves nothing.
        system.update(&matrix, true);
        let trial = system.step(&[0.0; 2], &[1.0; 2], 0.0).unwrap();
        assert!((trial.d[0] - trial.d[1]).abs() < 1e-12, "{:?}", trial.d);
        assert!((trial.predicted - 0.25).abs() < 1e-9, "of the whole step");
        let trial = system.step(&[0.0; 2], &[1.0, -1.0], 0.0).unwrap();
        assert!((trial.d[0] - trial.d[1]).abs() > 0.1, "{:?}", trial.d);
    }

    #[test]
    fn a_saddle_of_what_was_undetermined_is_not_taken_for_the_end() {
        // At the start only the third counts and the sum of the others; then the difference
        // of these goes with the third, as at the symmetric point of a product.
        let mut matrix = Symmetric::zeros(3);
        for [row, column] in [[0, 0], [0, 1], [1, 1], [2, 2]] {
            matrix.add(row, column, 1.0);
        }
        let free = [(f64::NEG_INFINITY, f64::INFINITY); 3];
        let mut system = DampedSystem::new(&matrix, &free, None, &[]);
        assert_eq!(system.undetermined(), 1);
        let together = (0.07_f64 / 2.0).sqrt();
        matrix.add(0, 2, together);
        matrix.add(1, 2, -together);
        system.update(&matrix, false);
        let trial = system.step(&[0.0; 3], &[0.0, 0.0, 1.0], 0.0).unwrap();
        assert!(trial.predicted > 0.0, "{}", trial.predicted);
        assert!((trial.d[0] - trial.d[1]).abs() > 0.1, "{:?}", trial.d);
    }
}
