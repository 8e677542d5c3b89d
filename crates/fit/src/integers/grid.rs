//! The values that variables may take so that all their weights are integers.

use tuner_base::WeightId;
use tuner_solve::{Reduction, VariableId};

/// Largest step tried: a tie's factor may have a denominator up to this.
const LARGEST_STEP: u32 = 64;

/// Steps and bounds of variables whose weights are to be integers: each
/// variable takes multiples of its step within its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    steps: Vec<f64>,
    bounds: Vec<(f64, f64)>,
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
    /// Finds the smallest step of each variable that makes integers of all
    /// weights that depend on it. Weights without a variable stay as they are.
    ///
    /// # Errors
    /// All weights for which there is none.
    pub fn new(reduction: &Reduction) -> Result<Self, Vec<GridError>> {
        let mut errors = Vec::new();
        let mut steps = vec![1_u32; reduction.variables()];
        for (weight, (variable, factor, offset)) in
            (0..).map(WeightId).zip(reduction.weight_terms())
        {
            let Some(VariableId(variable)) = variable else {
                continue;
            };
            let is_integer = |step: &u32| (f64::from(*step) * factor).fract() == 0.0;
            // A multiple of the step that the weights before asked for.
            let mut candidates = (1..=LARGEST_STEP).map(|k| k * steps[variable]);
            match candidates.find(is_integer) {
                Some(step) if offset.fract() == 0.0 && step <= LARGEST_STEP => {
                    steps[variable] = step;
                }
                _ => errors.push(GridError::Tie(weight)),
            }
        }
        let steps: Vec<f64> = steps.into_iter().map(f64::from).collect();
        for (variable, &(low, high)) in reduction.bounds().iter().enumerate() {
            let step = steps[variable];
            if (low / step).ceil() > (high / step).floor() {
                errors.push(GridError::Bounds(reduction.roots()[variable]));
            }
        }
        let bounds = reduction.bounds().to_vec();
        if errors.is_empty() {
            Ok(Self { steps, bounds })
        } else {
            Err(errors)
        }
    }

    /// Returns the nearest allowed value of each variable.
    pub(crate) fn nearest_all(&self, x: &[f64]) -> Vec<f64> {
        let each = x.iter().enumerate();
        each.map(|(variable, &x)| self.nearest(variable, x))
            .collect()
    }

    /// Returns the step of a variable.
    pub fn step(&self, variable: usize) -> f64 {
        self.steps[variable]
    }

    /// Returns the step of a variable against a slope.
    pub(crate) fn downhill(&self, variable: usize, slope: f64) -> f64 {
        let step = self.steps[variable];
        if slope > 0.0 { -step } else { step }
    }

    /// Returns the allowed value of a variable that is nearest to `value`.
    pub fn nearest(&self, variable: usize, value: f64) -> f64 {
        let (step, (low, high)) = (self.steps[variable], self.bounds[variable]);
        let (low, high) = ((low / step).ceil() * step, (high / step).floor() * step);
        ((value / step).round() * step).max(low).min(high) + 0.0 // never −0
    }

    /// Tells whether a value is within the variable's bounds.
    pub fn allows(&self, variable: usize, value: f64) -> bool {
        let (low, high) = self.bounds[variable];
        value >= low && value <= high
    }
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
