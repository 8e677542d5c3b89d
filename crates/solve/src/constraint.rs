//! Sums of variables that stay between limits.

use tuner_base::{Constraint, Fingerprint, add_alike};

use super::active_set::{Region, steepest};
use super::{Subset, VariableId};

/// A sum of variables that stays between two limits: `low ≤ Σ factor·x ≤ high`.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearConstraint {
    /// The variables, ascending, and what each is multiplied by, not 0. None where all
    /// are fixed.
    pub terms: Vec<(usize, f64)>,
    /// Lower limit, −∞ for none.
    pub low: f64,
    /// Upper limit, ∞ for none.
    pub high: f64,
    /// How far the sum may be outside of the limits for integers (see [`Constraint::slack`]).
    pub slack: f64,
}

/// The sum counts as at a limit if it is nearer to it than this part of the size of its terms.
const AT_LIMIT: f64 = 1e-10;

impl LinearConstraint {
    /// Makes the constraint on variables from one on weights; fixed parts of the sum are taken off
    /// its limits. `weights`: of each weight its variable (`None` if fixed), factor and offset, so
    /// that the weight is factor·variable + offset.
    pub(super) fn new(constraint: &Constraint, weights: &[(Option<VariableId>, f64, f64)]) -> Self {
        let (mut terms, mut fixed) = (Vec::new(), 0.0);
        for &(weight, times) in &constraint.terms {
            let (variable, factor, offset) = weights[weight.index()];
            fixed += times * offset;
            if let Some(VariableId(variable)) = variable {
                terms.push((variable, times * factor));
            }
        }
        let limits = [constraint.low - fixed, constraint.high - fixed];
        Self::of(terms, limits, constraint.slack)
    }

    /// Makes a constraint from terms `(variable, factor)` in any order: they are sorted, the
    /// factors of one variable added up, and terms left out whose factor is then 0.
    fn of(mut terms: Vec<(usize, f64)>, [low, high]: [f64; 2], slack: f64) -> Self {
        terms.sort_by_key(|term| term.0);
        add_alike(&mut terms);
        terms.retain(|term| term.1.abs() > 0.0);
        Self {
            terms,
            low,
            high,
            slack,
        }
    }

    /// Returns the sum that is limited, Σ factor·x, with one value per variable of the problem in
    /// `x`.
    pub fn sum(&self, x: &[f64]) -> f64 {
        self.terms.iter().map(|&(i, factor)| factor * x[i]).sum()
    }

    /// Returns how far the sum Σ factor·x is outside the limits, 0 within them.
    pub fn violation(&self, x: &[f64]) -> f64 {
        let sum = self.sum(x);
        (self.low - sum).max(sum - self.high).max(0.0)
    }

    /// Tells whether the sum Σ factor·x is at its lower limit or below, and whether at its upper
    /// one or above, within rounding.
    pub fn at_limits(&self, x: &[f64]) -> [bool; 2] {
        let sum = self.sum(x);
        let size: f64 = self.terms.iter().map(|&(i, f)| (f * x[i]).abs()).sum();
        let near = AT_LIMIT * (1.0 + size);
        [sum - self.low <= near, self.high - sum <= near]
    }

    /// Returns the constraint as a formula for messages, such as `a − 2 · b ≥ 0`; `name` gives the
    /// name of a variable by its number.
    pub fn in_words(&self, name: &dyn Fn(usize) -> String) -> String {
        let term = |(number, &(variable, factor)): (usize, &(usize, f64))| {
            let sign = match (number, factor < 0.0) {
                (0, false) => "",
                (0, true) => "−",
                (_, false) => " + ",
                (_, true) => " − ",
            };
            let size = factor.abs();
            let is_one = (size - 1.0).abs() <= 0.0;
            let times = if is_one {
                String::new()
            } else {
                format!("{size} · ")
            };
            format!("{sign}{times}{}", name(variable))
        };
        let sum: String = self.terms.iter().enumerate().map(term).collect();
        match (self.low, self.high) {
            (low, high) if low >= high => format!("{sum} = {low}"),
            (low, high) if low.is_finite() && high.is_finite() => {
                format!("{low} ≤ {sum} ≤ {high}")
            }
            (low, _) if low.is_finite() => format!("{sum} ≥ {low}"),
            (_, high) => format!("{sum} ≤ {high}"),
        }
    }

    /// Returns the constraint on the variables of a subset, by their numbers in it; all other
    /// variables are fixed at their values in `x`.
    pub(super) fn keeping(&self, subset: &Subset, x: &[f64]) -> Self {
        let (mut terms, mut fixed) = (Vec::new(), 0.0);
        for &(variable, factor) in &self.terms {
            match subset.index_in_part(variable) {
                Some(number) => terms.push((number, factor)),
                None => fixed += factor * x[variable],
            }
        }
        let limits = [self.low - fixed, self.high - fixed];
        Self::of(terms, limits, self.slack)
    }

    /// Adds the constraint to a fingerprint: the count of its terms, of each term the variable and
    /// its factor, then both limits and the slack.
    pub(super) fn add_to(&self, fingerprint: &mut Fingerprint) {
        fingerprint.count(self.terms.len());
        for &(variable, factor) in &self.terms {
            fingerprint.count(variable);
            fingerprint.f64(factor);
        }
        for number in [self.low, self.high, self.slack] {
            fingerprint.f64(number);
        }
    }
}

/// Returns the point nearest to `x` within bounds and constraints, or, if moving each variable into
/// its bounds is enough, that point; `x` itself if it is feasible. `None` where no point is
/// feasible, or rounding keeps one from being found.
///
/// *Cost*: the square of the number of limits that the way there meets.
///
/// # Panics
/// If there are not as many bounds as variables.
pub fn feasible(
    x: &[f64],
    bounds: &[(f64, f64)],
    constraints: &[LinearConstraint],
) -> Option<Vec<f64>> {
    assert_eq!(x.len(), bounds.len(), "one pair of bounds per variable");
    let clamp = |(x, &(low, high)): (&f64, &(f64, f64))| x.max(low).min(high);
    let clamped: Vec<f64> = x.iter().zip(bounds).map(clamp).collect();
    if constraints.iter().all(|row| row.violation(&clamped) <= 0.0) {
        return Some(clamped);
    }
    // The step of least length to a point within all limits.
    let d = steepest(&vec![0.0; x.len()], &Region::around(x, bounds, constraints))?;
    Some(within(x, &d, bounds))
}

/// Returns `x` + `d`, moved into the bounds where it is outside. A variable that ends at a bound is
/// exactly there, though rounding of the sum would leave it beside the bound.
pub(super) fn within(x: &[f64], d: &[f64], bounds: &[(f64, f64)]) -> Vec<f64> {
    let moved = |((&x, &d), &(low, high)): ((&f64, &f64), &(f64, f64))| {
        if d <= low - x {
            low
        } else if d >= high - x {
            high
        } else {
            (x + d).max(low).min(high)
        }
    };
    x.iter().zip(d).zip(bounds).map(moved).collect()
}
