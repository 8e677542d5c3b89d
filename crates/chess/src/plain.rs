//! Stockfish's `.plain`: one position in several lines of text.
//!
//! ```text
//! fen rnbqkb1r/pppppppp/5n2/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - 0 2
//! move f6e4
//! score 111
//! ply 100
//! result 0
//! e
//! ```
//!
//! *Accepts* the fields in any order, `fen` first, `e` last. Score and result (1, 0, -1) are the
//! side to move's; a score of 32002 leaves the position out. `move`, if it is legal, says whether
//! the best move captures or promotes; a move that is not legal is ignored, because the test files
//! of tools that filter this format contain such moves. *Rejects* records without `fen` or
//! `result`, and fields that are unknown or there twice.

use shakmaty::{Chess, Position};
use tuner_data::in_bytes::BEYOND_MATE;
use tuner_data::{
    Around, Fault, LEFT_OUT, LabelledPosition, MATE, Outcome, RecordEvent, RecordPlace, RecordUnit,
    Records, lines,
};

use crate::{fen, moves};

/// Stockfish's `.plain`; the [module](self) says what is accepted.
pub(crate) const PLAIN: Records<Chess> = Records {
    name: "plain",
    pattern: "lines fen, move, score, ply, result, e",
    unit: RecordUnit::Records,
    takes_stated: false,
    recognises: |first, _| first.trim_ascii_start().starts_with(b"fen "),
    cut: |bytes| lines::end_of_last(bytes, b"e"),
    count: lines::count,
    parse: &|bytes, _, to| parse(bytes, to),
};

/// Writes a record of `.plain`: a position with its score, if it has one, its plies and its result,
/// score and result as the side to move sees them, without a move. The error says, in words, that
/// the result is a probability.
pub(crate) fn write(labelled: &LabelledPosition<String>) -> Result<Vec<u8>, String> {
    let (score, outcome) = of_mover(labelled)?;
    let result = match outcome {
        Outcome::Win => 1,
        Outcome::Draw => 0,
        Outcome::Loss => -1,
    };
    let line =
        |name, value: Option<i64>| value.map_or_else(String::new, |v| format!("{name} {v}\n"));
    Ok(format!(
        "fen {}\n{}{}result {result}\ne\n",
        labelled.position,
        line("score", score.map(i64::from)),
        line("ply", labelled.ply.map(i64::from)),
    )
    .into_bytes())
}

/// Returns score and result of a position as the side to move sees them; an error if the result is
/// a probability, which formats of records have no place for.
pub(crate) fn of_mover(
    labelled: &LabelledPosition<String>,
) -> Result<(Option<i32>, Outcome), String> {
    let Some(outcome) = labelled.outcome.outcome() else {
        let found = labelled.outcome;
        return Err(format!(
            "found {found} as its result, expected one of a game, as the format has no other; \
             write a table"
        ));
    };
    let black = fen::fields(&labelled.position).nth(1) == Some("b");
    Ok(if black {
        (labelled.search_score.map(|score| -score), outcome.flipped())
    } else {
        (labelled.search_score, outcome)
    })
}

/// Reads records of `.plain`, each several lines of which the last is `e`, and tells `to` of each.
/// Of a bad record the first mistake is told when it ends; a record without end is bad.
fn parse(bytes: &[u8], to: &mut dyn FnMut(RecordEvent<Chess>)) {
    let mut record = Record::default();
    for (line, bytes) in (0..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = String::from_utf8_lossy(bytes);
        let text = text.trim_ascii();
        if text.is_empty() {
            continue;
        }
        if record.lines == 0 {
            record.first = line;
        }
        record.lines += 1;
        if text == "e" {
            std::mem::take(&mut record).end(to);
        } else if record.fault.is_none()
            && let Err(fault) = record.field(text)
        {
            let column = fault.offset as u64 + 1;
            record.fault = Some((RecordPlace { line, column }, fault));
        }
    }
    if record.lines > 0 {
        let line = record.first;
        let fault = fault("the end of the file", "a line e, which ends a record");
        to(RecordEvent::Rejected(RecordPlace::new(line, 1), fault));
    }
}

/// The lines of one record so far.
#[derive(Default)]
struct Record {
    /// Its first line, counted from 0.
    first: u64,
    /// How many lines have been read, without blank ones.
    lines: usize,
    position: Option<Chess>,
    best: Option<String>,
    /// The side to move's, in centipawns.
    score: Option<i32>,
    ply: Option<u32>,
    /// The side to move's.
    outcome: Option<Outcome>,
    /// The first mistake, and where it is.
    fault: Option<(RecordPlace, Fault)>,
}

impl Record {
    /// Reads a line of a record: a field, `fen`, `move`, `score`, `ply` or `result`, and its value,
    /// which is kept. A move is kept as text, as the position may follow. The fault, at a byte of
    /// the line, is of another field, of one that was there before, or of a value that cannot be
    /// read.
    fn field(&mut self, text: &str) -> Result<(), Fault> {
        let (name, value) = text.split_once(' ').unwrap_or((text, ""));
        let offset = name.len() + 1;
        let value = value.trim_ascii();
        let unexpected = |expected| fault(Fault::quote(value), expected).at(offset);
        let repeated = match name {
            "fen" => {
                let position = fen::parse(value).map_err(|fault| Fault {
                    offset: offset + fault.offset,
                    ..fault
                })?;
                self.position.replace(position).is_some()
            }
            "move" => self.best.replace(value.to_owned()).is_some(),
            "score" => {
                // The least i32 has no negative, which a score of Black's is turned into.
                let score = value.parse::<i32>().ok().filter(|score| *score != i32::MIN);
                let score = score.ok_or_else(|| unexpected("a score in whole centipawns"))?;
                self.score.replace(score).is_some()
            }
            "ply" => {
                let ply = value.parse();
                let ply = ply.map_err(|_| unexpected("a number of half-moves"))?;
                self.ply.replace(ply).is_some()
            }
            "result" => {
                let outcome = match value {
                    "1" => Outcome::Win,
                    "0" => Outcome::Draw,
                    "-1" => Outcome::Loss,
                    _ => {
                        let fault = unexpected("a result, 1, 0 or -1");
                        // A result such as 0.5 shows that the file writes results in another way:
                        // where draws are 0.5, a 0 is a loss.
                        let cure = Fault::of_coding(value).map_or(fault.cure, Into::into);
                        return Err(Fault { cure, ..fault });
                    }
                };
                self.outcome.replace(outcome).is_some()
            }
            _ => {
                let found = Fault::quote(name);
                return Err(fault(found, "fen, move, score, ply, result or e"));
            }
        };
        if repeated {
            return Err(fault(format!("a second {name}"), "each field once"));
        }
        Ok(())
    }

    /// Ends a record: tells its position with score and result turned to White's, or what is wrong
    /// with it. A score whose size is beyond that of a mate is not read, which is told as well,
    /// unless it marks a position to be left out (32,002).
    fn end(self, to: &mut dyn FnMut(RecordEvent<Chess>)) {
        if let Some((place, fault)) = self.fault {
            return to(RecordEvent::Rejected(place, fault));
        }
        let place = RecordPlace::new(self.first, 1);
        let (Some(position), Some(outcome)) = (self.position, self.outcome) else {
            let fault = fault("a record that ends", "fen and result before");
            return to(RecordEvent::Rejected(place, fault));
        };
        let best = self.best.and_then(|best| moves::from_uci(&position, &best));
        let black = position.turn().is_black();
        let counts = |score: &i32| score.abs() <= MATE || score.abs() == LEFT_OUT;
        let score = self.score.filter(counts);
        let outcome = if black { outcome.flipped() } else { outcome };
        let labelled = LabelledPosition {
            search_score: score.map(|score| if black { -score } else { score }),
            ply: self.ply,
            around: Around {
                next_tactical: best.map(moves::is_tactical),
                ..Around::default()
            },
            ..LabelledPosition::new(position, outcome.into())
        };
        to(RecordEvent::Position(place, labelled));
        to(RecordEvent::Unit);
        if self.score.is_some_and(|score| !counts(&score)) {
            to(RecordEvent::Unread(place, 1, BEYOND_MATE.into()));
        }
    }
}

/// Makes a fault of a record of text, at its beginning, by what was found and what was expected in
/// words.
fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
    let cure = "correct the record, or pass over bad records with --on-bad-line skip";
    Fault::new(found, expected, cure)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "a test fails by panicking")]

    use super::*;
    use tuner_data::StatedScores;

    fn parse(text: &str) -> (Vec<LabelledPosition<Chess>>, Vec<(RecordPlace, String)>) {
        let (mut positions, mut rejected) = (Vec::new(), Vec::new());
        (PLAIN.parse)(
            text.as_bytes(),
            StatedScores::default(),
            &mut |found| match found {
                RecordEvent::Position(_, labelled) => positions.push(labelled),
                RecordEvent::Rejected(place, fault) => rejected.push((place, fault.to_string())),
                RecordEvent::Unit | RecordEvent::Text | RecordEvent::Unread(..) => {}
                RecordEvent::Unfinished => panic!("records have results"),
            },
        );
        (positions, rejected)
    }

    #[test]
    fn a_result_of_another_coding_tells_of_all() {
        for (result, all) in [("0.5", true), ("2", true), ("x", false)] {
            let (_, rejected) = parse(&GOOD.replace("result 1", &format!("result {result}")));
            assert_eq!(rejected[0].1.contains("another way"), all, "{rejected:?}");
        }
    }

    const GOOD: &str = "fen rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
        move e4d5\nscore 50\nply 2\nresult 1\ne\n";
    const BLACK: &str = "fen 4k3/8/8/8/8/8/8/4K2R b - - 0 9\r\nresult -1\r\nscore -500\r\ne\r\n";

    #[test]
    fn values_are_from_whites_view() {
        let (positions, rejected) = parse(&[GOOD, "\n", BLACK].concat());
        assert!(rejected.is_empty(), "{rejected:?}");
        let [first, second] = positions.as_slice() else {
            panic!("{positions:?}")
        };
        assert_eq!((first.search_score, first.ply), (Some(50), Some(2)));
        assert_eq!(first.outcome, Outcome::Win);
        assert_eq!(first.around.next_tactical, Some(true));
        assert_eq!((second.search_score, second.ply), (Some(500), None));
        assert_eq!(second.outcome, Outcome::Win);
        assert_eq!(second.around.next_tactical, None);
    }

    #[test]
    fn scores_beyond_mate_are_counted() {
        for (score, count) in [(32_000, 0), (-32_002, 0), (32_001, 1), (-40_000, 1)] {
            let (text, mut unread) = (GOOD.replace("50", &score.to_string()), 0);
            (PLAIN.parse)(text.as_bytes(), StatedScores::default(), &mut |found| {
                unread += u64::from(matches!(found, RecordEvent::Unread(_, 1, _)));
            });
            assert_eq!(unread, count, "{score}");
        }
    }

    #[test]
    fn a_bad_record_is_rejected_where_it_is_bad() {
        let start = "fen 4k3/8/8/8/8/8/8/4K2R b - - 0 9\n";
        for (body, line, column, part) in [
            ("result 1/2\ne\n", 1, 8, "expected a result"),
            ("result 1\nresult 1\ne\n", 2, 1, "a second result"),
            ("score 0.3\nresult 1\ne\n", 1, 7, "a score"),
            ("ply -1\nresult 1\ne\n", 1, 5, "half-moves"),
            ("e\n", 0, 1, "expected fen and result"),
            ("colour w\nresult 1\ne\n", 1, 1, "found \"colour\""),
            ("result 1\n", 0, 1, "the end of the file"),
        ] {
            let (positions, rejected) = parse(&[start, body].concat());
            assert!(positions.is_empty());
            let [(place, words)] = rejected.as_slice() else {
                panic!("{rejected:?}")
            };
            assert_eq!((place.line, place.column), (line, column), "{words}");
            assert!(words.contains(part), "{words}");
        }
        let (positions, rejected) = parse(&[GOOD, "fen x\nresult 1\ne\n", GOOD].concat());
        assert_eq!((positions.len(), rejected.len()), (2, 1));
    }

    #[test]
    fn records_are_cut_after_their_last_line() {
        let text = [GOOD, BLACK, "fen"].concat();
        assert_eq!((PLAIN.cut)(text.as_bytes()), Some(GOOD.len() + BLACK.len()));
        assert_eq!((PLAIN.cut)(b"fen x\nresult 1\n"), None);
        assert_eq!((PLAIN.cut)(b"fen"), None);
        assert!((PLAIN.recognises)(text.as_bytes(), true));
    }
}
