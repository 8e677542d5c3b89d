//! Combinations of weights that the data do not determine: they change no score, or hardly any.
//!
//! [`directions_of`] finds them, sparse and in whole numbers where they are such, and
//! [`sentences`] puts them in words. [`canonical`] folds the means of tables into
//! the weights that stand for the same. [`correlations`] names the weights that
//! stand for each other. Not here: weights that no position reads at all, of which
//! the summary of a fit has a list.

mod canonical;
mod confirm;
mod correlation;
mod near_null;
mod tables;
mod words;

use serde::{Deserialize, Serialize};

use crate::not_computed::{Computed, NotComputed};
use confirm::changes;
use near_null::NearNull;
pub(crate) use tables::{PhaseTable, Tables};
use tuner_base::WeightId;
use tuner_fit::MOST_BY_MATRICES;
use tuner_fit::WeightGroup;
use tuner_fit::model::{Part, Regression};
use tuner_rows::Traces;
use tuner_solve::linalg::{Symmetric, add_scaled, inflation, max_abs, sparse_basis};
use tuner_solve::{Curvature, Objective, Reduction};

pub(crate) use canonical::canonical;
pub(crate) use correlation::{correlations, variance_inflation};
pub use tables::{NamedTerm, TermMembers};
pub(crate) use words::sentences;

/// How far a direction is followed to see whether scores change, in its unit.
/// Chosen: a tenth of a pawn, which the sentences say too.
pub(crate) const STEP: f64 = 10.0;

/// Two scores are the same up to so much of the largest number in their sums:
/// sums of a hundred products leave 1e-14 of it.
const ROUNDING: f64 = 1e-11;

/// [`ROUNDING`] for directions whose coefficients are not whole numbers, which are known to
/// some ten digits.
const ROUNDING_OF_REALS: f64 = 1e-8;

/// The rows of a part of the games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartRows<'a> {
    /// All rows.
    pub(crate) traces: Traces<'a>,
    /// The games whose rows count.
    pub(crate) part: Part,
}

/// How flat the error is along a direction.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flatness {
    /// No score changes.
    Exact,
    /// No score changes to first order at the weights: of rows that are not
    /// linear some do change farther away.
    FirstOrder,
    /// Scores hardly change.
    Near {
        /// Σ dᵢ²·Hᵢᵢ / dᵀHd, of the direction d and the curvature H: how many times the variance
        /// along it is what it would be were its weights uncorrelated.
        inflation: f64,
    },
}

/// A combination of weights that the data do not determine, or hardly.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Direction {
    /// Its weights and their coefficients; of tied weights the root. Whole
    /// numbers where it is of such; else the largest is 1 or −1.
    #[serde(skip)]
    pub terms: Vec<(WeightId, f64)>,
    /// Weights of the same tables that no position reads: by their place they
    /// belong to it, and the data do not object.
    #[serde(skip)]
    pub unread: Vec<(WeightId, f64)>,
    /// The direction with each table named once.
    pub named: Vec<NamedTerm>,
    /// How flat the error is along it.
    pub flatness: Flatness,
    /// Rows that were scored at the weights and 10 times the direction
    /// away.
    pub rows: usize,
    /// By how much the score of one of them changed at most, in centipawns.
    pub largest_change: f64,
}

impl Direction {
    /// Tells whether no score changes along the direction.
    pub fn is_exact(&self) -> bool {
        self.flatness == Flatness::Exact
    }

    /// Tells whether all coefficients of the direction are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.terms.iter().all(|(_, c)| is_whole(*c))
    }
}

/// Tells whether a number is whole.
fn is_whole(number: f64) -> bool {
    number.fract().abs() <= 0.0
}

/// Forms Gauss-Newton's curvature at `x`, by which directions are found that the data leave open.
/// Of more than [`MOST_BY_MATRICES`] variables it is not formed, and the error is the reason.
pub(crate) fn gauss_newton(objective: &Regression<'_>, x: &[f64]) -> Computed<Symmetric> {
    let count = objective.len();
    if count > MOST_BY_MATRICES {
        return Err(NotComputed::reason(format!(
            "not computed of {count} weights, as its matrices would be too large: of more than \
             {MOST_BY_MATRICES} it is left out; to see it, freeze or tie some"
        )));
    }
    Ok(objective.curvature_at(x, Curvature::GaussNewton)?)
}

/// Finds the directions that the data leave open at `x`, combinations of weights: all that change
/// no score, the sparsest first, then at most ten that change scores least for their size.
///
/// They are found in `curvature`, that of Gauss and Newton, over the variables of the reduction
/// that a row reads and that have room between their bounds. Each is then tried on up to 10,000
/// rows spread over the data; one that should change no score, and changes that of a linear row,
/// counts as one that changes scores little. Where several weights can replace one another there
/// are several sparse bases of such directions; one basis is found.
///
/// *Shapes*: `x` has a value for each variable, `names` one for each weight; `rows` are those that
/// the curvature is of; `groups`: the parameters, whose tables are named.
/// *Cost*: two factorisations, a pass over `rows`; with the curvature for 1,200
/// variables some 0.6 seconds, for 3,000 some 6, on two cores (`cargo test --release
/// -p tuner-judge time_of -- --ignored`).
///
/// # Errors
/// If rows cannot be read, there are more than 500 directions that change no score, or the
/// curvature is not finite.
pub(crate) fn directions_of(
    reduction: &Reduction,
    curvature: &Symmetric,
    rows: PartRows<'_>,
    x: &[f64],
    names: &[String],
    groups: &[WeightGroup],
) -> Computed<Vec<Direction>> {
    let count = curvature.size();
    if curvature.values().iter().any(|value| !value.is_finite()) {
        return Err(NotComputed::reason(
            "the curvature is not finite at these weights; expected weights of a fit that ended",
        ));
    }
    let has_room = |variable: usize| {
        let (low, high) = reduction.bounds()[variable];
        low < high
    };
    // Directions are looked for among the variables that a row reads and that have room.
    let is_read = |v: usize| curvature.get(v, v) > 0.0;
    let in_play: Vec<usize> = (0..count).filter(|&v| is_read(v) && has_room(v)).collect();
    let matrix = curvature.select(&in_play);
    // `None`: no room; else whether a row reads the variable.
    let movable = (0..count).map(|v| has_room(v).then(|| is_read(v)));
    let movable: Vec<Option<bool>> = movable.collect();
    let tables = Tables::new(reduction, names, groups, &movable);

    // A direction over the rows of `matrix`, written over all variables.
    let of_all = |of_matrix: &[f64]| {
        let mut direction = vec![0.0; count];
        for (&variable, value) in in_play.iter().zip(of_matrix) {
            direction[variable] = *value;
        }
        direction
    };
    let null = sparse_basis(&matrix).map_err(|open| {
        let read = matrix.size();
        NotComputed::reason(format!(
            "these positions leave {open} combinations of the {read} weights that they read \
             undetermined; expected few enough to be named; take more games"
        ))
    })?;
    // First the directions that change no score, then those that hardly do.
    let mut vectors: Vec<Vec<f64>> = null.iter().map(|direction| of_all(direction)).collect();
    let near = NearNull::new(&matrix, &null, &tables, &in_play).directions();
    vectors.extend(near.iter().map(|near| of_all(near)));

    // Each direction is tried: rows are scored at the weights, and a step of `STEP` times it away.
    let lanes = reduction.lanes(x);
    let moved = |direction: &Vec<f64>| {
        let mut moved = lanes.clone();
        add_scaled(&mut moved, STEP, &reduction.spread(direction));
        moved
    };
    let steps: Vec<Vec<f64>> = vectors.iter().map(moved).collect();
    let changes = changes(rows, &lanes, &steps)?;
    let mut directions = Vec::new();
    for (number, direction) in vectors.iter().enumerate() {
        let whole = direction.iter().all(|c| is_whole(*c));
        let rounding = if whole { ROUNDING } else { ROUNDING_OF_REALS };
        let tolerance = rounding * (1.0 + max_abs(&lanes) + max_abs(&steps[number]));
        let part: Vec<f64> = in_play.iter().map(|&v| direction[v]).collect();
        // The largest change of a score over linear rows and over the others.
        let [linear, nonlinear] = [0, 1].map(|kind| changes.largest[kind][number]);
        // By the curvature the first `null.len()` directions change no score.
        let flatness = if number >= null.len() || linear > tolerance {
            Flatness::Near {
                inflation: inflation(&matrix, &part),
            }
        } else if nonlinear > tolerance {
            Flatness::FirstOrder
        } else {
            Flatness::Exact
        };
        let (named, unread) = tables.name(direction);
        let terms = (direction.iter().zip(reduction.roots()))
            .filter(|(c, _)| c.abs() > 0.0)
            .map(|(&c, &root)| (root, c));
        directions.push(Direction {
            terms: terms.collect(),
            unread,
            named,
            flatness,
            rows: changes.rows,
            largest_change: linear.max(nonlinear),
        });
    }
    Ok(directions)
}

#[cfg(test)]
mod tests;
