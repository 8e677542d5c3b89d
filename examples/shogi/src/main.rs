//! The engine as a program: speaks USI; `shogi-engine bench` measures.
#![allow(clippy::print_stdout, clippy::print_stderr)] // it is the program's output

use std::io;
use std::process::ExitCode;

use shogi_engine::{bench, usi};

const HELP: &str = "\
The example shogi engine. Without an argument it speaks USI on standard input.

  shogi-engine bench      searches some positions to a fixed depth: nodes and speed
  shogi-engine --version

Any program that plays by USI can use it; `tuner match` plays two of them.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => usi::run(io::stdin().lock(), io::stdout()),
        ["bench"] => {
            println!("{}", bench::report(bench::DEPTH));
            Ok(())
        }
        ["--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        ["--version" | "-V"] => {
            println!("shogi-engine {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        [other, ..] => {
            eprintln!("found `{other}`, expected no argument, `bench`, --help or --version");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("shogi-engine: {error}");
            ExitCode::FAILURE
        }
    }
}
