//! The arguments of `new`, and the configuration that they mean.

use std::path::PathBuf;

use clap::Args;

use crate::heading;
use crate::output;
use crate::shared_args::{PerspectiveArg, words_for};
use tuner_base::cloned_fields;
use tuner_jobs::{Board, Job, JobResult as Result, NewConfig, new_engine};

#[derive(Args, Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a flag is a bool")]
pub(super) struct NewArgs {
    /// The folder of the engine's Cargo.toml; with --cpp, that of its sources.
    #[arg(default_value = ".")]
    engine: PathBuf,
    /// Of an engine in C++: copies tuner.hpp, and writes the main of an evaluator and tuner.toml.
    #[arg(long, conflicts_with_all = NOT_OF_CPP)]
    cpp: bool,
    /// What the evaluation's positions are.
    #[arg(long, value_enum, required = false, required_unless_present = "cpp")]
    #[arg(default_value_if("cpp", "true", "own"), hide_default_value = true)]
    board: BoardArg,
    /// The function that scores a position, by its path in the engine: `eval::evaluate`, or of a
    /// method with its type, `board::Board::evaluate`; or an expression of `pos`, a reference to a
    /// position, that calls it: `eval::Evaluator::new().evaluate(pos).0`.
    #[arg(
        long,
        value_name = "PATH",
        required = false,
        required_unless_present = "cpp"
    )]
    #[arg(default_value_if("cpp", "true", ""), hide_default_value = true)]
    evaluate: String,
    /// Of a board of its own, the function that makes one of a FEN (of an SFEN with --game
    /// shogi): `board::Board::from_fen`, or of a crate that the engine is built on,
    /// `chess::Board::from_str`. Not needed where the evaluation takes a text.
    #[arg(long, value_name = "PATH")]
    from_text: Option<String>,
    /// Whose view the scores have.
    #[arg(long, value_enum, default_value = "side-to-move", help_heading = heading::DATA)]
    perspective: PerspectiveArg,
    /// A file through which scores go, beside those of the evaluation's module: tables, terms.
    #[arg(long, value_name = "FILE.rs")]
    trace: Vec<PathBuf>,
    /// The clone of Tuner's repository [default: the one that this program was built in].
    #[arg(long, value_name = "FOLDER")]
    tuner: Option<PathBuf>,
    /// Name of the evaluator's folder, in that of the engine.
    #[arg(long, value_name = "NAME", default_value = "tuner", value_parser = parse_name, help_heading = heading::OUTPUT)]
    out: String,
    /// Write nothing; say which files would be new or changed. What is written goes into a copy,
    /// which is checked as well.
    #[arg(long)]
    dry_run: bool,
    /// Do not ask the compiler what else is to be annotated.
    #[arg(long)]
    no_check: bool,
    /// Print what would be written, as a diff.
    #[arg(long, requires = "dry_run")]
    diff: bool,
}

/// Options that are for engines in Rust alone.
const NOT_OF_CPP: [&str; 7] = [
    "board",
    "evaluate",
    "from_text",
    "perspective",
    "trace",
    "out",
    "no_check",
];

/// Reads the name of a folder that is the name of a Cargo package too: ASCII letters, digits, `-`
/// and `_`.
fn parse_name(text: &str) -> Result<String, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let fits = !text.is_empty() && text.chars().all(is_name);
    fits.then(|| text.to_owned())
        .ok_or_else(|| "expected a name of letters, digits, - and _".to_owned())
}

words_for! {
    BoardArg => Board {
        /// `shakmaty::Chess`.
        Shakmaty,
        /// `cozy_chess::Board`.
        CozyChess,
        /// `tuner_shogi::Position`.
        Shogi,
        /// The engine's own type.
        Own,
    }
}

impl NewArgs {
    /// Returns the configuration of `new` by these arguments.
    fn config(&self) -> NewConfig {
        cloned_fields! { NewConfig {
            engine, cpp, evaluate, from_text, trace, tuner, out, dry_run, no_check, diff,
        } of self,
            board: self.board.into(),
            perspective: self.perspective.into(),
        }
    }
}

/// Runs `new`: writes what an engine needs to be tuned, or with `--diff` prints what would be
/// written. `game`: the one that `--game` names, if it is typed.
pub(super) fn run(job: &Job, args: &NewArgs, game: Option<&str>) -> Result<()> {
    let diff = new_engine(job, &args.config(), game)?;
    if diff.is_empty() {
        return Ok(());
    }
    output::text(&diff)
}
