//! A small evaluation in several forms, positions for it, and settings.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::LaneId;
use tuner_fit::black_box::{
    BlackBox, BlackBoxError, BlackBoxEvent, BlackBoxFit, ProbedPosition, Probing, RoundOptions,
};
use tuner_fit::model::Sigmoid;
use tuner_fit::{FitInputs, Settings};
use tuner_rows::RowInfo;
use tuner_solve::{Reduction, ReductionParts};

pub(crate) const K: f64 = 1.1;

pub(crate) const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// Features; each has a weight for the middlegame and one for the endgame.
pub(crate) const FEATURES: usize = 4;

/// The weights that results come from: pairs.
pub(crate) const TRUE: [f64; 2 * FEATURES] = [90.0, 120.0, 25.0, 10.0, -14.0, -33.0, 7.0, 3.0];

/// What a position counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) features: [i16; FEATURES],
    /// From 0 to 24.
    pub(crate) phase: i16,
    pub(crate) constant: i16,
}

/// The tapered evaluation, exact.
pub(crate) fn tapered(weights: &[f64], counts: &Counts) -> f64 {
    let rho = f64::from(counts.phase) / 24.0;
    let mut score = f64::from(counts.constant);
    for (feature, &count) in counts.features.iter().enumerate() {
        let [mg, eg] = [weights[2 * feature], weights[2 * feature + 1]];
        score += f64::from(count) * (rho * mg + (1.0 - rho) * eg);
    }
    score
}

/// The same as an engine has it: integers, and a division that truncates.
pub(crate) fn truncated(weights: &[f64], counts: &Counts) -> f64 {
    let sum = |side: usize| -> i32 {
        let terms = counts.features.iter().enumerate();
        terms
            .map(|(feature, &count)| i32::from(count) * weights[2 * feature + side] as i32)
            .sum()
    };
    let phase = i32::from(counts.phase);
    let score = (sum(0) * phase + sum(1) * (24 - phase)) / 24;
    f64::from(score + i32::from(counts.constant))
}

pub(crate) fn counts(number: usize) -> Vec<Counts> {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut draw = |low, high| rng.random_range(low..=high);
    (0..number)
        .map(|_| Counts {
            features: std::array::from_fn(|_| draw(-3, 3)),
            phase: draw(0, 24),
            constant: draw(-20, 20),
        })
        .collect()
}

/// Positions whose results are what `score` makes expect.
pub(crate) fn expected(
    number: usize,
    score: impl Fn(&Counts) -> f64,
) -> Vec<ProbedPosition<Counts>> {
    let label = |(game, position): (usize, Counts)| ProbedPosition {
        info: RowInfo::new(Sigmoid::new(K).expectation(score(&position)), game as u32),
        position,
    };
    counts(number).into_iter().enumerate().map(label).collect()
}

/// Positions whose results are drawn: 0 or 1 with what `score` makes expect.
pub(crate) fn drawn(number: usize, score: impl Fn(&Counts) -> f64) -> Vec<ProbedPosition<Counts>> {
    let mut rng = ChaCha8Rng::seed_from_u64(12);
    let mut positions = expected(number, score);
    for position in &mut positions {
        let won = rng.random::<f64>() < position.info.outcome;
        position.info.outcome = f64::from(u8::from(won));
    }
    positions
}

/// All weights free, between bounds.
pub(crate) fn bounded(bounds: &[(f64, f64)]) -> Reduction {
    let lanes: Vec<LaneId> = (0..bounds.len() as u32).map(LaneId).collect();
    Reduction::new(&ReductionParts {
        lane_count: bounds.len(),
        lanes: &lanes,
        frozen: &vec![false; bounds.len()],
        ties: &[],
        bounds,
        constraints: &[],
        initial: &vec![0.0; bounds.len()],
    })
    .unwrap()
}

pub(crate) fn source<'a, P, S>(
    positions: &'a [ProbedPosition<P>],
    reduction: &'a Reduction,
    score: S,
) -> BlackBox<'a, P, S>
where
    S: Fn(&[f64], &P) -> f64,
{
    BlackBox {
        score,
        positions,
        reduction,
        probing: Probing::default(),
    }
}

/// Real weights by squared error, K given, no prior, nothing held out.
pub(crate) fn settings() -> Settings {
    Settings {
        k: Some(K),
        ..Settings::default()
    }
}

/// Fits without an observer.
pub(crate) fn fit<P: Sync, S: Fn(&[f64], &P) -> f64 + Sync>(
    source: &BlackBox<'_, P, S>,
    start: &[f64],
    settings: &Settings,
) -> Result<BlackBoxFit, Vec<BlackBoxError>> {
    let go_on = &mut |_: &BlackBoxEvent<'_>| ControlFlow::Continue(());
    source.fit(
        &FitInputs::at(start),
        settings,
        &RoundOptions::default(),
        go_on,
    )
}

/// The largest difference of two lists.
pub(crate) fn farthest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, f64::max)
}
