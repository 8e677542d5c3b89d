//! All commands, as they are typed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueHint};
use clap_complete::Shell;

use crate::check_args::{CheckArgs, TraceArgs};
use crate::data::DataCommand;
use crate::diagnose::{
    EffectArgs, ExplainArgs, OutlierArgs, ResidualArgs, SuggestArgs, WeightProfileArgs,
};
use crate::fit_args::FitArgs;
use crate::new_args::NewArgs;
use crate::pages::ReportArgs;
use crate::play_args::{
    LoopArgs, MatchArgs, ResultArgs, SELFPLAY, SPSA, SelfPlayArgs, SprtArgs, SpsaArgs,
    with_defaults,
};
use crate::recover::RecoverArgs;
use crate::runs::RunsArgs;
use crate::spec_args::{PatchArgs, SpecCommand};

/// Tunes the hand-written evaluation of a game engine.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct TunerArgs {
    /// The folder of the engine, with its tuner.toml [default: this one, or the nearest above
    /// it that has one]. Other paths stay those of this folder.
    #[arg(short = 'C', long = "engine-folder", value_name = "DIR", global = true)]
    pub(crate) engine_folder: Option<PathBuf>,
    /// The game that data or a match is of, by its name [default: that of the engine; without
    /// one chess; a wrong name lists all].
    #[arg(long, value_name = "GAME", global = true)]
    pub(crate) game: Option<String>,
    #[command(subcommand)]
    pub(crate) command: TunerCommand,
}

/// All commands.
#[derive(Debug, Subcommand)]
pub(crate) enum TunerCommand {
    /// Writes what an engine needs to be tuned: its annotations, its spec, an evaluator.
    New(NewArgs),
    /// Says what would stop check, fit, games and patch in this folder, with cures.
    Doctor,
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
    /// Says which features of the game that no weight reads would lower E, with code.
    Suggest(SuggestArgs),
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
        /// The folder, made where it is not there.
        #[arg(value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

impl TunerCommand {
    /// Tells whether the command may be about the engine of a folder, so that its `tuner.toml` is
    /// looked for. With `--spec` a fit is of rows made elsewhere, and needs none.
    pub(crate) fn uses_engine(&self) -> bool {
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
