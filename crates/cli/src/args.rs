//! The arguments, as typed.

use std::ops::RangeBounds;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;

use super::Failure;
use super::data::DataCommand;
use super::diagnose::{EffectArgs, ExplainArgs, OutlierArgs, ResidualArgs, WeightProfileArgs};
use super::new::NewArgs;
use super::pages::ReportArgs;
use super::play::{
    LoopArgs, MatchArgs, ResultArgs, SELFPLAY, SPSA, SelfPlayArgs, SprtArgs, SpsaArgs,
    with_defaults,
};
use super::progress::Progress;
use super::recover::RecoverArgs;
use super::runs::RunsArgs;
use super::scale::{AnchorArg, parse_anchor, parse_k};
use super::spec_diff::SpecDiffArgs;
use super::spec_set::SpecSetArgs;
use super::targets::ObjectiveArgs;
use super::weights;
use crate::help::heading;
use tuner_data::{AnyGame, FirstReading, Format, Input, OnBadLine, Perspective, ReadOptions};
use tuner_engine::{COMPARED, Resolve};
use tuner_fit::run::{HELD_OUT, Init, MAX_RETRACES, PriorChoice, Renamed, WeightsFormat};
use tuner_fit::{BASE, Search};
use tuner_solve::Solver;
use tuner_spec::codegen::Language;
use tuner_spec::source::Vanished;
use tuner_spec::{FrozenChoice, Layout};

/// Words of an option, each for the value of that name in the library.
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
pub(super) use words_for;

/// More threads than any machine needs; far more take minutes to start.
pub(super) const MOST_THREADS: i64 = 1024;

/// Tunes the hand-written evaluation of a game engine.
#[derive(Debug, Parser)]
#[command(version)]
pub(super) struct TunerArgs {
    /// The folder of the engine, with its tuner.toml [default: this one, or the nearest above
    /// it that has one]. Other paths stay those of this folder.
    #[arg(short = 'C', long = "engine-folder", value_name = "DIR", global = true)]
    pub(super) engine_folder: Option<PathBuf>,
    /// The game that data or a match is of, by its name [default: that of the engine; without
    /// one chess; a wrong name lists all].
    #[arg(long, value_name = "GAME", global = true)]
    pub(super) game: Option<String>,
    #[command(subcommand)]
    pub(super) command: TunerCommand,
}

/// All commands.
#[derive(Debug, Subcommand)]
pub(super) enum TunerCommand {
    /// Writes what an engine needs to be tuned: its annotations, its spec, an evaluator.
    New(NewArgs),
    /// Compares production and traced evaluation on positions.
    Check(CheckArgs),
    /// Draws weights and results, fits, and says whether the weights come back.
    Recover(RecoverArgs),
    /// Checks, fits the weights to game results, writes them as code; or fits rows that were
    /// made elsewhere.
    Fit(Box<FitArgs>),
    /// Checks, and writes the traces to an Arrow file that `fit` streams, for
    /// more positions than fit into memory, or to fit the same ones often.
    Trace(TraceArgs),
    /// Checks specs, writes the code that they stand for, reads them from Rust.
    #[command(subcommand)]
    Spec(SpecCommand),
    /// Writes tuned weights into the literals of Rust sources.
    Patch(PatchArgs),
    /// Lists the fits in a folder: verdict, errors, data, options.
    Runs(RunsArgs),
    /// Makes the page of a fit again, or one that compares two.
    Report(ReportArgs),
    /// Says what each weight adds to the score of a position, or, with --weight,
    /// which positions and games move a weight.
    Explain(ExplainArgs),
    /// Lists the positions that are explained worst.
    Outliers(OutlierArgs),
    /// Says where residuals gather: by score, phase, material, ply, side to move,
    /// and by the features of all weights.
    Residuals(ResidualArgs),
    /// Says which positions a change of weights helps and which it hurts.
    Effect(EffectArgs),
    /// Computes E along one weight, the others fixed.
    Profile(WeightProfileArgs),
    /// Plays the engine against itself and writes positions for `fit`.
    #[command(mut_args(|arg| with_defaults(arg, &SELFPLAY)))]
    Selfplay(SelfPlayArgs),
    /// Plays two sets of weights, or two programs, against each other.
    Match(Box<MatchArgs>),
    /// Plays, fits, tests and keeps what is stronger, round after round.
    Loop(LoopArgs),
    /// Moves a few weights by games alone (SPSA).
    #[command(mut_args(|arg| with_defaults(arg, &SPSA)))]
    Spsa(SpsaArgs),
    /// Takes positions from games, filters, converts, parts and describes data.
    #[command(subcommand)]
    Data(DataCommand),
    /// Says what results of games tell of strength: Elo with its interval.
    Elo(ResultArgs),
    /// Says how far a sequential test is by results that are there.
    Sprt(SprtArgs),
    /// Writes completions for a shell to standard output.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Writes a man page for each command into a folder.
    Man {
        /// The folder, which is there.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

impl TunerCommand {
    /// Tells whether the command is about the engine of a folder.
    pub(super) fn uses_engine(&self) -> bool {
        match self {
            Self::New(_)
            | Self::Runs(_)
            | Self::Report(_)
            | Self::Elo(_)
            | Self::Sprt(_)
            | Self::Completions { .. }
            | Self::Man { .. } => false,
            Self::Fit(args) => args.spec.is_none(),
            _ => true,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum SpecCommand {
    /// Lists every mistake of a spec.
    Check {
        /// The spec.
        spec: PathBuf,
    },
    /// Writes the file of a spec with its initial values, or fitted ones.
    Emit {
        /// The spec.
        spec: PathBuf,
        /// Language of the file.
        #[arg(long, value_enum, value_name = "LANGUAGE", default_value_t, help_heading = heading::OUTPUT)]
        to: LanguageArg,
        /// The values: a summary.json, an object of names and numbers, or lines
        /// `NAME VALUE` such as weights.txt [default: the initial ones].
        #[arg(long, value_name = "FILE")]
        weights: Option<PathBuf>,
        /// The file to write; it is left alone if it would not change
        /// [default: standard output].
        #[arg(short, long, help_heading = heading::OUTPUT)]
        output: Option<PathBuf>,
        /// Write nothing; fail if the file does not hold what would be written.
        #[arg(long, requires = "output")]
        check: bool,
    },
    /// Writes fitted values into a spec, in the place of its initial values.
    Set(SpecSetArgs),
    /// Says which weights of two specs, fits, files of weights or sources differ.
    Diff(SpecDiffArgs),
    /// Writes a page of a spec: its parameters, docs and values, boards as boards.
    Doc {
        /// The spec.
        spec: PathBuf,
        /// The file to write, Markdown or, where it ends in .html, a page for a browser; it
        /// is left alone if it would not change [default: standard output, Markdown].
        #[arg(short, long, help_heading = heading::OUTPUT)]
        output: Option<PathBuf>,
    },
    /// Writes a new spec to begin with, with an example of every key.
    Init {
        /// Its name, an identifier.
        #[arg(value_name = "NAME")]
        name: String,
        /// The file to write; one that is there is left alone [default: standard output].
        #[arg(short, long, value_name = "SPEC", help_heading = heading::OUTPUT)]
        output: Option<PathBuf>,
        /// Write over a file that is there.
        #[arg(long, requires = "output")]
        force: bool,
    },
    /// Prints the JSON Schema of specs, for editors.
    Schema,
    /// Writes the spec of the consts and statics in Rust sources.
    ///
    /// Taken are those whose literals are signed numbers or pairs of them;
    /// where anything is annotated for tuning, only what is. A const that is
    /// another one (`const B: S = A;`) has no weights of its own and becomes a
    /// comment. Standard error says what was taken, what was not, and why.
    Import(ImportArgs),
}

words_for! {
    #[derive(Default)]
    LanguageArg => Language {
        /// A module of `pub const`.
        #[default]
        Rust,
        /// A header of `static const`, C99.
        C,
        /// A header of `inline constexpr`, C++17.
        Cpp,
        /// Names, values and where they come from.
        Json,
    }
}

#[derive(Args, Debug)]
pub(super) struct ImportArgs {
    /// Rust files, and folders with such files at any depth.
    #[arg(required = true, value_name = "FILE.rs|FOLDER")]
    pub(super) sources: Vec<PathBuf>,
    /// The file to write; it is left alone if it would not change
    /// [default: standard output].
    #[arg(short, long, value_name = "SPEC", help_heading = heading::OUTPUT)]
    pub(super) output: Option<PathBuf>,
    /// Bring this spec up to date: it gets the values and the new consts of the sources,
    /// all else that is written in it stays. Written to --output, or in its place.
    #[arg(long, value_name = "SPEC", conflicts_with = "name")]
    pub(super) into: Option<PathBuf>,
    /// What to do with a parameter of --into that is not in the sources.
    #[arg(long, value_enum, default_value_t, requires = "into")]
    pub(super) vanished: VanishedArg,
    /// Take only the consts of these names; `*` stands for anything.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) only: Vec<String>,
    /// Leave out the consts of these names; `*` stands for anything.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) except: Vec<String>,
    /// Name of the spec, an identifier.
    #[arg(long, default_value = "engine")]
    pub(super) name: String,
    /// Name each const that is left out, where a file has several for one reason.
    #[arg(long)]
    pub(super) all: bool,
    /// Write over a file that is there already.
    #[arg(long, conflicts_with = "into")]
    pub(super) force: bool,
}

/// Each literal that is a weight gets its new number; layout, comments,
/// suffixes and casts stay. All files are written, or none.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
pub(super) struct PatchArgs {
    /// The summary.json of a fit or its folder; or a file of lines `NAME VALUE` or a spec
    /// (*.toml) whose values are to be in the sources, whatever is there now.
    pub(super) weights: PathBuf,
    /// The Rust files that declare the weights, and folders with such files [default:
    /// `sources` of tuner.toml].
    #[arg(value_name = "FILE.rs|FOLDER")]
    pub(super) sources: Vec<PathBuf>,
    /// The spec of the fit: for a summary that does not say what the sources
    /// held (`initial`), or whose weights are in another order.
    #[arg(long)]
    pub(super) spec: Option<PathBuf>,
    /// Only the consts of these names; `*` stands for anything.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) only: Vec<String>,
    /// Not the consts of these names; also one of two structs of one name, such as
    /// `Weights::new()`.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) except: Vec<String>,
    /// Name every mistake, also where many have one cause.
    #[arg(long)]
    pub(super) all: bool,
    /// Round to whole numbers where a literal is one.
    #[arg(long, help_heading = heading::METHOD)]
    pub(super) round: bool,
    /// Write nothing; print the changes as a unified diff.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Show the changes of one table after the other and ask: y, write it; n, leave it;
    /// a, write it and all that follow; q, leave it and all that follow. Answers are read
    /// from standard input, whose end is a q.
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) review: bool,
    /// Write even weights that held-out games found worse than those before; without,
    /// nothing is written and the exit status is 3.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) write_worse: bool,
}

#[derive(Args, Debug)]
pub(super) struct DataArgs {
    /// Files of labelled positions or games, plain or compressed by gzip, zstd
    /// or xz; `-` is standard input. `FILE:weight=0.5:limit=100000` counts each
    /// position half and takes so many; `:format=`, `:perspective=` and
    /// `:score-perspective=` are for one file. For `fit` also one file that `trace` wrote [default: `data` of tuner.toml].
    #[arg(value_name = "FILE[:OPTION=VALUE]…")]
    pub(super) data: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) reading: ReadingArgs,
    /// Which position is traced for one of the data: itself, or the end of its
    /// quiescence search by the production evaluation (at other weights, where
    /// positions are traced again, by its twin).
    #[arg(long, value_enum, default_value_t, help_heading = heading::DATA)]
    pub(super) resolve: ResolveArg,
    /// Go on although plain numbers that are no literals join the score.
    #[arg(long, help_heading = heading::DATA)]
    pub(super) allow_constants: bool,
}

/// How data are read.
#[derive(Args, Debug)]
pub(super) struct ReadingArgs {
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
    /// What to do about lines and games that cannot be read.
    #[arg(long, value_enum, default_value_t, help_heading = heading::DATA)]
    on_bad_line: OnBadLineArg,
}

/// A value as it is typed.
pub(super) fn word(value: &impl ValueEnum) -> Option<String> {
    let word = value.to_possible_value()?;
    Some(word.get_name().to_owned())
}

impl ReadingArgs {
    /// Returns the options as words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let typed = [
            ("--format", self.format.clone()),
            ("--perspective", word(&self.perspective)),
            (
                "--score-perspective",
                self.score_perspective.as_ref().and_then(word),
            ),
            ("--on-bad-line", word(&self.on_bad_line)),
        ];
        (typed.into_iter())
            .filter_map(|(name, value)| Some([name.to_owned(), value?]))
            .flatten()
            .collect()
    }

    /// How files are read that this program has written.
    pub(super) fn of_own_files() -> Self {
        Self {
            format: None,
            perspective: PerspectiveArg::default(),
            score_perspective: None,
            on_bad_line: OnBadLineArg::default(),
        }
    }

    /// The inputs that files name, each of which may have options of its own, and how they are
    /// read.
    pub(super) fn inputs(
        &self,
        notation: &AnyGame,
        files: &[PathBuf],
        progress: &Progress,
    ) -> Result<(Vec<Input>, ReadOptions), Failure> {
        let named = files.iter().map(|file| Input::with_options(notation, file));
        let named: Vec<_> = named.collect::<Result<_, _>>().map_err(Failure::Usage)?;
        let (inputs, own): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        // Where a limit ends the reading, nobody knows how many bytes that takes.
        let limited = own.iter().any(|options| options.limit.is_some());
        let size = inputs.iter().map(Input::size).sum::<Option<u64>>();
        let size = size.filter(|_| !limited);
        let named = |name: &String| Format::named(notation, name);
        let format = self.format.as_ref().map(named).transpose();
        let options = ReadOptions {
            format: format.map_err(|error| Failure::Usage(format!("--format: {error}")))?,
            perspective: self.perspective.into(),
            score_perspective: self.score_perspective.map(Into::into),
            on_bad_line: self.on_bad_line.into(),
            inputs: own,
            observer: Some(progress.reading(size)),
            first: Some(FirstReading::default()),
        };
        Ok((inputs, options))
    }
}

#[derive(Args, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// Positions on which all derivatives are compared with differences.
    #[arg(long, value_name = "N", default_value_t = 100, help_heading = heading::METHOD)]
    pub(super) differences: usize,
    /// Number of threads; the result is the same for any [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS), help_heading = heading::METHOD)]
    pub(super) threads: Option<u16>,
    /// Print one JSON object.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) json: bool,
}

/// A fit of the positions of an engine, or of rows that were made elsewhere.
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
#[derive(Args, Debug)]
pub(super) struct FitArgs {
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// Scaling constant of σ(s) = 1/(1 + 10^(−K·s/400)); `tanh:A` for
    /// (1 + tanh(A·s))/2, `e:K'` for 1/(1 + e^(−K'·s/400)) [default: fitted at
    /// the initial weights; traces made elsewhere need it unless --spec or --init
    /// names a file].
    #[arg(long, value_parser = parse_k, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(super) k: Option<f64>,
    /// Bring the result to the scale on which a weight has a value, such as
    /// MATERIAL[pawn].mg=100: after the fit all weights are multiplied by what
    /// leads there, K is divided by it, the weight is fixed and the others are
    /// fitted again.
    #[arg(long, value_name = "WEIGHT=VALUE", value_parser = parse_anchor, help_heading = heading::FITTED)]
    pub(super) anchor: Option<AnchorArg>,
    #[command(flatten)]
    pub(super) objective: ObjectiveArgs,
    /// Weights to start from: those of the spec (zero for traces without one), all
    /// zero, or those of a file: a summary.json, an object of names
    /// and numbers, or lines `NAME VALUE` [possible values: spec, zero, FILE].
    #[arg(long, default_value_t, value_name = "FROM", help_heading = heading::WEIGHTS)]
    pub(super) init: Init,
    /// The method.
    #[arg(long, value_enum, default_value_t, help_heading = heading::METHOD)]
    pub(super) solver: SolverArg,
    /// How far a weight may be off at first, as a standard deviation in its
    /// unit. `evidence` finds one for each parameter for which the spec declares
    /// none, such that the results are as likely as they can be: where few games
    /// say little, weights stay where they were. `auto` multiplies 20, and what
    /// the spec says of parameters (`prior`, `smooth`), by 1/16, 1/8 … 16, and
    /// takes what does best on a fifth of the games that are fitted; that costs
    /// about five times the iterations of the fit itself. `none`: few games
    /// decide on a weight that few games have [default: evidence for an engine;
    /// and with --spec; none for other traces].
    #[arg(long, value_name = "DEVIATION", value_parser = parse_prior, allow_negative_numbers = true, help_heading = heading::FITTED)]
    pub(super) prior: Option<PriorArg>,
    /// The weights that the prior is around, as for --init [default: those of
    /// --init].
    #[arg(long, value_name = "FROM", help_heading = heading::FITTED)]
    pub(super) prior_mean: Option<Init>,
    /// Fraction of the games that judge the fit and are not fitted.
    #[arg(long, value_name = "FRACTION", default_value_t = HELD_OUT, value_parser = parse_fraction, allow_negative_numbers = true, help_heading = heading::DATA)]
    pub(super) held_out: f64,
    /// Most iterations of the descent, and most rounds of a local search
    /// [default: 100; of cg and lbfgs 2000, of adam and gd 5000].
    #[arg(long, value_name = "N", help_heading = heading::METHOD)]
    pub(super) max_iterations: Option<usize>,
    /// Descend until rounding. By default a fit with a prior ends where a step promises
    /// to lower E by less than a millionth of its standard error, with games clustered:
    /// some weights are then rounded otherwise, by one or two, where others make up for it.
    #[arg(long, help_heading = heading::METHOD)]
    pub(super) exact: bool,
    /// Number of threads; the result is the same for any [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MOST_THREADS), help_heading = heading::METHOD)]
    pub(super) threads: Option<u16>,
    /// Also fit 1/16, 1/8, 1/4, 1/2 and all of the games, and say what the held-out
    /// error of each is: whether more games would help.
    #[arg(long, help_heading = heading::JUDGING)]
    pub(super) learning_curve: bool,
    /// Also fit so many times, each time without one of so many parts of the
    /// games, which judges: how far the choice of the held-out games decides.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100), help_heading = heading::JUDGING)]
    pub(super) folds: Option<u32>,
    /// Also fit without a parameter, once with its weights at 0 and, where that is something
    /// else, once as they were before, and say what the held-out error is then; may be repeated.
    #[arg(long, value_name = "PARAMETER", help_heading = heading::JUDGING)]
    pub(super) ablate: Vec<String>,
    /// Write what happens as lines of JSON, for user interfaces; `-` is standard
    /// output. docs/events.md describes them.
    #[arg(long, value_name = "FILE", help_heading = heading::OUTPUT)]
    pub(super) events: Option<PathBuf>,
    /// Show no progress, neither a bar nor a line for each iteration, and say no next steps.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) quiet: bool,
    /// Say more of the result: other forms of K, errors against results, rounding, local
    /// search, calibration. All of it is in summary.json and report.html.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) details: bool,
    /// Replace tuned_weights.rs and weights.txt even by weights that the held-out
    /// games find worse than those before; without, the exit status is then 3.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) write_worse: bool,
    /// Folder for the results, and for the checkpoint of a fit on its way.
    #[arg(long, short, default_value = "tuner-run", value_name = "DIR", help_heading = heading::OUTPUT)]
    pub(super) out: PathBuf,
    /// Write the weights after every iteration, before rounding, into the folder
    /// `weights` of --out.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = heading::OUTPUT)]
    pub(super) save_weights: Option<WeightsFormatArg>,
    /// Resume the fit that was interrupted in the folder of --out, to the
    /// result that it would have had; give the options it was given. Where
    /// parameters were added, removed or renamed since, start from its weights
    /// by name.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) resume: bool,
    /// A parameter of the interrupted fit that has another name now.
    #[arg(long, value_name = "OLD=NEW", requires = "resume", value_parser = parse_renamed, help_heading = heading::OUTPUT)]
    pub(super) renamed: Vec<Renamed>,
    /// Say how long each phase took, and write it into summary.json (`timings`).
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) timings: bool,
    /// Print one JSON object.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) json: bool,
    /// Positions on which all derivatives are compared with differences first.
    #[arg(long, value_name = "N", default_value_t = COMPARED, help_heading = heading::METHOD)]
    pub(super) differences: usize,
    /// How often positions are traced again at new weights, where a branch of
    /// the evaluation goes another way there in more than one of a thousand;
    /// 0 from standard input and other pipes, and of a file of traces.
    #[arg(long, value_name = "N", default_value_t = MAX_RETRACES, help_heading = heading::METHOD)]
    pub(super) retrace: usize,
    /// Resolve and trace the positions again after so many iterations, at the
    /// weights reached, at most as often as --retrace says; by default only
    /// where --retrace traces again anyway.
    #[arg(long, value_name = "ITERATIONS", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::METHOD)]
    pub(super) resolve_every: Option<u32>,
    /// Most games of the new weights against those before, at 100 positions a move, which
    /// tell whether the engine plays better: until a test of 0 against 20 normalised Elo is
    /// decided.
    /// Weights that do not pass it do not replace those before (exit status 3). 0 for none
    /// [default: 4000 where the engine plays].
    #[arg(long, value_name = "N", help_heading = heading::JUDGING)]
    pub(super) fast_games: Option<u64>,
    /// First give each position the score of the engine's own search of so many
    /// positions, at the weights of --init. The files are in the folder of --out, for
    /// further fits to the same data and by `data rescore`, as which it works.
    #[arg(long, value_name = "NODES", value_parser = clap::value_parser!(u64).range(1..), help_heading = heading::DATA)]
    pub(super) rescore: Option<u64>,
    #[command(flatten)]
    pub(super) choice: WeightChoiceArgs,
    /// Text of the date to write into the generated file [default: none].
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) date: Option<String>,
    /// Move the mean of a table into the single weight that it stands for, such as
    /// a piece's value, where no score changes by it.
    #[arg(long, help_heading = heading::FITTED)]
    pub(super) canonical: bool,
    /// Write the standard error of each weight into the generated file, as comments
    /// beside the weights.
    #[arg(long, conflicts_with = "canonical", help_heading = heading::OUTPUT)]
    pub(super) errors_in_code: bool,
    /// The spec of rows that were made elsewhere (Arrow IPC, CSV, or lines `outcome
    /// index:coefficient …`; docs/traces.md), whose weights the features are, by name or in its
    /// order. Without it, and without an engine, weights have no names.
    #[arg(long, value_name = "SPEC")]
    pub(super) spec: Option<PathBuf>,
    /// Language of the file of weights of such rows, tuned_weights.* [default: rust].
    #[arg(long, value_enum, value_name = "LANGUAGE", requires = "spec", help_heading = heading::OUTPUT)]
    pub(super) to: Option<LanguageArg>,
    /// Round the weights of such rows to integers, as with --spec they are.
    #[arg(long, help_heading = heading::METHOD)]
    pub(super) round: bool,
}

impl FitArgs {
    /// The file of rows that were made elsewhere.
    ///
    /// # Errors
    /// If an option is about positions, or there is not one file.
    pub(super) fn rows(&self) -> Result<&Path, Failure> {
        let about_engine = [
            (self.rescore.is_some(), "--rescore"),
            (
                self.fast_games.is_some_and(|games| games > 0),
                "--fast-games",
            ),
            (self.canonical, "--canonical"),
            (self.errors_in_code, "--errors-in-code"),
            (self.date.is_some(), "--date"),
        ];
        let typed = about_engine.iter().find(|option| option.0);
        let option = typed.map(|option| option.1);
        if let Some(option) = option.or_else(|| self.about_positions()) {
            return Err(Failure::Usage(format!(
                "{option}: is about positions of an engine, and rows were made elsewhere; leave it \
                 out, or name the folder of the engine by -C"
            )));
        }
        let [traces] = &self.data.data[..] else {
            let found = self.data.data.len();
            return Err(Failure::Usage(format!(
                "fit: found {found} files, expected one of rows that were made elsewhere \
                 (docs/traces.md). Positions are fitted where there is a tuner.toml: in its folder, \
                 or with -C DIR"
            )));
        };
        Ok(traces)
    }

    /// The first option that is about positions and their tracing, and asks for
    /// something.
    pub(super) fn about_positions(&self) -> Option<&'static str> {
        let (data, reading) = (&self.data, &self.data.reading);
        let side_to_move = matches!(reading.perspective, PerspectiveArg::SideToMove);
        let skip = matches!(reading.on_bad_line, OnBadLineArg::Skip);
        let typed = [
            (reading.format.is_some(), "--format"),
            (side_to_move, "--perspective"),
            (reading.score_perspective.is_some(), "--score-perspective"),
            (skip, "--on-bad-line"),
            (data.allow_constants, "--allow-constants"),
            (data.resolve != ResolveArg::None, "--resolve"),
            (self.resolve_every.is_some(), "--resolve-every"),
            (![0, COMPARED].contains(&self.differences), "--differences"),
            (![0, MAX_RETRACES].contains(&self.retrace), "--retrace"),
        ];
        typed.iter().find(|option| option.0).map(|option| option.1)
    }
}

#[derive(Args, Debug)]
pub(super) struct TraceArgs {
    #[command(flatten)]
    pub(super) check: CheckArgs,
    /// The file to write, for `fit FILE`; another of that name is replaced once
    /// the new one is complete.
    #[arg(short, long, value_name = "FILE.arrow", help_heading = heading::OUTPUT)]
    pub(super) output: PathBuf,
}
/// Which weights of a spec a fit moves.
#[derive(Args, Debug)]
pub(super) struct WeightChoiceArgs {
    /// Fit these weights only, as names of parameters or groups (`*` stands for
    /// anything) or paths such as PST[pawn].mg; all others are frozen.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) only: Vec<String>,
    /// Freeze these weights, named as for --only.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) freeze: Vec<String>,
    /// Fit these weights although the spec, --only or --freeze leaves them out.
    #[arg(long, value_name = "NAME", num_args = 1.., value_delimiter = ',', help_heading = heading::WEIGHTS)]
    pub(super) free: Vec<String>,
}

impl WeightChoiceArgs {
    /// The choice; what it freezes is fixed where a fit starts.
    ///
    /// # Errors
    /// If the file of `init` cannot be read.
    pub(super) fn choice(&self, layout: &Layout, init: &Init) -> Result<FrozenChoice, Failure> {
        let start = match init {
            Init::File(file) if !self.is_empty() => Some(weights::of_file(layout, file)?.weights),
            _ => None,
        };
        Ok(self.from(start))
    }

    /// The choice; what it freezes is fixed at `start`, or where the spec has it.
    pub(super) fn from(&self, start: Option<Vec<f64>>) -> FrozenChoice {
        FrozenChoice {
            only: self.only.clone(),
            freeze: self.freeze.clone(),
            free: self.free.clone(),
            start,
        }
    }

    /// Whether nothing is chosen.
    pub(super) fn is_empty(&self) -> bool {
        self.only.is_empty() && self.freeze.is_empty() && self.free.is_empty()
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
    #[derive(Default)]
    VanishedArg => Vanished {
        /// Write nothing, list them.
        #[default]
        Ask,
        /// Leave it in the spec.
        Keep,
        /// Take it out, and the ties that name it.
        Drop,
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

words_for! {
    WeightsFormatArg => WeightsFormat {
        /// Lines `NAME VALUE`.
        Txt,
        /// One object of names and numbers.
        Json,
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum SolverArg {
    /// Gauss-Newton far out, Newton near; newton-cg where there are too many
    /// weights for a matrix.
    #[default]
    Auto,
    /// Gauss-Newton with Levenberg-Marquardt damping.
    GaussNewton,
    /// The exact second derivative.
    Newton,
    /// Newton without a matrix, for tens of thousands of weights.
    NewtonCg,
    /// Non-linear conjugate gradients, scaled by the diagonal.
    Cg,
    /// Limited-memory BFGS, scaled by the diagonal.
    Lbfgs,
    /// Adam with the settings of other tuners: a baseline.
    Adam,
    /// Gradient descent with one rate: a baseline.
    Gd,
    /// On integers from the start: each weight up or down by one as long as
    /// that helps (Texel's original way); slow from afar. It has no scale for
    /// --anchor to change; strengths of --prior auto are tried by auto.
    LocalSearch,
    /// As auto, then rounding, then a local search over all weights.
    Hybrid,
}

impl SolverArg {
    /// How integers are looked for.
    pub(super) const fn search(self) -> Search {
        match self {
            Self::LocalSearch => Search::Alone,
            Self::Hybrid => Search::All,
            _ => Search::Promising,
        }
    }
}

/// How strong the prior is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PriorArg {
    None,
    Deviation(f64),
    /// What games held out say.
    Auto,
    /// What the evidence says.
    Evidence,
}

impl PriorArg {
    pub(super) const fn deviation(self) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Deviation(deviation) => Some(deviation),
            Self::Auto | Self::Evidence => Some(BASE),
        }
    }

    pub(super) const fn choice(self) -> PriorChoice {
        match self {
            Self::None | Self::Deviation(_) => PriorChoice::Declared,
            Self::Auto => PriorChoice::Validation,
            Self::Evidence => PriorChoice::Evidence,
        }
    }
}

impl From<SolverArg> for Solver {
    fn from(arg: SolverArg) -> Self {
        match arg {
            SolverArg::Auto | SolverArg::LocalSearch | SolverArg::Hybrid => Self::Auto,
            SolverArg::GaussNewton => Self::GaussNewton,
            SolverArg::Newton => Self::Newton,
            SolverArg::NewtonCg => Self::NewtonCg,
            SolverArg::Cg => Self::Cg,
            SolverArg::Lbfgs => Self::Lbfgs,
            SolverArg::Adam => Self::Adam,
            SolverArg::Gd => Self::Gd,
        }
    }
}

fn parse_renamed(text: &str) -> Result<Renamed, String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok(Renamed {
            old: old.to_owned(),
            new: new.to_owned(),
        }),
        _ => Err("expected OLD=NEW, names of parameters".to_owned()),
    }
}

/// Reads a number of a range.
pub(super) fn number_within(
    text: &str,
    range: impl RangeBounds<f64>,
    expected: &str,
) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| range.contains(number));
    number.ok_or_else(|| format!("expected {expected}"))
}

fn parse_prior(text: &str) -> Result<PriorArg, String> {
    match text {
        "none" => return Ok(PriorArg::None),
        "auto" => return Ok(PriorArg::Auto),
        "evidence" => return Ok(PriorArg::Evidence),
        _ => {}
    }
    let expected = "a positive number, from 1e-6 to 1e6, or none, auto or evidence";
    number_within(text, 1e-6..=1e6, expected).map(PriorArg::Deviation)
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    number_within(text, 0.0..1.0, "a number from 0 (none) to below 1")
}
