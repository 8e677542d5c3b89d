//! The fields of a line: results, scores, plies.

use super::{Fault, LabelledPosition};
use crate::Expected;

/// A line cut into its fields; the position not yet read, values as they are
/// in the line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fields<'a> {
    pub(super) labelled: LabelledPosition<&'a str>,
    /// What operations say of half-moves without progress, and of the number
    /// of the move.
    pub(super) clocks: Option<[&'a str; 2]>,
    /// The id of the game.
    pub(super) game_id: Option<&'a str>,
    /// The result as it is written.
    pub(super) result: &'a str,
    /// Whether the result names the winner's colour, so that it has no
    /// perspective.
    pub(super) by_colour: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn new(position: &'a str, result: &'a str, outcome: Expected) -> Self {
        Self {
            labelled: LabelledPosition::new(position, outcome),
            clocks: None,
            game_id: None,
            result,
            by_colour: false,
        }
    }
}

/// The results that every format accepts.
pub(super) const RESULTS: &str =
    "a result (1-0, 0-1, 1/2-1/2, 1, 0, or a number with a point from 0.0 to 1.0)";
/// What a position that is missing would have been.
pub(super) const POSITION: &str = "a position";
const CORRECT_OR_SKIP: &str = "correct the line, or pass over bad lines with --on-bad-line skip";

/// Returns the byte at which a part of a line begins.
pub(super) fn offset(line: &str, part: &str) -> usize {
    part.as_ptr()
        .addr()
        .saturating_sub(line.as_ptr().addr())
        .min(line.len())
}

/// Makes a fault at a part of the line.
pub(super) fn fault(line: &str, part: &str, expected: &'static str) -> Fault {
    let found = if part.is_empty() {
        "nothing".to_owned()
    } else {
        Fault::quote(part)
    };
    described(line, part, found, expected)
}

/// Makes a fault at a part of the line, with words for what stands there.
pub(super) fn described(
    line: &str,
    part: &str,
    found: impl Into<String>,
    expected: &'static str,
) -> Fault {
    Fault::new(found, expected, CORRECT_OR_SKIP).at(offset(line, part))
}

/// Makes a fault at the end of the line.
pub(super) fn at_end(line: &str, found: impl Into<String>, expected: &'static str) -> Fault {
    described(line, &line[line.trim_ascii_end().len()..], found, expected)
}

/// Returns the text of a position, which must not be empty.
pub(super) fn position<'a>(line: &str, text: &'a str) -> Result<&'a str, Fault> {
    if text.is_empty() {
        return Err(fault(line, text, POSITION));
    }
    Ok(text)
}

/// Reads a result: the outcome of a game, or a probability.
pub(super) fn outcome(line: &str, part: &str) -> Result<Expected, Fault> {
    Expected::of_result(part).ok_or_else(|| no_result(line, part))
}

fn no_result(line: &str, part: &str) -> Fault {
    match part {
        "*" => Fault {
            cure: "leave unfinished games out, or pass over them with --on-bad-line skip".into(),
            ..described(line, part, "\"*\", an unfinished game", RESULTS)
        },
        "-1" | "-1.0" => Fault {
            cure: "if losses are -1 and draws 0 in this file, write 0-1 and 1/2-1/2 instead".into(),
            ..fault(line, part, RESULTS)
        },
        _ => fault(line, part, RESULTS),
    }
}

/// Reads the score of a search. `i32::MIN` is refused: it has no opposite.
pub(super) fn score(line: &str, part: &str) -> Result<i32, Fault> {
    match part.parse() {
        Ok(score) if score != i32::MIN => Ok(score),
        _ => Err(fault(line, part, "a score in whole centipawns")),
    }
}

/// Reads whether something is so.
pub(super) fn truth(line: &str, part: &str) -> Result<bool, Fault> {
    match part {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(fault(line, part, "1 (yes) or 0 (no)")),
    }
}

/// Reads a number of half-moves.
pub(super) fn ply(line: &str, part: &str) -> Result<u32, Fault> {
    part.parse()
        .map_err(|_| fault(line, part, "a number of half-moves"))
}
