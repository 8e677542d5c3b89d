//! Which parameter explains the differences between production and twin.
//!
//! Where production counts a term with the wrong sign, or not at all, the
//! difference of the scores is a multiple of that term's share. So each
//! parameter's share is regressed on the differences by itself.

use std::collections::BTreeMap;

use tuner_base::WeightId;

/// The parameter that explains the differences best.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Its name, or that of the one weight.
    pub parameter: String,
    /// Difference (production − twin) per unit of the parameter's share:
    /// −2 is a wrong sign, −1 a term that production does not count, 1 one
    /// that the twin counts once too few.
    pub factor: f64,
    /// Part of the squared differences that it explains, at most 1.
    pub explained: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Suspects {
    /// By parameter, named by its first weight.
    parameters: Sums,
    /// By weight: one entry of a table may be wrong by itself.
    weights: Sums,
    differences: f64,
    positions: u64,
}

/// Differences from which one explanation says something: any parameter explains one of them.
const FEWEST: u64 = 3;

/// Σ share², Σ share·difference.
type Sums = BTreeMap<WeightId, (f64, f64)>;

fn add<T>(sums: &mut Sums, more: &BTreeMap<WeightId, T>, of: impl Fn(&T) -> (f64, f64)) {
    for (&key, more) in more {
        let (sum, more) = (sums.entry(key).or_default(), of(more));
        sum.0 += more.0;
        sum.1 += more.1;
    }
}

impl Suspects {
    pub(super) fn add(
        &mut self,
        parameters: &BTreeMap<WeightId, f64>,
        weights: &BTreeMap<WeightId, f64>,
        difference: f64,
    ) {
        self.differences += difference * difference;
        self.positions += 1;
        let products = |&share: &f64| (share * share, share * difference);
        add(&mut self.parameters, parameters, products);
        add(&mut self.weights, weights, products);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.differences += other.differences;
        self.positions += other.positions;
        add(&mut self.parameters, &other.parameters, |&sums| sums);
        add(&mut self.weights, &other.weights, |&sums| sums);
    }

    /// The best explanation, if one explains most of the differences. A whole
    /// parameter is preferred where one of its weights explains as much.
    pub(super) fn culprit(
        &self,
        parameter: impl Fn(WeightId) -> String,
        weight: impl Fn(WeightId) -> String,
    ) -> Option<Culprit> {
        if self.positions < FEWEST {
            return None;
        }
        let whole = self.best(&self.parameters, parameter);
        let single = self.best(&self.weights, weight);
        match (whole, single) {
            (Some(whole), Some(single)) if single.explained > whole.explained + 1e-6 => {
                Some(single)
            }
            (whole, single) => whole.or(single),
        }
    }

    fn best(&self, sums: &Sums, name: impl Fn(WeightId) -> String) -> Option<Culprit> {
        let explained = sums
            .iter()
            .filter(|(_, sums)| sums.0 > 0.0)
            .map(|(&key, &(squares, products))| {
                let factor = products / squares;
                (key, factor, factor * products / self.differences)
            })
            .filter(|&(_, factor, explained)| convicting(factor, explained));
        let best = explained.max_by(|a, b| a.2.total_cmp(&b.2))?;
        Some(Culprit {
            parameter: name(best.0),
            factor: best.1,
            explained: best.2,
        })
    }
}

/// Whether a regression names a culprit. Chosen: a factor that a typical
/// mistake has may leave a quarter to other mistakes; any other small factor
/// must explain all but nothing, as anything fits a little.
fn convicting(factor: f64, explained: f64) -> bool {
    let typical = [-2.0, -1.0, 1.0]
        .iter()
        .any(|typical| (factor - typical).abs() < 0.25);
    (typical && explained > 0.75) || (factor.abs() < 4.0 && explained > 0.95)
}

impl Culprit {
    /// Returns its meaning in words.
    pub fn sentence(&self) -> String {
        let share = self.explained * 100.0;
        let what = if (self.factor + 2.0).abs() < 0.25 {
            "its sign is wrong in one of the two"
        } else if (self.factor + 1.0).abs() < 0.25 {
            "the twin counts it, production does not"
        } else if (self.factor - 1.0).abs() < 0.25 {
            "production counts it once more than the twin"
        } else {
            "the two count it differently"
        };
        format!(
            "`{}` explains {share:.0} % of the differences ({:+.2} times its share): {what}",
            self.parameter, self.factor
        )
    }
}
