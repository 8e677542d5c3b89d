//! The fields of a line: results, scores, plies.
//!
//! Where a function takes `line` and `part`, `part` is a field, and a piece of the text `line`: a
//! fault is at its place there.

use super::{Fault, LabelledPosition};
use crate::{Expected, MATE, Outcome, ScoreUnit};

/// A line cut into its fields; the position not yet read, values as they are
/// in the line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fields<'a> {
    pub(super) labelled: LabelledPosition<&'a str>,
    /// The score of a search, and as it is written.
    pub(super) score: Option<(WrittenScore, &'a str)>,
    /// What operations say of half-moves without progress, and of the number
    /// of the move.
    pub(super) clocks: Option<[&'a str; 2]>,
    /// The id of the game.
    pub(super) game_id: Option<&'a str>,
    /// The result as it is written; empty where there is none.
    pub(super) result: &'a str,
    /// Whether the score is the mover's where nothing else is said.
    pub(super) score_of_mover: bool,
    /// Whether the result names the winner's colour, so that it has no
    /// perspective; the outcome is that of a game in which `w` is the first player.
    pub(super) by_colour: bool,
}

impl<'a> Fields<'a> {
    /// Returns the fields of a line with a position and a result, and nothing else. `result` is the
    /// result as it is written, `outcome` what it means.
    pub(super) fn new(position: &'a str, result: &'a str, outcome: Expected) -> Self {
        Self {
            labelled: LabelledPosition::new(position, outcome),
            score: None,
            clocks: None,
            game_id: None,
            result,
            score_of_mover: false,
            by_colour: false,
        }
    }

    /// Returns the fields of a line without result: its text is empty, and its value a draw until a
    /// score takes its place.
    pub(super) fn unlabelled(position: &'a str) -> Self {
        Self::new(position, "", Outcome::Draw.into())
    }
}

/// A score in a line, before its unit is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WrittenScore {
    Whole(i32),
    Pointed(f64),
    /// [`MATE`] less the plies to the mate, with its sign.
    Mate(i32),
}

impl WrittenScore {
    /// Returns the score in centipawns. `unit` is what the options state. Without it a whole number
    /// is in centipawns, and a number with a point is a fault at `part`, which is its text, a slice
    /// of `line`. Mates have no unit.
    pub(super) fn centipawns(
        self,
        line: &str,
        part: &str,
        unit: Option<ScoreUnit>,
    ) -> Result<i32, Fault> {
        match (self, unit) {
            (Self::Whole(score), Some(ScoreUnit::Pawns)) => Ok(score.saturating_mul(100)),
            (Self::Whole(score) | Self::Mate(score), _) => Ok(score),
            (Self::Pointed(score), Some(unit)) => {
                let hundred = if unit == ScoreUnit::Pawns { 100.0 } else { 1.0 };
                Ok((score * hundred).round() as i32)
            }
            (Self::Pointed(_), None) => Err(Fault {
                cure: "say by --score-unit whether scores are centipawns or pawns".into(),
                ..fault(line, part, SCORE)
            }),
        }
    }
}

/// The results that every format accepts, in words for faults.
pub(super) const RESULTS: &str =
    "a result (1-0, 0-1, 1/2-1/2, 1, 0, or a number with a point from 0.0 to 1.0)";
/// The expected text where a position is missing.
pub(super) const POSITION: &str = "a position";
const SCORE: &str = "a score in whole centipawns";
const CORRECT_OR_SKIP: &str = "correct the line, or pass over bad lines with --on-bad-line skip";

/// Returns the byte at which a part of a line begins. The part must be a slice of the line, as its
/// address tells.
pub(super) fn offset(line: &str, part: &str) -> usize {
    let at = part.as_ptr().addr().saturating_sub(line.as_ptr().addr());
    at.min(line.len())
}

/// Makes a fault at `part`, a slice of `line`, which is quoted as what was found (or "nothing" if
/// it is empty).
pub(super) fn fault(line: &str, part: &str, expected: &'static str) -> Fault {
    let nothing = part.is_empty().then(|| "nothing".to_owned());
    let found = nothing.unwrap_or_else(|| Fault::quote(part));
    described(line, part, found, expected)
}

/// Makes a fault at `part`, a slice of `line`; `found` says in words what is there.
pub(super) fn described(
    line: &str,
    part: &str,
    found: impl Into<String>,
    expected: &'static str,
) -> Fault {
    Fault::new(found, expected, CORRECT_OR_SKIP).at(offset(line, part))
}

/// Makes the fault of a line without result, which proposes the option that takes scores in the
/// place of results.
pub(super) fn no_result_in(line: &str) -> Fault {
    Fault {
        cure: "give --results-from-scores if the score of a stronger engine is to stand for it"
            .into(),
        ..at_end(line, "no result", RESULTS)
    }
}

/// Makes a fault at the end of the line, white space apart; `found` says in words what is there.
pub(super) fn at_end(line: &str, found: impl Into<String>, expected: &'static str) -> Fault {
    described(line, &line[line.trim_ascii_end().len()..], found, expected)
}

/// Returns `text`, the part of `line` that is to be a position, unless it is empty, which is a
/// fault.
pub(super) fn position<'a>(line: &str, text: &'a str) -> Result<&'a str, Fault> {
    if text.is_empty() {
        return Err(fault(line, text, POSITION));
    }
    Ok(text)
}

/// Reads a result, the outcome of a game or a probability, from `part`, a slice of `line`; a fault
/// at this place if it is no result.
pub(super) fn outcome(line: &str, part: &str) -> Result<Expected, Fault> {
    Expected::of_result(part).ok_or_else(|| no_result(line, part))
}

/// Makes the fault of a field `part` of `line` that is not a result: an unfinished game, or some
/// other text. Where that text shows that the file writes results in another way, the cure says so.
fn no_result(line: &str, part: &str) -> Fault {
    if part == "*" {
        return Fault {
            cure: "leave unfinished games out, or pass over them with --on-bad-line skip".into(),
            ..described(line, part, "\"*\", an unfinished game", RESULTS)
        };
    }
    let fault = fault(line, part, RESULTS);
    let cure = Fault::of_coding(part).map_or(fault.cure, Into::into);
    Fault { cure, ..fault }
}

/// Reads the score of a search from `part`, a slice of `line`: a number, or a mate such as `M7` (in
/// plies) or `#-3` (in moves). Returns it with `part`, at which a later fault of its unit is told.
/// `i32::MIN` is refused: it has no opposite.
pub(super) fn score<'a>(line: &str, part: &'a str) -> Result<(WrittenScore, &'a str), Fault> {
    let whole = part.parse().ok().filter(|score| *score != i32::MIN);
    let pointed = || {
        let plain = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-');
        let score: f64 = part.parse().ok().filter(|_| part.bytes().all(plain))?;
        // Only numbers with a point: a whole number that 32 bits do not hold is no score. The limit
        // of ten million leaves room to turn pawns into centipawns.
        (part.contains('.') && score.abs() < 1e7).then_some(WrittenScore::Pointed(score))
    };
    let whole = whole.map(WrittenScore::Whole);
    let score = whole.or_else(|| mate(part)).or_else(pointed);
    let score = score.ok_or_else(|| fault(line, part, SCORE))?;
    Ok((score, part))
}

/// Reads a mate, with a sign before or behind its mark: `-M7` in plies, `#-3` in moves. `None` for
/// other text, and where the number is above 500.
fn mate(part: &str) -> Option<WrittenScore> {
    let (sign, rest) = signed(part);
    let in_moves = rest.starts_with('#');
    let (second, count) = signed(rest.strip_prefix(['M', '#'])?);
    let count = count.parse::<i32>().ok();
    let count = count.filter(|count| (0..=500).contains(count))?;
    let plies = if in_moves { 2 * count } else { count };
    Some(WrittenScore::Mate(sign * second * (MATE - plies)))
}

/// Splits a sign off a text: returns 1, or -1 for a minus, and what follows the sign, if there is
/// one.
pub fn signed(text: &str) -> (i32, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// Reads yes or no from `part`, a slice of `line`: `1` or `0`.
pub(super) fn truth(line: &str, part: &str) -> Result<bool, Fault> {
    match part {
        "1" => Ok(true),
        "0" => Ok(false),
        _ => Err(fault(line, part, "1 (yes) or 0 (no)")),
    }
}

/// Reads a number of half-moves from `part`, a slice of `line`.
pub(super) fn ply(line: &str, part: &str) -> Result<u32, Fault> {
    part.parse()
        .map_err(|_| fault(line, part, "a number of half-moves"))
}
