//! The true objective: errors by true scores.

use crate::model::{Loss, Part, Regression, Sigmoid, effective_games};
use crate::{FitError, FitInputs, Settings};
use tuner_rows::TraceSet;
use tuner_solve::{Objective, Prior, Reduction};

/// What weights are judged by: the objective of the fit.
#[derive(Debug)]
pub(super) struct TrueObjective<'a> {
    reduction: &'a Reduction,
    loss: Loss,
    k: f64,
    /// The games fitted on, and those that judge.
    parts: (Part, Option<Part>),
    prior: Option<Prior>,
    /// E at the prior mean, which the prior is measured by.
    pub(super) prior_error: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Errors {
    pub(super) error: f64,
    pub(super) objective: f64,
    pub(super) held_out: Option<f64>,
}

impl<'a> TrueObjective<'a> {
    pub(super) fn new(
        reduction: &'a Reduction,
        loss: Loss,
        k: f64,
        parts: (Part, Option<Part>),
    ) -> Self {
        Self {
            reduction,
            loss,
            k,
            parts,
            prior: None,
            prior_error: None,
        }
    }

    /// Adds the prior around `mean`; `scores` are those there.
    pub(super) fn set_prior(
        &mut self,
        scores: &TraceSet,
        mean: Vec<f64>,
        deviation: f64,
        inputs: &FitInputs<'_>,
        settings: &Settings,
    ) -> Result<(), FitError> {
        let error = self.of(scores, &mean)?.error;
        let games = effective_games(scores, self.parts.0)?.round() as usize;
        let unit = settings.loss.prior_unit(error, games);
        let prior = Prior::new(mean, deviation, unit);
        self.prior = Some(prior.with(inputs.prior, self.reduction, unit));
        self.prior_error = Some(error);
        Ok(())
    }

    /// Returns the errors of rows at variables; of scores that are constant
    /// only the prior depends on these.
    pub(super) fn of(&self, traces: &TraceSet, x: &[f64]) -> Result<Errors, FitError> {
        let value = |part, name| {
            let sigmoid = Sigmoid::new(self.k);
            let regression = Regression::new(traces, self.reduction, self.loss, sigmoid, part)
                .map_err(|error| FitError::of_part(error, name))?;
            Ok::<f64, FitError>(regression.value(x)?)
        };
        let error = value(self.parts.0, "games to fit on")?;
        let judged = self.parts.1.map(|part| value(part, "held-out games"));
        let prior = self.prior.as_ref().map_or(0.0, |prior| prior.value(x));
        Ok(Errors {
            error,
            objective: error + prior,
            held_out: judged.transpose()?,
        })
    }
}
