//! Standard errors of a hundred of many weights without matrices: passes, seconds,
//! and how far they are from those by matrices, where these can be formed.
//! `cargo bench -p tuner-judge --bench matrix_free [-- VARIABLES]`, 24,000 by
//! default.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark prints, and ends where something fails"
)]

use std::time::Instant;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use tuner_base::Slot;
use tuner_fit::model::{Loss, Part, Regression, Sigmoid};
use tuner_judge::{FREQUENT, SomeErrors, Variance, some_errors};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::{Prior, Reduction};

/// Positions, positions of a game, and features of a position besides the pieces.
const ROWS: usize = 160_000;
const OF_GAME: usize = 15;
const FEATURES: usize = 40;

/// Slots of pieces, each of which stands for all features of its table.
const PIECES: usize = 6;

/// Weights whose standard errors are computed.
const CHOSEN: usize = 100;

/// Standard deviation of the prior.
const DEVIATION: f64 = 20.0;

/// Ratio of the frequencies of the most and the least frequent feature.
const FREQUENCIES: f64 = 1e4;

fn main() {
    let number = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let variables = number.unwrap_or(24_000);
    println!(
        "{ROWS} positions of {} games, {FEATURES} features each",
        ROWS.div_ceil(OF_GAME)
    );
    compare(3_000);
    let (some, seconds, ()) = of(variables, |_, _, _, _, _| ());
    print(variables, &some, seconds);
}

/// Both ways, of so few variables that there are matrices.
fn compare(variables: usize) {
    let (some, seconds, (expected, by_matrices)) =
        of(variables, |objective, prior, unit, x, chosen: &[usize]| {
            let start = Instant::now();
            let variance = Variance::new(objective, Some(prior), unit, x).unwrap();
            let covariance = &variance.covariance;
            let errors = chosen.iter().map(|&v| covariance.get(v, v).sqrt());
            (errors.collect::<Vec<f64>>(), start.elapsed().as_secs_f64())
        });
    print(variables, &some, seconds);
    let off = some.standard_errors.iter().zip(&expected);
    let off: Vec<f64> = off
        .filter_map(|(error, expected)| Some((error.as_ref()? / expected - 1.0).abs()))
        .collect();
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let most = off.iter().copied().fold(0.0, f64::max);
    println!(
        "  by matrices {by_matrices:.1} s; off by {:.3} % on average, {:.3} % at most {}",
        100.0 * mean,
        100.0 * most,
        if most < 0.02 { "met" } else { "missed" }
    );
}

fn print(variables: usize, some: &SomeErrors, seconds: f64) {
    let known = some.standard_errors.iter().flatten().count();
    let goal = 20 * CHOSEN;
    println!(
        "{variables} variables: {known} of {CHOSEN} standard errors in {} passes, {seconds:.1} s; \
         goal {goal} passes: {}",
        some.passes,
        if known == CHOSEN && some.passes <= goal {
            "met"
        } else {
            "missed"
        }
    );
}

/// Computes standard errors of so many variables, and something else of the same.
fn of<T>(
    variables: usize,
    other: impl FnOnce(&tuner_fit::model::Regression<'_>, &Prior, f64, &[f64], &[usize]) -> T,
) -> (SomeErrors, f64, T) {
    let slots = variables / 2;
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let x: Vec<f64> = (0..variables)
        .map(|_| rng.random_range(-DEVIATION..DEVIATION))
        .collect();
    let set = traces(slots, &x, &mut rng);
    let reduction = Reduction::of_lanes(variables);
    let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
    let objective = Regression::new(&set, &reduction, loss, sigmoid, Part::All).unwrap();
    let unit = loss.prior_unit(0.15, ROWS / OF_GAME);
    let prior = Prior::new(vec![0.0; variables], DEVIATION, unit);
    let chosen: Vec<usize> = (0..CHOSEN).map(|i| i * variables / CHOSEN).collect();
    let start = Instant::now();
    let some = some_errors(&objective, Some(&prior), unit, &x, &chosen, FREQUENT).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let other = other(&objective, &prior, unit, &x, &chosen);
    (some, seconds, other)
}

/// Positions of which those of a game resemble each other; the features of a table are
/// counted by its piece too.
fn traces(slots: usize, lanes: &[f64], rng: &mut ChaCha8Rng) -> TraceSet {
    let sigmoid = Sigmoid::new(1.0);
    let mut set = TraceSet::new(slots);
    let features = slots - PIECES;
    let feature = |rng: &mut ChaCha8Rng| -> (usize, i16) {
        // Frequencies fall exponentially with the number.
        let part = 1.0 - rng.random_range(0.0..1.0) * (1.0 - FREQUENCIES.recip());
        let number = -part.ln() / FREQUENCIES.ln() * features as f64;
        let sign = if rng.random_bool(0.5) { 1 } else { -1 };
        (PIECES + (number as usize).min(features - 1), sign)
    };
    let mut alike = Vec::new();
    for row in 0..ROWS {
        if row % OF_GAME == 0 {
            alike = (0..FEATURES).map(|_| feature(rng)).collect();
        }
        for entry in &mut alike {
            if rng.random_bool(0.2) {
                *entry = feature(rng);
            }
        }
        let mut counts = std::collections::BTreeMap::new();
        for &(slot, sign) in &alike {
            *counts.entry(slot).or_insert(0) += sign;
            *counts.entry(slot % PIECES).or_insert(0) += sign;
        }
        let phase = f64::from(rng.random_range(0..=24)) / 24.0;
        let score: f64 = (counts.iter())
            .map(|(&slot, &count): (&usize, &i16)| {
                let [mg, eg] = [lanes[2 * slot], lanes[2 * slot + 1]];
                f64::from(count) * (phase * mg + (1.0 - phase) * eg)
            })
            .sum();
        let won = rng.random_bool(sigmoid.expectation(score));
        let entries = counts
            .into_iter()
            .map(|(slot, count)| (Slot(slot as u32), count));
        let draft = RowDraft {
            segments: vec![Segment::same([phase, 1.0 - phase], entries)],
            ..RowDraft::default()
        };
        let info = RowInfo::new(f64::from(u8::from(won)), (row / OF_GAME) as u32);
        set.push(&draft, &info).unwrap();
    }
    set.finish();
    set
}
