//! The arguments that several commands have.

use std::f64::consts::LN_10;
use std::num::NonZeroU32;
use std::ops::RangeBounds;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::{heading, output};
use tuner_data::{Input, OnBadLine, Perspective, ScoreUnit, StatedScores};
use tuner_engine::Resolve;
use tuner_fit::model::{Loss, SampleWeighting};
use tuner_fit::run::TargetConfig;
use tuner_jobs::{JobResult as Result, PositionsConfig, ReadingConfig, misuse};
use tuner_spec::FrozenChoice;
use tuner_spec::source::Choice;

/// Defines an enum of the words of an option, and its conversion to a library enum that has
/// variants of the same names.
macro_rules! words_for {
    (
        $(#[$about:meta])*
        $words:ident => $values:ty { $($(#[$word_about:meta])* $word:ident,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, clap::ValueEnum)]
        pub(crate) enum $words {
            $($(#[$word_about])* $word,)*
        }

        impl From<$words> for $values {
            fn from(words: $words) -> Self {
                match words {
                    $($words::$word => Self::$word,)*
                }
            }
        }
    };
}
pub(crate) use words_for;

/// More threads than any machine needs; far more take minutes to start.
pub(crate) const MOST_THREADS: i64 = 1024;

/// On how many threads something is done.
#[derive(Args, Clone, Copy, Debug)]
#[group(skip)]
pub(crate) struct ThreadArgs {
    /// Number of threads; the result is the same for any [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS), help_heading = heading::METHOD)]
    pub(crate) threads: Option<u16>,
}

/// How a result is printed.
#[derive(Args, Clone, Copy, Debug)]
#[group(skip)]
pub(crate) struct PrintArgs {
    /// Print one JSON object.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) json: bool,
}

impl PrintArgs {
    /// Prints a result as one line of JSON if `--json` is typed; else nothing, as the command tells
    /// its result in words elsewhere.
    pub(crate) fn show(self, result: &impl Serialize) -> Result<()> {
        if self.json {
            output::json(result)?;
        }
        Ok(())
    }
}

/// Returns the name of the first option that was typed: each has whether it was, and its name.
/// `None` where none was.
pub(crate) fn first_typed(options: &[(bool, &'static str)]) -> Option<&'static str> {
    let found = options.iter().find(|(is_typed, _)| *is_typed);
    found.map(|(_, name)| *name)
}

/// Names of consts.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct NameChoiceArgs {
    /// Only the consts of these names; `*` stands for anything.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    only: Vec<String>,
    /// Not the consts of these names; also one of two structs of one name, such as
    /// `Weights::new()`.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    except: Vec<String>,
}

impl From<&NameChoiceArgs> for Choice {
    fn from(args: &NameChoiceArgs) -> Self {
        Self {
            only: args.only.clone(),
            except: args.except.clone(),
        }
    }
}

#[derive(Args, Debug)]
pub(crate) struct DataArgs {
    /// Files of labelled positions or games, plain or compressed by gzip, zstd
    /// or xz, or folders of them; `-` is standard input. `FILE:weight=0.5:limit=100000` counts each
    /// position half and takes so many; `:format=`, `:perspective=`,
    /// `:score-perspective=` and `:score-unit=` are for one file. For `fit` also one file that
    /// `trace` wrote [default: `data` of tuner.toml].
    #[arg(value_name = "FILE[:OPTION=VALUE]…")]
    pub(crate) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// Which position is traced for one of the data: itself, or the end of its
    /// quiescence search by the production evaluation (at other weights, where
    /// positions are traced again, by its twin).
    #[arg(long, value_enum, default_value_t, help_heading = heading::DATA)]
    pub(crate) resolve: ResolveArg,
    /// Accept parts of the score that no weight explains.
    #[arg(long, help_heading = heading::DATA)]
    pub(crate) allow_constants: bool,
}

/// How data are read.
#[derive(Args, Debug)]
pub(crate) struct ReadingArgs {
    /// Format of the data: bracketed, result-first, semicolon, c9, piped,
    /// spaced, table, or one of the game's own, such as pgn [default:
    /// recognised by the first lines].
    #[arg(long, help_heading = heading::DATA)]
    format: Option<String>,
    /// Whose view results and scores have in the data.
    #[arg(long, value_enum, default_value_t, help_heading = heading::DATA)]
    perspective: PerspectiveArg,
    /// Whose view scores have, if not that of results.
    #[arg(long, value_enum, value_name = "PERSPECTIVE", help_heading = heading::DATA)]
    score_perspective: Option<PerspectiveArg>,
    /// Unit of scores, if not that of the format: centipawns, in comments of games pawns.
    #[arg(long, value_enum, value_name = "UNIT", help_heading = heading::DATA)]
    score_unit: Option<ScoreUnitArg>,
    /// Let scores stand for results, to learn from a stronger engine: 1/(1 + 10^(−s/400)), or
    /// another number of centipawns. Data then need no results.
    #[arg(long, value_name = "CENTIPAWNS", num_args = 0..=1, require_equals = true,
          default_missing_value = "400", help_heading = heading::DATA)]
    results_from_scores: Option<NonZeroU32>,
    /// What to do about lines and games that cannot be read.
    #[arg(long, value_enum, default_value_t, help_heading = heading::DATA)]
    on_bad_line: OnBadLineArg,
}

impl From<&DataArgs> for PositionsConfig {
    fn from(args: &DataArgs) -> Self {
        Self {
            data: files_of(&args.data),
            reading: (&args.reading).into(),
            resolve: args.resolve.into(),
            allow_constants: args.allow_constants,
            // How many derivatives are compared is an option of some commands only.
            ..Self::default()
        }
    }
}

/// Returns the files that are typed; a folder is replaced by the files of data in it.
pub(crate) fn files_of(typed: &[PathBuf]) -> Vec<PathBuf> {
    let files = typed.iter().flat_map(|path| Input::files_of(path));
    files.collect()
}

impl From<&ReadingArgs> for ReadingConfig {
    fn from(args: &ReadingArgs) -> Self {
        Self {
            format: args.format.clone(),
            perspective: args.perspective.into(),
            scores: StatedScores {
                perspective: args.score_perspective.map(Into::into),
                unit: args.score_unit.map(Into::into),
                as_results: args.results_from_scores,
            },
            on_bad_line: args.on_bad_line.into(),
        }
    }
}

/// Returns the word by which a value of an option is typed; `None` for a value that has no word.
pub(crate) fn word(value: &impl ValueEnum) -> Option<String> {
    let word = value.to_possible_value()?;
    Some(word.get_name().to_owned())
}

impl ReadingArgs {
    /// Returns these options as words of a command line, defaults too, for a command that reads the
    /// data in the same way.
    pub(crate) fn words(&self) -> Vec<String> {
        let typed = [
            ("--format", self.format.clone()),
            ("--perspective", word(&self.perspective)),
            (
                "--score-perspective",
                self.score_perspective.as_ref().and_then(word),
            ),
            ("--score-unit", self.score_unit.as_ref().and_then(word)),
            ("--on-bad-line", word(&self.on_bad_line)),
        ];
        let scale = self.results_from_scores;
        let scale = scale.map(|scale| format!("--results-from-scores={scale}"));
        let typed = typed.into_iter();
        let typed = typed.filter_map(|(name, value)| Some([name.to_owned(), value?]));
        typed.flatten().chain(scale).collect()
    }
}

impl DataArgs {
    /// Returns the first option about positions and their reading whose value is not the default,
    /// so that a command without positions can refuse it by name; `None` where all have the
    /// default.
    pub(crate) fn about_positions(&self) -> Option<&'static str> {
        let of = ReadingConfig::from(&self.reading);
        let is_other_view = of.perspective != Perspective::FirstPlayer;
        first_typed(&[
            (of.format.is_some(), "--format"),
            (is_other_view, "--perspective"),
            (of.scores.perspective.is_some(), "--score-perspective"),
            (of.scores.unit.is_some(), "--score-unit"),
            (of.scores.as_results.is_some(), "--results-from-scores"),
            (of.on_bad_line == OnBadLine::Skip, "--on-bad-line"),
            (self.allow_constants, "--allow-constants"),
            (self.resolve != ResolveArg::None, "--resolve"),
        ])
    }
}

words_for! {
    /// Which position is traced for one of the data.
    #[derive(Default, PartialEq)]
    ResolveArg => Resolve {
        /// The position itself: take quiet ones.
        #[default]
        None,
        /// The last position of the principal variation of the engine's
        /// quiescence search.
        #[value(name = "qsearch")]
        Quiescence,
    }
}

words_for! {
    #[derive(Default)]
    PerspectiveArg => Perspective {
        /// White's in chess, sente's in shogi.
        #[default]
        FirstPlayer,
        /// That of the player whose turn it is.
        SideToMove,
    }
}

words_for! {
    ScoreUnitArg => ScoreUnit {
        /// Hundredths of a pawn.
        Centipawns,
        /// Pawns, with a point or without.
        Pawns,
    }
}

words_for! {
    #[derive(Default)]
    OnBadLineArg => OnBadLine {
        /// Report all of them and fail.
        #[default]
        Stop,
        /// Report and count them, continue without them.
        Skip,
    }
}

/// Which weights of a spec a fit moves.
#[derive(Args, Debug)]
pub(crate) struct WeightChoiceArgs {
    /// Fit these weights only, as names of parameters or groups (`*` stands for
    /// anything) or paths such as PST[pawn].mg; all others are frozen.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(crate) only: Vec<String>,
    /// Freeze these weights, named as for --only.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(crate) freeze: Vec<String>,
    /// Fit these weights although the spec, --only or --freeze leaves them out.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(crate) free: Vec<String>,
}

impl From<&WeightChoiceArgs> for FrozenChoice {
    fn from(args: &WeightChoiceArgs) -> Self {
        Self {
            only: args.only.clone(),
            freeze: args.freeze.clone(),
            free: args.free.clone(),
            // Frozen weights keep the spec's values, unless a fit that starts at others sets this.
            start: None,
        }
    }
}

/// What LAMBDA may be, for messages.
const LAMBDAS: &str = "a number from 0 (search scores alone) to 1 (results alone)";

/// What a fit minimises, and what positions are examined by.
#[derive(Args, Debug)]
pub(crate) struct ObjectiveArgs {
    /// The penalty of a wrong expectation p: `squared`, (p − R)²;
    /// `cross-entropy`, −R·ln p − (1 − R)·ln(1 − p); or `power:Q`, |p − R|^Q
    /// with Q from 1 (cares little for outliers; smoothed at 0 below 2) to 10.
    #[arg(long, default_value_t, help_heading = heading::FITTED)]
    pub(crate) loss: Loss,
    /// Regress on LAMBDA·R + (1 − LAMBDA)·σ(search score) instead of the result
    /// R; positions without a search score keep R. What is printed as E is of
    /// that target; E against results is printed as well [default: 0.2 where at
    /// least half of the positions have a search score, else 1].
    #[arg(long, value_name = "LAMBDA", value_parser = within(0.0..=1.0, LAMBDAS))]
    #[arg(allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(crate) lambda: Option<f64>,
    /// Scaling constant of the search scores, in the forms of --k [default:
    /// fitted on the search scores of the games that are fitted, by the squared
    /// error against results].
    #[arg(long, value_name = "K", value_parser = parse_k, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(crate) score_k: Option<f64>,
    /// How much a position counts, beside the weight that the data give it.
    #[arg(long, value_enum, default_value_t, help_heading = heading::FITTED)]
    pub(crate) weigh: WeighArg,
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

impl From<&ObjectiveArgs> for TargetConfig {
    fn from(args: &ObjectiveArgs) -> Self {
        Self {
            lambda: args.lambda,
            score_k: args.score_k,
            weighing: args.weigh.into(),
        }
    }
}

impl ObjectiveArgs {
    /// Fails if `--score-k`, the scale of search scores, is typed with `--lambda 1`, by which
    /// search scores do not count.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(k) = self.score_k.filter(|_| self.lambda == Some(1.0)) {
            misuse!(
                "--score-k {k}: does nothing with --lambda 1, results alone; leave it out, or \
                 take a lambda below 1"
            );
        }
        Ok(())
    }
}

/// Returns a function that reads a number within `range`; its error is `expected …`, of which
/// `expected` is the end.
pub(crate) fn within(
    range: impl RangeBounds<f64> + Clone,
    expected: &str,
) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected {expected}"))
    }
}

/// Reads the scaling constant K of σ(s) = 1/(1 + 10^(−K·s/400)), where s is a score: a number,
/// `tanh:A` for (1 + tanh(A·s))/2, so that K = 800·A/ln 10, or `e:K'` for 1/(1 + e^(−K'·s/400)), so
/// that K = K'/ln 10. K must be from 10⁻⁶ to 10⁶.
pub(crate) fn parse_k(text: &str) -> Result<f64, String> {
    let (number, factor) = if let Some(a) = text.strip_prefix("tanh:") {
        (a, 2.0 * 400.0 / LN_10)
    } else if let Some(k) = text.strip_prefix("e:") {
        (k, 1.0 / LN_10)
    } else {
        (text, 1.0)
    };
    let k = number.parse::<f64>().ok().map(|number| number * factor);
    let expected = "expected a positive number, from 1e-6 to 1e6, or tanh:A, or e:K' that make one";
    k.filter(|k| (1e-6..=1e6).contains(k))
        .ok_or_else(|| expected.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_fit::model::Sigmoid;
    use tuner_jobs::equivalents;

    #[test]
    fn k_is_read_in_three_forms() {
        for (text, k) in [
            ("1.5", 1.5),
            ("tanh:0.0043", 1.493_973_0),
            ("e:2.302585093", 1.0),
        ] {
            assert!((parse_k(text).unwrap() - k).abs() < 1e-7, "{text}");
        }
        for bad in [
            "0", "-1", "tanh:", "tanh:0", "e:-2", "exp:1", "nan", "e:inf", "1e9",
        ] {
            assert!(parse_k(bad).unwrap_err().contains("tanh:A"), "{bad}");
        }
        let words = equivalents(parse_k("tanh:0.0043").unwrap());
        assert!(words.contains("a = 0.004300000") && words.contains("K′ = 3.440000000"));
        // As curves: the three are one.
        let sigmoid = Sigmoid::new(parse_k("tanh:0.0043").unwrap());
        let tanh = f64::midpoint(1.0, (0.0043_f64 * 150.0).tanh());
        assert!((sigmoid.expectation(150.0) - tanh).abs() < 1e-12);
    }
}
