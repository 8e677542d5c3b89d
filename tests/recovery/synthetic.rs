//! Data drawn from known weights, and how far off a fit may be on them.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_core::fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_core::rows::Slot;
use tuner_core::rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_core::solve::linalg::{Cholesky, Symmetric};
use tuner_core::solve::{Curvature, Objective, Reduction, ReductionParts, Tie};
use tuner_core::solve::{LaneId, WeightId};

use super::cases::{Case, Constraint};

/// Features of the evaluation; two weights each when tapered.
const FEATURES: usize = 24;
/// Rows; standard errors are then a sixth of the weights.
const ROWS: u32 = 8_000;

/// Search scores are the scores in a unit so small that rounding is nothing.
pub(crate) const SEARCH: f64 = 1e5;

/// How results come from scores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    /// R = σ(score).
    Expected,
    /// 0, ½ or 1 with that expectation.
    Drawn,
    /// A win and a loss in each row's place, weighed so that the loss is least
    /// at σ(score).
    Weighed,
}

/// Rows and the weights that their results come from.
pub(crate) struct Synthetic {
    pub(crate) truth: Vec<f64>,
    pub(crate) traces: TraceSet,
    /// The lane of each weight.
    pub(crate) lanes: Vec<usize>,
    /// Each row's derivative by lanes, dense, and its result.
    pub(crate) rows: Vec<(Vec<f64>, f64)>,
}

impl Synthetic {
    /// The curve that results come from; not K = 1, so that K matters.
    pub(crate) const SIGMOID: Sigmoid = Sigmoid::new(1.2);

    /// Draws weights, rows and results. The seed is a number of the case.
    pub(crate) fn draw(case: Case, results: Results) -> Self {
        Self::draw_rows(case, results, ROWS)
    }

    /// The same with so many rows.
    pub(crate) fn draw_rows(case: Case, results: Results, rows: u32) -> Self {
        let seed = u64::from(case.tapered) * 100 + case.constraint as u64 * 10 + results as u64;
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let lanes: Vec<usize> = (0..2 * FEATURES)
            .filter(|lane| case.tapered || lane % 2 == 0)
            .collect();
        let mut truth: Vec<f64> = lanes
            .iter()
            .map(|_| f64::from(rng.random_range(-60..=60)))
            .collect();
        for tie in ties(case, truth.len()) {
            truth[tie.weight.index()] = tie.factor * truth[tie.root.index()] + tie.difference;
        }
        let mut dense = vec![0.0; 2 * FEATURES];
        lanes
            .iter()
            .zip(&truth)
            .for_each(|(&lane, &w)| dense[lane] = w);
        let mut data = Self {
            truth,
            traces: TraceSet::new(FEATURES),
            lanes,
            rows: Vec::new(),
        };
        for game in 0..rows {
            let draft = draw_row(case, &mut rng);
            let derivative = derivative(&draft);
            let score: f64 = derivative.iter().zip(&dense).map(|(c, w)| c * w).sum();
            let score = draft.constant + score;
            let p = Self::SIGMOID.expectation(score);
            let search_score = Some((SEARCH * score).round() as i32);
            let mut push = |outcome, weight| {
                let info = RowInfo {
                    outcome,
                    game,
                    weight,
                    search_score,
                };
                data.traces.push(&draft, &info).expect("a good row");
                data.rows.push((derivative.clone(), outcome));
            };
            match results {
                Results::Expected => push(p, 1.0),
                Results::Drawn => push(draw_result(p, rng.random()), 1.0),
                Results::Weighed => {
                    // d/dp of π·(1 − p)^q + (1 − π)·p^q is 0 where the odds of p
                    // are those of π to the power 1/(q − 1).
                    let stretch = match case.loss {
                        Loss::Squared | Loss::CrossEntropy => 1.0,
                        Loss::Power(power) => power.exponent() - 1.0,
                    };
                    let wins = Self::SIGMOID.expectation(stretch * score);
                    push(1.0, wins);
                    push(0.0, 1.0 - wins);
                }
            }
        }
        data
    }

    /// Returns the variables of a case.
    pub(crate) fn reduction(&self, case: Case) -> Reduction {
        let bound = |(j, &w): (usize, &f64)| match case.constraint {
            Constraint::Bounded if j % 2 == 0 => (w - 60.0, w + 20.0),
            Constraint::Bounded => (-1000.0, 1000.0),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let bounds: Vec<(f64, f64)> = self.truth.iter().enumerate().map(bound).collect();
        self.reduction_with_bounds(case, &bounds)
    }

    /// The same with bounds of the caller's.
    pub(crate) fn reduction_with_bounds(&self, case: Case, bounds: &[(f64, f64)]) -> Reduction {
        let count = self.truth.len();
        let frozen: Vec<bool> = (0..count)
            .map(|j| case.constraint == Constraint::Frozen && j % 4 == 3)
            .collect();
        let lanes: Vec<LaneId> = (self.lanes.iter())
            .map(|&lane| LaneId(lane as u32))
            .collect();
        Reduction::new(&ReductionParts {
            constraints: &[],
            lane_count: 2 * FEATURES,
            lanes: &lanes,
            frozen: &frozen,
            ties: &ties(case, count),
            bounds,
            initial: &self.truth,
        })
        .expect("a good reduction")
    }

    /// Returns the mean loss at weights that are the variables, and its
    /// gradient, computed the plain way.
    pub(crate) fn plain(&self, case: Case, weights: &[f64]) -> (f64, Vec<f64>) {
        let (beta, count) = (Self::SIGMOID.beta(), self.rows.len() as f64);
        let (mut error, mut gradient) = (0.0, vec![0.0; weights.len()]);
        for (index, (derivative, result)) in self.rows.iter().enumerate() {
            let terms = self.lanes.iter().zip(weights);
            let score: f64 = terms.map(|(&lane, w)| derivative[lane] * w).sum();
            let p = Self::SIGMOID.expectation(self.traces.row(index).constant() + score);
            let (penalty, slope) = match case.loss {
                Loss::CrossEntropy => (
                    -result * p.ln() - (1.0 - result) * (1.0 - p).ln(),
                    p - result,
                ),
                Loss::Squared => ((p - result).powi(2), 2.0 * (p - result) * p * (1.0 - p)),
                Loss::Power(power) => {
                    let (q, residual) = (power.exponent(), p - result);
                    let slope = q * residual.abs().powf(q - 1.0) * residual.signum();
                    (residual.abs().powf(q), slope * p * (1.0 - p))
                }
            };
            error += penalty / count;
            for (&lane, g) in self.lanes.iter().zip(&mut gradient) {
                *g += beta * slope * derivative[lane] / count;
            }
        }
        (error, gradient)
    }

    /// Returns fitted minus true weights.
    pub(crate) fn errors(&self, weights: &[f64]) -> Vec<f64> {
        weights
            .iter()
            .zip(&self.truth)
            .map(|(w, t)| w - t)
            .collect()
    }

    /// Returns each variable's error in standard errors, by the sandwich
    /// formula `H⁻¹·(Σ sᵢ·sᵢᵀ)·H⁻¹` with H the second derivative of the summed
    /// loss and sᵢ the gradient of row i, computed here the plain way.
    pub(crate) fn standardised(&self, case: Case, reduction: &Reduction, x: &[f64]) -> Vec<f64> {
        let count = x.len();
        let f = Regression::new(&self.traces, reduction, case.loss, Self::SIGMOID, Part::All)
            .expect("there are rows");
        let mut hessian = Symmetric::zeros(count);
        f.curvature(x, Curvature::Newton, &mut hessian)
            .expect("rows in memory");
        hessian.scale(self.rows.len() as f64);
        let factor = Cholesky::new(&hessian).expect("an optimum");
        let weights = reduction.weights(x);
        let lanes = reduction.lanes(x);
        let jacobian = self.jacobian(reduction, &weights);
        let beta = Self::SIGMOID.beta();
        let mut variance = vec![0.0; count];
        for (index, (derivative, result)) in self.rows.iter().enumerate() {
            let p = Self::SIGMOID.expectation(self.traces.score(index, &lanes));
            let slope = match case.loss {
                Loss::Squared => 2.0 * (p - result) * p * (1.0 - p),
                Loss::CrossEntropy => p - result,
                Loss::Power(_) => unreachable!("the table has none"),
            };
            let mut gradient = vec![0.0; count];
            for (&lane, term) in self.lanes.iter().zip(&jacobian) {
                if let Some((variable, factor)) = *term {
                    gradient[variable] += beta * slope * factor * derivative[lane];
                }
            }
            // The variance of H⁻¹·Σsᵢ is the sum of the squares of H⁻¹·sᵢ.
            for (v, step) in variance.iter_mut().zip(factor.solve(&gradient)) {
                *v += step * step;
            }
        }
        let truth = reduction
            .roots()
            .iter()
            .map(|root| self.truth[root.index()]);
        x.iter()
            .zip(truth)
            .zip(variance)
            .map(|((x, t), v)| (x - t) / v.sqrt())
            .collect()
    }

    /// Returns the variable and factor of each weight.
    fn jacobian(&self, reduction: &Reduction, weights: &[f64]) -> Vec<Option<(usize, f64)>> {
        assert_eq!(weights.len(), self.lanes.len());
        reduction
            .weight_terms()
            .map(|(variable, factor, _)| variable.map(|v| (v.index(), factor)))
            .collect()
    }
}

/// The ties of a case: pairs of neighbours, equal or mirrored and shifted.
fn ties(case: Case, count: usize) -> Vec<Tie> {
    if case.constraint != Constraint::Tied {
        return Vec::new();
    }
    let tie = |weight: usize| Tie {
        weight: WeightId(weight),
        root: WeightId(weight - 1),
        factor: if weight % 4 == 1 { 1.0 } else { -1.0 },
        difference: if weight % 4 == 1 { 0.0 } else { 5.0 },
    };
    (1..count).step_by(2).map(tie).collect()
}

/// Draws a sparse row of small counts, with a constant.
fn draw_row(case: Case, rng: &mut ChaCha8Rng) -> RowDraft {
    let phase = f64::from(rng.random_range(0..=24_u8)) / 24.0;
    let factors = if case.tapered {
        [phase, 1.0 - phase]
    } else {
        [1.0, 0.0]
    };
    let entries: Vec<(Slot, i16)> = (0..8)
        .map(|_| {
            (
                Slot(rng.random_range(0..FEATURES as u32)),
                rng.random_range(-2..=2),
            )
        })
        .collect();
    RowDraft {
        constant: f64::from(rng.random_range(-20..=20_i8)),
        segments: vec![Segment::same(factors, entries)],
        expression: None,
    }
}

/// Returns a row's derivative by lanes.
fn derivative(draft: &RowDraft) -> Vec<f64> {
    let mut dense = vec![0.0; 2 * FEATURES];
    for segment in &draft.segments {
        for &(slot, c) in &segment.entries {
            for (side, factor) in segment.factors.iter().enumerate() {
                dense[2 * slot.index() + side] += f64::from(c[side]) * factor;
            }
        }
    }
    dense
}

/// Turns a uniform number into a result of expectation `p`, drawn as often as
/// the less likely side wins.
fn draw_result(p: f64, uniform: f64) -> f64 {
    let draw = p.min(1.0 - p);
    let win = p - draw / 2.0;
    if uniform < win {
        1.0
    } else if uniform < win + draw {
        0.5
    } else {
        0.0
    }
}
