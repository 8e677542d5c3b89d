//! The values that variables may take so that all their weights are integers.

use tuner_base::WeightId;
use tuner_solve::{LinearConstraint, Reduction, VariableId};

/// Largest step tried: a tie's factor may have a denominator up to this.
const LARGEST_STEP: u32 = 64;

/// Less than this part of a step is taken for rounding.
const ROUNDING: f64 = 1e-6;

/// Steps and bounds of variables whose weights are to be integers: each
/// variable takes multiples of its step within its bounds, such that sums stay
/// within their limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// By variable, the distance of the values that it may take.
    steps: Vec<f64>,
    /// By variable, the least and the greatest value; infinite without a bound.
    bounds: Vec<(f64, f64)>,
    /// Limits of sums of variables.
    constraints: Vec<LinearConstraint>,
    /// The constraints of each variable, by their numbers; empty where there are none.
    constraints_of: Vec<Vec<usize>>,
}

/// Why weights cannot be integers.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum GridError {
    /// A weight is tied to another by a factor or difference that makes no
    /// integers of integers.
    #[error(
        "weight {0} is tied by a factor or difference that makes no integers of integers; \
         expected an integer difference and a factor such as 2, -1 or 0.5"
    )]
    Tie(WeightId),
    /// Between the bounds of this weight there is no value to take.
    #[error("there is no integer between the bounds of weight {0}; widen them")]
    Bounds(WeightId),
}

impl Grid {
    /// Finds the smallest step of each variable at whose multiples all weights that depend on it
    /// are multiples of their own steps (integers, where those are 1). Weights without a variable
    /// stay as they are.
    ///
    /// # Errors
    /// All weights for which there is no such step of at most 64 times the step of the weight whose
    /// value the variable is; all variables that have no allowed value between their bounds.
    pub fn new(reduction: &Reduction) -> Result<Self, Vec<GridError>> {
        let mut errors = Vec::new();
        // The step of the weight whose value the variable is, its root. In `steps` are multiples of
        // that.
        let root_step = |variable: usize| reduction.step(reduction.roots()[variable]);
        let mut steps = vec![1_u32; reduction.variables()];
        let terms = (0..).map(WeightId).zip(reduction.weight_terms());
        for (weight, (variable, factor, offset)) in terms {
            let Some(VariableId(variable)) = variable else {
                continue;
            };
            let own = reduction.step(weight);
            let of_root = root_step(variable);
            let is_multiple = |value: f64| {
                let times = value / own;
                (times - times.round()).abs() <= ROUNDING * times.abs().max(1.0)
            };
            let is_integer = |step: &u32| is_multiple(f64::from(*step) * of_root * factor);
            // The multiples of what earlier weights of this variable asked for: the first of them
            // at which this weight, factor·variable + offset, moves by multiples of its own step.
            let mut candidates = (1..=LARGEST_STEP).map(|k| k * steps[variable]);
            match candidates.find(is_integer) {
                Some(step) if is_multiple(offset) && step <= LARGEST_STEP => {
                    steps[variable] = step;
                }
                _ => errors.push(GridError::Tie(weight)),
            }
        }
        let steps: Vec<f64> = (steps.into_iter().enumerate())
            .map(|(variable, times)| f64::from(times) * root_step(variable))
            .collect();
        // The numbers of the first and the last multiple of the step within the bounds.
        for (variable, &(low, high)) in reduction.bounds().iter().enumerate() {
            let (low, high) = within(steps[variable], (low, high));
            if low > high {
                errors.push(GridError::Bounds(reduction.roots()[variable]));
            }
        }
        let bounds = reduction.bounds().to_vec();
        let constraints = reduction.constraints().to_vec();
        let mut constraints_of = Vec::new();
        for (number, constraint) in constraints.iter().enumerate() {
            constraints_of.resize(steps.len(), Vec::new());
            for &(variable, _) in &constraint.terms {
                constraints_of[variable].push(number);
            }
        }
        if errors.is_empty() {
            Ok(Self {
                steps,
                bounds,
                constraints,
                constraints_of,
            })
        } else {
            Err(errors)
        }
    }

    /// Returns the nearest allowed value of each variable; where that takes a sum beyond its
    /// limits, values near by that keep the limits, as far as single steps find them.
    pub fn nearest_all(&self, x: &[f64]) -> Vec<f64> {
        let each = x.iter().enumerate();
        let each = each.map(|(variable, &x)| self.nearest(variable, x));
        let mut rounded: Vec<f64> = each.collect();
        self.repair(x, &mut rounded);
        rounded
    }

    /// Moves single variables of `rounded` by a step until the sums of all constraints are within
    /// their limits or no step helps. Each time it takes the step after which sums are least beyond
    /// their limits, and of equal ones that which stays nearest to `x`, the point before rounding.
    /// A sum that is beyond its limits by no more than its slack is only helped by variables that
    /// can be rounded to the other side of `x`.
    pub fn repair(&self, x: &[f64], rounded: &mut [f64]) {
        while let Some((variable, to)) = self.best_repair(x, rounded) {
            rounded[variable] = to + 0.0; // never −0
        }
    }

    /// Returns the next step of [`repair`](Self::repair), a variable and its new value: for the
    /// first constraint that does not hold and that a step helps, the step after which sums are
    /// least beyond their limits, and of equal ones that nearest to `x`, the point before rounding.
    /// `None` where there is no such constraint. `rounded` is changed meanwhile and put back.
    fn best_repair(&self, x: &[f64], rounded: &mut [f64]) -> Option<(usize, f64)> {
        for row in &self.constraints {
            let beyond = self.beyond(row, rounded);
            if beyond <= 0.0 {
                continue;
            }
            // Change of what is beyond limits, distance from `x`, variable, its new value.
            let mut best: Option<(f64, f64, usize, f64)> = None;
            for &(variable, _) in &row.terms {
                let (before, step) = (rounded[variable], self.steps[variable]);
                let beyond_before = self.beyond_of(variable, rounded);
                for to in [before - step, before + step] {
                    let away = (to - x[variable]).abs();
                    // A sum that is beyond its limits by no more than the slack is allowed for
                    // integers. A step may still help it, but must not lead a variable away from
                    // the two allowed values around `x`.
                    if !self.within(variable, to) || (beyond <= row.slack && away >= step) {
                        continue;
                    }
                    rounded[variable] = to;
                    let change = self.beyond_of(variable, rounded) - beyond_before;
                    let better = best.is_none_or(|best| (change, away) < (best.0, best.1));
                    if change < -ROUNDING * step && better {
                        best = Some((change, away, variable, to));
                    }
                }
                rounded[variable] = before;
            }
            if let Some((_, _, variable, to)) = best {
                return Some((variable, to));
            }
        }
        None
    }

    /// Returns the numbers of the constraints whose sums, at the values `x` on the grid, are beyond
    /// their limits by more than the slack.
    pub fn broken(&self, x: &[f64]) -> Vec<usize> {
        let is_broken = |&number: &usize| {
            let row = &self.constraints[number];
            self.beyond(row, x) > row.slack
        };
        (0..self.constraints.len()).filter(is_broken).collect()
    }

    /// Returns how far the sum of a constraint is beyond its limits at `x`, in its own unit; 0
    /// where that is rounding, measured by the smallest step by which one of its variables can
    /// change it.
    fn beyond(&self, row: &LinearConstraint, x: &[f64]) -> f64 {
        let beyond = row.violation(x);
        let steps = row.terms.iter();
        let steps = steps.map(|&(i, factor)| (factor * self.steps[i]).abs());
        // Infinite where all variables of the sum are fixed: then it is never beyond, as no step
        // would help.
        let finest = steps.fold(f64::INFINITY, f64::min);
        let counts = beyond > ROUNDING * finest;
        if counts { beyond } else { 0.0 }
    }

    /// Returns how far the sums that contain a variable are beyond their limits at `x`, all
    /// together.
    fn beyond_of(&self, variable: usize, x: &[f64]) -> f64 {
        let rows = self.constraints_of.get(variable).into_iter().flatten();
        rows.map(|&row| self.beyond(&self.constraints[row], x))
            .sum()
    }

    /// Returns the grid on which some variables may have only their values in `x`; a variable whose
    /// value there is not on the grid stays free.
    #[must_use]
    pub fn holding(&self, variables: &[usize], x: &[f64]) -> Self {
        let mut held = self.clone();
        for &variable in variables {
            let value = x[variable];
            // Allowed values are never −0, so 0 is added to the value that they are compared with.
            if self.nearest(variable, value).to_bits() == (value + 0.0).to_bits() {
                held.bounds[variable] = (value, value);
            }
        }
        held
    }

    /// Returns the distance between neighbouring allowed values of a variable.
    pub fn step(&self, variable: usize) -> f64 {
        self.steps[variable]
    }

    /// Returns a variable's step with the sign that lowers a function of this slope: minus where
    /// the slope is positive.
    pub fn downhill(&self, variable: usize, slope: f64) -> f64 {
        let step = self.steps[variable];
        if slope > 0.0 { -step } else { step }
    }

    /// Returns the allowed value of a variable that is nearest to `value`: a multiple of its step
    /// within its bounds. Constraints are not looked at.
    pub fn nearest(&self, variable: usize, value: f64) -> f64 {
        let step = self.steps[variable];
        let (low, high) = within(step, self.bounds[variable]);
        (value / step).round().max(low).min(high) * step + 0.0 // never −0
    }

    /// Tells whether a variable may have a value while all other variables are at `x`: the value is
    /// within its bounds, and the sums that the variable is in are together no further beyond their
    /// limits than at `x`. Whether the value is a multiple of the step is not checked.
    pub fn allows(&self, x: &[f64], variable: usize, value: f64) -> bool {
        if !self.within(variable, value) || self.constraints_of.is_empty() {
            return self.within(variable, value);
        }
        let mut moved = x.to_vec();
        moved[variable] = value;
        self.beyond_of(variable, &moved) <= self.beyond_of(variable, x)
    }

    /// Tells whether a value is within the bounds of a variable, but for rounding.
    fn within(&self, variable: usize, value: f64) -> bool {
        let (low, high) = self.bounds[variable];
        let rounding = ROUNDING * self.steps[variable];
        value >= low - rounding && value <= high + rounding
    }
}

/// Returns the least and the greatest k for which k·step is within bounds, where rounding beyond a
/// bound counts as within. The least is larger than the greatest where no multiple is within.
fn within(step: f64, (low, high): (f64, f64)) -> (f64, f64) {
    let low = (low / step - ROUNDING).ceil();
    (low, (high / step + ROUNDING).floor())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    #![allow(clippy::float_cmp)] // small integers are exact
    use super::*;
    use tuner_base::{LaneId, Tie};
    use tuner_solve::ReductionParts;

    fn reduction(factor: f64, difference: f64, bounds: (f64, f64)) -> Reduction {
        Reduction::new(&ReductionParts {
            lane_count: 2,
            lanes: &[0, 1].map(LaneId),
            frozen: &[false, false],
            ties: &[Tie {
                weight: WeightId(1),
                root: WeightId(0),
                factor,
                difference,
            }],
            bounds: &[bounds, (f64::NEG_INFINITY, f64::INFINITY)],
            constraints: &[],
            initial: &[0.0, 0.0],
        })
        .unwrap()
    }

    #[test]
    fn steps_make_integers_of_tied_weights() {
        let grid = Grid::new(&reduction(-0.75, 3.0, (-3.0, 9.0))).unwrap();
        assert_eq!(grid.step(0), 4.0);
        assert_eq!(
            [-9.0, -1.0, 2.1, 7.0, 99.0].map(|v| grid.nearest(0, v)),
            [0.0, 0.0, 4.0, 8.0, 8.0]
        );
        assert_eq!(
            Grid::new(&reduction(0.1234, 0.0, (0.0, 1.0))),
            Err(vec![GridError::Tie(WeightId(1))])
        );
        assert_eq!(
            Grid::new(&reduction(1.0, 0.5, (0.0, 1.0))),
            Err(vec![GridError::Tie(WeightId(1))])
        );
        assert_eq!(
            Grid::new(&reduction(1.0, 0.0, (0.2, 0.8))),
            Err(vec![GridError::Bounds(WeightId(0))])
        );
    }
}
