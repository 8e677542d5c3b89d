//! `--loss`, `--lambda`, `--score-k`, `--weigh`: what is minimised.

use clap::Args;

use super::Failure;
use super::args::{number_within, words_for};
use super::scale::parse_k;
use crate::help::heading;
use tuner_fit::model::{Loss, SampleWeighting};
use tuner_fit::run::TargetConfig;

/// What a fit minimises, and what positions are examined by.
#[derive(Args, Debug)]
pub(super) struct ObjectiveArgs {
    /// The penalty of a wrong expectation p: `squared`, (p − R)²;
    /// `cross-entropy`, −R·ln p − (1 − R)·ln(1 − p); or `power:Q`, |p − R|^Q
    /// with Q from 1 (cares little for outliers; smoothed at 0 below 2) to 10.
    #[arg(long, default_value_t, help_heading = heading::FITTED)]
    pub(super) loss: Loss,
    /// Regress on LAMBDA·R + (1 − LAMBDA)·σ(search score) instead of the result
    /// R; positions without a search score keep R. What is printed as E is of
    /// that target; E against results is printed as well [default: 0.2 where at
    /// least half of the positions have a search score, else 1].
    #[arg(long, value_name = "LAMBDA", value_parser = parse_lambda, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(super) lambda: Option<f64>,
    /// Scaling constant of the search scores, in the forms of --k [default:
    /// fitted on the search scores of the games that are fitted, by the squared
    /// error against results].
    #[arg(long, value_name = "K", value_parser = parse_k, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(super) score_k: Option<f64>,
    /// How much a position counts, beside the weight that the data give it.
    #[arg(long, value_enum, default_value_t, help_heading = heading::FITTED)]
    pub(super) weigh: WeighArg,
}

words_for! {
    #[derive(Default)]
    WeighArg => SampleWeighting {
        /// Every position counts 1.
        #[default]
        Positions,
        /// Every game counts 1 in all, whatever its length.
        Games,
        /// Every position counts 1/√n of a game with n: between the two.
        Sqrt,
    }
}

impl ObjectiveArgs {
    /// Fails if an option is there that the others leave nothing to do.
    pub(super) fn check(&self) -> Result<(), Failure> {
        match self.score_k {
            Some(k) if self.lambda == Some(1.0) => Err(Failure::Usage(format!(
                "--score-k {k}: does nothing with --lambda 1, results alone; leave it out, or \
                 take a lambda below 1"
            ))),
            _ => Ok(()),
        }
    }
}

impl From<&ObjectiveArgs> for TargetConfig {
    fn from(args: &ObjectiveArgs) -> Self {
        Self {
            lambda: args.lambda,
            score_k: args.score_k,
            weighing: args.weigh.into(),
        }
    }
}

fn parse_lambda(text: &str) -> Result<f64, String> {
    let expected = "a number from 0 (search scores alone) to 1 (results alone)";
    number_within(text, 0.0..=1.0, expected)
}
