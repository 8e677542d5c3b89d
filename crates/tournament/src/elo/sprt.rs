//! The sequential probability ratio test, generalised to pairs of games, or to single games.
//!
//! Two hypotheses about the difference in strength, `elo0` and `elo1`; after
//! every pair the likelihoods of the counts under both are compared, each with
//! the distribution of pairs that explains the counts best among those of that
//! strength. The test ends when the logarithm of the ratio leaves the interval
//! from ln(β/(1 − α)) to ln((1 − β)/α).
//!
//! *Source*: M. Van den Bergh, "Comments on normalized Elo" (normalised units,
//! section 4.1) and "The generalized maximum likelihood ratio for the
//! expectation value of a distribution" (logistic units), 2021; it is what
//! fishtest and OpenBench compute, and the tests below are their results.

use serde::{Deserialize, Serialize};

use super::frequencies::{Frequencies, NELO_PER_T};

/// Largest strength that a hypothesis may have, either way. Chosen; far beyond
/// it no distribution of pairs fits well, and nobody needs a test.
const MOST_ELO: f64 = 400.0;

/// In place of a count of 0, as fishtest does it: no result is impossible.
const NEVER_SEEN: f64 = 1e-3;

/// Most rounds of the fixed point for normalised units. fishtest takes 10, and some ten are
/// enough for strengths in use; hundreds of Elo, against what the counts say, took up to 213
/// in 1,500 random cases.
const ROUNDS: usize = 2_000;

/// How far a t-value is gone at once. Chosen: the uniform distribution, where
/// it begins, leads to any up to 0.9; 0.1 is 25 normalised Elo.
const STEP: f64 = 0.1;

/// The unit of a number of Elo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EloUnit {
    /// The logistic curve of points: 1/(1 + 10^(−elo/400)).
    Logistic,
    /// Points over their deviation a game: the same number of games decides
    /// whatever the share of draws. What fishtest and OpenBench use.
    #[default]
    Normalised,
}

/// A test that can be run; one that was read is to be [checked](Self::check).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Sprt {
    /// The hypotheses, in `unit`: a side fails by the first, and passes by the second.
    elo0: f64,
    elo1: f64,
    /// The risks of passing a side of `elo0`, and of failing one of `elo1`.
    alpha: f64,
    beta: f64,
    unit: EloUnit,
}

/// Why a test cannot be run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct SprtError(String);

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// `elo1` is the better explanation: the side passes.
    Passed,
    /// `elo0` is the better explanation: the side fails.
    Failed,
}

impl Sprt {
    /// Sets up a sequential probability ratio test of two strengths, `elo0` and `elo1`, in `unit`.
    ///
    /// `alpha`: the risk of passing a side of strength `elo0`; `beta`: the risk of failing a side
    /// of strength `elo1`.
    ///
    /// # Errors
    /// Unless `elo0 < elo1`, both within ±400, and both risks above 0 with a sum below 1.
    pub fn new(
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        unit: EloUnit,
    ) -> Result<Self, SprtError> {
        let sprt = Self {
            elo0,
            elo1,
            alpha,
            beta,
            unit,
        };
        sprt.check().map(|()| sprt)
    }

    /// Fails if the test cannot be run, by its strengths or its risks.
    ///
    /// # Errors
    /// Unless `elo0 < elo1`, both within ±400, and both risks above 0 with a sum below 1.
    pub fn check(&self) -> Result<(), SprtError> {
        let ((elo0, elo1), alpha, beta) = (self.hypotheses(), self.alpha, self.beta);
        let within = |elo: f64| elo.abs() <= MOST_ELO;
        if !(within(elo0) && within(elo1) && elo0 < elo1) {
            return Err(SprtError(format!(
                "elo0 is {elo0} and elo1 {elo1}; expected elo0 below elo1, both within ±{MOST_ELO}"
            )));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError(format!(
                "alpha is {alpha} and beta {beta}; expected both above 0, with a sum below 1"
            )));
        }
        Ok(())
    }

    /// Returns the values of the log-likelihood ratio at which the test fails and passes: ln(β/(1 −
    /// α)) and ln((1 − β)/α), where α is the risk of passing a side of strength `elo0`, and β that
    /// of failing one of `elo1`.
    pub fn bounds(&self) -> (f64, f64) {
        (
            (self.beta / (1.0 - self.alpha)).ln(),
            ((1.0 - self.beta) / self.alpha).ln(),
        )
    }

    /// Returns the two strengths between which the test decides, `elo0` and `elo1`, in the unit of
    /// the test.
    pub fn hypotheses(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// Returns the log-likelihood ratio of the counts n of results, of pairs of games or of single
    /// games: Σ n·ln(q₁/q₀), where q₀ and q₁ are the distributions of results that explain the
    /// counts best among those of strength `elo0` and of strength `elo1`. 0 without counts.
    pub fn llr<F: Frequencies>(&self, counts: &F) -> f64 {
        if counts.total() == 0 {
            return 0.0;
        }
        let each = f64::from(counts.games_of_entry());
        // In place of 0 a count is a small number, as no result is impossible.
        let counts: Vec<f64> = (counts.counts().iter())
            .map(|&n| if n == 0 { NEVER_SEEN } else { n as f64 })
            .collect();
        let total: f64 = counts.iter().sum();
        let shares: Vec<f64> = counts.iter().map(|n| n / total).collect();
        let best = |elo: f64| match self.unit {
            EloUnit::Logistic => with_mean(&shares, 1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))),
            // A t-value is (mean − ½)/deviation of the points; that of a pair is √2 times that of a
            // game.
            EloUnit::Normalised => with_t(&shares, elo / NELO_PER_T * each.sqrt()),
        };
        let (q0, q1) = (best(self.elo0), best(self.elo1));
        let terms = counts.iter().zip(q0.iter().zip(q1));
        terms.map(|(n, (q0, q1))| n * (q1 / q0).ln()).sum()
    }

    /// Returns how the test has ended by these counts of results; `None` while it is open.
    pub fn decides<F: Frequencies>(&self, counts: &F) -> Option<Verdict> {
        self.verdict(self.llr(counts))
    }

    /// Returns how the test has ended at this log-likelihood ratio, by its two bounds, at which it
    /// fails and passes; `None` between them.
    pub fn verdict(&self, llr: f64) -> Option<Verdict> {
        let (fails, passes) = self.bounds();
        if llr >= passes {
            Some(Verdict::Passed)
        } else if llr <= fails {
            Some(Verdict::Failed)
        } else {
            None
        }
    }
}

/// Returns the points that go with each of so many kinds of results, which rise evenly from 0 to 1.
fn points(entries: usize) -> impl Iterator<Item = f64> {
    let all = entries.saturating_sub(1) as f64;
    (0..entries).map(move |i| i as f64 / all)
}

/// Returns the distribution q that makes observed shares p most likely among those with Σ q·a = 0,
/// where a has both signs: q = p/(1 + x·a), where x solves Σ p·a/(1 + x·a) = 0.
fn constrained(p: &[f64], a: &[f64]) -> Vec<f64> {
    let low = a.iter().copied().fold(f64::INFINITY, f64::min);
    let high = a.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // The sum falls from +∞ to −∞ as x goes from −1/max a to −1/min a, where 1 + x·a becomes 0, so
    // halving that interval cannot fail.
    let (mut left, mut right) = (-1.0 / high, -1.0 / low);
    for _ in 0..200 {
        let x = f64::midpoint(left, right);
        let sum: f64 = p.iter().zip(a).map(|(p, a)| p * a / (1.0 + x * a)).sum();
        if sum > 0.0 {
            left = x;
        } else {
            right = x;
        }
    }
    let x = f64::midpoint(left, right);
    p.iter().zip(a).map(|(p, a)| p / (1.0 + x * a)).collect()
}

/// Returns the distribution of results that makes the observed shares p most likely, among those
/// whose points, which rise evenly from 0 to 1, have this mean.
fn with_mean(p: &[f64], mean: f64) -> Vec<f64> {
    let a: Vec<f64> = points(p.len()).map(|point| point - mean).collect();
    constrained(p, &a)
}

/// Returns the distribution of results that makes the observed shares p most likely, among those
/// whose points, which rise evenly from 0 to 1, have (mean − ½)/deviation = t.
///
/// It is followed from t = 0 on in steps of 0.1 at most, as a solution is found only from a
/// distribution that is near it, and the uniform one, with which it begins, is far from a large t.
fn with_t(p: &[f64], t: f64) -> Vec<f64> {
    let steps = (t.abs() / STEP).ceil().max(1.0);
    let mut q = vec![1.0 / p.len() as f64; p.len()];
    let mut step = 1.0;
    while step <= steps {
        q = near(p, t * step / steps, q);
        step += 1.0;
    }
    q
}

/// Returns the distribution of results that makes the observed shares p most likely, among those
/// whose points, which rise evenly from 0 to 1, have (mean − ½)/deviation = t. `q` is a
/// distribution that nearly has this t. The condition is made linear at the last distribution, by
/// the derivatives of its mean and its deviation, and solved again and again until no share changes
/// by 1e-12, but 2,000 times (`ROUNDS`) at most.
///
/// *Source*: M. Van den Bergh, "Comments on normalized Elo", 2021, section 4.1.
fn near(p: &[f64], t: f64, mut q: Vec<f64>) -> Vec<f64> {
    for _ in 0..ROUNDS {
        let (mean, deviation) = moments(&q);
        let linear = points(p.len()).map(|a| {
            let z = (mean - a) / deviation;
            a - 0.5 - t * deviation * (1.0 + z * z) / 2.0
        });
        let next = constrained(p, &linear.collect::<Vec<_>>());
        let change = q.iter().zip(&next).map(|(q, next)| (q - next).abs());
        let change = change.fold(0.0, f64::max);
        q = next;
        if change < 1e-12 {
            break;
        }
    }
    q
}

/// Returns mean and standard deviation of the points of a distribution of results, whose points
/// rise evenly from 0 to 1.
fn moments(q: &[f64]) -> (f64, f64) {
    let mean: f64 = q.iter().zip(points(q.len())).map(|(q, a)| q * a).sum();
    let terms = q.iter().zip(points(q.len()));
    let variance: f64 = terms.map(|(q, a)| q * (a - mean) * (a - mean)).sum();
    (mean, variance.sqrt())
}

#[cfg(test)]
mod tests;
