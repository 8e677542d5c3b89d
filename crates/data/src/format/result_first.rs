//! `[0.5] POSITION`

use super::{no_brackets, unclosed};
use crate::Fault;
use crate::field::{Fields, fault, outcome, position};

/// Reads a line `[RESULT] POSITION`: brackets at its beginning, and a position without brackets.
pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii();
    let Some(rest) = text.strip_prefix('[') else {
        let expected = "a result in brackets, such as [0.5], before the position";
        return Err(fault(line, text, expected));
    };
    let (result, rest) = rest.split_once(']').ok_or_else(|| unclosed(line, rest))?;
    let outcome = outcome(line, result)?;
    no_brackets(line, rest)?;
    let position = position(line, rest.trim_ascii())?;
    Ok(Fields::new(position, result, outcome))
}
