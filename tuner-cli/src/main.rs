//! The `tuner` program: specs, and fits of traces made elsewhere.

use std::process::ExitCode;

fn main() -> ExitCode {
    tuner_core::cli::tuner_main()
}
