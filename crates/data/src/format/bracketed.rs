//! `POSITION [0.5]`, `POSITION [0.5] -154`

use super::POSITION;
use crate::Fault;
use crate::field::{Fields, RESULTS, described, fault, outcome, score};

const IN_BRACKETS: &str =
    "a result in brackets, such as [0.5], at the end of the line or before a score";

pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii_end();
    let Some((before, after)) = text.rsplit_once('[') else {
        return Err(described(
            line,
            &text[text.len()..],
            "the end of the line",
            IN_BRACKETS,
        ));
    };
    let Some((result, rest)) = after.split_once(']') else {
        return Err(described(
            line,
            after,
            "a bracket that is not closed",
            RESULTS,
        ));
    };
    if let Some(at) = before.find(['[', ']']) {
        return Err(described(
            line,
            &before[at..],
            "a second pair of brackets",
            "one result",
        ));
    }
    let position = before.trim_ascii();
    if position.is_empty() {
        return Err(fault(line, position, POSITION));
    }
    let outcome = outcome(line, result)?;
    let search_score = match rest.trim_ascii_start() {
        "" => None,
        rest => Some(score(line, rest)?),
    };
    let mut fields = Fields::new(position, result, outcome);
    fields.labelled.search_score = search_score;
    Ok(fields)
}
