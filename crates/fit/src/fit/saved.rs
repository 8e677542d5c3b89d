//! The state that a fit needs to resume from where it was.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::Fit;
use super::method::MethodChoice;
use crate::integers::Searched;
use crate::model::KFit;
use tuner_solve as solve;
use tuner_solve::{Record, Summary};

/// A fit after an iteration: with it in
/// [`FitInputs::saved`](super::FitInputs::saved) the same fit resumes, and ends
/// with the same bits.
///
/// *Numerics*: as [`solve::Checkpoint`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedFit {
    pub(crate) k: f64,
    pub(super) k_fit: Option<KFit>,
    /// Variables that were separated in the descents before this one.
    pub(super) pinned: Vec<usize>,
    /// The choice of the method; memory may be another by now.
    pub(super) method: MethodChoice,
    /// The summary of the descents before this one; `None` if it is the first.
    pub(super) earlier: Option<Summary>,
    /// The descent on its way.
    pub(super) descent: solve::Checkpoint,
    /// The search for integers that follows it, once it has begun.
    pub(super) search: Option<Searched>,
    /// How the scale was changed before, where a weight is anchored.
    pub(crate) scaled: Option<Scaled>,
}

/// The change of scale between the two fits of an anchored one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scaled {
    /// The factor of all weights.
    pub(crate) factor: f64,
    /// The fit in the scale of before.
    pub(crate) first: Box<Fit>,
}

impl SavedFit {
    /// Returns the number of the last iteration, of all descents and of the
    /// search for integers; 0 is the start.
    pub fn iteration(&self) -> usize {
        let earlier = self.earlier.as_ref();
        let earlier = earlier.map_or(0, |earlier| earlier.iterations);
        let scaled = self.scaled.as_ref();
        let first = scaled.map_or(0, |scaled| scaled.first.summary.iterations);
        let rounds = self.search.as_ref().map_or(0, |search| search.rounds.len());
        first + earlier + self.descent.iteration() + rounds
    }

    /// Returns what all weights were multiplied by for an anchor; `None` where no weight is
    /// anchored, or the scale has not been changed yet.
    pub fn factor(&self) -> Option<f64> {
        self.scaled.as_ref().map(|scaled| scaled.factor)
    }
}

/// Is shown where a fit stands after every iteration, and answers whether it is to continue.
pub type ProgressObserver<'a> = &'a mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>;

/// Where the fit stands; given to the observer after every iteration.
#[derive(Clone, Copy)]
pub struct FitProgress<'a> {
    /// The iteration that has just ended; number 0 is the start.
    pub record: &'a Record,
    pub(super) weights: &'a dyn Fn() -> Vec<f64>,
    pub(super) save: &'a dyn Fn() -> SavedFit,
}

tuner_base::impl_fmt! { Debug for FitProgress<'_> }

impl FitProgress<'_> {
    /// Returns all weights, the best so far, not rounded, in the reduction's
    /// order.
    pub fn weights(&self) -> Vec<f64> {
        (self.weights)()
    }

    /// Returns all that it takes to resume the fit after this iteration.
    pub fn save(&self) -> SavedFit {
        (self.save)()
    }
}
