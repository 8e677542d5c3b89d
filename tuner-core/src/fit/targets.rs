//! What the fit regresses on and how positions count, put into the rows for as
//! long as a fit lasts.

use serde::{Deserialize, Serialize};

use super::{Fit, FitError, Given, Progress, Settings, fit, parts};
use crate::model::{Mix, NoRows, Reduction, Regression, Sigmoid, Weighing};
use crate::solve::Flow;
use crate::trace::rows::TraceSet;

/// Targets and weights of all rows.
///
/// The default: results alone, each row at its own weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// How search scores join the results.
    pub mix: Option<Mix>,
    /// How positions of a game share its weight.
    pub weighing: Weighing,
}

/// Errors of one fit, by results alone and the rows' own weights: what compares
/// fits with different targets.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AgainstResults {
    /// E of the written weights on the games fitted on.
    pub error: f64,
    /// E of the written weights on the held-out games.
    pub held_out_error: Option<f64>,
    /// E of the starting weights on the held-out games.
    pub held_out_start: Option<f64>,
}

impl Targets {
    /// Runs `f` on rows with these targets and weights; afterwards they have
    /// their own again. *Cost*: two passes; 16 bytes a row meanwhile.
    pub fn with<T>(&self, traces: &mut TraceSet, f: impl FnOnce(&TraceSet) -> T) -> T {
        let results = self.mix.map(|mix| mix.apply(traces));
        let weights = self.weighing.apply(traces);
        let found = f(traces);
        if let Some(results) = results {
            traces.map_outcomes(|row, _| results[row]);
        }
        if let Some(weights) = weights {
            traces.map_weights(|row, _| weights[row]);
        }
        found
    }

    /// Fits to these targets; says also what is left against results.
    ///
    /// # Errors
    /// As [`fit()`].
    pub fn fit(
        &self,
        traces: &mut TraceSet,
        reduction: &Reduction,
        given: &Given<'_>,
        settings: &Settings,
        observer: &mut dyn FnMut(&Progress<'_>) -> Flow,
    ) -> Result<Fit, FitError> {
        if *self == Self::default() {
            return fit(traces, reduction, given, settings, observer);
        }
        let mut found = self.with(traces, |traces| {
            fit(traces, reduction, given, settings, observer)
        })?;
        // The start is in the scale from before an anchor.
        let k_before = found.anchored.map_or(found.k, |anchored| anchored.k_before);
        let error = |part, k, weights: &[f64]| {
            let sigmoid = Sigmoid::new(k);
            let objective = Regression::new(traces, reduction, settings.loss, sigmoid, part);
            objective
                .map(|objective| objective.at_lanes(&reduction.lanes_of(weights)))
                .map_err(|NoRows| FitError::NoRows("games to judge by"))
        };
        let (train, judged) = parts(settings.held_out);
        let held_out = |k, weights: &[f64]| judged.map(|part| error(part, k, weights)).transpose();
        found.against_results = Some(AgainstResults {
            error: error(train, found.k, &found.written)?,
            held_out_error: held_out(found.k, &found.written)?,
            held_out_start: held_out(k_before, given.start)?,
        });
        Ok(found)
    }
}
