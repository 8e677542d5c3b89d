//! Fits of some of the games: to see what more games would bring, and how far the
//! choice of the held-out games decides.

use std::ops::ControlFlow;

use super::{
    Fit, FitError, FitInputs, FitProgress, FitTask, SPLIT_SEED, Settings, WeightGroup, evidence_of,
};
use crate::model::{Part, Split};
use tuner_rows::Traces;
use tuner_solve::Reduction;

/// Which games a fit is of, and which judge it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartOfGames {
    /// This part of those that are fitted otherwise, from 0 to 1; a smaller part
    /// is one of a larger. The same games judge it.
    Fitted(f64),
    /// One of so many folds judges, and the others are fitted: number and folds.
    Fold(u32, u32),
}

/// Which games a smaller part leaves out; chosen, nothing depends on it.
const NESTED_SEED: u64 = SPLIT_SEED + 2;

/// Which games are in which fold.
const FOLD_SEED: u64 = SPLIT_SEED + 3;

impl PartOfGames {
    /// Returns the games fitted and those that judge.
    pub fn parts(self, held_out: f64) -> (Part, Part) {
        match self {
            Self::Fitted(part) => {
                let outer = Split::new(held_out, SPLIT_SEED);
                let inner = Split::new(1.0 - part, NESTED_SEED);
                (Part::TrainOf(outer, inner), Part::HeldOut(outer))
            }
            Self::Fold(number, folds) => {
                let split = Split::fold(number, folds, FOLD_SEED);
                (Part::Train(split), Part::HeldOut(split))
            }
        }
    }
}

/// Fits a part of the games, without rounding. Where `groups` are given the prior
/// is chosen by its evidence on them, else it is that of the settings.
///
/// # Errors
/// As [`fit`](super::fit).
pub fn fit_part<'a>(
    traces: impl Into<Traces<'a>>,
    reduction: &Reduction,
    inputs: &FitInputs<'_>,
    settings: &Settings,
    (part, groups): (PartOfGames, Option<&[WeightGroup]>),
    observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
) -> Result<Fit, FitError> {
    let parts = part.parts(settings.held_out);
    let mut settings = Settings {
        integers: false,
        anchor: None,
        prior_unit: None,
        ..settings.clone()
    };
    let traces = traces.into();
    let (mut prior, mut beginning) = (inputs.prior.clone(), None);
    if let Some(groups) = groups {
        let task = FitTask::new(traces, reduction, inputs, &settings).on(parts);
        let (evidence, found) = evidence_of(&task, groups)?;
        beginning = Some(found);
        prior = evidence.prior(&prior, groups);
        settings.prior_unit = Some(evidence.unit);
    }
    let inputs = FitInputs {
        prior: &prior,
        beginning: beginning.as_ref(),
        ..*inputs
    };
    let task = FitTask::new(traces, reduction, &inputs, &settings).on(parts);
    task.fit(observer)
}
