//! Fits the scaling constant K to given weights.
//!
//! K and a common factor of all weights cannot be told apart, so K is fitted
//! once, on the initial weights, and then fixed.

use std::ops::Range;

use serde::{Deserialize, Serialize, Serializer};

use super::block::RowLoss;
use super::deterministic_reduce::{add_up, in_chunks};
use super::passes::{Pass, each};
use super::{Loss, Part, PassError, PassResult, Sigmoid, Split};
use tuner_base::Ranks;
use tuner_rows::{AHEAD, TraceSet, Traces};

/// Smallest and largest K looked at. Scores in centipawns have K near 1;
/// in units of 1/10,000 pawn or of 10 pawns they are still inside.
const RANGE: (f64, f64) = (1e-4, 1e4);

/// A correlation of scores and results that is not chance. Chosen: that of results and material
/// is 0.3 to 0.7 in data of all kinds.
const CLEAR: f64 = 0.1;

/// A fitted scaling constant; in files the list of its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
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

/// The list that a derived `Deserialize` takes as well as names.
impl Serialize for KFit {
    /// Writes the fields as a list, in their order: the derived `Deserialize` reads that as well as
    /// names.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.k, self.slope_per_centipawn, self.error, self.passes).serialize(serializer)
    }
}

/// Why there is no K. Each tells what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum KError {
    /// Rows could not be read.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// No row belongs to the part.
    #[error("no position to fit K to; give more data or --k")]
    NoRows,
    /// All results are this one.
    #[error(
        "every position has the result {0}, so no K fits better than another; expected at \
         least two different results; give data with wins and losses, or --k"
    )]
    OneResult(f64),
    /// All scores at the initial weights are this one.
    #[error(
        "every position has the score {0} at the initial weights, so no K fits better than \
         another; expected different scores; start from other weights or give --k"
    )]
    OneScore(f64),
    /// A score is not finite.
    #[error("a score at the initial weights is not finite; correct the initial weights")]
    NotFinite,
    /// No row of the part has a search score.
    #[error(
        "no position has a search score; expected some to mix with the results; give data \
         with scores, or leave --lambda out"
    )]
    NoScores,
    /// The error falls towards K = 0 and beyond: high scores go with bad results.
    #[error(
        "K would be negative, as high scores go with bad results: results look flipped; \
         see --perspective, or give FILE:results=reversed; of some dozen games it may be \
         chance: take more, or give --k"
    )]
    Flipped,
    /// K would be negative, but scores say almost nothing of the results: their correlation.
    #[error(
        "K would be negative, as scores hardly go with results: their correlation is {0:.3}; look \
         whether results and positions are of the same games, and see --perspective; or give --k"
    )]
    Unrelated(f64),
    /// The error still falls at the lower edge: scores do not go with results.
    #[error(
        "the error still falls at the smallest K looked at, {0:e}: high scores hardly go with \
         good results; look at the unit of the scores, or give --k"
    )]
    LowerEdge(f64),
    /// The error still falls at the upper edge: scores predict all results.
    #[error(
        "the error still falls at the largest K looked at, {0:e}: the sign of the score \
         predicts the results as well as any expectation can; look whether results come from \
         the scores and whether wins or losses are missing, or give --k"
    )]
    UpperEdge(f64),
}

/// Rows that K is fitted on at most where they are streamed, as their scores are
/// stored: 100 MB. On so many it has four digits by the data, and K is a scale.
const MOST_STREAMED: usize = 1 << 22;

/// Seed of the games that are sampled where a stream has more rows; chosen, nothing depends on it.
const SAMPLE_SEED: u64 = 4;

/// Finds the K of the smallest error at given lanes.
///
/// Brackets a sign change of dE/d(ln K), going up or down from K = 1, then
/// closes in by the Illinois method; the scores are computed once. Of more
/// than four million rows that are streamed it takes about as many, of whole games.
///
/// *Numerics*: K to a relative 1e-12; same bits on any number of threads.
/// *Cost*: one pass over the rows, about a dozen over their scores (24 bytes a
/// row meanwhile).
/// *Source*: M. Dowell, P. Jarratt, A modified regula falsi method, BIT 11, 1971.
///
/// # Errors
/// If the data do not determine K, or cannot be read.
pub fn fit_k(traces: Traces<'_>, lanes: &[f64], loss: Loss, part: Part) -> Result<KFit, KError> {
    let scores = |set: &TraceSet, part: Part, sample: Option<Split>| {
        // With β = 1 the log-odds that the pass computes are the scores. Its penalties are not
        // used, so any loss will do.
        let pass = Pass {
            traces: set,
            part,
            sample,
            loss: Loss::Squared,
            beta: 1.0,
        };
        let table = set.table(lanes);
        let of_rows = |(): &mut (), rows| pass.losses(rows, &table);
        let mut all = Vec::new();
        let add = |rows: Vec<RowLoss>| {
            all.extend(rows.into_iter().map(|of| (of.row as usize, of.z)));
        };
        in_chunks(set.len(), || (), of_rows, add);
        all
    };
    search(traces, part, loss, scores)?.fit()
}

/// Makes the search for K, with score, result and weight of each row of a part for which `scores`
/// gives a score. Of more than [`MOST_STREAMED`] rows that are streamed it takes about as many, by
/// a sample of games. `scores` gets a set, the part and, where there is a sample, the split whose
/// held-out side it is; it returns number and score of rows that are in the part and in the sample.
fn search(
    traces: Traces<'_>,
    part: Part,
    loss: Loss,
    scores: impl Fn(&TraceSet, Part, Option<Split>) -> Vec<(usize, f64)> + Sync,
) -> PassResult<KSearch> {
    let count = traces.len();
    let many = traces.ranks().any(traces.are_streamed()) && count > MOST_STREAMED;
    let fraction = MOST_STREAMED as f64 / count as f64;
    let sample = many.then(|| Split::new(fraction, SAMPLE_SEED));
    let of_set = |set: &TraceSet| -> Vec<[f64; 3]> {
        let (mut outcome, mut weight) = ([0.0], [0.0]);
        let scored = scores(set, part, sample).into_iter();
        let scored = scored.map(|(row, score)| {
            set.read_columns(row, &mut outcome, &mut weight);
            [score, outcome[0], weight[0]]
        });
        scored.collect()
    };
    let mut rows = Vec::new();
    each(traces, AHEAD, of_set, |part| rows.extend(part))?;
    Ok(KSearch {
        loss,
        rows,
        ranks: traces.ranks(),
        passes: 0,
    })
}

/// Finds the K at which σ of the search scores predicts the results best; rows without a search
/// score take no part. Brackets the minimum and closes in by regula falsi; of more than four
/// million rows that are streamed it takes about as many, of whole games.
///
/// By the squared error whatever the loss of the fit, because σ of a score is to be the expected
/// result.
///
/// # Errors
/// If the data do not determine K, or cannot be read.
pub fn fit_score_k(traces: Traces<'_>, part: Part) -> Result<KFit, KError> {
    let scores = |set: &TraceSet, part: Part, sample: Option<Split>| {
        let rows = set.rows(0..set.len()).filter(|row| {
            let is_sampled = sample.is_none_or(|sample| sample.holds_out(row.game()));
            is_sampled && part.contains(row.game())
        });
        let scored = rows.filter_map(|row| Some((row.index, f64::from(row.search_score()?))));
        scored.collect()
    };
    let search = search(traces, part, Loss::Squared, scores)?;
    if search.ranks.total(search.rows.len() as u64) == 0 {
        return Err(KError::NoScores);
    }
    search.fit()
}

/// The search for the K of the smallest E, on stored scores.
struct KSearch {
    loss: Loss,
    /// Score, result and weight of each row of this rank.
    rows: Vec<[f64; 3]>,
    ranks: Ranks,
    /// Passes over the scores until now.
    passes: usize,
}

impl KSearch {
    /// Finds K, and E there. Rows of weight 0 are dropped first, as their scores need not be
    /// finite; a row is score, result and weight.
    fn fit(mut self) -> Result<KFit, KError> {
        self.rows.retain(|row| row[2] > 0.0);
        self.check()?;
        let log_k = self.minimum()?;
        let sigmoid = Sigmoid::new(log_k.exp());
        Ok(KFit {
            k: sigmoid.k(),
            slope_per_centipawn: sigmoid.beta(),
            error: self.at(log_k).0,
            passes: self.passes,
        })
    }

    /// Checks, over all ranks, that there are rows, that their scores are finite, and that neither
    /// all results nor all scores are the same.
    fn check(&self) -> Result<(), KError> {
        // The first row of the first rank that has one, by which all ranks measure; a rank without
        // rows gives an empty list.
        let first = self.rows.first().map_or(&[][..], |row| row);
        let firsts = self.ranks.gather(first);
        let first = firsts.iter().find(|first| !first.is_empty());
        let first = first.ok_or(KError::NoRows)?;
        let infinite = self.rows.iter().any(|row| !row[0].is_finite());
        if self.ranks.any(infinite) {
            return Err(KError::NotFinite);
        }
        // Column 0 are the scores, column 1 the results.
        let differs = |column: usize| {
            let mut rows = self.rows.iter();
            let differs = rows.any(|row| row[column].to_bits() != first[column].to_bits());
            self.ranks.any(differs)
        };
        if !differs(1) {
            return Err(KError::OneResult(first[1]));
        }
        differs(0).then_some(()).ok_or(KError::OneScore(first[0]))
    }

    /// Returns the correlation, from −1 to 1, of the scores and of −dℓ/dz at K = 0, with ℓ the
    /// penalty of a row and z its log-odds: every expectation is ½ there, so −dℓ/dz grows with the
    /// result. It has the sign of −dE/dK. Not centred, as a score of 0 means that both sides are
    /// equal.
    fn correlation_at_zero(&self) -> f64 {
        let [mut product, mut scores, mut slopes] = [0.0; 3];
        // Scores are divided by the largest, so that no square overflows. The largest of all ranks
        // is minus the least of the negative ones.
        let sizes = self.rows.iter().map(|row| row[0].abs());
        let largest = -self.ranks.least(-sizes.fold(0.0, f64::max));
        for &[score, r, weight] in &self.rows {
            let (score, slope) = (score / largest, -self.loss.penalty(0.0, r).slope);
            product += weight * slope * score;
            scores += weight * score * score;
            slopes += weight * slope * slope;
        }
        let mut sums = [product, scores, slopes];
        self.ranks.sum(&mut sums);
        let [product, scores, slopes] = sums;
        product / (scores * slopes).sqrt()
    }

    /// Returns the ln K to begin the search at, and the slope dE/d(ln K) there: that of K = 1, or,
    /// where scores are so large that no expectation moves at K = 1, that of the K at which scores
    /// are about 1 in log-odds.
    fn begin(&mut self) -> (f64, f64) {
        let slope = self.at(0.0).1;
        if slope != 0.0 {
            return (0.0, slope);
        }
        let sum: f64 = self.rows.iter().map(|row| row[0].abs()).sum();
        let mut sums = [sum, self.rows.len() as f64];
        self.ranks.sum(&mut sums);
        let mean = sums[0] / sums[1];
        let log_k = -(Sigmoid::new(1.0).beta() * mean).ln();
        let inside = log_k.clamp(RANGE.0.ln(), RANGE.1.ln());
        (inside, self.at(inside).1)
    }

    /// Returns E and dE/d(ln K) at a value of ln K, over the rows of all ranks; counts as a pass.
    fn at(&mut self, log_k: f64) -> (f64, f64) {
        self.passes += 1;
        let beta = Sigmoid::new(log_k.exp()).beta();
        // Weighted sums of the penalty, of its derivative by ln K, which is slope·z, and of 1.
        let sums = |sum: [f64; 3], &[score, r, weight]: &[f64; 3]| {
            // Finite also where the product overflows: a slope of 0 times an infinite z is NaN.
            let z = (beta * score).clamp(f64::MIN, f64::MAX);
            let penalty = self.loss.penalty(z, r);
            [
                sum[0] + weight * penalty.value,
                sum[1] + weight * penalty.slope * z,
                sum[2] + weight,
            ]
        };
        let chunk = |(): &mut (), rows: Range<usize>| self.rows[rows].iter().fold([0.0; 3], sums);
        let mut total = [0.0; 3];
        let add = |part| add_up(&mut total, part);
        in_chunks(self.rows.len(), || (), chunk, add);
        self.ranks.sum(&mut total);
        (total[0] / total[2], total[1] / total[2])
    }

    /// Returns the ln K at which the slope of E is 0, by regula falsi within a bracket. Where one
    /// end of the bracket stays twice in a row, the slope there is halved, so that both ends move
    /// (the Illinois method).
    fn minimum(&mut self) -> Result<f64, KError> {
        let (mut low, mut low_slope, mut high, mut high_slope) = self.bracket()?;
        // The lower end may be the minimum itself; at the upper one the slope is above 0.
        if low_slope == 0.0 {
            return Ok(low);
        }
        // Whether the lower end stayed in the last step; `None` before the first.
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
                    high_slope *= 0.5;
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

    /// Returns two values of ln K between which E has a minimum, a factor of two of K apart, each
    /// with the slope of E there: `(lower, its slope, upper, its slope)`. Goes downhill from the
    /// start in such steps; fails where E still falls at an end of [`RANGE`].
    fn bracket(&mut self) -> Result<(f64, f64, f64, f64), KError> {
        let step = 2_f64.ln();
        let (mut here, mut slope) = self.begin();
        // A slope of 0 is the minimum, or the plateau where every expectation is
        // 0 or 1 already; the next point tells.
        let up = slope <= 0.0;
        loop {
            let next: f64 = if up { here + step } else { here - step };
            if next > RANGE.1.ln() {
                return Err(KError::UpperEdge(RANGE.1));
            }
            if next < RANGE.0.ln() {
                // E falls down to the smallest K. How scores and results go together at K = 0 tells
                // why: clearly against each other, hardly so, or not against each other at all.
                let correlation = self.correlation_at_zero();
                return Err(if correlation < -CLEAR {
                    KError::Flipped
                } else if correlation < 0.0 {
                    KError::Unrelated(correlation)
                } else {
                    KError::LowerEdge(RANGE.0)
                });
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
    use tuner_rows::{RowDraft, RowInfo};

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
        fit_k((&rows(samples)).into(), &[], Loss::Squared, Part::All)
    }

    /// Every kind of loss.
    fn losses() -> Vec<Loss> {
        let names = [
            "squared",
            "cross-entropy",
            "power:1",
            "power:1.5",
            "power:4",
        ];
        names.iter().map(|name| name.parse().unwrap()).collect()
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
    fn recovers_k_by_every_loss() {
        for loss in losses() {
            let k = 0.7;
            let sigmoid = Sigmoid::new(k);
            let samples = (-50..50).map(|s| {
                let score = f64::from(s) * 9.0;
                (score, sigmoid.expectation(score))
            });
            let found = fit_k((&rows(samples)).into(), &[], loss, Part::All).unwrap();
            // |p − R|⁴ is flat where all p are right: K to a third of the digits.
            let tolerance = if loss == "power:4".parse().unwrap() {
                1e-3
            } else {
                1e-9
            };
            assert!((found.k / k - 1.0).abs() < tolerance, "{loss}: {}", found.k);
        }
    }

    #[test]
    fn finds_k_where_no_expectation_moves_at_one() {
        let sigmoid = Sigmoid::new(5e-4);
        let samples = (-50..50).map(|s| {
            let score = (f64::from(s) + 0.5) * 3e5;
            (score, sigmoid.expectation(score))
        });
        assert!((fit(samples).unwrap().k / 5e-4 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn weights_count_and_rows_of_weight_zero_do_not() {
        let mut set = rows([(100.0, 1.0), (100.0, 0.0), (f64::MAX, 1.0), (-100.0, 0.0)]);
        // Two of three times the better side wins.
        let weights = [1.0, 1.0, 0.0, 1.0];
        set.map_weights(|row, _| weights[row]);
        let found = fit_k((&set).into(), &[], Loss::CrossEntropy, Part::All).unwrap();
        assert!((found.slope_per_centipawn * 100.0 - 2_f64.ln()).abs() < 1e-9);
    }

    #[test]
    fn names_what_is_degenerate() {
        for loss in losses() {
            let fit = |samples: &[(f64, f64)]| {
                fit_k(
                    (&rows(samples.iter().copied())).into(),
                    &[],
                    loss,
                    Part::All,
                )
            };
            let big = f64::MAX;
            let infinite = KSearch {
                loss,
                rows: vec![[f64::INFINITY, 1.0, 1.0], [0.0, 0.0, 1.0]],
                ranks: Ranks::ALONE,
                passes: 0,
            };
            assert_eq!(infinite.fit(), Err(KError::NotFinite), "{loss}");
            assert_eq!(fit(&[]), Err(KError::NoRows));
            assert_eq!(fit(&[(1.0, 0.5), (2.0, 0.5)]), Err(KError::OneResult(0.5)));
            assert_eq!(fit(&[(1.0, 1.0), (-2.0, 1.0)]), Err(KError::OneResult(1.0)));
            assert_eq!(fit(&[(7.0, 0.5), (7.0, 1.0)]), Err(KError::OneScore(7.0)));
            assert_eq!(
                fit(&[(9.0, 0.0), (-9.0, 1.0)]),
                Err(KError::Flipped),
                "{loss}"
            );
            let unrelated = [(9.0, 0.0), (9.0, 1.0), (-9.0, 1.0), (-9.0, 0.0)];
            if loss != "power:1".parse().unwrap() {
                assert_eq!(fit(&unrelated), Err(KError::LowerEdge(1e-4)), "{loss}");
            }
            let predicted = [(9.0, 1.0), (-9.0, 0.0)];
            assert_eq!(fit(&predicted), Err(KError::UpperEdge(1e4)), "{loss}");
            assert_eq!(fit(&[(big, 1.0), (-big, 0.0)]), Err(KError::UpperEdge(1e4)));
        }
    }

    #[test]
    fn results_at_random_do_not_look_flipped() {
        for loss in losses() {
            // Of a hundred positions 51 have the result that the score speaks against.
            let samples = (0..100).map(|row| {
                let score = [9.0, -9.0][row % 2];
                (score, f64::from(u8::from((score < 0.0) == (row < 51))))
            });
            let Err(KError::Unrelated(found)) =
                fit_k((&rows(samples)).into(), &[], loss, Part::All)
            else {
                assert_eq!(loss.to_string(), "power:1", "the median is anything");
                continue;
            };
            assert!((-0.03..-0.01).contains(&found), "{loss}: {found}");
        }
    }

    #[test]
    fn every_error_says_what_to_do() {
        for (error, cure) in [
            (KError::Flipped, "see --perspective"),
            (KError::Unrelated(-0.01), "see --perspective"),
            (KError::NoScores, "--lambda"),
            (KError::LowerEdge(1e-4), "--k"),
            (KError::UpperEdge(1e4), "--k"),
            (KError::OneResult(0.5), "--k"),
            (KError::NotFinite, "initial weights"),
        ] {
            assert!(error.to_string().contains(cure), "{error}");
        }
    }
}
