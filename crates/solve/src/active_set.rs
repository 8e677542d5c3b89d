//! A convex quadratic within bounds and linear constraints.
//!
//! min gᵀd + ½ dᵀMd with lower ≤ d ≤ upper, low ≤ A·d ≤ high, and M positive definite.
//!
//! From the unconstrained minimum, limits that are violated are taken one at a time,
//! and those that no longer push are let go: the dual active set method. It needs no
//! feasible start, ends after finitely many steps, and finds out where nothing is
//! feasible.
//!
//! *Source*: D. Goldfarb, A. Idnani, A numerically stable dual method for solving
//! strictly convex quadratic programs, Mathematical Programming 27, 1983.

use nalgebra::{DVector, Dyn};

use super::LinearConstraint;
use crate::linalg::{add_scaled, dot};

/// A limit is violated beyond this part of the numbers that make its sum; below, it
/// is rounding.
const ROUNDING: f64 = 1e-12;

/// A limit counts as a linear combination of the active ones if, without their part, no more than
/// this part of its own length is left.
const DEPENDENT: f64 = 1e-11;

/// A limit that follows from the active ones may be violated by this many times what is rounding in
/// one sum, as several sums have gone into it.
const IMPLIED: f64 = 1e3;

/// Most steps of the method for each limit of the region: a limit is rarely taken more than once.
const STEPS: usize = 20;

/// One limit: Σ factor·d ≥ least, or = where it is an equality.
#[derive(Clone, Debug)]
struct Limit {
    terms: Vec<(usize, f64)>,
    least: f64,
    equality: bool,
}

impl Limit {
    /// Returns by how much the sum Σ factor·d is above the least that the limit allows; below 0 the
    /// limit is violated.
    fn room(&self, d: &[f64]) -> f64 {
        along(&self.terms, d) - self.least
    }

    /// Returns how much of the difference between Σ factor·d and the limit may be rounding.
    fn rounding(&self, d: &[f64]) -> f64 {
        let sizes = self.terms.iter().map(|&(i, f)| (f * d[i]).abs());
        ROUNDING * (1.0 + self.least.abs() + sizes.sum::<f64>())
    }

    /// Returns the limit with all signs changed, −Σ factor·d ≥ −least: an upper limit of the sum
    /// becomes a lower one, and an equality is met from its other side.
    fn opposite(&self) -> Self {
        Self {
            terms: self.terms.iter().map(|&(i, f)| (i, -f)).collect(),
            least: -self.least,
            equality: self.equality,
        }
    }
}

/// The steps d that are allowed: those for which all limits hold.
#[derive(Clone, Debug)]
pub(super) struct Region {
    size: usize,
    limits: Vec<Limit>,
}

impl Region {
    /// Returns the region of the steps d for which `x` + d is within bounds and constraints; limits
    /// are of d, so each is less by what the sum is at `x`.
    pub(super) fn around(
        x: &[f64],
        bounds: &[(f64, f64)],
        constraints: &[LinearConstraint],
    ) -> Self {
        let mut region = Self {
            size: x.len(),
            limits: Vec::new(),
        };
        for (row, sum) in constraints.iter().map(|row| (row, row.sum(x))) {
            region.add(&row.terms, row.low - sum, row.high - sum);
        }
        for (i, (x, &(low, high))) in x.iter().zip(bounds).enumerate() {
            region.add(&[(i, 1.0)], low - x, high - x);
        }
        region
    }

    /// Returns the region of the directions in which a short step from `x` stays feasible. Only
    /// limits that `x` is at count: along the direction a sum at its lower limit must not fall, and
    /// one at its upper limit must not rise.
    pub(super) fn directions(
        x: &[f64],
        bounds: &[(f64, f64)],
        constraints: &[LinearConstraint],
    ) -> Self {
        let mut region = Self {
            size: x.len(),
            limits: Vec::new(),
        };
        // Along the direction a sum must not change beyond 0 where its limit is met.
        let free = |met: bool, limit: f64| if met { 0.0 } else { limit };
        for row in constraints {
            let [low, high] = row.at_limits(x);
            let low = free(low, f64::NEG_INFINITY);
            region.add(&row.terms, low, free(high, f64::INFINITY));
        }
        for (i, (&x, &(low, high))) in x.iter().zip(bounds).enumerate() {
            let (low, high) = (
                free(x <= low, f64::NEG_INFINITY),
                free(x >= high, f64::INFINITY),
            );
            region.add(&[(i, 1.0)], low, high);
        }
        region
    }

    /// Adds the limits low ≤ Σ factor·d ≤ high on a sum, `terms` being variables and factors: a
    /// [`Limit`] for each end that is finite, a single one where both ends are equal, and none
    /// where there are no terms.
    fn add(&mut self, terms: &[(usize, f64)], low: f64, high: f64) {
        if terms.is_empty() {
            return; // a constraint on fixed variables alone: no step changes its sum
        }
        let equality = low >= high;
        let limit = |least| Limit {
            terms: terms.to_vec(),
            least,
            equality,
        };
        if low.is_finite() {
            self.limits.push(limit(low));
        }
        if high.is_finite() && !equality {
            self.limits.push(limit(high).opposite());
        }
    }
}

/// Returns the direction of steepest descent within a region of directions, the d of the region
/// that minimises gᵀd + ½·dᵀd, with g the `gradient`: 0 at an optimum. `None` where rounding keeps
/// the method from an end.
pub(super) fn steepest(gradient: &[f64], region: &Region) -> Option<Vec<f64>> {
    minimise_quadratic(&|right| right.to_vec(), gradient, region)
}

/// A limit that holds with equality.
struct ActiveLimit {
    /// Its number in the region.
    number: usize,
    limit: Limit,
    /// How much it pushes: its multiplier.
    push: f64,
    /// M⁻¹·n, n the factors of its terms.
    moved: Vec<f64>,
}

/// The active limits, which hold with equality, and the factor of NᵀM⁻¹N of their normals N.
#[derive(Default)]
struct ActiveSet {
    taken: Vec<ActiveLimit>,
    /// Numbers of the limits that follow from the active ones.
    implied: Vec<usize>,
    factor: Option<nalgebra::linalg::Cholesky<f64, Dyn>>,
}

impl ActiveSet {
    /// Returns (NᵀM⁻¹N)⁻¹ · right, a number for each active limit; empty if no limit is active. The
    /// columns of N are the limits' factors, M is the matrix of the quadratic.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        match &self.factor {
            Some(factor) => {
                let right = DVector::from_column_slice(right);
                factor.solve(&right).iter().copied().collect()
            }
            None => Vec::new(),
        }
    }

    /// Returns, for each active limit, the sum of its factors times the vector's elements.
    fn along(&self, vector: &[f64]) -> Vec<f64> {
        let product = |taken: &ActiveLimit| along(&taken.limit.terms, vector);
        self.taken.iter().map(product).collect()
    }

    /// Makes a limit active, as the last one, and adds its column to the factor of NᵀM⁻¹N: NᵀM⁻¹n
    /// and nᵀM⁻¹n, with n the factors of the new limit, N those of the active limits before it, and
    /// M the matrix of the quadratic.
    fn take(&mut self, taken: ActiveLimit) {
        let mut column = self.along(&taken.moved);
        column.push(along(&taken.limit.terms, &taken.moved));
        let column = DVector::from_vec(column);
        self.factor = match self.factor.take() {
            Some(factor) => Some(factor.insert_column(self.taken.len(), column)),
            None => nalgebra::DMatrix::from_element(1, 1, column[0]).cholesky(),
        };
        self.taken.push(taken);
    }

    /// Removes the limit at a place of `taken` from the active ones, and its row and column from
    /// the factor of NᵀM⁻¹N (N: the factors of the active limits, M: the matrix of the quadratic).
    fn let_go(&mut self, place: usize) {
        self.taken.remove(place);
        self.factor = match self.factor.take() {
            Some(factor) if !self.taken.is_empty() => Some(factor.remove_column(place)),
            _ => None,
        };
    }

    /// Moves `d` until a violated limit is met, and makes it active. The move is along M⁻¹·n, made
    /// conjugate to the active limits, so that they stay met; n are the factors of the limit's sum,
    /// and M is the matrix of the quadratic. An active limit whose push, its multiplier, falls to 0
    /// on the way is let go, and the move continues without it. A limit that follows from the
    /// active ones cannot be met by a move: if it holds but for rounding it is noted as such.
    ///
    /// `length`: nᵀM⁻¹n; `steps`: how many more moves may be made, of which each takes one. `None`
    /// where they are used up, or the limit contradicts the active ones.
    fn meet(
        &mut self,
        mut met: ActiveLimit,
        length: f64,
        d: &mut [f64],
        steps: &mut usize,
    ) -> Option<()> {
        loop {
            *steps = steps.checked_sub(1)?;
            // How fast the push of each active limit falls, and the direction without their parts.
            let weights = self.solve(&self.along(&met.moved));
            let mut direction = met.moved.clone();
            for (taken, weight) in self.taken.iter().zip(&weights) {
                add_scaled(&mut direction, -weight, &taken.moved);
            }
            let slope = along(&met.limit.terms, &direction);
            // How far until the limit is met. Never, where its factors are a combination of those
            // of the active limits: then the direction is 0 but for rounding.
            let whole = if slope > DEPENDENT * length {
                -met.limit.room(d) / slope
            } else {
                f64::INFINITY
            };
            let (until, place) = self.first_to_give_way(&weights);
            let t = whole.min(until);
            // Both are infinite: the limit follows from those taken, so it holds but for rounding,
            // or no d is within all limits.
            if !t.is_finite() {
                if -met.limit.room(d) > IMPLIED * met.limit.rounding(d) {
                    return None;
                }
                self.implied.push(met.number);
                return Some(());
            }
            // A direction that is only rounding does not move d. But the pushes change all the
            // same, as the new limit takes over those of the limits that it is a combination of.
            if whole.is_finite() {
                add_scaled(d, t, &direction);
            }
            for (taken, weight) in self.taken.iter_mut().zip(&weights) {
                taken.push -= t * weight;
            }
            met.push += t;
            if whole <= until {
                self.take(met);
                return Some(());
            }
            self.let_go(place);
        }
    }

    /// Returns how far the next move goes until the push of an active limit is 0, ∞ if no push
    /// falls to 0, and the limit's place in `taken`. `weights`: how fast the push of each falls.
    ///
    /// An inequality pushes in one direction only, so at 0 it must be let go. An equality has to
    /// hold whichever way it pushes: its push may have either sign, and it never gives way.
    fn first_to_give_way(&self, weights: &[f64]) -> (f64, usize) {
        let mut first = (f64::INFINITY, 0);
        for (place, (taken, &weight)) in self.taken.iter().zip(weights).enumerate() {
            if !taken.limit.equality && weight > 0.0 && taken.push / weight < first.0 {
                first = (taken.push / weight, place);
            }
        }
        first
    }
}

/// Returns the sum over `terms`, pairs of variable and factor, of factor times the element of
/// `vector` for the variable.
fn along(terms: &[(usize, f64)], vector: &[f64]) -> f64 {
    terms.iter().map(|&(i, factor)| factor * vector[i]).sum()
}

/// Returns the minimiser of gᵀd + ½·dᵀMd in a region, by the dual active set method of Goldfarb and
/// Idnani. `inverse`: multiplies by M⁻¹; `gradient`: g. `None` where no step is feasible, rounding
/// keeps the method from an end, or the minimiser is not finite.
///
/// From the unconstrained minimum it moves to one violated limit after the other, along M⁻¹ times
/// the limit's normal (the factors of its sum), made conjugate to the limits that are active. A
/// limit that is met becomes active; active ones that no longer push are let go on the way.
///
/// *Cost*: for every limit met a product with M⁻¹, and the square of their number.
pub(super) fn minimise_quadratic(
    inverse: &dyn Fn(&[f64]) -> Vec<f64>,
    gradient: &[f64],
    region: &Region,
) -> Option<Vec<f64>> {
    let minus: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut d = inverse(&minus);
    let mut active = ActiveSet::default();
    let mut steps = STEPS * (region.limits.len() + 1);
    while let Some((number, limit)) = violated(region, &active, &d) {
        let mut normal = vec![0.0; region.size];
        for &(i, factor) in &limit.terms {
            normal[i] += factor;
        }
        let moved = inverse(&normal);
        let length = dot(&normal, &moved);
        let met = ActiveLimit {
            number,
            limit,
            push: 0.0,
            moved,
        };
        active.meet(met, length, &mut d, &mut steps)?;
    }
    d.iter().all(|d| d.is_finite()).then_some(d)
}

/// Returns the next limit to meet, with its number in the region; `None` where all hold. Equalities
/// come first, whether violated or not, from the side on which `d` is, so that they are never let
/// go for another limit; then the inequality that is violated most. Limits that are active, or
/// follow from active ones, are not looked at.
fn violated(region: &Region, active: &ActiveSet, d: &[f64]) -> Option<(usize, Limit)> {
    let mut done = vec![false; region.limits.len()];
    let taken = active.taken.iter().map(|taken| taken.number);
    for number in taken.chain(active.implied.iter().copied()) {
        done[number] = true;
    }
    let mut worst: Option<(usize, f64)> = None;
    for (number, limit) in region.limits.iter().enumerate() {
        if done[number] {
            continue;
        }
        let room = limit.room(d);
        if limit.equality {
            let below = if room > 0.0 {
                limit.opposite()
            } else {
                limit.clone()
            };
            return Some((number, below));
        }
        if -room > limit.rounding(d) && worst.is_none_or(|worst| -room > worst.1) {
            worst = Some((number, -room));
        }
    }
    worst.map(|(number, _)| (number, region.limits[number].clone()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use crate::linalg::{Cholesky, Symmetric};

    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

    /// Numbers between −1 and 1 that look random.
    fn noise(seed: usize) -> f64 {
        let bits = tuner_base::mix(seed as u64);
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A positive definite matrix with strong coupling.
    fn matrix(size: usize, seed: usize) -> Symmetric {
        let mut matrix = Symmetric::zeros(size);
        let root = |i: usize, k: usize| noise(seed + 1000 * i + k);
        for i in 0..size {
            matrix.add(i, i, 0.05);
            for j in 0..=i {
                matrix.add(i, j, (0..size).map(|k| root(i, k) * root(j, k)).sum());
            }
        }
        matrix
    }

    fn row(terms: &[(usize, f64)], low: f64, high: f64) -> LinearConstraint {
        LinearConstraint {
            terms: terms.to_vec(),
            low,
            high,
            slack: 0.0,
        }
    }

    /// Fails unless `d` satisfies the conditions of Karush, Kuhn and Tucker: every
    /// feasible direction climbs. They are sufficient, as the quadratic is convex.
    fn assert_optimal(
        matrix: &Symmetric,
        gradient: &[f64],
        d: &[f64],
        bounds: &[(f64, f64)],
        rows: &[LinearConstraint],
    ) {
        for (d, &(low, high)) in d.iter().zip(bounds) {
            assert!(*d >= low - 1e-10 && *d <= high + 1e-10, "{low} {d} {high}");
        }
        for row in rows {
            assert!(row.violation(d) < 1e-10, "{row:?}");
        }
        let slope: Vec<f64> = matrix
            .multiply(d)
            .iter()
            .zip(gradient)
            .map(|(a, b)| a + b)
            .collect();
        // Bounds are met to rounding only, where a fit would put them exactly.
        let met = |(&d, &(low, high)): (&f64, &(f64, f64))| match d {
            d if (d - low).abs() < 1e-10 => low,
            d if (d - high).abs() < 1e-10 => high,
            d => d,
        };
        let at: Vec<f64> = d.iter().zip(bounds).map(met).collect();
        let descent = steepest(&slope, &Region::directions(&at, bounds, rows)).unwrap();
        let most = descent.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
        assert!(most < 1e-9, "{most} of descent is left in {descent:?}");
    }

    #[test]
    fn no_feasible_direction_leads_down_from_the_minimum() {
        let size = 12;
        for seed in 0..40 {
            let matrix = matrix(size, seed);
            let gradient: Vec<f64> = (0..size).map(|i| 5.0 * noise(77 * seed + i)).collect();
            let bounds: Vec<(f64, f64)> = (0..size)
                .map(|i| {
                    if i % 3 == 0 {
                        (-0.4, 0.3 + 0.1 * i as f64)
                    } else {
                        FREE
                    }
                })
                .collect();
            let mut rows = vec![row(&[(0, 1.0), (5, 1.0), (9, -2.0)], 0.1, 0.1)];
            for i in 0..6 {
                rows.push(row(&[(i, -1.0), (i + 1, 1.0)], 0.0, f64::INFINITY));
            }
            for i in 6..10 {
                let bend = [(i, 1.0), (i + 1, -2.0), (i + 2, 1.0)];
                rows.push(row(&bend[..3.min(size - i)], f64::NEG_INFINITY, 0.0));
            }
            let factor = Cholesky::new(&matrix).unwrap();
            let region = Region::around(&vec![0.0; size], &bounds, &rows);
            let d = minimise_quadratic(&|right| factor.solve(right), &gradient, &region).unwrap();
            assert_optimal(&matrix, &gradient, &d, &bounds, &rows);
        }
    }

    #[test]
    fn what_holds_twice_and_what_cannot_hold_is_found_out() {
        let free = [FREE; 2];
        let sum = row(&[(0, 1.0), (1, 1.0)], 3.0, 3.0);
        let doubled = row(&[(0, 2.0), (1, 2.0)], 6.0, 6.0);
        let at = |rows: &[LinearConstraint]| {
            steepest(&[0.0; 2], &Region::around(&[0.0; 2], &free, rows))
        };
        let twice = at(&[sum.clone(), doubled]).unwrap();
        assert!(twice.iter().all(|d| (d - 1.5).abs() < 1e-12), "{twice:?}");
        let other = row(&[(0, 1.0), (1, 1.0)], 4.0, f64::INFINITY);
        assert_eq!(at(&[sum.clone(), other]), None);
        let bounded = [(0.0, 1.0); 2];
        let region = Region::around(&[0.0; 2], &bounded, &[sum]);
        assert_eq!(steepest(&[0.0; 2], &region), None);
    }

    #[test]
    fn a_rising_table_is_the_means_of_its_blocks() {
        // Isotonic regression, whose solution is known: the violators are pooled.
        let x = [1.0, 3.0, 2.0, 6.0, 4.0, 5.0, 9.0];
        let rows: Vec<LinearConstraint> = (0..6)
            .map(|i| row(&[(i, -1.0), (i + 1, 1.0)], 0.0, f64::INFINITY))
            .collect();
        let d = steepest(&[0.0; 7], &Region::around(&x, &[FREE; 7], &rows)).unwrap();
        let expected = [1.0, 2.5, 2.5, 5.0, 5.0, 5.0, 9.0];
        for ((x, d), expected) in x.iter().zip(&d).zip(expected) {
            assert!((x + d - expected).abs() < 1e-12, "{d:?}");
        }
    }
}
