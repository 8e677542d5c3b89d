//! One of many equal sets of weights: tables whose mean is in the weight that
//! stands for the same.

use thiserror::Error;

use super::confirm::changes;
use super::tables::{NamedTerm, TermMembers};
use super::{Direction, PartRows, ROUNDING};
use tuner_base::WeightId;
use tuner_solve::linalg::max_abs;
use tuner_solve::{PassError, Reduction};

/// Weights in canonical form.
#[derive(Clone, Debug, PartialEq)]
pub struct CanonicalForm {
    /// All weights, in their order.
    pub weights: Vec<i64>,
    /// The means that were moved.
    pub moved: Vec<MovedMean>,
    /// Means that were left where they are, with the reason.
    pub left_out: Vec<LeftOut>,
}

/// The mean of a table that a single weight took over.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedMean {
    /// The table, or the row of it, in words.
    pub table: NamedTerm,
    /// The weight.
    pub weight: NamedTerm,
    /// The number that was added to each weight of the table.
    pub to_table: i64,
    /// The number that was added to the weight.
    pub to_weight: i64,
}

impl MovedMean {
    /// Returns what was moved in words.
    pub fn sentence(&self) -> String {
        let Self { table, weight, .. } = self;
        let part = |amount: i64, name: &NamedTerm| {
            if amount < 0 {
                format!("{} taken from {name}", -amount)
            } else {
                format!("{amount} added to {name}")
            }
        };
        format!(
            "{}, {}",
            part(self.to_table, table),
            part(self.to_weight, weight)
        )
    }
}

/// A mean that stays where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The mean that would have been moved.
    pub mean: MovedMean,
    /// Why it was not.
    pub reason: LeftOutReason,
}

impl LeftOut {
    /// Returns what was left out, and why, in words.
    pub fn sentence(&self) -> String {
        format!("not moved: {}: {}", self.mean.sentence(), self.reason)
    }
}

/// Why a mean is not moved.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LeftOutReason {
    /// A weight of the direction is fixed in the reduction.
    #[error("{0} is frozen")]
    Frozen(String),
    /// A sum would leave its limits: the number of the constraint.
    #[error("constraint {0} of the spec would not hold")]
    Constraint(usize),
    /// A weight would leave its bounds.
    #[error("{name} would be {value}, outside its bounds {low} to {high}")]
    Bounds {
        /// The weight.
        name: String,
        /// The value that it would have.
        value: i64,
        /// Its lower bound.
        low: f64,
        /// Its upper bound.
        high: f64,
    },
    /// A tied weight would be no whole number.
    #[error("{0} is tied and would be no whole number")]
    NotWhole(String),
    /// A score would change, by so many centipawns.
    #[error("a score would change by {0}")]
    ScoreChange(f64),
}

/// Moves the means of tables, rounded to whole numbers, into the weights that stand
/// for the same, along the exact directions of a table, or a row of one, against a
/// single weight. All others are left alone: so is a table whose mean counts for
/// nothing at all.
///
/// Each move is tried on up to 10,000 rows, and left out if a score changes.
/// Weights of a table that no row reads follow it.
///
/// *Shapes*: `weights` and `names` have an entry for each weight of `reduction`.
/// *Cost*: a pass over `rows` for each mean.
///
/// # Errors
/// If rows cannot be read.
///
/// # Panics
/// If there are not as many values as weights.
pub fn canonical(
    directions: &[Direction],
    rows: PartRows<'_>,
    reduction: &Reduction,
    weights: &[i64],
    names: &[String],
) -> Result<CanonicalForm, PassError> {
    let mut form = CanonicalForm {
        weights: weights.to_vec(),
        moved: Vec::new(),
        left_out: Vec::new(),
    };
    for direction in directions.iter().filter(|d| d.is_exact() && d.is_whole()) {
        let Some(fold) = Fold::of(direction, names, &form.weights) else {
            continue;
        };
        let moved = match fold.applied(reduction, &form.weights, names) {
            Ok(moved) => moved,
            Err(reason) => {
                form.left_out.push(LeftOut {
                    mean: fold.mean,
                    reason,
                });
                continue;
            }
        };
        let [before, after] = [&form.weights, &moved].map(|weights| {
            let reals: Vec<f64> = weights.iter().map(|&weight| weight as f64).collect();
            reduction.lanes_of(&reals)
        });
        let tolerance = ROUNDING * (1.0 + max_abs(&before) + max_abs(&after));
        let found = changes(rows, &before, &[after])?;
        let change = found.largest[0][0].max(found.largest[1][0]);
        if change > tolerance {
            let reason = LeftOutReason::ScoreChange(change);
            form.left_out.push(LeftOut {
                mean: fold.mean,
                reason,
            });
        } else {
            form.weights = moved;
            form.moved.push(fold.mean);
        }
    }
    Ok(form)
}

/// A mean to be moved.
struct Fold {
    mean: MovedMean,
    /// The numbers to add to the roots.
    steps: Vec<(WeightId, i64)>,
}

impl Fold {
    /// The fold along a direction, if it is of the kind and the mean is not 0.
    fn of(direction: &Direction, names: &[String], weights: &[i64]) -> Option<Self> {
        let is_one = |term: &NamedTerm| term.members == TermMembers::One;
        let is_table =
            |term: &NamedTerm| matches!(term.members, TermMembers::All | TermMembers::AllFitted);
        let (table, weight) = match direction.named.as_slice() {
            [a, b] if is_table(a) && is_one(b) => (a, b),
            [a, b] if is_one(a) && is_table(b) => (b, a),
            _ => return None,
        };
        let name = weight.to_string();
        let (single, members): (Vec<_>, Vec<_>) =
            (direction.terms.iter()).partition(|(root, _)| names[root.index()] == name);
        let &[(single, of_single)] = single.as_slice() else {
            return None;
        };
        let members: Vec<(WeightId, f64)> = members
            .into_iter()
            .chain(direction.unread.iter().copied())
            .collect();
        let sum: i64 = members.iter().map(|(root, _)| weights[root.index()]).sum();
        let mean = sum as f64 / members.len() as f64;
        // A half stays, so that once is enough.
        let times = -(mean / table.coefficient).round_ties_even() as i64;
        if times == 0 {
            return None;
        }
        let step = |coefficient: f64| times * coefficient as i64;
        let mut steps: Vec<(WeightId, i64)> =
            members.iter().map(|&(root, c)| (root, step(c))).collect();
        steps.push((single, step(of_single)));
        Some(Self {
            mean: MovedMean {
                table: table.clone(),
                weight: weight.clone(),
                to_table: step(table.coefficient),
                to_weight: step(of_single),
            },
            steps,
        })
    }

    /// The weights after it, tied ones included.
    fn applied(
        &self,
        reduction: &Reduction,
        weights: &[i64],
        names: &[String],
    ) -> Result<Vec<i64>, LeftOutReason> {
        let mut by_variable = vec![0; reduction.variables()];
        for &(root, step) in &self.steps {
            let name = || names[root.index()].clone();
            let variable = reduction.roots().binary_search(&root);
            let variable = variable.map_err(|_| LeftOutReason::Frozen(name()))?;
            by_variable[variable] = step;
            let (low, high) = reduction.bounds()[variable];
            let value = weights[root.index()] + step;
            if (value as f64) < low || value as f64 > high {
                let name = name();
                return Err(LeftOutReason::Bounds {
                    name,
                    value,
                    low,
                    high,
                });
            }
        }
        let mut moved = weights.to_vec();
        for (weight, (variable, factor, _)) in reduction.weight_terms().enumerate() {
            let step = variable.map_or(0, |variable| by_variable[variable.index()]);
            let change = factor * step as f64;
            if change.fract().abs() > 0.0 {
                return Err(LeftOutReason::NotWhole(names[weight].clone()));
            }
            moved[weight] += change as i64;
        }
        let at = |weights: &[i64]| -> Vec<f64> {
            let roots = reduction.roots().iter();
            roots.map(|root| weights[root.index()] as f64).collect()
        };
        let (before, after) = (at(weights), at(&moved));
        for (number, row) in reduction.constraints().iter().enumerate() {
            if row.violation(&after) > row.violation(&before) {
                return Err(LeftOutReason::Constraint(number));
            }
        }
        Ok(moved)
    }
}
