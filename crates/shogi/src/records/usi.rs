//! Games as USI writes them, one a line: `1.0 position startpos moves 7g7f …`.
//!
//! *Accepts* a label (`1-0`, `1/2-1/2`, `0-1`, `1`, `0`, `1.0`, `0.5`, `0.0` or
//! a probability, in brackets or not; sente's), then `position startpos` or
//! `position sfen …` with the word `position` or without, then `moves` and
//! moves; games without moves, which have no positions; blank lines.
//!
//! *Positions* are those in which a move was played. Each line is a game of its
//! own; the same line twice is one game.
//!
//! *Label* `*`: a game without result, counted, none of its positions read.
//!
//! *Rejects* lines without label, other words, moves that are not legal, bytes
//! that are not UTF-8.
//!
//! *Ignores* nothing.

use tuner_data::in_games::fault;
use tuner_data::{Expected, Fault, RecordEvent, RecordPlace, RecordUnit, Records, lines};

use super::game::{GameEnd, GameSoFar, Rejection, Replay, tell};
use crate::Position;

/// Games as lines of USI; the [module](self) says what is accepted.
pub(crate) const USI: Records<Position> = Records {
    name: "usi",
    pattern: "1.0 position startpos moves 7g7f …",
    unit: RecordUnit::Games,
    takes_stated: false,
    recognises,
    cut: lines::last_end,
    count: lines::count,
    parse: &|bytes, _, to| parse(bytes, to),
};

/// Tells whether the first line that is not empty begins as a game of USI, `position …`, `startpos
/// …`, or one of these behind a result.
fn recognises(first: &[u8], _: bool) -> bool {
    let mut line = lines::lines(first).map(|(_, line)| line.trim_ascii());
    let Some(line) = line.find(|line| !line.is_empty()) else {
        return false;
    };
    // A game of USI is ASCII, and its first 200 bytes tell.
    let Ok(line) = std::str::from_utf8(&line[..line.len().min(200)]) else {
        return false;
    };
    let mut words = line.split_ascii_whitespace();
    match (words.next().unwrap_or_default(), words.next()) {
        ("position" | "startpos", _) => true,
        (first, Some("position" | "startpos" | "sfen")) => label(first).is_some(),
        _ => false,
    }
}

/// Reads games of USI, one a line, and tells `to` of each; blank lines are passed over.
fn parse(bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Position>)) {
    for (number, line) in lines::lines(bytes) {
        if !line.trim_ascii().is_empty() {
            tell(game(line, number), line, to);
        }
    }
}

/// Reads the result that a line begins with, a result in brackets or not, or `*` for a game without
/// one; `None` of other words.
fn label(text: &str) -> Option<GameEnd> {
    let inside = (text.strip_prefix('[')).and_then(|text| text.strip_suffix(']'));
    let text = inside.unwrap_or(text);
    if text == "*" {
        return Some(GameEnd::Unfinished);
    }
    Expected::of_result(text).map(GameEnd::of)
}

/// Reads the game in a line, which is number `line`, counted from 0: a result or `*`, the start
/// position as USI has it, and moves. The rejection is at the first word that is wrong.
fn game(bytes: &[u8], line: u64) -> Result<GameSoFar, Rejection> {
    let at = |offset: usize, fault: Fault| {
        let before = String::from_utf8_lossy(&bytes[..offset.min(bytes.len())]);
        let column = before.chars().count() as u64 + 1;
        Rejection(RecordPlace { line, column }, fault)
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let found = format!("the byte {:#04x}", bytes[start]);
        at(start, fault(found, "UTF-8"))
    })?;
    let offset = |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
    let mut words = text.split_ascii_whitespace();
    // Where a word is missing, an empty one at the end of the line, so that messages have a place.
    let end = &text[text.len()..];
    let first = words.next().unwrap_or(end);
    let ended = label(first).ok_or_else(|| {
        let expected = "a result first (1-0, 0-1, 1/2-1/2, 1, 0, or a number from 0.0 to 1.0)";
        at(offset(first), fault(Fault::quote(first), expected))
    })?;
    let mut word = words.next().unwrap_or(end);
    if word == "position" {
        word = words.next().unwrap_or(end);
    }
    let start = match word {
        "startpos" => Position::start(),
        "sfen" => {
            let rest = &text[offset(word) + word.len()..];
            let (sfen, rest) = rest.split_at(rest.find(" moves").unwrap_or(rest.len()));
            words = rest.split_ascii_whitespace();
            Position::from_sfen(sfen).map_err(|error| {
                // `at` tells the place in the line, so that none (0) is added to that of the fault.
                let place = offset(sfen) + error.offset;
                at(place, crate::notation::fault(error, 0))
            })?
        }
        _ => {
            let expected = "startpos or sfen";
            return Err(at(offset(word), fault(Fault::quote(word), expected)));
        }
    };
    let mut replay = Replay::new(&start);
    match words.next() {
        None | Some("moves") => {}
        Some(word) => return Err(at(offset(word), fault(Fault::quote(word), "moves"))),
    }
    for word in words {
        let Some(m) = replay.position().read_usi(word) else {
            return Err(at(offset(word), replay.illegal(word)));
        };
        // All that was read before is ASCII, so a byte is a column.
        let column = offset(word) as u64 + 1;
        replay.play(m, None, RecordPlace { line, column });
    }
    Ok(GameSoFar::whole(replay, ended))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::records::tests::read;
    use tuner_data::Outcome;

    #[test]
    fn labels_are_results_of_the_first_player() {
        for (label, expected) in [
            ("1.0", Some((Outcome::Win, false))),
            ("[0.5]", Some((Outcome::Draw, false))),
            ("0-1", Some((Outcome::Loss, false))),
            ("0", Some((Outcome::Loss, false))),
            ("1/2-1/2", Some((Outcome::Draw, false))),
            ("*", None),
        ] {
            for start in ["position startpos", "startpos"] {
                let text = format!("\n{label} {start} moves 7g7f 3c3d\r\n\n");
                let read = read(&USI, text.as_bytes());
                assert_eq!(read.result(), expected, "{text}");
                assert!((USI.recognises)(text.as_bytes(), true), "{text}");
            }
        }
        let found = read(&USI, b"0.73 startpos moves 7g7f");
        assert_eq!(
            found.positions[0].1.outcome,
            Expected::parse("0.73").unwrap()
        );
        let twice = read(&USI, &b"1 startpos moves 7g7f\n".repeat(2));
        assert_eq!(twice.positions[0].1.game, twice.positions[1].1.game);
    }

    #[test]
    fn games_begin_anywhere() {
        let text = "0.0 position sfen 4k4/9/9/9/9/9/9/9/4K4 w P 9 moves 5a5b P*5h";
        let read = read(&USI, text.as_bytes());
        assert_eq!(read.positions.len(), 2);
        assert_eq!(read.positions[0].1.ply, Some(8));
        assert_eq!(
            read.positions[1].0,
            RecordPlace {
                line: 0,
                column: 58
            }
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, column, part) in [
            ("position startpos moves 7g7f", 1, "a result first"),
            ("2.0 position startpos", 1, "a result first"),
            ("1.0", 4, "startpos or sfen"),
            ("1.0 position 7g7f", 14, "startpos or sfen"),
            ("1.0 startpos 7g7f", 14, "expected moves"),
            ("1.0 startpos moves 7g7f 7g7f", 25, "not legal"),
            ("1.0 startpos moves 7g7f resign", 25, "not legal"),
            ("1.0 sfen 9/9 b - 1 moves", 13, "nine ranks"),
        ] {
            let read = read(&USI, text.as_bytes());
            let (line, found, words) = read.rejection();
            assert_eq!((line, found), (1, column), "{text} {words}");
            assert!(words.contains(part), "{text} {words}");
        }
        let bytes = read(&USI, b"\n1.0 \xff");
        assert_eq!((bytes.rejection().0, bytes.rejection().1), (2, 5));
        assert!(!(USI.recognises)(b"lnsgkgsnl/9 b - 1 [1.0]", true));
        assert!(!(USI.recognises)(b"sfen lnsgkgsnl/9 b - 1 [1.0]", true));
    }
}
