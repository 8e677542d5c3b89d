//! Which parameter explains the differences between production and twin.
//!
//! Where production counts a term with the wrong sign, or not at all, the
//! difference of the scores is a multiple of that term's share. So each
//! parameter's share is regressed on the differences by itself.

use std::collections::BTreeMap;

/// The parameter that explains the differences best.
#[derive(Clone, Debug, PartialEq)]
pub struct Culprit {
    /// Its name.
    pub parameter: String,
    /// Difference (production − twin) per unit of the parameter's share:
    /// −2 is a wrong sign, −1 a term that production does not count, 1 one
    /// that the twin counts once too few.
    pub factor: f64,
    /// Part of the squared differences that it explains, at most 1.
    pub explained: f64,
}

/// Sums of the regressions, one for each parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Suspects {
    /// Σ share², Σ share·difference by parameter.
    sums: BTreeMap<usize, (f64, f64)>,
    differences: f64,
}

impl Suspects {
    /// Adds a position on which the scores differ.
    pub(super) fn add(&mut self, shares: &BTreeMap<usize, f64>, difference: f64) {
        self.differences += difference * difference;
        for (&parameter, &share) in shares {
            let (squares, products) = self.sums.entry(parameter).or_default();
            *squares += share * share;
            *products += share * difference;
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.differences += other.differences;
        for (&parameter, &(squares, products)) in &other.sums {
            let mine = self.sums.entry(parameter).or_default();
            mine.0 += squares;
            mine.1 += products;
        }
    }

    /// The best explanation, if one explains most of the differences.
    pub(super) fn culprit(&self, name: impl Fn(usize) -> String) -> Option<Culprit> {
        let explained =
            self.sums
                .iter()
                .filter(|(_, sums)| sums.0 > 0.0)
                .map(|(&parameter, sums)| {
                    (
                        parameter,
                        sums.1 / sums.0,
                        sums.1 * sums.1 / sums.0 / self.differences,
                    )
                });
        let best = explained.max_by(|a, b| a.2.total_cmp(&b.2))?;
        // Chosen: below three quarters more than one thing is wrong.
        (best.2 > 0.75).then(|| Culprit {
            parameter: name(best.0),
            factor: best.1,
            explained: best.2,
        })
    }
}

impl Culprit {
    /// What it means, in words.
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
