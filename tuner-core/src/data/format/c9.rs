//! `POSITION c9 "1-0";`

use super::POSITION;
use crate::data::Fault;
use crate::data::field::{Fields, described, fault, outcome};

const OPERATION: &str = "an operation such as c9 \"1-0\"; after the position";

pub(super) fn fields(line: &str) -> Result<Fields<'_>, Fault> {
    let text = line.trim_ascii_end();
    let Some((before, after)) = text.split_once('"') else {
        return Err(described(
            line,
            &text[text.len()..],
            "the end of the line",
            OPERATION,
        ));
    };
    let before = before.trim_ascii_end();
    let Some(position) = before
        .strip_suffix("c9")
        .filter(|p| p.is_empty() || p.ends_with(' '))
    else {
        let opcode = before.rsplit(' ').next().unwrap_or(before);
        return Err(fault(line, opcode, OPERATION));
    };
    let position = position.trim_ascii();
    if position.is_empty() {
        return Err(fault(line, position, POSITION));
    }
    if let Some(at) = position.find(';') {
        return Err(described(
            line,
            &position[at..],
            "another operation",
            "c9 alone",
        ));
    }
    let Some((result, rest)) = after.split_once('"') else {
        return Err(described(
            line,
            after,
            "an operand without closing quotation mark",
            OPERATION,
        ));
    };
    let rest = rest.trim_ascii_start();
    // Files in circulation leave the semicolon out (the last lines of
    // zurichess' quiet-labeled.epd), and nothing can follow an operand that
    // has been closed.
    let rest = rest.strip_prefix(';').unwrap_or(rest).trim_ascii_start();
    if !rest.is_empty() {
        return Err(fault(line, rest, "the end of the line after the result"));
    }
    Ok(Fields::new(position, outcome(line, result)?))
}
