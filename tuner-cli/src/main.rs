//! The `tuner` program: specs, fits of traces made elsewhere, weights into sources.

use std::process::ExitCode;

fn main() -> ExitCode {
    tuner_core::cli::tuner_main()
}
