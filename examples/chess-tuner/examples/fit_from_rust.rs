//! Fits the example engine from Rust, as `chess-tuner fit FILE…` does: reads and
//! traces positions, fits, traces again where branches of the evaluation change,
//! writes `tuned_weights.rs`.
//!
//!     cargo run --release -p chess-tuner --example fit_from_rust -- FILE…

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use chess_tuner::ChessEngine;
use tuner_core::engine::{EngineRows, LinkedSpec, Positions};
use tuner_core::fit::run::{FitRun, RunConfig};

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    fs::write("tuned_weights.rs", tuned_weights(&files)?)?;
    Ok(())
}

/// Fits the positions of some files, or those that come with the engine.
pub(crate) fn tuned_weights(files: &[PathBuf]) -> Result<String, Box<dyn Error>> {
    let engine = ChessEngine;
    let linked = LinkedSpec::of(&engine)?;
    let positions = Positions::of(&engine, files)?;
    let mut rows = EngineRows::read(&engine, &linked, positions)?;
    let variables = linked.variables()?;
    let run = FitRun::new(&variables, RunConfig::default(), &mut ())?;
    let finished = run.run(&mut rows, &mut ())?;
    Ok(linked.emit(&finished, None, None)?)
}
