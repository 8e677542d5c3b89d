//! What a fit needs to resume from where it was.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Fit;
use super::method::MethodChoice;
use crate::integers::SearchSaved;
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
    pub(super) k: f64,
    #[serde(with = "k_fit")]
    pub(super) k_fit: Option<KFit>,
    /// Variables that were separated in the descents before this one.
    pub(super) pinned: Vec<usize>,
    /// What was decided of the method; memory may be another by now.
    pub(super) method: MethodChoice,
    /// Those descents.
    pub(super) earlier: Option<Summary>,
    /// The descent on its way.
    pub(super) descent: solve::Checkpoint,
    /// The search for integers that follows it, once it has begun.
    pub(super) search: Option<SearchSaved>,
    /// How the scale was changed before, where a weight is anchored.
    pub(super) scaled: Option<Scaled>,
}

/// The change of scale between the two fits of an anchored one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scaled {
    /// What all weights were multiplied by.
    pub(super) factor: f64,
    /// The fit in the scale of before.
    pub(super) first: Box<Fit>,
}

impl SavedFit {
    /// Returns the number of the last iteration, of all descents and of the
    /// search for integers; 0 is the start.
    pub fn iteration(&self) -> usize {
        let earlier = self
            .earlier
            .as_ref()
            .map_or(0, |earlier| earlier.iterations);
        let first = self.first().map_or(0, |fit| fit.summary.iterations);
        let rounds = self.search.as_ref().map_or(0, SearchSaved::round);
        first + earlier + self.descent.iteration() + rounds
    }

    /// Returns the fit in the scale of before, where a weight is anchored and
    /// the scale has been changed.
    pub fn first(&self) -> Option<&Fit> {
        self.scaled.as_ref().map(|scaled| &*scaled.first)
    }

    /// Returns what all weights were multiplied by then.
    pub fn factor(&self) -> Option<f64> {
        self.scaled.as_ref().map(|scaled| scaled.factor)
    }

    /// Returns the scaling constant.
    pub fn k(&self) -> f64 {
        self.k
    }
}

/// Where the fit stands; given to the observer after every iteration.
#[derive(Clone, Copy)]
pub struct FitProgress<'a> {
    /// The iteration that has just ended; number 0 is the start.
    pub record: &'a Record,
    pub(super) weights: &'a dyn Fn() -> Vec<f64>,
    pub(super) save: &'a dyn Fn() -> SavedFit,
}

impl FitProgress<'_> {
    /// Returns all weights, the best so far, not rounded, in the reduction's
    /// order.
    pub fn weights(&self) -> Vec<f64> {
        (self.weights)()
    }

    /// Returns all that it takes to resume from here.
    pub fn save(&self) -> SavedFit {
        (self.save)()
    }
}

impl fmt::Debug for FitProgress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FitProgress")
            .field("record", self.record)
            .finish_non_exhaustive()
    }
}

/// K and how it was fitted, as a list of its numbers.
pub(super) mod k_fit {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::model::KFit;

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(crate) fn serialize<S: Serializer>(fit: &Option<KFit>, to: S) -> Result<S::Ok, S::Error> {
        fit.map(|fit| (fit.k, fit.slope_per_centipawn, fit.error, fit.passes))
            .serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<KFit>, D::Error> {
        let numbers = Option::<(f64, f64, f64, usize)>::deserialize(from)?;
        Ok(numbers.map(|(k, slope_per_centipawn, error, passes)| KFit {
            k,
            slope_per_centipawn,
            error,
            passes,
        }))
    }
}
