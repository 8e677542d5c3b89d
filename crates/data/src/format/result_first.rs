//! `[0.5] POSITION`

use super::POSITION;
use crate::Fault;
use crate::field::{Fields, RESULTS, described, fault, outcome};

pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii();
    let Some(rest) = text.strip_prefix('[') else {
        return Err(fault(
            line,
            text,
            "a result in brackets, such as [0.5], before the position",
        ));
    };
    let Some((result, position)) = rest.split_once(']') else {
        return Err(described(
            line,
            rest,
            "a bracket that is not closed",
            RESULTS,
        ));
    };
    let outcome = outcome(line, result)?;
    if let Some(at) = position.find(['[', ']']) {
        return Err(described(
            line,
            &position[at..],
            "a second pair of brackets",
            "one result",
        ));
    }
    let position = position.trim_ascii();
    if position.is_empty() {
        return Err(fault(line, position, POSITION));
    }
    Ok(Fields::new(position, result, outcome))
}
