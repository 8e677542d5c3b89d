//! Another scale for the same fit: one weight is told its value.
//!
//! K and a common factor of all weights cannot be told apart, so a fit may be
//! brought to any scale. [`Anchor`] asks for the one on which a weight has a
//! given value. First comes the fit as ever; then all variables are multiplied
//! by the factor that brings the weight there, K is divided by it, the weight
//! is fixed, and the others descend again. Where the score is linear in the
//! variables and has no constant, nothing is left to do then: E is the same.
//! Frozen weights, bounds, constants and what is not linear do not come along,
//! and the second descent finds the optimum among them.
//!
//! The prior is in the old scale, and is multiplied too.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::saved::Scaled;
use super::{
    Fit, FitError, FitInputs, FitProgress, FitTask, ProgressObserver, SavedFit, Settings, numbers,
};
use crate::integers::Grid;
use crate::model::counts;
use tuner_solve::{Objective, Reduction, Subset, Termination, VariableId};

/// Largest change of scale, and 1 over the smallest. Chosen: centipawns to
/// ten-thousandths of a pawn is a factor of 100.
const LARGEST: f64 = 1e3;

/// A weight and the value that it is to have.
///
/// One weight, because one scale is all that there is to choose; to keep
/// others where they are, freeze them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The weight, in the order of the reduction.
    pub weight: usize,
    /// The value that it is to have.
    pub value: f64,
    /// The factor that was found already, where K and the start are in the new scale: those of a
    /// fit that continues another; `None` where it is to be found.
    pub factor: Option<f64>,
}

/// The outcome of anchoring: a weight that has its value again.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct Anchored<W = usize> {
    /// The weight.
    pub weight: W,
    /// The value that it has now.
    pub value: f64,
    /// The factor of all variables.
    pub factor: f64,
    /// K of the fit before: that of the old scale.
    pub k_before: f64,
}

impl Anchored {
    /// Says that the scale was changed so that a weight has its value, by the weight's `name`; `k`
    /// is K in the new scale.
    pub fn sentence(&self, name: &str, k: f64) -> String {
        format!(
            "scale: {name} is {}; all weights, and the prior, were multiplied by {:.9}, so K = \
             {:.9} became {k:.9}",
            self.value, self.factor, self.k_before
        )
    }
}

/// Why a weight cannot be anchored.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("weight {weight} cannot be anchored at {value}: {reason}")]
pub struct AnchorError {
    /// The weight.
    pub weight: usize,
    /// The value that it was to have.
    pub value: f64,
    /// The reason.
    pub reason: Reason,
}

/// Why a weight cannot be an anchor.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum Reason {
    /// The weight is frozen, or tied to one that is.
    #[error("it is frozen, or tied to a weight that is; anchor a weight that is tuned, or thaw it")]
    Fixed,
    /// No position reads it, so it says nothing of the scale.
    #[error(
        "no position reads it, so it says nothing of the scale; anchor a weight that positions \
         read"
    )]
    Unread,
    /// 0, or no number, is on every scale, or on none.
    #[error("expected a number other than 0")]
    Zero,
    /// The value is outside these bounds.
    #[error("its bounds are {0} to {1}; choose a value between them, or widen them")]
    Bounds(f64, f64),
    /// Weights are rounded to integers, and the value, or that of a weight tied
    /// to it, is none.
    #[error("expected a whole number that makes whole numbers of all weights tied to it")]
    NotWhole,
    /// Fitted, the weight is this: 0, or of the other sign.
    #[error(
        "fitted, it is {0}, and no positive factor leads from there to the value; anchor a weight \
         that is clearly not 0"
    )]
    Sign(f64),
    /// Fitted, the weight is this, so that all others would change by a factor
    /// beyond reason.
    #[error(
        "fitted, it is {0}, and the factor to the value is beyond {LARGEST} or below 1/{LARGEST}; \
         anchor a weight that is clearly not 0, or look at the unit",
        LARGEST = LARGEST
    )]
    Far(f64),
}

impl Anchor {
    /// Makes the error that this weight cannot be anchored at this value, for a reason.
    fn refused(self, reason: Reason) -> FitError {
        let (weight, value) = (self.weight, self.value);
        FitError::Anchor(AnchorError {
            weight,
            value,
            reason,
        })
    }
}

/// Fits in the scale of the start, multiplies all weights by the factor that gives the anchored
/// weight its value, fixes that weight, and fits all others again. The first fit is left out where
/// the factor is known, and taken from the saved fit where it had ended before an interruption.
/// Where the observer ends the first fit, its weights are brought to the new scale if that is
/// possible, and are the result without a further step. Fails if the weight cannot be an anchor,
/// for one of the reasons of [`Reason`].
///
/// In this order: the variable of the weight, and its value; the first fit; the factor; start and
/// prior times the factor and K divided by it, with E at the prior mean, by which the prior is
/// measured; the second fit, without that variable; and both fits as one.
pub(super) fn fit(
    anchor: Anchor,
    task: &FitTask<'_>,
    observer: ProgressObserver<'_>,
) -> Result<Fit, FitError> {
    let (reduction, inputs, settings) = (task.reduction, task.inputs, task.settings);
    let (variable, x) =
        place(anchor, reduction, settings.integers).map_err(|reason| anchor.refused(reason))?;
    let (read, _) = counts::read_variables(task.traces, reduction, task.train, None)?;
    if !read.contains(variable) {
        return Err(anchor.refused(Reason::Unread));
    }
    let scaled = inputs.saved.and_then(|saved| saved.scaled.as_ref());
    let first = match (anchor.factor, scaled) {
        (Some(_), _) => None,
        (None, Some(scaled)) => Some(resumed(scaled, &inputs)?),
        (None, None) => {
            let mut first = *task;
            first.settings.integers = false;
            Some(first.fit(observer)?)
        }
    };
    // A first fit that was interrupted is brought to the new scale, but not fitted further or saved
    // there: it resumes in the scale of the start.
    let interrupted = |fit: &Fit| fit.summary.termination == Termination::Interrupted;
    let ended = scaled.is_none() && first.as_ref().is_some_and(interrupted);
    let factor = match (&first, anchor.factor) {
        (Some(first), _) => match factor(first.weights[anchor.weight], anchor.value) {
            Ok(factor) => factor,
            // An interrupted fit does not fail for this: later steps may have led to a factor.
            Err(_) if ended => return unscaled(first, task),
            Err(reason) => return Err(anchor.refused(reason)),
        },
        // K and the start are in the new scale already; the prior is brought there below.
        (None, factor) => factor.unwrap_or(1.0),
    };
    // The inputs in the new scale: the start, K, and the prior with its error.
    let times = |weights: &[f64]| -> Vec<f64> { weights.iter().map(|w| w * factor).collect() };
    let start = (first.as_ref()).map_or_else(|| inputs.start.to_vec(), |f| times(&f.weights));
    let k = first.as_ref().map(|first| first.k / factor).or(settings.k);
    let prior_mean = times(inputs.prior_mean);
    let known = k.filter(|_| settings.prior.is_some());
    let prior_error = match known.map(|k| task.objective(k)) {
        Some(Ok(objective)) => Some(objective.value(&reduction.start(&prior_mean))?),
        // That there are no rows is said by the fit that follows.
        None | Some(Err(FitError::NoRows(_))) => None,
        Some(Err(error)) => return Err(error),
    };
    // The fit in the new scale, of all variables but the anchored one, which is at x.
    let mut fixed = reduction.start(&start);
    fixed[variable] = x;
    let others = Subset::without(variable, fixed.len());
    let pinned = first.as_ref().map_or(inputs.pinned, |first| &first.pinned);
    // What was saved was for the first fit, if that was made just now; else it is for this one.
    let first_just_now = anchor.factor.is_none() && scaled.is_none();
    let keep = first.clone().map(|first| Scaled {
        factor,
        first: Box::new(first),
    });
    let mut observe = |at: &FitProgress<'_>| {
        if ended {
            return ControlFlow::Break(());
        }
        let save = || SavedFit {
            scaled: keep.clone(),
            ..at.save()
        };
        observer(&FitProgress { save: &save, ..*at })
    };
    let task = FitTask {
        reduction: &reduction.keeping(&others, &fixed),
        inputs: FitInputs {
            anchor: &start,
            start: &start,
            prior_mean: &prior_mean,
            prior: &inputs.prior.scaled(factor),
            pinned: &numbers(pinned, &others),
            saved: inputs.saved.filter(|_| !first_just_now),
            beginning: None,
        },
        settings: Settings {
            k,
            prior: settings.prior.map(|deviation| deviation * factor),
            ..settings
        },
        prior_error,
        ..*task
    };
    let found = task.fit(&mut observe);
    let found = found.map_err(|error| error.of(others.indices()))?;
    let mut found = found.of(&others, fixed);
    found.anchored = Some(Anchored {
        weight: anchor.weight,
        value: anchor.value,
        factor,
        k_before: found.k * factor,
    });
    Ok(match first {
        Some(first) => found.after(first),
        None => found,
    })
}

/// Returns the fit in the scale of the start, which had ended before an interruption, as it was
/// saved; fails if it has another number of weights, or numbers that no fit has.
fn resumed(scaled: &Scaled, inputs: &FitInputs<'_>) -> Result<Fit, FitError> {
    let first = &scaled.first;
    let whole = first.weights.len() == inputs.start.len();
    let finite = first.weights.iter().all(|weight| weight.is_finite());
    if whole && finite && first.k.is_finite() && first.k > 0.0 {
        Ok((**first).clone())
    } else {
        let what = "the fit in the scale from before the anchor";
        Err(FitError::inconsistent(what))
    }
}

/// Returns a first fit that was interrupted at weights from which no factor leads to the new scale
/// yet: it stays in the scale of the start. It is made complete by a fit that the observer ends at
/// once, so without a further step.
fn unscaled(first: &Fit, task: &FitTask<'_>) -> Result<Fit, FitError> {
    let mut task = task.following(first);
    task.inputs.saved = None;
    let found = task.fit(&mut |_| ControlFlow::Break(()))?;
    Ok(found.after(first.clone()))
}

/// Returns the variable that the anchored weight depends on, and the value x of the variable at
/// which the weight, scale·x + offset, has the anchor's value; `Err`: why it cannot have that.
/// `integers`: whether weights are rounded, so that x must be an allowed value.
fn place(anchor: Anchor, reduction: &Reduction, integers: bool) -> Result<(usize, f64), Reason> {
    if anchor.value == 0.0 || !anchor.value.is_finite() {
        return Err(Reason::Zero);
    }
    // A weight that has the factor 0 does not move with its variable, so it is fixed as well.
    let term = reduction.weight_terms().nth(anchor.weight);
    let Some((Some(VariableId(variable)), scale, offset)) = term.filter(|term| term.1 != 0.0)
    else {
        return Err(Reason::Fixed);
    };
    let x = (anchor.value - offset) / scale;
    let (low, high) = reduction.bounds()[variable];
    if x < low || x > high {
        let ends = [low, high].map(|x| scale * x + offset);
        return Err(Reason::Bounds(ends[0].min(ends[1]), ends[0].max(ends[1])));
    }
    if integers {
        let whole = Grid::new(reduction).map(|grid| grid.nearest(variable, x));
        // Why weights cannot be integers at all is said by the fit that follows. `x + 0.0` makes 0
        // of −0, whose bits differ.
        if whole.is_ok_and(|whole| whole.to_bits() != (x + 0.0).to_bits()) {
            return Err(Reason::NotWhole);
        }
    }
    Ok((variable, x))
}

/// Returns the factor from a fitted weight to the value that it is to have; `Err` if that is not
/// positive and finite, or beyond [`LARGEST`] or below 1/[`LARGEST`].
fn factor(fitted: f64, value: f64) -> Result<f64, Reason> {
    let factor = value / fitted;
    // NaN is neither.
    if !(factor > 0.0 && factor.is_finite()) {
        Err(Reason::Sign(fitted))
    } else if !(1.0 / LARGEST..=LARGEST).contains(&factor) {
        Err(Reason::Far(fitted))
    } else {
        Ok(factor)
    }
}
