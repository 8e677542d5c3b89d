//! Fits of some of the games: to see what more games would bring, and how far the
//! choice of the held-out games decides.

use super::{Fit, FitError, FitInputs, FitTask, ProgressObserver, SPLIT_SEED, WeightGroup};
use crate::model::{Part, Split};

/// Which games a fit is of, and which judge it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PartOfGames {
    /// This part of the games that the whole fit is of, from 0 to 1; a smaller part is one of a
    /// larger. The held-out games of the whole fit judge it.
    Fitted(f64),
    /// One of so many folds judges, and the others are fitted: number and folds.
    Fold(u32, u32),
}

/// Seed that decides which games a smaller part leaves out; chosen, nothing depends on it.
const NESTED_SEED: u64 = SPLIT_SEED + 2;

/// Seed that decides which games are in which fold; chosen, nothing depends on it.
const FOLD_SEED: u64 = SPLIT_SEED + 3;

impl PartOfGames {
    /// Returns the games that are fitted and those that judge. `held_out`: the fraction of the
    /// games that judge a fit of all others; folds are of all games, whatever that fraction is.
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
    /// Fits a part of the games, without rounding. Where `groups` of weights are given, the games
    /// of that part choose the prior, by its evidence: a standard deviation for each group. Else
    /// the prior is that of the settings.
    ///
    /// # Errors
    /// If K cannot be fitted, a part of the games is empty, the memory is too small, or rows cannot
    /// be read.
    pub fn fit_part(
        self,
        part: PartOfGames,
        groups: Option<&[WeightGroup]>,
        observer: ProgressObserver<'_>,
    ) -> Result<Fit, FitError> {
        let (train, judged) = part.parts(self.settings.held_out);
        let mut task = self.on(train, judged);
        // K and the curvature at the start, if they are known, are those of all games.
        task.inputs.beginning = None;
        let settings = &mut task.settings;
        // Its weights are compared, not written: they need be neither integers nor in the scale of
        // an anchor. The prior's unit u (its strength is u/τ² with a standard deviation τ) depends
        // on how many games there are, so that of all games is dropped.
        (settings.integers, settings.anchor, settings.prior_unit) = (false, None, None);
        let Some(groups) = groups else {
            return task.fit(observer);
        };
        // The choice has found K and the curvature at the start for this part: `beginning` hands
        // them to the fit.
        let (evidence, beginning) = task.choose_by_evidence(groups)?;
        task.settings.prior_unit = Some(evidence.unit);
        FitTask {
            inputs: FitInputs {
                prior: &evidence.prior(task.inputs.prior, groups),
                beginning: Some(&beginning),
                ..task.inputs
            },
            ..task
        }
        .fit(observer)
    }
}
