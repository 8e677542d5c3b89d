//! `POSITION [0.5]`, `POSITION [0.5] -154`

use super::{no_brackets, unclosed};
use crate::Fault;
use crate::field::{Fields, at_end, outcome, position, score};

const IN_BRACKETS: &str =
    "a result in brackets, such as [0.5], at the end of the line or before a score";

/// Reads a line such as `POSITION [0.5] -154`: cuts it at its only brackets, which hold the result;
/// behind them there may be a score. More brackets in front of them are a fault.
pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let Some((before, after)) = line.trim_ascii_end().rsplit_once('[') else {
        return Err(at_end(line, "the end of the line", IN_BRACKETS));
    };
    let (result, rest) = after.split_once(']').ok_or_else(|| unclosed(line, after))?;
    no_brackets(line, before)?;
    let position = position(line, before.trim_ascii())?;
    let mut fields = Fields::new(position, result, outcome(line, result)?);
    fields.score = match rest.trim_ascii_start() {
        "" => None,
        rest => Some(score(line, rest)?),
    };
    Ok(fields)
}
