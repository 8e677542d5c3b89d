//! Weights that stand for each other: their estimates move together.

use std::collections::BTreeMap;

use tuner_solve::linalg::Symmetric;

/// From here on two weights count as standing for each other: each then explains
/// four fifths of the variance of the other.
const STRONG_CORRELATION: f64 = 0.9;

/// Sentences, at most. Chosen: what one reads.
const MOST_SENTENCES: usize = 20;

/// Pairs of strongly correlated variables of one table, or of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CorrelatedPairs {
    /// How many there are.
    pub(crate) count: usize,
    /// The variables of the strongest, the smaller first.
    pub(crate) variables: [usize; 2],
    /// Their correlation, from −1 to 1.
    pub(crate) correlation: f64,
    /// The variance inflation factor of each.
    pub(crate) inflation: [f64; 2],
}

/// Returns the name of the table of a weight: the weight's name up to the first `[` of an index or
/// `.` of a phase.
fn table(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

impl CorrelatedPairs {
    /// Returns the correlated pairs of weights in words: one pair by itself, several by the names
    /// of their tables and the strongest pair. *Shapes*: `names` has one for each variable.
    pub(crate) fn sentence(&self, names: &[&str]) -> String {
        let [first, second] = self.variables.map(|variable| names[variable]);
        let [a, b] = self.inflation;
        let meaning = if self.correlation < 0.0 {
            "the data tell their sum and hardly their difference"
        } else {
            "the data tell their difference and hardly their sum"
        };
        let correlation = self.correlation;
        if self.count == 1 {
            return format!(
                "{first} and {second} stand for each other: correlation {correlation:.3}, variance \
                 inflated {a:.0} and {b:.0} times; {meaning}"
            );
        }
        let tables = match [table(first), table(second)] {
            [one, other] if one == other => one.to_owned(),
            [one, other] => format!("{one} and {other}"),
        };
        format!(
            "weights of {tables} stand for each other: {} pairs, most {first} and {second} with \
             correlation {correlation:.3}; {meaning}",
            self.count
        )
    }
}

/// Returns the variance inflation factor of each variable, H_jj·(H⁻¹)_jj: how many
/// times its variance is what it would be if the others were known.
///
/// *Shapes*: `curvature` is H and `inverse` H⁻¹, of the same variables. With the
/// curvature of a prior in both it is that of estimates with the prior.
/// *Source*: D. W. Marquardt, Generalized inverses, ridge regression, biased linear
/// estimation, and nonlinear estimation, Technometrics 12, 1970.
///
/// # Panics
/// If their sizes differ.
pub(crate) fn variance_inflation(curvature: &Symmetric, inverse: &Symmetric) -> Vec<f64> {
    assert_eq!(curvature.size(), inverse.size(), "matrices of one size");
    let product = |i| curvature.get(i, i) * inverse.get(i, i);
    (0..curvature.size()).map(product).collect()
}

/// Returns the pairs of variables whose correlation is at least [`STRONG_CORRELATION`] in size,
/// from 0 to 1. Pairs of the same two tables are one entry, with their number and the strongest of
/// them; entries are sorted, the strongest first, at most twenty. A table is what the name says up
/// to the first `[` or `.`.
///
/// *Shapes*: `inflation` and `names` have an entry for each variable of `covariance`.
/// Variables of variance 0 are in no pair. *Cost*: a look at each pair.
///
/// # Panics
/// If there are not as many factors or names as variables.
pub(crate) fn correlations(
    covariance: &Symmetric,
    inflation: &[f64],
    names: &[&str],
) -> Vec<CorrelatedPairs> {
    let size = covariance.size();
    assert_eq!(inflation.len(), size, "one factor per variable");
    assert_eq!(names.len(), size, "one name per variable");
    let variances = covariance.diagonal().into_iter();
    let deviations: Vec<f64> = variances.map(|v| v.max(0.0).sqrt()).collect();
    let mut by_tables: BTreeMap<[&str; 2], CorrelatedPairs> = BTreeMap::new();
    for first in 0..size {
        let row = covariance.row(first);
        for second in first + 1..size {
            let deviation = deviations[first] * deviations[second];
            // 0/0 is NaN, which makes no pair.
            let correlation = (row[second] / deviation).clamp(-1.0, 1.0);
            if correlation.abs() < STRONG_CORRELATION || deviation.is_nan() || deviation <= 0.0 {
                continue;
            }
            let pair = CorrelatedPairs {
                count: 1,
                variables: [first, second],
                correlation,
                inflation: [inflation[first], inflation[second]],
            };
            // Pairs of the same tables are counted, and the strongest is kept.
            let pairs = by_tables.entry([first, second].map(|variable| table(names[variable])));
            pairs
                .and_modify(|strongest| {
                    let count = strongest.count + 1;
                    if correlation.abs() > strongest.correlation.abs() {
                        *strongest = pair;
                    }
                    strongest.count = count;
                })
                .or_insert(pair);
        }
    }
    let mut pairs: Vec<CorrelatedPairs> = by_tables.into_values().collect();
    pairs.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
    pairs.truncate(MOST_SENTENCES);
    pairs
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use tuner_solve::linalg::Cholesky;

    #[test]
    fn pairs_that_stand_for_each_other_are_named() {
        // The curvature of features 0 and 2 has a correlation of 0.98.
        let mut curvature = Symmetric::zeros(4);
        (0..4).for_each(|i| curvature.add(i, i, 2.0 + i as f64));
        curvature.add(0, 2, 0.98 * 8_f64.sqrt());
        curvature.add(1, 3, 0.5);
        let inverse = Cholesky::new(&curvature).unwrap().inverse();
        let inflation = variance_inflation(&curvature, &inverse);
        // 1/(1 − r²), by the definition for two variables.
        assert!((inflation[0] - 1.0 / (1.0 - 0.98 * 0.98)).abs() < 1e-9);
        assert!((inflation[1] - 1.0 / (1.0 - 0.25 / 15.0)).abs() < 1e-9);
        let names = ["A", "B", "C", "D"];
        let pairs = correlations(&inverse, &inflation, &names);
        assert_eq!(pairs.len(), 1);
        assert!((pairs[0].correlation + 0.98).abs() < 1e-9);
        assert_eq!(
            pairs[0].sentence(&names),
            "A and C stand for each other: correlation -0.980, variance inflated 25 and 25 times; \
             the data tell their sum and hardly their difference"
        );
    }

    #[test]
    fn the_strongest_pairs_come_first_and_constants_in_none() {
        let size = 30;
        let mut covariance = Symmetric::zeros(size);
        (1..size).for_each(|i| covariance.add(i, i, 1.0));
        for i in 1..size {
            for j in 1..i {
                covariance.add(i, j, 0.9 + (i + j) as f64 / 1000.0);
            }
        }
        let names: Vec<String> = (0..size).map(|i| format!("T[{i}]")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let pairs = correlations(&covariance, &vec![1.0; size], &names);
        assert_eq!((pairs.len(), pairs[0].variables), (1, [28, 29]));
        assert_eq!(pairs[0].count, 29 * 28 / 2);
        let sentence = pairs[0].sentence(&names);
        assert!(
            sentence.starts_with(
                "weights of T stand for each other: 406 pairs, most T[28] and T[29] with"
            ),
            "{sentence}"
        );
        // Names without tables are tables of their own: the strongest twenty are told.
        let names: Vec<String> = (0..size).map(|i| format!("T{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let pairs = correlations(&covariance, &vec![1.0; size], &names);
        assert_eq!((pairs.len(), pairs[0].variables), (20, [28, 29]));
        assert!(pairs.is_sorted_by(|a, b| a.correlation >= b.correlation));
        assert!(pairs.iter().all(|pair| pair.variables[0] > 0));
    }
}
