//! Fits the example engine from Rust, as `tuner fit FILE…` does: reads and
//! traces positions, fits, traces again where branches of the evaluation change,
//! writes `tuned_weights.rs`. The evaluation runs within this program.
//!
//!     cargo run --release -p chess-engine --features tune --example fit_from_rust -- FILE…

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use chess_engine::evaluator::ChessEngine;
use tuner_core::engine::{EngineRows, Evaluation, LinkedSpec, Positions};
use tuner_core::fit::run::{FitRun, RunConfig};

const SPEC: &str = include_str!("../../../specs/chess.toml");

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    fs::write("tuned_weights.rs", tuned_weights(&files)?)?;
    Ok(())
}

/// Fits the positions of some files.
pub(crate) fn tuned_weights(files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let evaluation = Evaluation::playing(ChessEngine)?;
    let linked = LinkedSpec::of_text(evaluation.weights(), "specs/chess.toml".as_ref(), SPEC)?;
    let positions = Positions::of(&evaluation, files)?;
    let mut rows = EngineRows::read(&evaluation, &linked, positions)?;
    let variables = linked.variables()?;
    let run = FitRun::new(&variables, RunConfig::default(), &mut ())?;
    let finished = run.run(&mut rows, &mut ())?;
    Ok(linked.emit(&finished, None, None)?)
}
