//! `POSITION 1-0`

use crate::Fault;
use crate::field::{self, Fields, fault, outcome};

/// A bare `1` or `0` is not a result here, as many a FEN ends with one.
const RESULT: &str =
    "a result (1-0, 0-1, 1/2-1/2, or a number with a point from 0.0 to 1.0) at the end of the line";

/// Cuts a line before its last word, which is the result. `1` and `0` are refused as that word,
/// since a position may end with them, and so is a bar, a semicolon or an opening bracket before
/// it.
pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii();
    let Some((position, result)) = text.rsplit_once([' ', '\t']) else {
        return Err(fault(line, text, RESULT));
    };
    // The last number of a position without a result, such as a clock, may be 1 or 0.
    if matches!(result, "1" | "0") {
        return Err(fault(line, result, RESULT));
    }
    if let Some(at) = position.find(['|', ';', '[']) {
        let expected = "a position and a result alone";
        return Err(fault(line, &position[at..], expected));
    }
    let position = field::position(line, position.trim_ascii_end())?;
    Ok(Fields::new(position, result, outcome(line, result)?))
}
