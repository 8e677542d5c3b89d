//! Chess positions as FEN.

use shakmaty::fen::{self, ParseFenError};
use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, EnPassantMode, Position, PositionError,
    PositionErrorKinds,
};
use tuner_data::{Fault, PositionNotation, Records};

use crate::binary::{Binpack, Bullet, Viri};
use crate::pgn::Pgn;
use crate::plain::Plain;

/// Standard chess positions in Forsyth-Edwards notation.
///
/// *Accepts* Chess960, too: castling rights of kings and rooks anywhere on the
/// first rank. It accepts four fields (board, side to move, castling, en passant square) or
/// six (with half-move clock and move number); castling rights as `KQkq` or by
/// the rook's file, as X-FEN writes them; an en passant square behind a pawn
/// that has just moved two squares, whether or not it can be taken; positions
/// in which the game is over, because an evaluation scores them like others.
///
/// *Rejects* any other number of fields, positions that are not legal
/// (kings missing or adjacent, the side not to move in check,
/// pawns on the first or last rank, impossible checks, more pieces than
/// promotion can explain), castling rights without king and rook on their first rank, en
/// passant squares without pawn, pockets and check counts of variants, and
/// underscores instead of spaces.
///
/// *Ignores* nothing.
///
/// *Cost*: that of shakmaty's parser and of its legality checks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fen;

impl PositionNotation for Fen {
    type Position = Chess;

    const NAME: &'static str = "FEN";

    fn parse(&self, text: &str) -> Result<Chess, Fault> {
        // Three or five single spaces is the usual case and quick to count.
        let spaces = text.bytes().filter(|&byte| byte == b' ').count();
        if spaces != 5 && spaces != 3 || text.contains("  ") {
            check_fields(text)?;
        }
        let parsed = fen::Fen::from_ascii(text.as_bytes()).map_err(|error| syntax(text, &error))?;
        let setup = parsed.as_setup();
        if setup.pockets.is_some() {
            return Err(fault(text, 0, "a pocket", "a standard chess board"));
        }
        if setup.remaining_checks.is_some() {
            return Err(fault(text, 4, "a count of checks", "a half-move clock"));
        }
        let mode = match parsed.into_position(CastlingMode::Standard) {
            Ok(position) => return Ok(position),
            Err(_) => CastlingMode::Chess960,
        };
        // Kings and rooks elsewhere at home, which most positions have not.
        let parsed = fen::Fen::from_ascii(text.as_bytes()).map_err(|error| syntax(text, &error))?;
        parsed
            .into_position(mode)
            .map_err(|error| illegal(text, &error))
    }

    fn with_clocks(&self, text: &str, idle: &str, number: &str) -> Option<String> {
        (fields(text).count() == 4).then(|| format!("{text} {idle} {number}"))
    }

    fn describe(&self, position: &Chess) -> String {
        fen::Fen::from_position(position, EnPassantMode::Legal).to_string()
    }

    fn first_player_to_move(&self, position: &Chess) -> bool {
        position.turn() == Color::White
    }

    /// By the usual values of 1, 3, 3, 5 and 9 pawns.
    fn balance(&self, position: &Chess) -> Option<i32> {
        let white = position.board().white();
        Some(2 * value(position, white) - value(position, Bitboard::FULL))
    }

    fn material(&self, position: &Chess) -> Option<i32> {
        Some(value(position, Bitboard::FULL))
    }

    fn records(&self) -> &[&dyn Records<Chess>] {
        &[&Binpack, &Pgn, &Plain, &Viri, &Bullet]
    }
}

/// What the pieces on some squares are worth, in hundredths of a pawn.
fn value(position: &Chess, squares: Bitboard) -> i32 {
    let board = position.board();
    let roles = [
        (board.pawns(), 100),
        (board.knights() | board.bishops(), 300),
        (board.rooks(), 500),
        (board.queens(), 900),
    ];
    let values = roles.map(|(pieces, value)| (pieces & squares).count() as i32 * value);
    values.into_iter().sum()
}

/// The names of the fields, in their order.
const FIELDS: [&str; 6] = [
    "a board such as 8/8/4k3/8/8/4K3/4P3/8",
    "a side to move, w or b",
    "castling rights such as KQkq, or -",
    "an en passant square such as e3, or -",
    "a half-move clock",
    "a move number",
];

fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|field| !field.is_empty())
}

/// Makes a fault at a field; at the end of the text if there is none.
fn fault(text: &str, field: usize, found: impl Into<String>, expected: &'static str) -> Fault {
    let offset = fields(text).nth(field).map_or(text.len(), |part| {
        part.as_ptr().addr() - text.as_ptr().addr()
    });
    Fault {
        offset,
        found: found.into(),
        expected: expected.into(),
        cure: "correct the position or leave it out".into(),
    }
}

fn check_fields(text: &str) -> Result<(), Fault> {
    match fields(text).count() {
        4 | 6 => Ok(()),
        count if count < 6 => {
            let found = format!("a FEN of {count} fields");
            Err(fault(text, count, found, "four fields or six"))
        }
        _ => {
            let seventh = fields(text).nth(6).unwrap_or_default();
            Err(fault(
                text,
                6,
                Fault::quote(seventh),
                "the end of the FEN after six fields",
            ))
        }
    }
}

fn syntax(text: &str, error: &ParseFenError) -> Fault {
    let field = match error {
        ParseFenError::InvalidFen | ParseFenError::InvalidBoard | ParseFenError::InvalidPocket => 0,
        ParseFenError::InvalidTurn => 1,
        ParseFenError::InvalidCastling => 2,
        ParseFenError::InvalidEpSquare => 3,
        ParseFenError::InvalidRemainingChecks | ParseFenError::InvalidHalfmoveClock => 4,
        ParseFenError::InvalidFullmoves => 5,
    };
    let found = fields(text)
        .nth(field)
        .map_or_else(|| "nothing".to_owned(), Fault::quote);
    fault(text, field, found, FIELDS[field])
}

/// What shakmaty finds wrong with a position, and in which field.
const ILLEGAL: [(PositionErrorKinds, usize, &str); 9] = [
    (PositionErrorKinds::EMPTY_BOARD, 0, "an empty board"),
    (PositionErrorKinds::MISSING_KING, 0, "a side without king"),
    (
        PositionErrorKinds::TOO_MANY_KINGS,
        0,
        "a side with several kings",
    ),
    (
        PositionErrorKinds::PAWNS_ON_BACKRANK,
        0,
        "a pawn on the first or last rank",
    ),
    (
        PositionErrorKinds::TOO_MUCH_MATERIAL,
        0,
        "more pieces than promotion can explain",
    ),
    (
        PositionErrorKinds::OPPOSITE_CHECK,
        0,
        "the side not to move in check",
    ),
    (
        PositionErrorKinds::IMPOSSIBLE_CHECK,
        0,
        "a check that no move can give",
    ),
    (
        PositionErrorKinds::INVALID_CASTLING_RIGHTS,
        2,
        "castling rights without king and rook at home",
    ),
    (
        PositionErrorKinds::INVALID_EP_SQUARE,
        3,
        "an en passant square without pawn before it",
    ),
];

fn illegal(text: &str, error: &PositionError<Chess>) -> Fault {
    let kinds = error.kinds();
    let mut wrong = ILLEGAL.iter().filter(|(kind, ..)| kinds.intersects(*kind));
    let field = wrong.next().map_or(0, |(_, field, _)| *field);
    let found = illegal_words(error);
    fault(
        text,
        field,
        found,
        "a legal position of standard chess or Chess960",
    )
}

/// What is wrong with a position, in words.
pub(crate) fn illegal_words(error: &PositionError<Chess>) -> String {
    let kinds = error.kinds();
    let wrong = ILLEGAL.iter().filter(|(kind, ..)| kinds.intersects(*kind));
    let found: Vec<&str> = wrong.map(|(_, _, words)| *words).collect();
    if found.is_empty() {
        error.to_string()
    } else {
        found.join(", ")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Offset and what was found.
    fn refused(text: &str) -> (usize, String) {
        let fault = Fen.parse(text).unwrap_err();
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
            let position = Fen.parse(text).unwrap();
            assert_eq!(position, Chess::default(), "{text}");
            assert!(Fen.first_player_to_move(&position));
        }
    }

    #[test]
    fn what_is_described_is_read_again() {
        let text = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/Pp2P3/2N2Q1p/1PPBBPPP/R3K2R b KQkq a3 0 1";
        let position = Fen.parse(text).unwrap();
        assert_eq!(Fen.describe(&position), text);
        assert!(!Fen.first_player_to_move(&position));
    }

    #[test]
    fn operations_give_the_clocks_of_four_fields() {
        let four = "4k3/8/8/8/8/8/8/4K3 w - -";
        let text = Fen.with_clocks(four, "7", "40").unwrap();
        assert_eq!(Fen.describe(&Fen.parse(&text).unwrap()), text);
        assert!(text.ends_with(" - - 7 40"), "{text}");
        assert_eq!(Fen.with_clocks(&text, "1", "2"), None);
    }

    #[test]
    fn a_finished_game_is_a_position() {
        let mate = Fen.parse("7k/5KQ1/8/8/8/8/8/8 b - - 0 1").unwrap();
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
            ("_w_-_-_0_1", 29, "a FEN of 1 fields"),
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
