//! Drawn data, and a fit of them.

use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tuner_base::Slot;
use tuner_fit::model::Sigmoid;
use tuner_fit::{Anchor, Fit, FitError, FitInputs, Settings, fit};
use tuner_rows::{RowDraft, RowInfo, Segment, TraceSet};
use tuner_solve::Reduction;

pub(crate) const TRUTH: [f64; 6] = [90.0, -30.0, 45.0, 12.0, 60.0, 0.0];

/// Drawn results of games of three positions over three tapered slots; slot 3
/// is read by none. `constant` is added to every score.
pub(crate) fn traces(rows: u32, constant: f64) -> TraceSet {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut set = TraceSet::new(4);
    for row in 0..rows {
        let phase = f64::from(rng.random_range(0..=24_u8)) / 24.0;
        let entries: Vec<(Slot, i16)> = (0..3)
            .map(|slot| (Slot(slot), rng.random_range(-2..=2)))
            .collect();
        let score: f64 = entries
            .iter()
            .map(|&(slot, c)| {
                let slot = 2 * slot.index();
                f64::from(c) * (phase * TRUTH[slot] + (1.0 - phase) * TRUTH[slot + 1])
            })
            .sum();
        let draft = RowDraft {
            constant,
            segments: vec![Segment::same([phase, 1.0 - phase], entries)],
            expression: None,
        };
        let wins = rng.random::<f64>() < Sigmoid::new(1.0).expectation(constant + score);
        let mut info = RowInfo::new(f64::from(u8::from(wins)), row / 3);
        // A search knows the score.
        info.search_score = (row % 4 > 0).then_some((constant + score).round() as i32);
        set.push(&draft, &info).unwrap();
    }
    set
}

pub(crate) fn settings() -> Settings {
    Settings {
        held_out: 0.2,
        prior: Some(20.0),
        ..Settings::default()
    }
}

pub(crate) const START: [f64; 8] = [70.0, -20.0, 40.0, 20.0, 50.0, 5.0, 7.0, 8.0];

pub(crate) fn run(
    traces: &TraceSet,
    reduction: &Reduction,
    settings: &Settings,
) -> Result<Fit, FitError> {
    let given = FitInputs::at(&START);
    fit(traces, reduction, &given, settings, &mut |_| {
        ControlFlow::Continue(())
    })
}

pub(crate) fn anchored(weight: usize, value: f64) -> Settings {
    Settings {
        anchor: Some(Anchor {
            weight,
            value,
            factor: None,
        }),
        ..settings()
    }
}
