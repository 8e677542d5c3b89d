//! The engine as a program: speaks UCI; `chess-engine bench` measures.
#![allow(clippy::print_stdout)] // it is the program's output

use std::io;

use chess_engine::{bench, uci};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => uci::run(io::stdin().lock(), io::stdout()),
        ["bench"] => {
            println!("{}", bench::report(bench::DEPTH));
            Ok(())
        }
        _ => Err(io::Error::other("expected no argument, or `bench`")),
    }
}
