//! Data sets with features that no weight reads.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_fit::{FitInputs, Settings, fit};
use tuner_judge::{Suggestions, suggest};
use tuner_rows::{RowDraft, RowInfo, Segment, Slot, TraceSet};
use tuner_solve::{LaneId, Objective, Reduction, ReductionParts, WeightId};

/// Slots that weights read.
const READ: usize = 3;

/// Features whose counts are drawn.
pub(crate) const DRAWN: usize = 40;

/// Features after these: what weights read already, the feature 0 and a little, one of few
/// positions.
pub(crate) const COPY: usize = DRAWN;
pub(crate) const TWIN: usize = DRAWN + 1;
pub(crate) const RARE: usize = DRAWN + 2;
const FEATURES: usize = DRAWN + 3;

/// The true weights of both lanes of the slots that are read.
const TRUE: [f64; 2 * READ] = [60.0, 40.0, -35.0, -20.0, 15.0, 50.0];

const K: f64 = 1.0;

/// Draws games in which feature 0 has this weight, in both lanes: half of the results of a
/// game go together, its counts as well.
pub(crate) fn data(seed: u64, games: u32, weight: f64) -> TraceSet {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut set = TraceSet::new(READ + FEATURES);
    for game in 0..games {
        let luck: f64 = random.random();
        let base: Vec<i16> = (0..READ + DRAWN)
            .map(|_| random.random_range(-1..=1))
            .collect();
        for _ in 0..8 {
            let mut counts: Vec<i16> = base
                .iter()
                .map(|b| b + random.random_range(-1..=1))
                .collect();
            counts.push(counts[0] - 2 * counts[2]);
            counts.push(8 * counts[READ] + random.random_range(-1..=1));
            counts.push(i16::from(game < 10));
            let phase: f64 = random.random();
            let factors = [phase, 1.0 - phase];
            let value = |slot: usize, lanes: &[f64]| {
                f64::from(counts[slot]) * (factors[0] * lanes[0] + factors[1] * lanes[1])
            };
            let read = (0..READ).map(|slot| value(slot, &TRUE[2 * slot..]));
            let score = read.sum::<f64>() + value(READ, &[weight; 2]);
            let luck = if random.random() {
                luck
            } else {
                random.random()
            };
            let outcome = f64::from(luck < Sigmoid::new(K).expectation(score));
            let entries = (0..).map(Slot).zip(counts.iter().copied());
            let draft = RowDraft {
                segments: vec![Segment::same(factors, entries)],
                ..RowDraft::default()
            };
            set.push(&draft, &RowInfo::new(outcome, game)).unwrap();
        }
    }
    set.finish();
    set
}

/// The variables of the weights, and of these features.
fn reduction(free: &[usize]) -> Reduction {
    let count = 2 * (READ + FEATURES);
    let lanes: Vec<LaneId> = (0..count as u32).map(LaneId).collect();
    let is_frozen = |weight: usize| {
        let slot = weight / 2;
        slot >= READ && !free.contains(&(slot - READ))
    };
    Reduction::new(&ReductionParts {
        lane_count: count,
        lanes: &lanes,
        frozen: &(0..count).map(is_frozen).collect::<Vec<_>>(),
        ties: &[],
        bounds: &vec![(f64::NEG_INFINITY, f64::INFINITY); count],
        constraints: &[],
        initial: &vec![0.0; count],
    })
    .unwrap()
}

/// Fits the weights and these features.
fn fitted(set: &TraceSet, reduction: &Reduction) -> Vec<f64> {
    let start = vec![0.0; 2 * (READ + FEATURES)];
    let settings = Settings {
        k: Some(K),
        ..Settings::default()
    };
    let inputs = FitInputs::at(&start);
    let fit = fit(set, reduction, &inputs, &settings, &mut |_| {
        std::ops::ControlFlow::Continue(())
    });
    reduction.start(&fit.unwrap().weights)
}

/// What is suggested for a data set.
pub(crate) fn suggested(set: &TraceSet) -> Suggestions {
    let reduction = reduction(&[]);
    let x = fitted(set, &reduction);
    let both = |of: usize| [0, 1].map(|lane| WeightId(2 * (READ + of) + lane));
    let features: Vec<_> = (0..FEATURES).map(both).collect();
    let measure = (Loss::Squared, Sigmoid::new(K));
    suggest(set, &reduction, &x, &features, measure, 10)
        .unwrap()
        .unwrap()
}

/// By how much E falls on other games where a feature gets a weight.
pub(crate) fn fall(set: &TraceSet, others: &TraceSet, feature: usize) -> f64 {
    let error = |free: &[usize]| {
        let reduction = reduction(free);
        let x = fitted(set, &reduction);
        let sigmoid = Sigmoid::new(K);
        let objective = Regression::new(others, &reduction, Loss::Squared, sigmoid, Part::All);
        objective.unwrap().value(&x).unwrap()
    };
    error(&[]) - error(&[feature])
}
