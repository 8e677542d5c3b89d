//! Fits of simulated games whose weights are known, and how often what is said of
//! them is true.
//!
//! Results are drawn from the model, so that it is true of every position; within
//! a game they are correlated by a Gaussian copula, so that games matter:
//! `R = 1` where `Φ(√ρ·g + √(1−ρ)·e) < σ(s)`, with g the same for all positions of
//! a game. *Source*: P. Song, Multivariate dispersion models generated from
//! Gaussian copula, Scandinavian Journal of Statistics 27, 2000.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};

use tuner_base::{LaneId, Slot, Tie, WeightId};
use tuner_fit::model::{Loss, Sigmoid};
use tuner_fit::run::{FitRun, FixedRows, PriorChoice, RunConfig, Variables};
use tuner_fit::{Settings, WeightGroup};
use tuner_judge::{Advice, Judgement, WeightStatus, judge};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{PriorSpec, Reduction, ReductionParts};
use tuner_trace::{Expression, NonlinearOp, Step};

/// Weights of a simulation, of which every third is 0.
const WEIGHTS: usize = 12;

/// Games of a data set, and positions of each.
const GAMES: u32 = 1200;
const POSITIONS: usize = 8;

/// Correlation within a game.
const CORRELATION: f64 = 0.4;

/// Standard deviation that weights are drawn with, where there is a prior: it
/// decides as much as the games, and scores are small enough for a curvature that
/// hardly changes between the truth and the fit. (With 30 it does, and 92 % are
/// covered.)
const DEVIATION: f64 = 12.0;

/// What is simulated.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a variant of its own"
)]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kind {
    pub(crate) loss: Loss,
    /// Whether a product of two sums is part of the score.
    pub(crate) nonlinear: bool,
    /// Whether weights are drawn from a prior that the fit has too.
    pub(crate) prior: bool,
    /// Whether a weight is tied to another, and one has a bound at its value.
    pub(crate) constrained: bool,
    /// Whether every position is taken for a game of its own.
    pub(crate) naive: bool,
    /// Whether games are held out, to judge by.
    pub(crate) held_out: bool,
}

/// How often what is said is true.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub(crate) intervals: usize,
    pub(crate) covered: usize,
    /// Sum over data sets of the part of weights kept that are 0.
    pub(crate) false_discoveries: f64,
    pub(crate) kept: usize,
    pub(crate) data_sets: usize,
}

impl Score {
    pub(crate) fn coverage(&self) -> f64 {
        self.covered as f64 / self.intervals as f64
    }

    pub(crate) fn false_discovery_rate(&self) -> f64 {
        self.false_discoveries / self.data_sets as f64
    }

    /// Adds what is said of one data set.
    pub(crate) fn add(&mut self, judgement: &Judgement, truth: &[f64]) {
        let (mut kept, mut wrong) = (0, 0_usize);
        for (statement, &truth) in judgement.weights.iter().zip(truth) {
            if statement.status != WeightStatus::Fitted {
                continue;
            }
            if let Some((low, high)) = statement.interval() {
                self.intervals += 1;
                self.covered += usize::from(low <= truth && truth <= high);
            }
            if statement.advice == Some(Advice::Keep) {
                kept += 1;
                wrong += usize::from(truth == 0.0);
            }
        }
        self.kept += kept;
        self.false_discoveries += wrong as f64 / kept.max(1) as f64;
        self.data_sets += 1;
    }
}

/// Runs a simulation over data sets of the seeds from 0 on.
pub(crate) fn run(kind: Kind, data_sets: u64) -> Score {
    let mut score = Score::default();
    for seed in 0..data_sets {
        let (judgement, truth) = judged(kind, seed);
        score.add(&judgement, &truth);
    }
    score
}

/// Simulates one data set, fits it, and judges the fit; also returns the weights
/// that it was drawn with.
pub(crate) fn judged(kind: Kind, seed: u64) -> (Judgement, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = truth(kind, &mut rng);
    let traces = traces(kind, &truth, &mut rng);
    let variables = variables(kind);
    let config = RunConfig {
        settings: Settings {
            k: Some(1.0),
            loss: kind.loss,
            prior: kind.prior.then_some(DEVIATION),
            held_out: if kind.held_out { 0.3 } else { 0.0 },
            ..Settings::default()
        },
        prior_choice: PriorChoice::Declared,
        ..RunConfig::default()
    };
    let run = FitRun::new(&variables, config, &mut ()).unwrap();
    let mut rows = FixedRows::in_memory(traces, !kind.naive);
    let mut finished = run.run(&mut rows, &mut ()).unwrap();
    (judge(&mut finished, &mut rows).unwrap(), truth)
}

fn truth(kind: Kind, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let normal = Normal::standard();
    let mut weights: Vec<f64> = (0..WEIGHTS)
        .map(|weight| match weight % 3 {
            0 if !kind.prior => 0.0,
            _ if kind.prior => DEVIATION * normal.inverse_cdf(rng.random_range(1e-12..1.0)),
            1 => 25.0 + 5.0 * weight as f64,
            _ => -40.0 + 3.0 * weight as f64,
        })
        .collect();
    if kind.constrained {
        weights[5] = 0.5 * weights[4];
        weights[7] = 10.0;
    }
    weights
}

fn traces(kind: Kind, truth: &[f64], rng: &mut ChaCha8Rng) -> TraceSet {
    let (normal, sigmoid) = (Normal::standard(), Sigmoid::new(1.0));
    let mut set = TraceSet::new(WEIGHTS / 2);
    // Two weights a slot.
    let lanes = truth.to_vec();
    for game in 0..GAMES {
        let shared = normal.inverse_cdf(rng.random_range(1e-12..1.0));
        // Positions of a game resemble each other.
        let alike: Vec<i16> = (0..WEIGHTS).map(|_| rng.random_range(-2..=2)).collect();
        for position in 0..POSITIONS {
            let phase = rng.random_range(0..=24);
            let phase = f64::from(phase) / 24.0;
            let mut entries = |alike: &[i16]| -> Vec<(Slot, i16)> {
                let counts = alike.iter().map(|count| count + rng.random_range(-1..=1));
                (0..).map(Slot).zip(counts).collect()
            };
            let (first, second) = alike.split_at(WEIGHTS / 2);
            let mut draft = RowDraft {
                segments: vec![Segment::same([phase, 1.0 - phase], entries(first))],
                ..RowDraft::default()
            };
            if kind.nonlinear {
                draft
                    .segments
                    .push(Segment::same([0.0, 0.0], entries(second)));
                draft.expression = Some(product());
            }
            let mut trial = TraceSet::new(WEIGHTS / 2);
            let number = game * POSITIONS as u32 + position as u32;
            let info = RowInfo::new(0.5, if kind.naive { number } else { game });
            trial.push(&draft, &info).unwrap();
            let score = trial.rows(0..1).next().unwrap().score(&lanes);
            let own = normal.inverse_cdf(rng.random_range(1e-12..1.0));
            let latent = CORRELATION.sqrt() * shared + (1.0 - CORRELATION).sqrt() * own;
            let won = normal.cdf(latent) < sigmoid.expectation(score);
            let outcome = if won { 1.0 } else { 0.0 };
            set.push(&draft, &RowInfo { outcome, ..info }).unwrap();
        }
    }
    set
}

/// L₂·L₃/400, of the sums over the lanes of the second segment.
fn product() -> Expression {
    Expression {
        steps: vec![
            Step::Input(2),
            Step::Input(3),
            Step::Nonlinear(NonlinearOp::Mul(0, 1)),
            Step::Constant(0),
            Step::Nonlinear(NonlinearOp::Div(2, 3)),
        ],
        constants: vec![400.0],
    }
}

fn variables(kind: Kind) -> Variables {
    let names: Vec<String> = (0..WEIGHTS).map(|weight| format!("W[{weight}]")).collect();
    let groups = names.iter().zip(0..).map(|(name, weight)| WeightGroup {
        name: name.clone(),
        weights: vec![WeightId(weight)],
    });
    let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); WEIGHTS];
    let mut ties = Vec::new();
    if kind.constrained {
        bounds[7] = (10.0, f64::INFINITY);
        ties.push(Tie {
            weight: WeightId(5),
            root: WeightId(4),
            factor: 0.5,
            difference: 0.0,
        });
    }
    let lanes: Vec<LaneId> = (0..WEIGHTS as u32).map(LaneId).collect();
    let reduction = Reduction::new(&ReductionParts {
        lane_count: WEIGHTS,
        lanes: &lanes,
        frozen: &[false; WEIGHTS],
        ties: &ties,
        bounds: &bounds,
        initial: &[0.0; WEIGHTS],
    });
    Variables {
        reduction: reduction.unwrap(),
        groups: groups.collect(),
        names,
        initial: Some(vec![0.0; WEIGHTS]),
        prior: PriorSpec::default(),
    }
}
