//! The engine as a program: speaks USI; `shogi-engine bench` measures.
#![allow(clippy::print_stdout)] // it is the program's output

use std::io;

use shogi_engine::{bench, usi};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => usi::run(io::stdin().lock(), io::stdout()),
        ["bench"] => {
            println!("{}", bench::report(bench::DEPTH));
            Ok(())
        }
        _ => Err(io::Error::other("expected no argument, or `bench`")),
    }
}
