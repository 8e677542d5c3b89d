//! Sources of the data that choose how much they count, with known truth.

#![allow(clippy::unwrap_used)] // a failing test may end with a panic
#![allow(clippy::print_stdout)] // tables, where a test fails

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::{LaneId, Slot};
use tuner_fit::model::Sigmoid;
use tuner_fit::{FitError, FitInputs, FitTask, Settings, SourceWeights, fit};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::Reduction;

const WEIGHTS: usize = 8;

/// What decides games of the trusted players.
const TRUTH: [f64; WEIGHTS] = [95.0, 62.0, 31.0, -18.0, 12.0, 45.0, -33.0, 8.0];

/// Players to whom other things matter.
const OTHERS: [f64; WEIGHTS] = [40.0, 110.0, 5.0, 30.0, -40.0, 90.0, 10.0, 60.0];

/// Where the author has them.
const START: [f64; WEIGHTS] = [80.0, 60.0, 40.0, -10.0, 5.0, 30.0, -20.0, 0.0];

fn score(weights: &[f64], counts: &[i16; WEIGHTS]) -> f64 {
    let terms = weights.iter().zip(counts);
    terms
        .map(|(weight, &count)| weight * f64::from(count))
        .sum()
}

/// Games of these weights each, and the source of each row.
fn data(of: &[(u32, [f64; WEIGHTS])], seed: u64) -> (TraceSet, Vec<u32>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut set, mut source) = (TraceSet::new(WEIGHTS), Vec::new());
    for (number, (games, weights)) in of.iter().enumerate() {
        for _ in 0..*games {
            let counts: [i16; WEIGHTS] = std::array::from_fn(|_| rng.random_range(-2..=2));
            let chance = Sigmoid::new(1.0).expectation(score(weights, &counts));
            let slots = (0..WEIGHTS as u32).map(Slot);
            let draft = RowDraft {
                segments: vec![Segment::same([1.0, 0.0], slots.zip(counts))],
                ..RowDraft::default()
            };
            let won = f64::from(u8::from(rng.random_bool(chance)));
            set.push(&draft, &RowInfo::new(won, source.len() as u32))
                .unwrap();
            source.push(number as u32);
        }
    }
    (set, source)
}

fn settings() -> Settings {
    Settings {
        k: Some(1.0),
        held_out: 0.1,
        prior: Some(20.0),
        ..Settings::default()
    }
}

fn reduction() -> Reduction {
    let lanes: Vec<LaneId> = (0..WEIGHTS).map(|slot| LaneId(2 * slot as u32)).collect();
    Reduction::of_free(&lanes, 2 * WEIGHTS)
}

fn weighed(set: &TraceSet, source: &[u32], trusted: u32) -> Result<SourceWeights, FitError> {
    weighed_by(settings(), set, source, trusted)
}

fn weighed_by(
    settings: Settings,
    set: &TraceSet,
    source: &[u32],
    trusted: u32,
) -> Result<SourceWeights, FitError> {
    let (reduction, inputs) = (reduction(), FitInputs::at(&START));
    let task = FitTask::new(set, &reduction, &inputs, &settings);
    task.weigh_sources(source, trusted, &mut |_| ControlFlow::Continue(()))
}

/// How far expected results of the trusted players are off by a fit in which sources count so
/// much.
fn error(set: &TraceSet, source: &[u32], factors: &[f64]) -> f64 {
    let mut set = set.clone();
    set.map_weights(|row, weight| weight * factors[source[row] as usize]);
    let (reduction, inputs) = (reduction(), FitInputs::at(&START));
    let mut on = |_: &tuner_fit::FitProgress<'_>| ControlFlow::Continue(());
    let found = fit(&set, &reduction, &inputs, &settings(), &mut on).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(99);
    let errors = (0..5000).map(|_| {
        let counts: [i16; WEIGHTS] = std::array::from_fn(|_| rng.random_range(-2..=2));
        let [own, truth] = [&*found.weights, &TRUTH]
            .map(|weights| Sigmoid::new(1.0).expectation(score(weights, &counts)));
        (own - truth).powi(2)
    });
    errors.sum::<f64>() / 5000.0
}

#[test]
fn games_of_others_count_little_and_more_games_of_ones_own_as_much() {
    let mut sums = [0.0; 3];
    for seed in 0..3 {
        let (set, source) = data(&[(3000, TRUTH), (6000, TRUTH), (9000, OTHERS)], seed);
        let found = weighed(&set, &source, 0).unwrap();
        let of = |factors: &[f64]| error(&set, &source, factors);
        let errors = [of(&found.factors), of(&[1.0; 3]), of(&[1.0, 1e-9, 1e-9])];
        println!("{:.4?} by {} fits: {errors:.6?}", found.factors, found.fits);
        sums = std::array::from_fn(|i| sums[i] + errors[i]);
        let [own, more, others] = [0, 1, 2].map(|source| found.factors[source]);
        assert!(
            (own - 1.0).abs() < 1e-12 && more > 0.3 && others < 0.1 * more,
            "{:?}",
            found.factors
        );
        assert!(found.fits <= 100, "{}", found.fits);
    }
    let [chosen, alike, alone] = sums;
    assert!(
        chosen < 0.1 * alike && chosen < 0.8 * alone,
        "{chosen} {alike} {alone}"
    );
}

#[test]
fn positions_of_others_that_are_thousands_of_times_as_many_count_little_too() {
    let (mut set, source) = data(&[(3000, TRUTH), (3000, OTHERS)], 3);
    set.map_weights(|row, weight| {
        if source[row] == 1 {
            5000.0 * weight
        } else {
            weight
        }
    });
    let found = weighed(&set, &source, 0).unwrap();
    assert!(found.factors[1] < 1e-3, "{:?}", found.factors);
}

#[test]
fn the_scale_is_that_of_the_trusted_games() {
    let turned = TRUTH.map(|weight| -weight);
    let (set, source) = data(&[(3000, TRUTH), (9000, turned)], 4);
    let fitted = Settings {
        k: None,
        ..settings()
    };
    let found = weighed_by(fitted, &set, &source, 0).unwrap();
    assert!(found.factors[1] < 0.05, "{:?}", found.factors);
}

#[test]
fn sources_of_one_kind_keep_their_weights() {
    let (set, source) = data(&[(4000, TRUTH), (4000, TRUTH)], 5);
    let found = weighed(&set, &source, 1).unwrap();
    assert!(
        (0.2..5.0).contains(&found.factors[0]),
        "{:?}",
        found.factors
    );
    // Order and numbers of sources do not matter.
    let turned: Vec<u32> = source.iter().map(|source| 1 - source).collect();
    let again = weighed(&set, &turned, 0).unwrap();
    assert_eq!(found.factors[0].to_bits(), again.factors[1].to_bits());
}

#[test]
fn a_trusted_source_without_games_is_refused() {
    let (set, source) = data(&[(500, OTHERS)], 1);
    for k in [Some(1.0), None] {
        let found = weighed_by(Settings { k, ..settings() }, &set, &source, 1);
        assert_eq!(
            found.unwrap_err().to_string(),
            "--weigh-sources: no game of the trusted source is left to decide by; leave it out, \
             and say how much files count by FILE:weight=W"
        );
    }
}
