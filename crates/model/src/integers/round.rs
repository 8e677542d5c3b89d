//! Integer weights, rounded together instead of one by one.
//!
//! Rounding each weight to its nearest integer ignores that weights replace
//! each other: where two always occur together, rounding both up costs
//! much, one up and one down nothing. The curvature knows.

use serde::{Deserialize, Serialize};

use super::Grid;
use tuner_solve::linalg::{Cholesky, Symmetric, add_scaled, difference, dot};
use tuner_solve::{Curvature, Objective, PassResult};

/// Part of the diagonal that is added to it where the curvature is singular.
const SINGULAR_DAMPING: f64 = 1e-9;

/// Most single steps, for each variable, by which a rounded point is corrected: far more than are
/// ever made, a limit against rounding that goes in circles.
const CORRECTIONS: usize = 20;

/// The derivatives by which weights were rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RoundedBy {
    /// The curvature matrix.
    Curvature,
    /// Gradients, and the diagonal of the curvature.
    Diagonal,
}

tuner_base::impl_fmt! { Display for RoundedBy, |self, f| self.serialize(f) }

/// Integer weights and what they cost.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Rounding {
    /// The variables, all on the grid. A file has the weights that come of them, so they are
    /// missing after a resume.
    #[serde(skip)]
    pub x: Vec<f64>,
    /// The objective before rounding.
    pub error_before: f64,
    /// The objective with every variable at its nearest allowed value.
    pub error_plain: f64,
    /// The objective at [`x`](Self::x), never above the plain one.
    pub error: f64,
    /// Variables that are not at their nearest allowed value.
    pub informed: usize,
    /// The derivatives by which weights were rounded.
    pub by: RoundedBy,
}

/// Derivatives that a descent knows at the point where it ended.
#[derive(Clone, Debug, Default)]
pub struct KnownPoint {
    /// The objective and its gradient there.
    pub gradient: Option<(f64, Vec<f64>)>,
    /// The curvature matrix at a point near by.
    pub curvature: Option<Symmetric>,
}

/// Rounds `x` to the grid such that the quadratic model of the objective rises least, as far as a
/// greedy search finds. `known`: what need not be computed again.
///
/// Two candidates besides plain rounding: each variable in turn rounded and the others re-solved
/// (Babai's nearest plane on the Cholesky factor), then single steps as long as the model falls;
/// and the same steps from the plainly rounded point. The true objective chooses. Where the matrix
/// of Newton has no factor, that of Gauss and Newton takes its place.
///
/// *Cost*: one curvature matrix and the gradient unless they are known, one factorisation, three
/// passes; the search is quadratic in the number of variables. *Source*: L. Babai, On Lovász'
/// lattice reduction and the nearest lattice point problem, Combinatorica 6, 1986, §3 (without the
/// reduction).
///
/// # Errors
/// If data cannot be read.
pub fn round(
    objective: &dyn Objective,
    grid: &Grid,
    x: &[f64],
    known: KnownPoint,
) -> PassResult<Rounding> {
    let size = x.len();
    let (error_before, mut gradient) = if let Some(known) = known.gradient {
        known
    } else {
        let mut gradient = vec![0.0; size];
        (objective.gradient(x, &mut gradient)?, gradient)
    };
    // Rounding stays near x, also where x is not the optimum: only what pushes
    // against a bound is part of the model, the rest of the descent is not.
    for (i, slope) in gradient.iter_mut().enumerate() {
        if grid.allows(x, i, x[i] + grid.downhill(i, *slope)) {
            *slope = 0.0;
        }
    }
    let plain = grid.nearest_all(x);
    let error_plain = objective.value(&plain)?;
    let mut best = Rounding {
        x: plain.clone(),
        error_before,
        error_plain,
        error: error_plain,
        informed: 0,
        by: RoundedBy::Curvature,
    };
    let mut matrix = match known.curvature {
        Some(known) => known,
        None => objective.curvature_at(x, Curvature::Newton)?,
    };
    let mut in_turn = sequential(&matrix, grid, x, &plain);
    if in_turn.is_none() {
        objective.curvature(x, Curvature::GaussNewton, &mut matrix)?;
        in_turn = sequential(&matrix, grid, x, &plain);
    }
    // Without a candidate of variables rounded in turn, the plain one is corrected alone.
    for mut candidate in in_turn.into_iter().chain([plain.clone()]) {
        correct(&matrix, &gradient, grid, x, &mut candidate);
        let error = objective.value(&candidate)?;
        if error < best.error {
            best.error = error;
            best.x = candidate;
        }
    }
    best.informed = moved(&best.x, &plain);
    Ok(best)
}

/// Counts the variables whose value in `x` is another than in `plain`, the plainly rounded point.
pub(super) fn moved(x: &[f64], plain: &[f64]) -> usize {
    let pairs = x.iter().zip(plain);
    pairs.filter(|(a, b)| a.to_bits() != b.to_bits()).count()
}

/// Rounds variable by variable, each time to what is best for the rest.
///
/// It is Babai's nearest plane. With the curvature M = L·Lᵀ the model is ½|Lᵀ(y − x)|², whose last
/// row holds the last variable alone: it is rounded first, and moves the best value of the one
/// before. Variables are sorted by their curvature over a step, the flattest first, which evens out
/// what each rounding costs. Variables without curvature keep their value in `plain`, the plainly
/// rounded point. Where M has no factor L, a billionth of its diagonal is added to it; `None` if it
/// has no factor even so, as it is indefinite.
fn sequential(matrix: &Symmetric, grid: &Grid, x: &[f64], plain: &[f64]) -> Option<Vec<f64>> {
    let diagonal = matrix.diagonal();
    let mut order: Vec<usize> = (0..x.len()).filter(|&i| diagonal[i] > 0.0).collect();
    let weight = |i: usize| diagonal[i] * grid.step(i) * grid.step(i);
    order.sort_by(|&a, &b| weight(a).total_cmp(&weight(b)));
    let selected = matrix.select(&order);
    let scale = selected.diagonal();
    let factor = Cholesky::new(&selected)
        .or_else(|_| Cholesky::new(&selected.damped(SINGULAR_DAMPING, &scale)))
        .ok()?;
    let mut rounded = plain.to_vec();
    for k in (0..order.len()).rev() {
        let i = order[k];
        // By how much the variables rounded so far move the best value of this one, times its
        // pivot.
        let pull: f64 = (k + 1..order.len())
            .map(|j| factor.lower(j, k) * (rounded[order[j]] - x[order[j]]))
            .sum();
        rounded[i] = grid.nearest(i, x[i] - pull / factor.lower(k, k));
    }
    grid.repair(x, &mut rounded);
    Some(rounded)
}

/// Moves single variables of `y` by a step as long as the quadratic model of the objective around
/// `x`, with this gradient and matrix, falls: always the variable by whose step it falls most and
/// that the grid allows; at most [`CORRECTIONS`] steps for each variable on average.
fn correct(matrix: &Symmetric, gradient: &[f64], grid: &Grid, x: &[f64], y: &mut [f64]) {
    let change = difference(y, x);
    // The gradient of the model at `y`.
    let mut slope: Vec<f64> = (0..x.len())
        .map(|i| gradient[i] + dot(matrix.row(i), &change))
        .collect();
    for _ in 0..CORRECTIONS * x.len() {
        // The largest fall of the model, the variable whose step it is, and the step.
        let mut best = (0.0, 0, 0.0);
        for i in 0..x.len() {
            let step = grid.downhill(i, slope[i]);
            let fall = -(slope[i] * step + 0.5 * step * step * matrix.get(i, i));
            if fall > best.0 && grid.allows(y, i, y[i] + step) {
                best = (fall, i, step);
            }
        }
        let (fall, i, step) = best;
        if fall <= 0.0 {
            break;
        }
        y[i] += step;
        add_scaled(&mut slope, step, matrix.row(i));
    }
    for value in y {
        *value += 0.0; // never −0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_base::LaneId;
    use tuner_solve::{Reduction, ReductionParts};

    /// ½(x − c)ᵀM(x − c): the model is the objective.
    struct Quadratic {
        matrix: Symmetric,
        centre: Vec<f64>,
    }

    impl Quadratic {
        fn change(&self, x: &[f64]) -> Vec<f64> {
            x.iter().zip(&self.centre).map(|(x, c)| x - c).collect()
        }
    }

    impl Objective for Quadratic {
        fn len(&self) -> usize {
            self.centre.len()
        }
        fn value(&self, x: &[f64]) -> PassResult<f64> {
            let d = self.change(x);
            Ok(0.5 * dot(&d, &self.matrix.multiply(&d)))
        }
        fn gradient(&self, x: &[f64], gradient: &mut [f64]) -> PassResult<f64> {
            gradient.copy_from_slice(&self.matrix.multiply(&self.change(x)));
            self.value(x)
        }
        fn curvature(&self, _: &[f64], _: Curvature, matrix: &mut Symmetric) -> PassResult<()> {
            *matrix = self.matrix.clone();
            Ok(())
        }
        fn diagonal(&self, _: &[f64], _: Curvature) -> PassResult<Vec<f64>> {
            Ok(self.matrix.diagonal())
        }
        fn curvature_product(&self, _: &[f64], _: Curvature, v: &[f64]) -> PassResult<Vec<f64>> {
            Ok(self.matrix.multiply(v))
        }
    }

    fn problem(size: usize, bounds: (f64, f64)) -> (Quadratic, Grid) {
        let mut matrix = Symmetric::zeros(size);
        for i in 0..size {
            matrix.add(i, i, 0.05 + 0.01 * i as f64);
            for j in 0..=i {
                matrix.add(i, j, 1.0); // only the sum matters much
            }
        }
        let centre = (0..size)
            .map(|i| 3.0 * (i as f64 * 2.7).sin() + 0.4)
            .collect();
        let lanes: Vec<LaneId> = (0..size as u32).map(LaneId).collect();
        let reduction = Reduction::new(&ReductionParts {
            lane_count: size,
            lanes: &lanes,
            frozen: &vec![false; size],
            ties: &[],
            bounds: &vec![bounds; size],
            constraints: &[],
            initial: &vec![0.0; size],
        })
        .unwrap();
        (Quadratic { matrix, centre }, Grid::new(&reduction).unwrap())
    }

    #[test]
    fn costs_far_less_than_plain_rounding_where_weights_replace_each_other() {
        let (f, grid) = problem(40, (f64::NEG_INFINITY, f64::INFINITY));
        let rounding = round(&f, &grid, &f.centre, KnownPoint::default()).unwrap();
        assert!(rounding.x.iter().all(|x| x.fract() == 0.0));
        assert!(rounding.error < 0.2 * rounding.error_plain, "{rounding:?}");
        assert!(rounding.informed > 0);
        assert!(rounding.error_before < 1e-20);
        // No single step is better.
        for i in 0..40 {
            for step in [-1.0, 1.0] {
                let mut moved = rounding.x.clone();
                moved[i] += step;
                assert!(f.value(&moved).unwrap() >= rounding.error - 1e-12);
            }
        }
    }

    #[test]
    fn is_as_good_as_trying_everything_on_a_small_problem() {
        let (f, grid) = problem(6, (f64::NEG_INFINITY, f64::INFINITY));
        let rounding = round(&f, &grid, &f.centre, KnownPoint::default()).unwrap();
        let mut best = f64::INFINITY;
        for code in 0..4_usize.pow(6) {
            let y: Vec<f64> = (0..6)
                .map(|i| f.centre[i].floor() - 1.0 + (code / 4_usize.pow(i as u32) % 4) as f64)
                .collect();
            best = best.min(f.value(&y).unwrap());
        }
        assert!(
            rounding.error <= 1.3 * best,
            "{} against {best}",
            rounding.error
        );
    }

    #[test]
    fn stays_near_a_point_that_is_no_optimum() {
        let (f, grid) = problem(12, (f64::NEG_INFINITY, f64::INFINITY));
        let far: Vec<f64> = f.centre.iter().map(|c| c.round() + 50.0).collect();
        let rounding = round(&f, &grid, &far, KnownPoint::default()).unwrap();
        for (rounded, x) in rounding.x.iter().zip(&far) {
            assert!((rounded - x).abs() < 1e-12, "{rounded} {x}");
        }
    }

    #[test]
    fn without_a_matrix_it_is_better_than_plain_rounding_and_as_near() {
        for bounds in [(f64::NEG_INFINITY, f64::INFINITY), (-1.5, 1.5)] {
            let (f, grid) = problem(40, bounds);
            let start: Vec<f64> = f
                .centre
                .iter()
                .map(|c| c.clamp(bounds.0, bounds.1))
                .collect();
            let rounding = super::super::round_by_diagonal(&f, &grid, &start).unwrap();
            // At bounds the start is not an optimum, and less is to be gained.
            let most = if bounds.1.is_finite() { 1.0 } else { 0.5 };
            assert!(rounding.error < most * rounding.error_plain, "{rounding:?}");
            assert!((f.value(&rounding.x).unwrap() - rounding.error).abs() < 1e-12);
            assert_eq!(rounding.by, RoundedBy::Diagonal);
            assert!(rounding.informed > 0);
            for (rounded, x) in rounding.x.iter().zip(&start) {
                assert!(rounded.fract() == 0.0 && (bounds.0..=bounds.1).contains(rounded));
                assert!((rounded - x).abs() < 1.0, "{rounded} {x}");
            }
        }
    }

    #[test]
    fn without_a_matrix_a_point_that_is_no_optimum_is_kept_to() {
        let (f, grid) = problem(12, (f64::NEG_INFINITY, f64::INFINITY));
        let far: Vec<f64> = f.centre.iter().map(|c| c.round() + 50.0).collect();
        let rounding = super::super::round_by_diagonal(&f, &grid, &far).unwrap();
        assert_eq!((rounding.x, rounding.informed), (far, 0));
    }

    #[test]
    fn stays_within_bounds() {
        let (f, grid) = problem(12, (-1.5, 1.5));
        let start: Vec<f64> = f.centre.iter().map(|c| c.clamp(-1.5, 1.5)).collect();
        let rounding = round(&f, &grid, &start, KnownPoint::default()).unwrap();
        assert!(
            rounding
                .x
                .iter()
                .all(|x| x.fract() == 0.0 && x.abs() <= 1.0)
        );
        assert!(rounding.error <= rounding.error_plain);
    }
}
