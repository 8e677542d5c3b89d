//! Which variables are moved, from where to where.

use super::{BlackBoxError, Probing, Visits};
use crate::FitError;
use crate::integers::Grid;
use tuner_base::LaneId;
use tuner_solve::Reduction;

/// A variable and the two values between which a quotient is taken.
#[derive(Clone, Debug)]
pub(super) struct Move {
    /// The weight whose value it is.
    pub(super) root: usize,
    /// The lane of that weight: the row's coefficient stands there, for all
    /// weights that depend on the variable.
    pub(super) lane: LaneId,
    pub(super) below: f64,
    pub(super) here: f64,
    pub(super) above: f64,
    /// Weights that depend on it, with factor and offset.
    followers: Vec<(usize, f64, f64)>,
}

impl Move {
    /// How far apart the two values are.
    pub(super) fn span(&self) -> f64 {
        self.above - self.below
    }

    /// Puts all that depends on the variable where it is at `x`.
    pub(super) fn put(&self, x: f64, weights: &mut [f64]) {
        for &(weight, factor, offset) in &self.followers {
            weights[weight] = factor * x + offset;
        }
    }
}

/// Returns the moves around `x`, within the bounds, in the order of lanes.
/// Variables that their bounds hold are not moved.
pub(super) fn moves(
    reduction: &Reduction,
    probing: &Probing,
    x: &[f64],
) -> Result<Vec<Move>, Vec<BlackBoxError>> {
    let grid = match probing.visits {
        Visits::Real => None,
        Visits::Whole => Some(grid(reduction)?),
    };
    let lanes = reduction.weight_lanes();
    let mut moves = Vec::new();
    let mut errors = Vec::new();
    for (variable, root) in reduction.roots().iter().enumerate() {
        let root = root.index();
        let (here, step) = (x[variable], probing.steps.of(root));
        if !(step > 0.0 && step.is_finite()) {
            errors.push(BlackBoxError::Step(root, step));
            continue;
        }
        if let Some(grid) = &grid {
            let multiple = grid.step(variable);
            if (step / multiple).fract() != 0.0 {
                errors.push(BlackBoxError::StepNotWhole(root, step, multiple));
                continue;
            }
        }
        let ends = [here - step, here + step];
        if ends.iter().any(|end| !end.is_finite() || end - here == 0.0) {
            errors.push(BlackBoxError::StepLost(root, here, step));
            continue;
        }
        let (low, high) = reduction.bounds()[variable];
        let [below, above] = ends.map(|end| match &grid {
            Some(grid) => grid.nearest(variable, end),
            None => end.clamp(low, high),
        });
        if above > below {
            moves.push(Move {
                root,
                lane: lanes[root],
                below,
                here,
                above,
                followers: Vec::new(),
            });
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut numbers = vec![None; reduction.weight_terms().count()];
    for (number, moved) in moves.iter().enumerate() {
        numbers[moved.root] = Some(number);
    }
    for (weight, (variable, factor, offset)) in reduction.weight_terms().enumerate() {
        let number =
            variable.and_then(|variable| numbers[reduction.roots()[variable.index()].index()]);
        if let Some(number) = number {
            moves[number].followers.push((weight, factor, offset));
        }
    }
    moves.sort_unstable_by_key(|moved| moved.lane);
    Ok(moves)
}

pub(super) fn grid(reduction: &Reduction) -> Result<Grid, Vec<BlackBoxError>> {
    Grid::new(reduction).map_err(|errors| vec![BlackBoxError::Fit(FitError::Grid(errors))])
}
