//! `--lambda`, `--score-k`, `--weigh`: what is regressed on, how it counts.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::Failure;
use super::scale::parse_k;
use tuner_fit::model::{KFit, SampleWeighting, TargetBlend};
use tuner_fit::{Targets, parts};
use tuner_rows::Traces;

#[derive(Args, Debug)]
pub(super) struct TargetArgs {
    /// Regress on LAMBDA·R + (1 − LAMBDA)·σ(search score) instead of the result
    /// R; positions without a search score keep R. What is printed as E is of
    /// that target; E against results stands beside it.
    #[arg(long, value_name = "LAMBDA", default_value_t = 1.0, value_parser = parse_lambda, allow_negative_numbers = true)]
    pub(super) lambda: f64,
    /// Scaling constant of the search scores, in the forms of --k [default:
    /// fitted on the search scores of the games that are fitted, by the squared
    /// error against results].
    #[arg(long, value_name = "K", requires = "lambda", value_parser = parse_k, allow_negative_numbers = true)]
    pub(super) score_k: Option<f64>,
    /// How much a position counts, beside the weight that the data give it.
    #[arg(long, value_enum, default_value_t)]
    pub(super) weigh: WeighArg,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum WeighArg {
    /// Every position counts 1.
    #[default]
    Positions,
    /// Every game counts 1 in all, whatever its length.
    Games,
    /// Every position counts 1/√n of a game with n: between the two.
    Sqrt,
}

impl From<WeighArg> for SampleWeighting {
    fn from(arg: WeighArg) -> Self {
        match arg {
            WeighArg::Positions => Self::Positions,
            WeighArg::Games => Self::Games,
            WeighArg::Sqrt => Self::Sqrt,
        }
    }
}

/// The targets of a fit, and how they came about.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) targets: Targets,
    /// How K of the scores was fitted.
    k_fit: Option<KFit>,
    /// Positions with and without a search score.
    scores: [u64; 2],
}

impl Chosen {
    /// Finds the targets for rows; tells the user. `games`: whether the data
    /// say which positions are of one game.
    pub(super) fn new(
        args: &TargetArgs,
        traces: Traces<'_>,
        held_out: f64,
        games: bool,
    ) -> Result<Self, Failure> {
        let weighing: SampleWeighting = args.weigh.into();
        if weighing != SampleWeighting::Positions && !games {
            return Err(format!(
                "--weigh {}: the data do not say which positions are of one game; give data \
                 with games, or leave --weigh out",
                weighing.name()
            )
            .into());
        }
        let mut chosen = Self {
            targets: Targets {
                mix: None,
                weighing,
            },
            k_fit: None,
            scores: [0; 2],
        };
        if args.lambda < 1.0 {
            let with = traces.with_search_score();
            chosen.scores = [with, traces.len() as u64 - with];
            if with == 0 {
                return Err(format!(
                    "--lambda {}: {}",
                    args.lambda,
                    tuner_fit::model::KError::NoScores
                )
                .into());
            }
            let part = parts(held_out).0;
            let (mix, k_fit) =
                TargetBlend::new(args.lambda, args.score_k, traces, part).map_err(|error| {
                    format!("K of the search scores cannot be fitted: {error} (here: --score-k)")
                })?;
            chosen.targets.mix = Some(mix);
            chosen.k_fit = k_fit;
        }
        for words in chosen.words() {
            say!("{words}");
        }
        Ok(chosen)
    }

    /// What differs from results at equal weights, a line each.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if let Some(TargetBlend { lambda, sigmoid }) = self.targets.mix {
            let source = if self.k_fit.is_some() {
                "fitted"
            } else {
                "given"
            };
            let [with, without] = self.scores;
            words.push(format!(
                "target: {lambda}·result + {}·σ(search score) on {with} positions, K of the \
                 scores = {:.9} ({source}); the result on {without} without a search score",
                part_of_scores(lambda),
                sigmoid.k(),
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

    /// The fields of the summary.
    pub(super) fn json(&self) -> [(&'static str, Value); 2] {
        let target = self.targets.mix.map(|TargetBlend { lambda, sigmoid }| {
            json!({
                "lambda": lambda,
                "score_k": sigmoid.k(),
                "score_k_fitted": self.k_fit.is_some(),
                "score_error": self.k_fit.map(|fit| fit.error),
                "positions_with_score": self.scores[0],
                "positions_without_score": self.scores[1],
            })
        });
        [
            ("target", json!(target)),
            ("weigh", json!(self.targets.weighing.name())),
        ]
    }
}

/// 1 − λ without the digits that rounding adds.
fn part_of_scores(lambda: f64) -> f64 {
    ((1.0 - lambda) * 1e12).round() / 1e12
}

fn parse_lambda(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 (search scores alone) to 1 (results alone)".to_owned()),
    }
}
