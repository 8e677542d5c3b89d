//! Fits of some of the games: to see what more games would bring, and how far the
//! choice of the held-out games decides.

use std::ops::ControlFlow;

use super::{Fit, FitError, FitInputs, FitProgress, FitTask, SPLIT_SEED, Settings, WeightGroup};
use crate::model::{Part, Split};

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

impl FitTask<'_> {
    /// Fits a part of the games, without rounding. Where `groups` are given the prior
    /// is chosen by its evidence on them, else it is that of the settings.
    ///
    /// # Errors
    /// As [`fit()`](crate::fit).
    pub fn fit_part(
        self,
        part: PartOfGames,
        groups: Option<&[WeightGroup]>,
        observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Fit, FitError> {
        let mut settings = Settings {
            integers: false,
            anchor: None,
            prior_unit: None,
            ..self.settings.clone()
        };
        let (mut prior, mut beginning) = (self.inputs.prior.clone(), None);
        let of_part = self.on(part.parts(settings.held_out));
        if let Some(groups) = groups {
            let task = FitTask {
                settings: &settings,
                ..of_part
            };
            let (evidence, found) = task.choose_by_evidence(groups)?;
            beginning = Some(found);
            prior = evidence.prior(&prior, groups);
            settings.prior_unit = Some(evidence.unit);
        }
        let task = FitTask {
            settings: &settings,
            inputs: &FitInputs {
                prior: &prior,
                beginning: beginning.as_ref(),
                ..*self.inputs
            },
            ..of_part
        };
        task.fit(observer)
    }
}
