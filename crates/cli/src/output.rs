//! Standard output, for data, and standard error, for words.
//!
//! Not here, nor elsewhere in this layer: `println!` and `eprintln!`, which
//! panic where nobody reads or a disk is full.

use std::fmt;
use std::io::{self, Write};

use super::Failure;

/// Prints a line. Somebody who stops reading is no reason to panic.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    print(format_args!("{text}\n"))
}

/// Prints a text as it is.
pub(super) fn text(text: &str) -> Result<(), Failure> {
    print(format_args!("{text}"))
}

fn print(text: fmt::Arguments<'_>) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    output
        .write_fmt(text)
        .and_then(|()| output.flush())
        .map_err(|error| format!("standard output: {error}").into())
}

/// Says a line on standard error; that nobody can hear it stops nothing.
macro_rules! say {
    ($($words:tt)*) => {
        $crate::output::words(format_args!($($words)*))
    };
}

/// What `say!` is.
pub(super) fn words(words: fmt::Arguments<'_>) {
    // Where could one say that nothing can be said?
    let _ = writeln!(io::stderr().lock(), "{words}");
}
