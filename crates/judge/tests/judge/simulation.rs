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
use tuner_fit::run::{FinishedRun, FitRun, FixedRows, PriorChoice, RunConfig, Variables};
use tuner_fit::{Settings, WeightGroup};
use tuner_judge::{Advice, Judgement, WeightStatement, WeightStatus, judge};
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

/// How a table and the value of its piece stand for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A position counts the piece as often as all entries of its table.
    Exact,
    /// In one position of ten it is counted once more or once less.
    Near,
}

/// Slots of the entries of a table; the slot behind them is the piece's value.
const ENTRIES: usize = WEIGHTS / 2 - 1;

/// A contrast below this is none: shares of entries differ a little by chance.
const NO_CONTRAST: f64 = 0.1;

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
    /// Whether the weights are those of a table and of its piece; what is said of
    /// entries against the mean of their table is counted.
    pub(crate) table: Option<Piece>,
    /// Whether weights are frozen: some as they are, and one elsewhere; what is
    /// said of these is counted.
    pub(crate) frozen: bool,
}

impl Kind {
    /// What a tied weight is its root times.
    fn tie(self) -> f64 {
        if self.table.is_some() { 1.0 } else { 0.5 }
    }

    /// The weights that are frozen, and by how much off: one, by so little that all
    /// others stay where they would be. (What a large one leaves unexplained shrinks
    /// all others, and then those at their true values are off as well.)
    fn frozen_weights(self) -> &'static [(usize, f64)] {
        if self.frozen {
            &[(0, 0.0), (3, 0.0), (4, 20.0), (8, 0.0), (10, 0.0)]
        } else {
            &[]
        }
    }
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
    /// Data sets whose table has no contrasts, as its mean does not make the errors of
    /// its entries: by a product of sums, or an entry at its bound, it is known.
    pub(crate) without_contrasts: usize,
}

impl Score {
    pub(crate) fn coverage(&self) -> f64 {
        self.covered as f64 / self.intervals as f64
    }

    pub(crate) fn false_discovery_rate(&self) -> f64 {
        self.false_discoveries / self.data_sets as f64
    }

    /// Adds what is said of one data set.
    pub(crate) fn add(&mut self, kind: Kind, judgement: &Judgement, truth: &[f64]) {
        let (kept, wrong) = if kind.table.is_some() {
            self.add_tables(judgement, truth)
        } else if kind.frozen {
            self.add_frozen(kind, judgement)
        } else {
            self.add_weights(judgement, truth)
        };
        self.kept += kept;
        self.false_discoveries += wrong as f64 / kept.max(1) as f64;
        self.data_sets += 1;
    }

    /// Adds an interval; `reach` to each side of what is `off` from the truth.
    fn add_interval(&mut self, off: f64, reach: f64) {
        self.intervals += 1;
        self.covered += usize::from(off.abs() <= reach);
    }

    fn add_tables(&mut self, judgement: &Judgement, truth: &[f64]) -> (usize, usize) {
        let (mut kept, mut wrong) = (0, 0);
        let number = |name: &str| -> usize {
            let of = |weight: &WeightStatement| weight.name == name;
            judgement.weights.iter().position(of).unwrap()
        };
        self.without_contrasts += usize::from(judgement.tables.is_empty());
        for table in &judgement.tables {
            let truths: Vec<f64> = (table.entries.iter())
                .map(|entry| truth[number(&entry.name)])
                .collect();
            let shares = table.entries.iter().map(|entry| entry.share);
            let mean: f64 = shares
                .zip(&truths)
                .map(|(share, truth)| share * truth)
                .sum();
            for (entry, truth) in table.entries.iter().zip(&truths) {
                let contrast = truth - mean;
                let reach = judgement.reach.unwrap() * entry.standard_error;
                self.add_interval(entry.value - contrast, reach);
                if entry.advice == Advice::Keep {
                    kept += 1;
                    wrong += usize::from(contrast.abs() < NO_CONTRAST);
                }
            }
        }
        (kept, wrong)
    }

    fn add_frozen(&mut self, kind: Kind, judgement: &Judgement) -> (usize, usize) {
        let (mut moved, mut wrong) = (0, 0);
        for &(weight, off) in kind.frozen_weights() {
            let name = &judgement.weights[weight].name;
            let statement = judgement.frozen.iter().find(|s| s.name == *name).unwrap();
            let is_right = off == 0.0;
            if is_right {
                let change = statement.change.unwrap();
                let reach = judgement.reach.unwrap() * change.standard_error;
                self.add_interval(change.value, reach);
            }
            moved += usize::from(statement.would_move);
            wrong += usize::from(statement.would_move && is_right);
        }
        (moved, wrong)
    }

    fn add_weights(&mut self, judgement: &Judgement, truth: &[f64]) -> (usize, usize) {
        let (mut kept, mut wrong) = (0, 0);
        for (statement, &truth) in judgement.weights.iter().zip(truth) {
            if statement.status != WeightStatus::Fitted {
                continue;
            }
            if let Some((low, high)) = judgement.interval(statement) {
                self.add_interval(0.5 * (low + high) - truth, 0.5 * (high - low));
            }
            if statement.advice == Some(Advice::Keep) {
                kept += 1;
                wrong += usize::from(truth == 0.0);
            }
        }
        (kept, wrong)
    }
}

/// Runs a simulation over data sets of the seeds from 0 on.
pub(crate) fn run(kind: Kind, data_sets: u64) -> Score {
    let mut score = Score::default();
    for seed in 0..data_sets {
        let (judgement, truth) = judged(kind, seed);
        score.add(kind, &judgement, &truth);
    }
    assert!(
        4 * score.without_contrasts <= 3 * score.data_sets,
        "{score:?}"
    );
    score
}

/// Simulates one data set, fits it, and judges the fit; also returns the weights
/// that it was drawn with.
pub(crate) fn judged(kind: Kind, seed: u64) -> (Judgement, Vec<f64>) {
    with_fit(kind, seed, |finished, rows| judge(finished, rows).unwrap())
}

/// Simulates one data set and fits it; returns what is made of that, and the weights.
pub(crate) fn with_fit<T>(
    kind: Kind,
    seed: u64,
    make: impl FnOnce(&mut FinishedRun<'_>, &mut FixedRows) -> T,
) -> (T, Vec<f64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let truth = truth(kind, &mut rng);
    let traces = traces(kind, &truth, &mut rng);
    let variables = variables(kind, &truth);
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
    (make(&mut finished, &mut rows), truth)
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
    if kind.table.is_some() && !kind.prior {
        // Of each phase three entries that are the mean, and two that are not.
        for (weight, value) in weights.iter_mut().enumerate() {
            let about = [30.0, 10.0][weight % 2];
            let off = [0.0, 20.0, 0.0, -20.0, 0.0, 50.0];
            *value = about + off[weight / 2];
        }
    }
    if kind.constrained {
        weights[5] = kind.tie() * weights[4];
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
            let (first, second) = alike.split_at(WEIGHTS / 2);
            let mut counts = entries(first, rng);
            if let Some(piece) = kind.table {
                let all: i16 = counts[..ENTRIES].iter().map(|(_, count)| count).sum();
                let more = match piece {
                    Piece::Near if rng.random_bool(0.1) => {
                        if rng.random_bool(0.5) {
                            1
                        } else {
                            -1
                        }
                    }
                    _ => 0,
                };
                counts[ENTRIES].1 = all + more;
            }
            let mut draft = RowDraft {
                segments: vec![Segment::same([phase, 1.0 - phase], counts)],
                ..RowDraft::default()
            };
            if kind.nonlinear {
                draft
                    .segments
                    .push(Segment::same([0.0, 0.0], entries(second, rng)));
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

/// Counts of a position that are about those of its game.
fn entries(alike: &[i16], rng: &mut ChaCha8Rng) -> Vec<(Slot, i16)> {
    let counts = alike.iter().map(|count| count + rng.random_range(-1..=1));
    (0..).map(Slot).zip(counts).collect()
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

fn variables(kind: Kind, truth: &[f64]) -> Variables {
    let name = |weight: usize| match kind.table {
        Some(_) => {
            let phase = ["mg", "eg"][weight % 2];
            match weight / 2 {
                ENTRIES => format!("PIECE.{phase}"),
                entry => format!("TABLE[{entry}].{phase}"),
            }
        }
        None => format!("W[{weight}]"),
    };
    let names: Vec<String> = (0..WEIGHTS).map(name).collect();
    let group = |name: &str, weights: std::ops::Range<usize>| WeightGroup {
        name: name.to_owned(),
        weights: weights.map(WeightId).collect(),
    };
    let groups = if kind.table.is_some() {
        vec![
            group("TABLE", 0..2 * ENTRIES),
            group("PIECE", 2 * ENTRIES..WEIGHTS),
        ]
    } else {
        let each = names.iter().zip(0..);
        each.map(|(name, weight)| group(name, weight..weight + 1))
            .collect()
    };
    let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); WEIGHTS];
    let mut ties = Vec::new();
    if kind.constrained {
        bounds[7] = (10.0, f64::INFINITY);
        ties.push(Tie {
            weight: WeightId(5),
            root: WeightId(4),
            factor: kind.tie(),
            difference: 0.0,
        });
    }
    let mut initial = vec![0.0; WEIGHTS];
    let mut frozen = vec![false; WEIGHTS];
    for &(weight, off) in kind.frozen_weights() {
        frozen[weight] = true;
        initial[weight] = truth[weight] + off;
    }
    let lanes: Vec<LaneId> = (0..WEIGHTS as u32).map(LaneId).collect();
    let reduction = Reduction::new(&ReductionParts {
        lane_count: WEIGHTS,
        lanes: &lanes,
        frozen: &frozen,
        ties: &ties,
        bounds: &bounds,
        constraints: &[],
        initial: &initial,
    });
    Variables {
        reduction: reduction.unwrap(),
        groups,
        names,
        initial: Some(initial),
        prior: PriorSpec::default(),
    }
}
