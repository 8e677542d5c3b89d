//! The targets of a run, and how positions count.

use serde::{Deserialize, Serialize};

use super::RunError;
use crate::model::counted;
use crate::model::{KError, KFit, SampleWeighting, TargetBlend};
use crate::{FitError, Targets, parts};
use tuner_rows::Traces;

/// The part λ of the result in targets where nothing is chosen and the data have search scores.
/// Chosen by games: see docs/lab/strength.md.
const WITH_SCORES: f64 = 0.2;

/// The choice of targets and weights. The default: search scores with some of
/// the result where the data have scores, every position counts 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TargetConfig {
    /// λ of the target λ·R + (1 − λ)·σ(search score), from 0 to 1. `None`: 0.2 where
    /// at least half of the positions have a search score, else 1.
    pub lambda: Option<f64>,
    /// Scaling constant of the search scores; `None`: it is fitted on those of
    /// the games that are fitted.
    pub score_k: Option<f64>,
    /// How much the positions of a game count.
    pub weighing: SampleWeighting,
}

/// The targets of a run, and how they came about.
#[derive(Clone, Debug)]
pub struct ChosenTargets {
    /// The targets of the fit.
    pub targets: Targets,
    /// How K of the scores was fitted; `None` if it was given, or results are the targets.
    k_fit: Option<KFit>,
    /// Positions with and without a search score.
    scores: [u64; 2],
    /// Whether nobody chose λ.
    by_default: bool,
    /// Why results alone are the target although there are scores.
    refused: Option<KError>,
}

/// Targets λ·R + (1 − λ)·σ(search score), as a record has them.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct BlendedTargets {
    /// The part λ of the result, from 0 to 1.
    pub lambda: f64,
    /// Scaling constant of the search scores.
    pub score_k: f64,
    /// Whether this constant was fitted.
    pub score_k_fitted: bool,
    /// E of the search scores at a K that was fitted.
    pub score_error: Option<f64>,
    /// Positions with a search score.
    pub positions_with_score: u64,
    /// Positions without a search score, whose target is the result.
    pub positions_without_score: u64,
}

impl ChosenTargets {
    /// Finds the targets and weights of rows: results, or, with λ below 1, λ·R + (1 − λ)·σ(search
    /// score), for which K of the search scores is fitted if it is not given. Where λ is not
    /// chosen, it is 0.2 if at least half of the positions have a search score and K can be fitted,
    /// and else results are the targets. `held_out`: the fraction of games that K is not fitted on;
    /// `games`: whether the data say which positions are of one game.
    ///
    /// # Errors
    /// If rows cannot be read, positions are to count by game and games are not known, or a λ below
    /// 1 was chosen and there are no search scores or their K cannot be fitted.
    pub fn new(
        config: &TargetConfig,
        traces: Traces<'_>,
        held_out: f64,
        games: bool,
    ) -> Result<Self, RunError> {
        let (lambda, weighing) = (config.lambda, config.weighing);
        if weighing != SampleWeighting::Positions && !games {
            let words = format!(
                "--weigh {weighing}: the data do not say which positions are of one game; give data \
                 with games, or leave --weigh out"
            );
            return Err(words.into());
        }
        let mut chosen = Self {
            targets: Targets {
                mix: None,
                weighing,
            },
            k_fit: None,
            scores: [0; 2],
            by_default: lambda.is_none(),
            refused: None,
        };
        if lambda.is_none_or(|lambda| lambda < 1.0) {
            let with = counted(traces, traces.with_search_score()).map_err(FitError::from)?;
            let all = traces.len() as u64;
            chosen.scores = [with, all - with];
            let lambda = match lambda {
                Some(lambda) if with == 0 => {
                    return Err(format!("--lambda {lambda}: {}", KError::NoScores).into());
                }
                Some(lambda) => lambda,
                // Where nobody chose, scores join if at least half of the positions have one.
                None if 2 * with >= all && with > 0 => WITH_SCORES,
                None => return Ok(chosen),
            };
            let part = parts(held_out).0;
            match TargetBlend::new(lambda, config.score_k, traces, part) {
                Ok((mix, k_fit)) => {
                    chosen.targets.mix = Some(mix);
                    chosen.k_fit = k_fit;
                }
                Err(KError::Pass(error)) => return Err(FitError::from(error).into()),
                Err(error) if chosen.by_default => chosen.refused = Some(error),
                Err(error) => {
                    let words = "K of the search scores cannot be fitted";
                    return Err(format!("{words}: {error} (here: --score-k)").into());
                }
            }
        }
        Ok(chosen)
    }

    /// Says, a line each, how targets and weights differ from results at equal weights; nothing if
    /// they do not.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(TargetBlend { lambda, sigmoid }) = self.targets.mix {
            let is_fitted = self.k_fit.is_some();
            let source = if is_fitted { "fitted" } else { "given" };
            let hint = "; --lambda 1 for results alone";
            let hint = if self.by_default { hint } else { "" };
            let [with, without] = self.scores;
            // The part of the scores, without the digits that rounding adds.
            let rest = ((1.0 - lambda) * 1e12).round() / 1e12;
            words.push(format!(
                "target: {lambda}·result + {rest}·σ(search score) on {with} positions, K of the \
                 scores = {:.9} ({source}); the result on {without} without a search score{hint}",
                sigmoid.k()
            ));
        }
        if let Some(why) = &self.refused {
            words.push(format!(
                "target: the result alone, although the data have search scores: K of the scores \
                 cannot be fitted: {why}"
            ));
        }
        match self.targets.weighing {
            SampleWeighting::Positions => {}
            SampleWeighting::Games => words.push("weights: every game counts 1 in all".to_owned()),
            SampleWeighting::Sqrt => {
                words.push("weights: every position counts 1/√n of a game with n".to_owned());
            }
        }
        words
    }

    /// Returns targets that mix results and search scores, as a record has them; `None` where they
    /// are results alone.
    pub fn blend(&self) -> Option<BlendedTargets> {
        let TargetBlend { lambda, sigmoid } = self.targets.mix?;
        Some(BlendedTargets {
            lambda,
            score_k: sigmoid.k(),
            score_k_fitted: self.k_fit.is_some(),
            score_error: self.k_fit.map(|fit| fit.error),
            positions_with_score: self.scores[0],
            positions_without_score: self.scores[1],
        })
    }
}
