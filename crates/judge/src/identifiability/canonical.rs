//! One of many equal sets of weights: tables whose mean is in the weight that
//! stands for the same.

use super::confirm::changes;
use super::tables::{NamedTerm, TermMembers};
use super::{Direction, PartRows, ROUNDING};
use tuner_base::WeightId;
use tuner_solve::linalg::max_abs;
use tuner_solve::{PassResult, Reduction};

/// Weights in canonical form.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CanonicalForm {
    /// All weights, in their order.
    pub(crate) weights: Vec<i64>,
    /// The means that were moved, in words.
    pub(crate) moved: Vec<String>,
    /// Means that were left where they are, in words, with the reason.
    pub(crate) left_out: Vec<String>,
}

/// Moves the mean of a table, or of a row of one, rounded to a whole number, into a single weight,
/// where `directions` has an exact one of just these two: along it no score changes. All other
/// directions are left alone, also that of a table alone, whose mean changes no score.
///
/// Each move is tried on up to 10,000 rows, and left out if a score changes. Weights of a table
/// that no row reads move with it.
///
/// *Shapes*: `weights` and `names` have an entry for each weight of `reduction`.
/// *Cost*: a pass over `rows` for each mean.
///
/// # Errors
/// If rows cannot be read.
///
/// # Panics
/// If there are not as many values as weights.
pub(crate) fn canonical(
    directions: &[Direction],
    rows: PartRows<'_>,
    reduction: &Reduction,
    weights: &[i64],
    names: &[String],
) -> PassResult<CanonicalForm> {
    let mut form = CanonicalForm {
        weights: weights.to_vec(),
        moved: Vec::new(),
        left_out: Vec::new(),
    };
    for direction in directions.iter().filter(|d| d.is_exact() && d.is_whole()) {
        let Some(fold) = Fold::of(direction, names, &form.weights) else {
            continue;
        };
        // The mean is moved if all weights may have their new values, and no score changes.
        match fold.applied(reduction, &form.weights, names) {
            Ok(weights) => {
                let change = score_change(rows, reduction, [&form.weights, &weights])?;
                if change > 0.0 {
                    form.left_out
                        .push(fold.left_out(&format!("a score would change by {change}")));
                } else {
                    form.weights = weights;
                    form.moved.push(fold.sentence);
                }
            }
            Err(reason) => form.left_out.push(fold.left_out(&reason)),
        }
    }
    Ok(form)
}

/// Returns by how much a score of the rows changes at most from the first of `values` to the
/// second, in centipawns; 0 if by no more than rounding.
fn score_change(rows: PartRows<'_>, reduction: &Reduction, values: [&[i64]; 2]) -> PassResult<f64> {
    let [before, after] = values.map(|values| {
        let reals: Vec<f64> = values.iter().map(|&weight| weight as f64).collect();
        reduction.lanes_of(&reals)
    });
    let tolerance = ROUNDING * (1.0 + max_abs(&before) + max_abs(&after));
    let [linear, nonlinear] = changes(rows, &before, &[after])?.largest;
    let change = linear[0].max(nonlinear[0]);
    Ok(if change > tolerance { change } else { 0.0 })
}

/// A mean to be moved.
struct Fold {
    /// What is moved, in words.
    sentence: String,
    /// The numbers to add to the roots.
    steps: Vec<(WeightId, i64)>,
}

impl Fold {
    /// Returns the steps of weights, along a direction of a table, or a row of one, against a
    /// single weight, that bring the mean of the table nearest to 0. `None` if the direction is of
    /// other terms, or no step brings the mean nearer. `weights`: the present ones, by which the
    /// mean is computed.
    fn of(direction: &Direction, names: &[String], weights: &[i64]) -> Option<Self> {
        let is_one = |term: &NamedTerm| term.members == TermMembers::One;
        let is_table =
            |term: &NamedTerm| matches!(term.members, TermMembers::All | TermMembers::AllFitted);
        let (table, weight) = match direction.named.as_slice() {
            [a, b] if is_table(a) && is_one(b) => (a, b),
            [a, b] if is_one(a) && is_table(b) => (b, a),
            _ => return None,
        };
        // The terms of the direction: that of the single weight, and those of the table.
        let name = weight.to_string();
        let (single, mut members): (Vec<_>, Vec<_>) =
            (direction.terms.iter()).partition(|(root, _)| names[root.index()] == name);
        // A term of one weight has the weight's own name, so there is exactly one.
        let &[(single, of_single)] = single.as_slice() else {
            return None;
        };
        members.extend(&direction.unread);
        let sum: i64 = members.iter().map(|(root, _)| weights[root.index()]).sum();
        let mean = sum as f64 / members.len() as f64;
        // A mean of a half stays: rounded up, it would be moved back by the next fold.
        let times = -(mean / table.coefficient).round_ties_even() as i64;
        if times == 0 {
            return None;
        }
        let step = |coefficient: f64| times * coefficient as i64;
        let mut steps: Vec<(WeightId, i64)> =
            members.iter().map(|&(root, c)| (root, step(c))).collect();
        steps.push((single, step(of_single)));
        // "3 added to …", for the sentence.
        let part = |amount: i64, name: &NamedTerm| match amount {
            ..0 => format!("{} taken from {name}", -amount),
            _ => format!("{amount} added to {name}"),
        };
        let table = part(step(table.coefficient), table);
        let weight = part(step(of_single), weight);
        Some(Self {
            sentence: format!("{table}, {weight}"),
            steps,
        })
    }

    /// Says that the mean of the table is not moved, and why.
    fn left_out(&self, reason: &str) -> String {
        format!("not moved: {}: {reason}", self.sentence)
    }

    /// Returns all weights after the mean is moved, tied ones included. `Err`: why it cannot be, as
    /// a weight is frozen, would leave its bounds or be no whole number, or a constraint would not
    /// hold.
    fn applied(
        &self,
        reduction: &Reduction,
        weights: &[i64],
        names: &[String],
    ) -> Result<Vec<i64>, String> {
        let mut by_variable = vec![0; reduction.variables()];
        for &(root, step) in &self.steps {
            let name = &names[root.index()];
            let variable = reduction.roots().binary_search(&root);
            let variable = variable.map_err(|_| format!("{name} is frozen"))?;
            by_variable[variable] = step;
            let (low, high) = reduction.bounds()[variable];
            let value = weights[root.index()] + step;
            if (value as f64) < low || value as f64 > high {
                return Err(format!(
                    "{name} would be {value}, outside its bounds {low} to {high}"
                ));
            }
        }
        let mut moved = weights.to_vec();
        for (weight, (variable, factor, _)) in reduction.weight_terms().enumerate() {
            let step = variable.map_or(0, |variable| by_variable[variable.index()]);
            let change = factor * step as f64;
            if change.fract().abs() > 0.0 {
                let name = &names[weight];
                return Err(format!("{name} is tied and would be no whole number"));
            }
            moved[weight] += change as i64;
        }
        // The values of the variables: each is that of its root, the weight that others are tied
        // to.
        let at = |weights: &[i64]| -> Vec<f64> {
            let roots = reduction.roots().iter();
            roots.map(|root| weights[root.index()] as f64).collect()
        };
        let (before, after) = (at(weights), at(&moved));
        for (number, row) in reduction.constraints().iter().enumerate() {
            if row.violation(&after) > row.violation(&before) {
                return Err(format!("constraint {number} of the spec would not hold"));
            }
        }
        Ok(moved)
    }
}
