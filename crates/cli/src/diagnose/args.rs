//! The arguments of commands that look into positions and weights.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::heading;
use crate::shared_args::{
    DataArgs, ObjectiveArgs, PrintArgs, ThreadArgs, WeightChoiceArgs, parse_k, within, words_for,
};
use tuner_data::FeatureLanguage;
use tuner_engine::examine::{BinnedBy, MostOf, ObjectiveConfig};
use tuner_jobs::Job;

/// The arguments that all commands on positions and weights have.
#[derive(Args, Debug)]
pub(crate) struct ExaminationArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// Scaling constant of σ(s) = 1/(1 + 10^(−K·s/400)), in the forms that `fit`
    /// takes [default: fitted at these weights on the data, in a pass of its own].
    #[arg(long, value_parser = parse_k, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(super) k: Option<f64>,
    #[command(flatten)]
    pub(super) objective: ObjectiveArgs,
    /// The folder of a fit, or its summary.json: what is not typed is as it was there,
    /// weights, K, loss, targets, weights of positions, and the data with how they are
    /// read.
    #[arg(long, value_name = "DIR")]
    pub(super) run: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    #[command(flatten)]
    pub(crate) print: PrintArgs,
}

impl ExaminationArgs {
    /// Returns the job of a command with these arguments. `job` makes it of two things: whether it
    /// shows how far it got, which it does not for `--json`, and how many threads were typed.
    pub(crate) fn job(&self, job: impl FnOnce(bool, Option<u16>) -> Job) -> Job {
        job(!self.print.json, self.threads.threads)
    }

    /// Returns the objective by which positions are examined: K, loss and targets, as typed or put
    /// in by `--run`. K or lambda that are `None` in it are found on the data later.
    pub(super) fn objective(&self) -> ObjectiveConfig {
        ObjectiveConfig {
            k: self.k,
            loss: self.objective.loss,
            targets: (&self.objective).into(),
        }
    }
}

/// The weights that positions are looked at with.
#[derive(Args, Debug)]
pub(super) struct WeightsArg {
    /// Weights: those of the spec, of the source, all zero, or of a
    /// fit's folder or a file (summary.json, or lines NAME VALUE) [default: those of
    /// --run, else source] [possible values: spec, source, zero, FILE].
    #[arg(
        long,
        default_value = "source",
        hide_default_value = true,
        value_name = "FROM"
    )]
    pub(super) weights: String,
}

/// How many positions are listed.
#[derive(Args, Debug)]
pub(super) struct MostArgs {
    /// Positions to list, each way where there are two.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = parse_count)]
    pub(super) top: usize,
    /// Of these at most so many of one game.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = parse_count)]
    pub(super) per_game: usize,
}

impl MostArgs {
    /// Returns how many positions are listed at most: in all, and of one game.
    pub(super) const fn most(&self) -> MostOf {
        MostOf {
            all: self.top,
            game: self.per_game,
        }
    }
}

/// Without --weight, each word is a position, one or two of them: what each weight
/// adds to its score. With --weight, the words are data: which positions and games
/// move that weight. Options about data are for --weight; with --run a position has the
/// standard errors of all shares, as if weights were independent.
#[derive(Args, Debug)]
#[command(mut_arg("data", |arg| arg
    .value_name("POSITION|FILE[:OPTION=VALUE]…")
    .help("One or two positions, each as one word in quotation marks; with --weight, files of \
           labelled positions [default: the positions that come with the engine]")
    .long_help(None::<&str>)))]
#[command(mut_arg("top", |arg| arg.help("Weights to list of one position; with --weight, positions \
                                    each way")))]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    pub(crate) examination: ExaminationArgs,
    /// The weight to explain, such as PST[knight][e2].mg.
    #[arg(long, value_name = "NAME")]
    pub(super) weight: Option<String>,
    #[command(flatten)]
    pub(super) at: WeightsArg,
    #[command(flatten)]
    pub(super) most: MostArgs,
}

#[derive(Args, Debug)]
pub(crate) struct OutlierArgs {
    #[command(flatten)]
    pub(crate) examination: ExaminationArgs,
    #[command(flatten)]
    pub(super) at: WeightsArg,
    #[command(flatten)]
    pub(super) most: MostArgs,
    /// Draw the boards.
    #[arg(long, conflicts_with = "json")]
    pub(super) diagrams: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ResidualArgs {
    #[command(flatten)]
    pub(crate) examination: ExaminationArgs,
    #[command(flatten)]
    pub(super) at: WeightsArg,
    /// What to look at [default: all].
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub(super) by: Vec<ResidualsByArg>,
    /// Weights to list; --json has all.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = parse_count, conflicts_with = "json")]
    pub(super) top: usize,
}

/// What residuals are looked at by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ResidualsByArg {
    /// The score: the calibration.
    Score,
    /// The number of men on the board.
    Phase,
    /// The pieces of both players.
    Material,
    /// The half-moves played before.
    Ply,
    /// The side to move.
    Side,
    /// The features of all weights, frozen ones and those that are 0 too.
    Weight,
}

impl ResidualsByArg {
    /// Returns the property by which positions are put into bins; `None` for weights, which are no
    /// bins.
    pub(super) const fn bins(self) -> Option<BinnedBy> {
        match self {
            Self::Score => Some(BinnedBy::Score),
            Self::Phase => Some(BinnedBy::Phase),
            Self::Material => Some(BinnedBy::Material),
            Self::Ply => Some(BinnedBy::Ply),
            Self::Side => Some(BinnedBy::Side),
            Self::Weight => None,
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct SuggestArgs {
    #[command(flatten)]
    pub(crate) examination: ExaminationArgs,
    #[command(flatten)]
    pub(super) at: WeightsArg,
    /// Weights that are fitted meanwhile; what frozen ones read counts as not read.
    #[command(flatten)]
    pub(super) choice: WeightChoiceArgs,
    /// Features to suggest.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = parse_count)]
    pub(super) top: usize,
    /// Print code that counts them, with weights at 0; --json has all of it.
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "json", help_heading = heading::OUTPUT)]
    pub(super) code: Option<CodeArg>,
}

words_for! {
    /// What features are written in.
    CodeArg => FeatureLanguage {
        /// Rust.
        Rust,
        /// C++.
        Cpp,
    }
}

#[derive(Args, Debug)]
pub(crate) struct EffectArgs {
    /// The old weights: those of the spec, of the source, all zero, or of a
    /// fit's folder or a file (summary.json, or lines NAME VALUE) [possible values:
    /// spec, source, zero, FILE].
    pub(super) old: String,
    /// The new weights.
    pub(super) new: String,
    #[command(flatten)]
    pub(crate) examination: ExaminationArgs,
    #[command(flatten)]
    pub(super) most: MostArgs,
}

#[derive(Args, Debug)]
pub(crate) struct WeightProfileArgs {
    #[command(flatten)]
    pub(crate) examination: ExaminationArgs,
    /// The weight to vary, such as PST[knight][e2].mg.
    #[arg(long, value_name = "NAME")]
    pub(super) weight: String,
    #[command(flatten)]
    pub(super) at: WeightsArg,
    /// The first value [default: 50 below the weight, or half of it, if that is
    /// more].
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    #[arg(value_parser = within(f64::MIN..=f64::MAX, "a number"))]
    pub(super) from: Option<f64>,
    /// The last value [default: as much above].
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    #[arg(value_parser = within(f64::MIN..=f64::MAX, "a number"), help_heading = heading::OUTPUT)]
    pub(super) to: Option<f64>,
    /// How many values.
    #[arg(long, value_name = "N", default_value_t = 21, value_parser = clap::value_parser!(u16).range(2..))]
    pub(super) steps: u16,
}

/// Reads how many lines to list: a whole number from 1.
fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if count > 0 => Ok(count),
        _ => Err("expected a number from 1".to_owned()),
    }
}
