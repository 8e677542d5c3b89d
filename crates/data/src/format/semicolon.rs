//! `POSITION;w`

use crate::field::{self, Fields, at_end, fault, outcome};
use crate::{Fault, Outcome};

const LETTER: &str = "w, b or d, who won, or a result such as 1-0, after a semicolon";

/// Cuts a line at its first semicolon into position and result. `w`, `b` and `d` say which colour
/// won, or that nobody did; the outcome is set as if `w` were the first player, and `by_colour`
/// says so. Any other result is read as in all formats.
pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii();
    let Some((position, result)) = text.split_once(';') else {
        return Err(at_end(line, "the end of the line", LETTER));
    };
    let position = field::position(line, position.trim_ascii_end())?;
    let result = result.trim_ascii_start();
    let of_w = match result {
        "w" => Outcome::Win,
        "b" => Outcome::Loss,
        // A draw is the same for both colours.
        "d" => return Ok(Fields::new(position, result, Outcome::Draw.into())),
        "" => return Err(fault(line, result, LETTER)),
        _ => return Ok(Fields::new(position, result, outcome(line, result)?)),
    };
    Ok(Fields {
        by_colour: true,
        ..Fields::new(position, result, of_w.into())
    })
}
