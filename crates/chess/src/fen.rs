//! Reads positions in Forsyth-Edwards notation, and says what is wrong with
//! those that it refuses.

use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, FromSetup, PositionError, PositionErrorKinds as Kinds, Setup};
use tuner_game::{Fault, of_other_player};

/// Reads a position in FEN of four or six fields. The fault is at the field that cannot be read, or
/// that makes the position illegal.
pub(crate) fn parse(text: &str) -> Result<Chess, Fault> {
    // Three or five single spaces is the usual case and quick to count.
    let spaces = text.bytes().filter(|&byte| byte == b' ').count();
    if spaces != 5 && spaces != 3 || text.contains("  ") {
        check_fields(text)?;
    }
    let parsed = Fen::from_ascii(text.as_bytes()).map_err(|error| syntax(text, &error))?;
    let setup = parsed.as_setup();
    if setup.pockets.is_some() {
        return Err(fault(text, 0, "a pocket", "a standard chess board"));
    }
    if setup.remaining_checks.is_some() {
        return Err(fault(text, 4, "a count of checks", "a half-move clock"));
    }
    position(setup, |error| illegal(text, error))
}

/// Makes a legal position of a setup, with the castling rights of standard chess, or of Chess960 if
/// it is not legal with those. `illegal` makes the fault of a setup that is legal with neither.
pub(crate) fn position(
    setup: &Setup,
    illegal: impl FnOnce(&PositionError<Chess>) -> Fault,
) -> Result<Chess, Fault> {
    if let Ok(position) = Chess::from_setup(setup.clone(), CastlingMode::Standard) {
        return Ok(position);
    }
    let position = Chess::from_setup(setup.clone(), CastlingMode::Chess960);
    position.map_err(|error| illegal(&error))
}

/// Returns the FEN of the position with colours swapped and ranks reversed; `None` if it has fewer
/// than four fields.
pub(crate) fn mirrored(text: &str) -> Option<String> {
    let fields: Vec<&str> = fields(text).collect();
    let [board, turn, castling, square, clocks @ ..] = &fields[..] else {
        return None;
    };
    let ranks: Vec<&str> = board.split('/').rev().collect();
    let board: String = ranks.join("/").chars().map(of_other_player).collect();
    let turn = if *turn == "w" { "b" } else { "w" };
    // Castling rights of White are written before those of Black.
    let rights = castling.chars().map(of_other_player);
    let (white, black): (String, String) = rights.partition(char::is_ascii_uppercase);
    let castling = white + &black;
    let square = match square.as_bytes() {
        [file, b'3'] => format!("{}6", char::from(*file)),
        [file, b'6'] => format!("{}3", char::from(*file)),
        _ => (*square).to_owned(),
    };
    let mut all = vec![&*board, turn, &castling, &square];
    all.extend(clocks);
    Some(all.join(" "))
}

/// Descriptions of the fields, in their order.
const FIELDS: [&str; 6] = [
    "a board such as 8/8/4k3/8/8/4K3/4P3/8",
    "a side to move, w or b",
    "castling rights such as KQkq, or -",
    "an en passant square such as e3, or -",
    "a half-move clock",
    "a move number",
];

/// Returns the fields of a FEN, which spaces separate.
pub(crate) fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|field| !field.is_empty())
}

/// Makes a fault at the field of a FEN with the number `field`, counted from 0; at the end of the
/// text if there is no such field.
fn fault(text: &str, field: usize, found: impl Into<String>, expected: &'static str) -> Fault {
    let offset = fields(text).nth(field).map_or(text.len(), |part| {
        part.as_ptr().addr() - text.as_ptr().addr()
    });
    Fault::new(found, expected, "correct the position or leave it out").at(offset)
}

/// Fails if a FEN has other than four or six fields.
fn check_fields(text: &str) -> Result<(), Fault> {
    match fields(text).count() {
        4 | 6 => Ok(()),
        count if count < 6 => {
            let fields = if count == 1 { "field" } else { "fields" };
            let found = format!("a FEN of {count} {fields}");
            Err(fault(text, count, found, "four fields or six"))
        }
        _ => {
            // There are more than six, so that the seventh is there.
            let found = Fault::quote(fields(text).nth(6).unwrap_or_default());
            Err(fault(text, 6, found, "the end of the FEN after six fields"))
        }
    }
}

/// Makes the fault of a FEN that shakmaty cannot read, at the field that its error names.
fn syntax(text: &str, error: &ParseFenError) -> Fault {
    let field = match error {
        ParseFenError::InvalidFen | ParseFenError::InvalidBoard | ParseFenError::InvalidPocket => 0,
        ParseFenError::InvalidTurn => 1,
        ParseFenError::InvalidCastling => 2,
        ParseFenError::InvalidEpSquare => 3,
        ParseFenError::InvalidRemainingChecks | ParseFenError::InvalidHalfmoveClock => 4,
        ParseFenError::InvalidFullmoves => 5,
    };
    let part = fields(text).nth(field);
    let found = part.map_or_else(|| "nothing".to_owned(), Fault::quote);
    fault(text, field, found, FIELDS[field])
}

/// Why shakmaty refuses a position: the kind of its error, the number of the field of the FEN,
/// words.
const ILLEGAL: [(Kinds, usize, &str); 9] = [
    (Kinds::EMPTY_BOARD, 0, "an empty board"),
    (Kinds::MISSING_KING, 0, "a side without king"),
    (Kinds::TOO_MANY_KINGS, 0, "a side with several kings"),
    (
        Kinds::PAWNS_ON_BACKRANK,
        0,
        "a pawn on the first or last rank",
    ),
    (
        Kinds::TOO_MUCH_MATERIAL,
        0,
        "more pieces than promotion can explain",
    ),
    (Kinds::OPPOSITE_CHECK, 0, "the side not to move in check"),
    (Kinds::IMPOSSIBLE_CHECK, 0, "a check that no move can give"),
    (
        Kinds::INVALID_CASTLING_RIGHTS,
        2,
        "castling rights without king and rook at home",
    ),
    (
        Kinds::INVALID_EP_SQUARE,
        3,
        "an en passant square without pawn before it",
    ),
];

/// Makes the fault of a FEN whose position is not legal, with all reasons in words, at the field of
/// the first of them; at the board, field 0, if no reason of shakmaty's is in the table `ILLEGAL`.
fn illegal(text: &str, error: &PositionError<Chess>) -> Fault {
    let kinds = error.kinds();
    let mut reasons = ILLEGAL.iter().filter(|(kind, ..)| kinds.intersects(*kind));
    let field = reasons.next().map_or(0, |(_, field, _)| *field);
    let expected = "a legal position of standard chess or Chess960";
    fault(text, field, illegal_words(error), expected)
}

/// Says in words why a position is not legal: all reasons that the table `ILLEGAL` has words for,
/// or shakmaty's own words if no reason is in it.
pub(crate) fn illegal_words(error: &PositionError<Chess>) -> String {
    let kinds = error.kinds();
    let reasons = ILLEGAL.iter().filter(|(kind, ..)| kinds.intersects(*kind));
    let words: Vec<&str> = reasons.map(|(_, _, words)| *words).collect();
    if words.is_empty() {
        error.to_string()
    } else {
        words.join(", ")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use shakmaty::Position;

    use super::*;

    /// Offset and what is there.
    fn refused(text: &str) -> (usize, String) {
        let fault = parse(text).unwrap_err();
        (fault.offset, fault.found)
    }

    #[test]
    fn four_and_six_fields_are_read() {
        for text in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w  KQkq  -",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
        ] {
            let position = parse(text).unwrap();
            assert_eq!(position, Chess::default(), "{text}");
        }
    }

    #[test]
    fn a_finished_game_is_a_position() {
        let mate = parse("7k/5KQ1/8/8/8/8/8/8 b - - 0 1").unwrap();
        assert!(mate.is_checkmate());
    }

    #[test]
    fn a_wrong_field_is_named_and_placed() {
        let board = "4k3/8/8/8/8/8/8/4K3";
        for (rest, offset, found) in [
            (" x - - 0 1", 20, "\"x\""),
            (" w ? - 0 1", 22, "\"?\""),
            (" w - e9 0 1", 24, "\"e9\""),
            (" w - - x 1", 26, "\"x\""),
            (" w - - 0 x", 28, "\"x\""),
            (" w - - 0", 27, "a FEN of 5 fields"),
            (" w", 21, "a FEN of 2 fields"),
            (" w - - 0 1 2", 30, "\"2\""),
            (
                " w K - 0 1",
                22,
                "castling rights without king and rook at home",
            ),
            (
                " w - e6 0 1",
                24,
                "an en passant square without pawn before it",
            ),
            (" w - - 3+3 0 1", 32, "\"1\""),
            (" w - - 3+3 0", 26, "a count of checks"),
            ("[Qq] w - - 0 1", 0, "a pocket"),
            ("_w_-_-_0_1", 29, "a FEN of 1 field"),
        ] {
            assert_eq!(
                refused(&format!("{board}{rest}")),
                (offset, found.to_owned()),
                "{rest}"
            );
        }
    }

    #[test]
    fn an_illegal_position_says_why() {
        for (text, found) in [
            (
                "8/8/8/8/8/8/8/8 w - - 0 1",
                "an empty board, a side without king",
            ),
            (
                "4k3/8/8/8/8/8/8/4K2P w - - 0 1",
                "a pawn on the first or last rank",
            ),
            (
                "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
                "the side not to move in check",
            ),
            ("kk6/8/8/8/8/8/8/4K3 w - - 0 1", "a side with several kings"),
        ] {
            assert_eq!(refused(text), (0, found.to_owned()), "{text}");
        }
    }
}
