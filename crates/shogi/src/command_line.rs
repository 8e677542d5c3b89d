//! The command line for engines of this notation.

use std::process::ExitCode;

use tuner_engine::{Erased, ErasedEngine};

use crate::Sfen;

/// Runs the tuning binary of an engine whose positions are those of [`Sfen`] and whose
/// scores are `i32`: [`tuner_cli::main_playing`], compiled here and not in the binary,
/// so that an edit of the evaluation builds in seconds.
///
/// Engines with other scores call that function.
pub fn main_playing(engine: &dyn ErasedEngine<Sfen, i32>) -> ExitCode {
    tuner_cli::main_playing(&Erased::new(engine))
}
