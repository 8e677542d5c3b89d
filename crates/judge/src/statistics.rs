//! Probabilities of the distributions that tests use.

use crate::beta::incomplete_beta;

/// Level of tests, and of false discoveries among them.
pub const LEVEL: f64 = 0.05;

/// How many standard errors a two-sided 95 % interval reaches to each side.
pub(crate) const INTERVAL: f64 = 1.959_963_984_540_054;

/// Above the 95 % limit of Student's t for all degrees of freedom: 12.706 for one, less for more.
const WIDEST: f64 = 12.75;

/// Returns how many standard errors a two-sided 95 % interval reaches to each side, by Student's t.
/// `games`: how many the standard error rests on; with fewer than two the interval is infinite.
///
/// *Cost*: some fifty values of [`two_sided`], by bisection.
pub(crate) fn reach(games: usize) -> f64 {
    let freedom = games.saturating_sub(1) as f64;
    if freedom < 1.0 {
        return f64::INFINITY;
    }
    // From the limit with infinitely many games to above the limit with two; until the two ends are
    // neighbours among floats.
    let (mut low, mut high) = (INTERVAL, WIDEST);
    loop {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            return middle;
        }
        if two_sided(middle, freedom) > LEVEL {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Returns the probability of an estimate as far from 0 as `t` standard errors, to either side, if
/// the true value is 0, by Student's t. `games`: how many the standard error rests on; `None` with
/// fewer than two.
pub(crate) fn two_sided_by_games(t: f64, games: usize) -> Option<f64> {
    let freedom = games.saturating_sub(1) as f64;
    (freedom >= 1.0).then(|| two_sided(t, freedom))
}

/// Returns the probability that Student's t is as far from 0 as `t`, to either side:
/// `I_x(ν/2, ½)` at `x = ν / (ν + t²)`, with `freedom` for ν, the degrees of freedom. For NaN it is
/// 1.
///
/// *Source*: M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 26.7.1.
fn two_sided(t: f64, freedom: f64) -> f64 {
    if !t.is_finite() {
        return if t.is_nan() { 1.0 } else { 0.0 };
    }
    beyond(t * t, 1.0, freedom).min(1.0)
}

/// Returns the probability of a Wald statistic of `count` parameters as large as `statistic` if all
/// are 0, by Hotelling's T². `clusters`: how many groups of games their covariance was estimated
/// from. `None` where there are no more clusters than parameters, no parameters, or the statistic
/// is not finite.
///
/// *Source*: H. Hotelling, The generalization of Student's ratio, Annals of
/// Mathematical Statistics 2, 1931.
pub(crate) fn wald(statistic: f64, count: usize, clusters: usize) -> Option<f64> {
    let (parameters, clusters) = (count as f64, clusters as f64);
    let freedom = clusters - parameters;
    if count == 0 || freedom < 1.0 || !statistic.is_finite() {
        return None;
    }
    // T² as F with `parameters` and `freedom` degrees of freedom.
    let ratio = statistic * freedom / (parameters * (clusters - 1.0));
    Some(beyond(ratio.max(0.0), parameters, freedom))
}

/// Returns the probability that F with `above` and `below` degrees of freedom is larger
/// than `ratio`: `I_x(below/2, above/2)` at `x = below / (below + above · ratio)`.
///
/// *Source*: M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions, 26.6.2.
fn beyond(ratio: f64, above: f64, below: f64) -> f64 {
    let part = above * ratio;
    let sum = below + part;
    incomplete_beta(0.5 * below, 0.5 * above, below / sum, part / sum)
}

/// Tells of each probability of a test whether the test is a discovery, such that at most [`LEVEL`]
/// of the discoveries are false on average. A probability that is not known (`None`) is no
/// discovery, and does not count among the tests.
///
/// *Cost*: they are sorted.
///
/// *Source*: Y. Benjamini, Y. Hochberg, Controlling the false discovery rate,
/// Journal of the Royal Statistical Society B 57, 1995.
pub fn discoveries(probabilities: impl IntoIterator<Item = Option<f64>>) -> Vec<bool> {
    let probabilities: Vec<Option<f64>> = probabilities.into_iter().collect();
    let mut sorted: Vec<f64> = probabilities.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    // Discoveries are all up to the largest that is at most `LEVEL` times its rank over the count.
    let count = sorted.len() as f64;
    let ranked = sorted.iter().zip(1_u32..);
    let small = ranked.filter(|&(p, rank)| *p <= LEVEL * f64::from(rank) / count);
    let last = small.map(|(p, _)| *p).last();
    let is_one = |p: &Option<f64>| p.zip(last).is_some_and(|(p, last)| p <= last);
    probabilities.iter().map(is_one).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    use statrs::distribution::{ContinuousCDF, FisherSnedecor, StudentsT};

    #[test]
    fn probabilities_are_those_of_another_library() {
        for games in [2, 3, 6, 31, 400, 20_000] {
            let freedom = (games - 1) as f64;
            let other = StudentsT::new(0.0, 1.0, freedom).unwrap();
            let limit = other.inverse_cdf(1.0 - LEVEL / 2.0);
            assert!((reach(games) - limit).abs() < 1e-9 * limit, "{games}");
            for t in [0.0, 0.1, 0.7, 1.0, 1.96, 3.0, 8.0, 40.0] {
                let (found, other) = (two_sided(t, freedom), 2.0 * other.cdf(-t));
                assert!(
                    (found - other).abs() < 1e-10 * (1.0 + other),
                    "{games} {t}: {found} {other}"
                );
            }
            for above in [1.0, 2.0, 7.0, 60.0] {
                let f = FisherSnedecor::new(above, freedom).unwrap();
                for ratio in [0.0, 0.3, 1.0, 2.5, 9.0] {
                    let (found, other) = (beyond(ratio, above, freedom), f.sf(ratio));
                    assert!(
                        (found - other).abs() < 1e-9,
                        "{games} {above} {ratio}: {found} {other}"
                    );
                }
            }
        }
        // F of one parameter is the square of t.
        assert!((beyond(4.0, 1.0, 10.0) - two_sided(2.0, 10.0)).abs() < 1e-15);
        // Table 26.9 of Abramowitz and Stegun: 5 % of F(3, 10) is 3.71, of F(8, 20) 2.45.
        assert!((beyond(3.71, 3.0, 10.0) - LEVEL).abs() < 1e-4);
        assert!((beyond(2.45, 8.0, 20.0) - LEVEL).abs() < 5e-4); // 2.447
        assert!(two_sided(f64::INFINITY, 5.0) <= 0.0 && two_sided(f64::NAN, 5.0) >= 1.0);
    }

    #[test]
    fn probabilities_are_those_of_tables() {
        // Student's t with 9 degrees of freedom: 2.262; with 1: 12.706.
        assert!((reach(10) - 2.262).abs() < 1e-3 && (reach(2) - 12.706).abs() < 1e-2);
        assert!(reach(1).is_infinite() && (reach(1_000_000) - INTERVAL).abs() < 1e-4);
        assert!(two_sided_by_games(INTERVAL, 1 << 20).is_some_and(|p| (p - 0.05).abs() < 1e-5));
        assert!(two_sided_by_games(-2.262, 10).is_some_and(|p| (p - 0.05).abs() < 1e-4));
        assert_eq!(two_sided_by_games(2.0, 1), None);
        // χ² with 2 degrees of freedom: 5.991 at 5 %; T² tends to it.
        assert!(wald(5.991, 2, 1_000_000).is_some_and(|p| (p - 0.05).abs() < 1e-4));
        assert_eq!(wald(5.0, 3, 3), None);
        assert_eq!(wald(5.0, 0, 30), None);
    }

    #[test]
    fn discoveries_are_those_of_benjamini_and_hochberg() {
        // The example of their paper, of which four are found at 5 %.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
            0.5719, 0.6528, 0.7590, 1.0000,
        ];
        let found = discoveries(p.map(Some));
        assert_eq!(found.iter().filter(|&&found| found).count(), 4);
        assert!(found[..4].iter().all(|&found| found));
        assert_eq!(discoveries([None, Some(0.2), None]), [false; 3]);
        assert_eq!(discoveries([None, Some(0.04)]), [false, true]);
    }
}
