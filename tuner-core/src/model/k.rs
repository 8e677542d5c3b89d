//! Fits the scaling constant K to given weights.
//!
//! K and a common factor of all weights cannot be told apart, so K is fitted
//! once, on the initial weights, and then fixed.

use std::fmt;

use super::gradient::Pass;
use super::ordered::{CHUNK, WAVE, ordered};
use super::{Loss, Part, Sigmoid};
use crate::trace::rows::{Linearised, Row, TraceSet};

/// Smallest and largest K looked at. Scores in centipawns have K near 1;
/// in units of 1/10,000 pawn or of 10 pawns they are still inside.
const RANGE: (f64, f64) = (1e-4, 1e4);

/// A fitted scaling constant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KFit {
    /// K of σ(s) = 1/(1 + 10^(−K·s/400)).
    pub k: f64,
    /// β = K·ln 10/400, the slope of the log-odds per centipawn.
    pub slope_per_centipawn: f64,
    /// The error E at this K.
    pub error: f64,
    /// Passes over the scores that it took.
    pub passes: usize,
}

/// Why there is no K. Each tells what to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KError {
    /// No row belongs to the part.
    NoRows,
    /// All results are this one.
    OneResult(f64),
    /// All scores are this one.
    OneScore(f64),
    /// A score is not finite.
    NotFinite,
    /// The error still falls at the lower edge: scores do not go with results.
    LowerEdge(f64),
    /// The error still falls at the upper edge: scores foretell all results.
    UpperEdge(f64),
}

impl fmt::Display for KError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRows => f.write_str("no position to fit K to; give more data or --k"),
            Self::OneResult(r) => write!(
                f,
                "every position has the result {r}, so no K fits better than another; expected \
                 at least two different results; give data with wins and losses, or --k"
            ),
            Self::OneScore(s) => write!(
                f,
                "every position has the score {s} at the initial weights, so no K fits better \
                 than another; expected different scores; start from other weights or give --k"
            ),
            Self::NotFinite => f.write_str(
                "a score at the initial weights is not finite; correct the initial weights",
            ),
            Self::LowerEdge(k) => write!(
                f,
                "the error still falls at the smallest K looked at, {k:e}: high scores do not go \
                 with good results; look whether results are from the side to move, or give --k"
            ),
            Self::UpperEdge(k) => write!(
                f,
                "the error still falls at the largest K looked at, {k:e}: the sign of the score \
                 foretells every result; look whether results come from the scores, or give --k"
            ),
        }
    }
}

impl std::error::Error for KError {}

/// Finds the K of the smallest error at given lanes.
///
/// Brackets a sign change of dE/d(ln K), going up or down from K = 1, then
/// closes in by the Illinois method; the scores are computed once.
///
/// *Numerics*: K to a relative 1e-12; same bits on any number of threads.
/// *Cost*: one pass over the rows, about a dozen over their scores (24 bytes a
/// row meanwhile).
/// *Source*: M. Dowell, P. Jarratt, A modified regula falsi method, BIT 11, 1971.
///
/// # Errors
/// If the data do not determine K.
pub fn fit_k(traces: &TraceSet, lanes: &[f64], loss: Loss, part: Part) -> Result<KFit, KError> {
    let pass = Pass {
        traces,
        part,
        loss,
        beta: 0.0,
    };
    let mut samples = Samples {
        loss,
        rows: Vec::new(),
        passes: 0,
    };
    let table = traces.table(lanes);
    let chunk = |(): &mut (), rows| -> Vec<[f64; 3]> {
        let mut linearised = Linearised::default();
        let sample = |row: Row<'_>| [linearised.at(&row, &table), row.outcome(), row.weight()];
        pass.rows(rows).map(sample).collect()
    };
    ordered(traces.len(), CHUNK, WAVE, || (), chunk, |part| {
        samples.rows.extend(part);
    });
    samples.rows.retain(|row| row[2] > 0.0);
    samples.check()?;
    let log_k = samples.minimum()?;
    let sigmoid = Sigmoid::new(log_k.exp());
    Ok(KFit {
        k: sigmoid.k(),
        slope_per_centipawn: sigmoid.beta(),
        error: samples.at(log_k).0,
        passes: samples.passes,
    })
}

/// Score, result and weight of every row.
struct Samples {
    loss: Loss,
    rows: Vec<[f64; 3]>,
    passes: usize,
}

impl Samples {
    /// Refuses data that say nothing about K.
    fn check(&self) -> Result<(), KError> {
        let first = self.rows.first().ok_or(KError::NoRows)?;
        if self.rows.iter().any(|row| !row[0].is_finite()) {
            return Err(KError::NotFinite);
        }
        let differs = |column: usize| {
            self.rows
                .iter()
                .any(|row| row[column].to_bits() != first[column].to_bits())
        };
        if !differs(1) {
            return Err(KError::OneResult(first[1]));
        }
        if differs(0) {
            Ok(())
        } else {
            Err(KError::OneScore(first[0]))
        }
    }

    /// Returns E and dE/d(ln K).
    fn at(&mut self, log_k: f64) -> (f64, f64) {
        self.passes += 1;
        let beta = Sigmoid::new(log_k.exp()).beta();
        let chunk = |(): &mut (), range: std::ops::Range<usize>| {
            self.rows[range]
                .iter()
                .fold([0.0; 3], |sum, &[score, r, weight]| {
                    let z = beta * score;
                    let penalty = self.loss.penalty(z, r);
                    [
                        sum[0] + weight * penalty.value,
                        sum[1] + weight * penalty.slope * z,
                        sum[2] + weight,
                    ]
                })
        };
        let mut total = [0.0; 3];
        ordered(self.rows.len(), CHUNK, WAVE, || (), chunk, |part| {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        });
        (total[0] / total[2], total[1] / total[2])
    }

    /// Returns the ln K at which the error is smallest.
    fn minimum(&mut self) -> Result<f64, KError> {
        let (mut low, mut low_slope, mut high, mut high_slope) = self.bracket()?;
        if low_slope == 0.0 {
            return Ok(low);
        }
        let mut kept_low = None;
        while high - low > 1e-12 * high.abs().max(1.0) {
            let mut middle = (low * high_slope - high * low_slope) / (high_slope - low_slope);
            if !(middle > low && middle < high) {
                middle = 0.5 * (low + high);
                if !(middle > low && middle < high) {
                    break; // neighbouring numbers
                }
            }
            let slope = self.at(middle).1;
            if slope == 0.0 {
                return Ok(middle);
            }
            if slope < 0.0 {
                (low, low_slope) = (middle, slope);
                if kept_low == Some(false) {
                    high_slope *= 0.5; // the end that stays twice is trusted half
                }
                kept_low = Some(false);
            } else {
                (high, high_slope) = (middle, slope);
                if kept_low == Some(true) {
                    low_slope *= 0.5;
                }
                kept_low = Some(true);
            }
            if self.passes > 200 {
                break; // rounding keeps the ends apart; they agree to all printed digits
            }
        }
        Ok(0.5 * (low + high))
    }

    /// Returns two values of ln K and the slopes there: down, then up.
    fn bracket(&mut self) -> Result<(f64, f64, f64, f64), KError> {
        let step = 2_f64.ln();
        let (mut here, mut slope) = (0.0, self.at(0.0).1);
        // A slope of 0 is the minimum, or the plateau where every expectation is
        // 0 or 1 already; going on tells.
        let up = slope <= 0.0;
        loop {
            let next: f64 = if up { here + step } else { here - step };
            if next > RANGE.1.ln() {
                return Err(KError::UpperEdge(RANGE.1));
            }
            if next < RANGE.0.ln() {
                return Err(KError::LowerEdge(RANGE.0));
            }
            let next_slope = self.at(next).1;
            if (next_slope <= 0.0) != up {
                return Ok(if up {
                    (here, slope, next, next_slope)
                } else {
                    (next, next_slope, here, slope)
                });
            }
            (here, slope) = (next, next_slope);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use crate::trace::rows::{RowDraft, RowInfo};

    /// Rows of given scores and results.
    fn rows(samples: impl IntoIterator<Item = (f64, f64)>) -> TraceSet {
        let mut set = TraceSet::new(0);
        for (game, (score, outcome)) in samples.into_iter().enumerate() {
            let draft = RowDraft {
                constant: score,
                segments: Vec::new(),
                expression: None,
            };
            set.push(&draft, &RowInfo::new(outcome, game as u32))
                .unwrap();
        }
        set
    }

    fn fit(samples: impl IntoIterator<Item = (f64, f64)>) -> Result<KFit, KError> {
        fit_k(&rows(samples), &[], Loss::Squared, Part::All)
    }

    #[test]
    fn recovers_k_above_and_below_one() {
        for k in [0.003, 0.4, 1.0, 1.7, 900.0] {
            let sigmoid = Sigmoid::new(k);
            let samples = (-50..50).map(|s| {
                let score = f64::from(s) * 9.0 / k;
                (score, sigmoid.expectation(score))
            });
            let found = fit(samples).unwrap();
            assert!((found.k / k - 1.0).abs() < 1e-9, "{} against {k}", found.k);
            assert!(found.error < 1e-18 && found.passes < 60);
        }
    }

    #[test]
    fn names_what_is_degenerate() {
        assert_eq!(fit([]), Err(KError::NoRows));
        assert_eq!(fit([(1.0, 0.5), (2.0, 0.5)]), Err(KError::OneResult(0.5)));
        assert_eq!(fit([(7.0, 0.5), (7.0, 1.0)]), Err(KError::OneScore(7.0)));
        assert_eq!(fit([(9.0, 0.0), (-9.0, 1.0)]), Err(KError::LowerEdge(1e-4)));
        assert_eq!(fit([(9.0, 1.0), (-9.0, 0.0)]), Err(KError::UpperEdge(1e4)));
    }
}
