//! The arguments of commands on specs and sources.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::heading;
use crate::shared_args::{NameChoiceArgs, words_for};
use tuner_spec::codegen::Language;
use tuner_spec::source::Vanished;

#[derive(Debug, Subcommand)]
pub(crate) enum SpecCommand {
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
    },
    /// Writes fitted values into a spec, in the place of its initial values.
    Set(SpecSetArgs),
    /// Writes a page of a spec: its parameters, docs and values.
    Doc {
        /// The spec.
        spec: PathBuf,
        /// The file to write, in Markdown; it is left alone if it would not change
        /// [default: standard output].
        #[arg(short, long, help_heading = heading::OUTPUT)]
        output: Option<PathBuf>,
    },
    /// Writes a new spec: an example of every key, or the weights of the engine's evaluator.
    Init {
        /// Its name, an identifier, for one of two weights to begin with; without it the
        /// evaluator of tuner.toml is asked for its weights.
        #[arg(value_name = "NAME")]
        name: Option<String>,
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
pub(crate) struct ImportArgs {
    /// Rust files, and folders with such files at any depth.
    #[arg(required = true, value_name = "FILE.rs|FOLDER")]
    pub(crate) sources: Vec<PathBuf>,
    /// The file to write; it is left alone if it would not change
    /// [default: standard output].
    #[arg(short, long, value_name = "SPEC", help_heading = heading::OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Bring this spec up to date: it gets the values and the new consts of the sources,
    /// all else that is written in it stays. Written to --output, or in its place.
    #[arg(long, value_name = "SPEC", conflicts_with = "name")]
    pub(crate) into: Option<PathBuf>,
    /// What to do with a parameter of --into that is not in the sources.
    #[arg(long, value_enum, default_value_t, requires = "into")]
    pub(crate) vanished: VanishedArg,
    #[command(flatten)]
    pub(crate) names: NameChoiceArgs,
    /// Name of the spec, an identifier.
    #[arg(long, default_value = "engine")]
    pub(crate) name: String,
    /// Name each const that is left out, where a file has several for one reason.
    #[arg(long)]
    pub(crate) all: bool,
    /// Write over a file that is there already.
    #[arg(long, conflicts_with = "into")]
    pub(crate) force: bool,
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

/// Numbers take the place of numbers; comments, order and layout stay. The key
/// `values` says where they come from, and `spec emit` repeats it.
#[derive(Args, Debug)]
pub(crate) struct SpecSetArgs {
    /// The folder of a fit, its summary.json, or a file of lines `NAME VALUE`.
    #[arg(value_name = "RUN")]
    pub(crate) run: PathBuf,
    /// The spec to change.
    #[arg(short, long, value_name = "SPEC", help_heading = heading::OUTPUT)]
    pub(crate) output: PathBuf,
    /// Write even weights that held-out games found worse than those before, or fast games not
    /// better; without, nothing is written and the exit status is 3.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) write_worse: bool,
}

/// Each literal that is a weight gets its new number; layout, comments,
/// suffixes and casts stay. All files are written, or none.
#[derive(Args, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
pub(crate) struct PatchArgs {
    /// The summary.json of a fit or its folder; or a file of lines `NAME VALUE` or a spec
    /// (*.toml) whose values are to be in the sources, whatever is there now.
    pub(crate) weights: PathBuf,
    /// The Rust files that declare the weights, and folders with such files [default:
    /// `sources` of tuner.toml].
    #[arg(value_name = "FILE.rs|FOLDER")]
    pub(crate) sources: Vec<PathBuf>,
    /// The spec of the fit: for a summary that does not say what the sources
    /// held (`initial`), or whose weights are in another order.
    #[arg(long)]
    pub(crate) spec: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) names: NameChoiceArgs,
    /// Name every mistake, also where many have one cause.
    #[arg(long)]
    pub(crate) all: bool,
    /// Round to whole numbers where a literal is one.
    #[arg(long, help_heading = heading::METHOD)]
    pub(crate) round: bool,
    /// Write nothing; print the changes as a unified diff.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show the changes of one table after the other and ask: y, write it; n, leave it;
    /// a, write it and all that follow; q, leave it and all that follow. Answers are read
    /// from standard input, whose end is a q.
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) review: bool,
    /// Write even weights that held-out games found worse than those before, or fast games not
    /// better; without, nothing is written and the exit status is 3.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) write_worse: bool,
}
