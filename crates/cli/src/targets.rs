//! `--lambda`, `--score-k`, `--weigh`: what is regressed on, how it counts.

use clap::Args;

use super::args::words_for;
use super::scale::parse_k;
use tuner_fit::model::SampleWeighting;
use tuner_fit::run::TargetConfig;

#[derive(Args, Debug)]
pub(super) struct TargetArgs {
    /// Regress on LAMBDA·R + (1 − LAMBDA)·σ(search score) instead of the result
    /// R; positions without a search score keep R. What is printed as E is of
    /// that target; E against results is printed as well [default: 0.2 where nine
    /// positions of ten have a search score, else 1].
    #[arg(long, value_name = "LAMBDA", value_parser = parse_lambda, allow_negative_numbers = true)]
    pub(super) lambda: Option<f64>,
    /// Scaling constant of the search scores, in the forms of --k [default:
    /// fitted on the search scores of the games that are fitted, by the squared
    /// error against results].
    #[arg(long, value_name = "K", value_parser = parse_k, allow_negative_numbers = true)]
    pub(super) score_k: Option<f64>,
    /// How much a position counts, beside the weight that the data give it.
    #[arg(long, value_enum, default_value_t)]
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

impl From<&TargetArgs> for TargetConfig {
    fn from(args: &TargetArgs) -> Self {
        Self {
            lambda: args.lambda,
            score_k: args.score_k,
            weighing: args.weigh.into(),
        }
    }
}

fn parse_lambda(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 (search scores alone) to 1 (results alone)".to_owned()),
    }
}
