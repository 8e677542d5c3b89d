//! Standard output.

use std::io::{self, Write};

use super::Failure;

/// Prints a line. Somebody who stops reading is no reason to panic.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    let mut output = io::stdout().lock();
    writeln!(output, "{text}")
        .and_then(|()| output.flush())
        .map_err(|error| format!("standard output: {error}").into())
}
