//! Which parameter explains the differences between production and twin.
//!
//! Where production counts a term with the wrong sign, or not at all, the
//! difference of the scores is a multiple of that term's share. So each
//! parameter's share is regressed on the differences by itself.

use std::collections::BTreeMap;

use tuner_base::WeightId;
use tuner_trace::{ExpressionValues, Leaf, Trace};

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

/// Sums of regressions of differences on the share of each parameter and of each weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suspects {
    /// By parameter (its first weight): Σ share² and Σ share·difference.
    parameters: Sums,
    /// By weight: Σ share² and Σ share·difference, as one entry of a table may be wrong by itself.
    weights: Sums,
    differences: f64,
    positions: u64,
}

/// Fewest differences that a culprit is named for: any parameter explains one of them.
const FEWEST: u64 = 3;

/// Σ share², Σ share·difference.
type Sums = BTreeMap<WeightId, (f64, f64)>;

/// Adds to the sums Σ share² and Σ share·difference of each parameter or weight in `more` the pair
/// that `of` makes of what `more` has for it. A share is the part of a row's score that the
/// parameter or weight makes up.
fn add<T>(sums: &mut Sums, more: &BTreeMap<WeightId, T>, of: impl Fn(&T) -> (f64, f64)) {
    for (&key, more) in more {
        let (sum, more) = (sums.entry(key).or_default(), of(more));
        sum.0 += more.0;
        sum.1 += more.1;
    }
}

impl Suspects {
    /// Notes a row whose score is off. `values`: the weights, by leaf number; `evaluated`: memory
    /// for the values of its expression; `difference`: production − twin at this row, in the unit
    /// of the score; `owner`: of a leaf, the weight that it is, and the first weight of its
    /// parameter. Returns the share of each parameter, named by its first weight, in the score of
    /// the row, the largest first: the sum over its weights of derivative·value.
    pub fn note(
        &mut self,
        trace: &Trace,
        values: &[f64],
        evaluated: &mut ExpressionValues,
        difference: f64,
        owner: impl Fn(Leaf) -> [WeightId; 2],
    ) -> Vec<(WeightId, f64)> {
        let mut derivatives = vec![0.0; values.len()];
        trace.add_derivatives(values, evaluated, &mut derivatives);
        let mut shares: BTreeMap<WeightId, f64> = BTreeMap::new();
        let mut single: BTreeMap<WeightId, f64> = BTreeMap::new();
        for &(leaf, _) in trace.forms.iter().flat_map(|form| &form.terms) {
            // Each derivative is set to 0 once used, so that a leaf in two forms counts once.
            let derivative = std::mem::take(&mut derivatives[leaf.index()]);
            let share = derivative * values[leaf.index()];
            let [weight, parameter] = owner(leaf);
            *shares.entry(parameter).or_default() += share;
            *single.entry(weight).or_default() += share;
        }
        self.differences += difference * difference;
        self.positions += 1;
        // What a regression of the differences on the shares adds up.
        let products = |&share: &f64| (share * share, share * difference);
        add(&mut self.parameters, &shares, products);
        add(&mut self.weights, &single, products);
        // The largest share first, whatever its sign.
        let mut terms: Vec<_> = shares.into_iter().collect();
        terms.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        terms
    }

    /// Adds the sums that were noted of other rows.
    pub fn merge(&mut self, other: &Self) {
        self.differences += other.differences;
        self.positions += other.positions;
        add(&mut self.parameters, &other.parameters, |&sums| sums);
        add(&mut self.weights, &other.weights, |&sums| sums);
    }

    /// Returns the parameter, or the single weight, that explains most of the noted differences
    /// between production and twin; `None` if there are too few positions, or nothing explains most
    /// of them. `parameter`, `weight`: the name of a parameter by its first weight, and of a
    /// weight. A whole parameter is preferred where one of its weights explains no more.
    pub fn culprit(
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
            // More by a millionth at least: less is rounding.
            (Some(whole), Some(single)) if single.explained > whole.explained + 1e-6 => {
                Some(single)
            }
            (whole, single) => whole.or(single),
        }
    }

    /// Returns the key of `sums`, a parameter or a weight, that explains most of the differences;
    /// `None` if no key explains enough. `name`: of a key. The regression through 0 of the
    /// differences d on a share s (the part of the score that the key makes up) has the factor Σ
    /// s·d / Σ s², and explains (Σ s·d)² / (Σ s²·Σ d²) of their squares.
    fn best(&self, sums: &Sums, name: impl Fn(WeightId) -> String) -> Option<Culprit> {
        // A share that is 0 in all rows explains nothing, and has no factor.
        let counting = sums.iter().filter(|(_, sums)| sums.0 > 0.0);
        let explained = counting.map(|(&key, &(squares, products))| {
            let factor = products / squares;
            (key, factor, factor * products / self.differences)
        });
        let convicted = explained.filter(|&(_, factor, explained)| convicting(factor, explained));
        let best = convicted.max_by(|a, b| a.2.total_cmp(&b.2))?;
        Some(Culprit {
            parameter: name(best.0),
            factor: best.1,
            explained: best.2,
        })
    }
}

/// Tells whether a regression of the differences on a parameter's share of the score names that
/// parameter as the culprit. `factor`: difference per unit of the share; `explained`: part of the
/// squared differences. Chosen: a factor that a typical mistake has, −2, −1 or 1 within a quarter,
/// may leave a quarter to other mistakes; any other one, below 4 in size, may leave a twentieth, as
/// anything fits a little.
fn convicting(factor: f64, explained: f64) -> bool {
    let is_near = |typical: f64| (factor - typical).abs() < 0.25;
    let typical = [-2.0, -1.0, 1.0].into_iter().any(is_near);
    (typical && explained > 0.75) || (factor.abs() < 4.0 && explained > 0.95)
}

impl Culprit {
    /// Says in a sentence how much of the differences the parameter explains, and by which mistake,
    /// where the factor is within a quarter of that of a known one. `production`, `twin`: the names
    /// of the two scores.
    pub fn sentence(&self, production: &str, twin: &str) -> String {
        let share = self.explained * 100.0;
        let what = if (self.factor + 2.0).abs() < 0.25 {
            "its sign is wrong in one of the two".to_owned()
        } else if (self.factor + 1.0).abs() < 0.25 {
            format!("{twin} counts it, {production} does not")
        } else if (self.factor - 1.0).abs() < 0.25 {
            format!("{production} counts it once more than {twin}")
        } else {
            "the two count it differently".to_owned()
        };
        format!(
            "`{}` explains {share:.0} % of the differences ({:+.2} times its share): {what}",
            self.parameter, self.factor
        )
    }
}
