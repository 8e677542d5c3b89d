//! `POSITION | 63 | 0.5`

use crate::Fault;
use crate::field::{self, Fields, at_end, described, outcome, score};

const THREE: &str = "three fields, POSITION | SCORE | RESULT";

/// Cuts a line at its bars into position, score and result, all three of which must be there.
pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let mut parts = line.split('|').map(str::trim_ascii);
    let (Some(position), Some(search_score), Some(result)) =
        (parts.next(), parts.next(), parts.next())
    else {
        return Err(at_end(line, "the end of the line", THREE));
    };
    if let Some(more) = parts.next() {
        return Err(described(line, more, "a fourth field", THREE));
    }
    let position = field::position(line, position)?;
    let score = score(line, search_score)?;
    let mut fields = Fields::new(position, result, outcome(line, result)?);
    fields.score = Some(score);
    Ok(fields)
}
