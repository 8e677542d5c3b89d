//! SFEN, the notation of positions.

use std::fmt::{self, Write};

use super::{Color, Hand, IllegalSetup, Piece, PieceType, Position, Setup, Square};

/// Why a text is not an SFEN of a legal position, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, expected {expected}")]
pub struct SfenError {
    /// Where in the text it is, in bytes.
    pub offset: usize,
    /// The text that was found.
    pub found: String,
    /// The text that was expected, in words.
    pub expected: &'static str,
    /// Why the position is not legal, if the text is an SFEN.
    #[source]
    pub illegal: Option<IllegalSetup>,
}

/// The board at the start of a game.
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
const BOARD: &str = "nine ranks such as lnsgkgsnl or 1r5b1, with / between";
const TURN: &str = "a side to move, b or w";
const HANDS: &str = "pieces in hand such as 2Pb, or -";
const NUMBER: &str = "a move number";

impl Position {
    /// Reads a position in SFEN.
    ///
    /// *Accepts* three fields (board, side to move, hands) or four (and the number of the move),
    /// apart by spaces; pieces in hand in any order.
    ///
    /// *Rejects* more fields, kinds in hand that are listed twice, and positions that
    /// [`IllegalSetup`] lists.
    ///
    /// # Errors
    ///
    /// Fails where the text is not an SFEN, or the position not legal.
    pub fn from_sfen(text: &str) -> Result<Self, SfenError> {
        let mut fields = text.split(' ').filter(|field| !field.is_empty());
        let mut next = |expected| {
            let end = || at(text, &text[text.len()..], expected);
            fields.next().ok_or_else(end)
        };
        let board = next(BOARD)?;
        let mut setup = Setup::EMPTY;
        // For each square, where in the field of the board its piece is written, for messages.
        let places = read_board(text, board, &mut setup.board)?;
        let turn = next(TURN)?;
        setup.turn = match turn {
            "b" => Color::Sente,
            "w" => Color::Gote,
            _ => return Err(at(text, turn, TURN)),
        };
        setup.hands = read_hands(text, next(HANDS)?)?;
        if let Ok(number) = next(NUMBER) {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            let read = number.parse().ok().filter(|_| digits);
            setup.number = read.ok_or_else(|| at(text, number, NUMBER))?;
        }
        if let Some(more) = fields.next() {
            return Err(at(text, more, "the end of the SFEN after four fields"));
        }
        Self::from_setup(&setup).map_err(|illegal| {
            // The error is at the piece that could never move, or at the beginning of the board.
            let place = match illegal {
                IllegalSetup::Immobile(_, square) => places[square.index()],
                _ => 0,
            };
            SfenError {
                found: illegal.to_string(),
                illegal: Some(illegal),
                ..at(text, &board[place..], "a legal position of shogi")
            }
        })
    }

    /// Writes the four fields of SFEN: the board from rank a, 9th file first, with the number of
    /// empty squares before each piece; the side to move; the hands, `-` if empty; the move
    /// number.
    pub fn to_sfen(&self) -> String {
        let mut text = String::with_capacity(96);
        for rank in 1..=9 {
            // How many empty squares there are since the last piece; written if above 0.
            let mut empty = 0;
            for file in (1..=9).rev() {
                match Square::new(file, rank).and_then(|square| self.piece_at(square)) {
                    Some(piece) => write_counted(&mut text, std::mem::take(&mut empty), 0, piece),
                    None => empty += 1,
                }
            }
            write_counted(&mut text, empty, 0, if rank < 9 { "/" } else { "" });
        }
        text.push_str([" b ", " w "][self.turn().index()]);
        let before = text.len();
        for color in Color::ALL {
            // SFEN's order is rooks first.
            for kind in PieceType::IN_HAND.into_iter().rev() {
                // The count is written if above 1.
                let count = self.hand(color).count(kind);
                if count > 0 {
                    write_counted(&mut text, count, 1, Piece { color, kind });
                }
            }
        }
        let none = if text.len() == before { "-" } else { "" };
        // Writing to a string never fails.
        let _ = write!(text, "{none} {}", self.move_number());
        text
    }
}

impl Setup {
    /// Returns the pieces at the start of a game, sente to move.
    pub fn start() -> Self {
        let mut setup = Self::EMPTY;
        // The constant is a board, so this never fails.
        let _ = read_board(START, START, &mut setup.board);
        setup
    }
}

/// Writes a count, if it is greater than `than`, and then `what` it counts or stands before.
fn write_counted(text: &mut String, count: u8, than: u8, what: impl fmt::Display) {
    if count > than {
        let _ = write!(text, "{count}");
    }
    let _ = write!(text, "{what}");
}

/// Reads the board, which is the slice `field` of the SFEN `text`, into `board`. Returns for each
/// square where in the field its piece is, in bytes. A digit counts empty squares; ranks run down,
/// and files from 9 to 1 within a rank.
fn read_board(
    text: &str,
    field: &str,
    board: &mut [Option<Piece>; 81],
) -> Result<[usize; 81], SfenError> {
    let mut places = [0; 81];
    // `file` is the next square's, 0 behind the last of a rank; `promoted`: a `+` was read.
    let (mut file, mut rank) = (9, 1);
    let mut promoted = false;
    for (index, byte) in field.bytes().enumerate() {
        let wrong = || at(text, &field[field.floor_char_boundary(index)..], BOARD);
        match byte {
            b'/' if file == 0 && rank < 9 && !promoted => (file, rank) = (9, rank + 1),
            b'1'..=b'9' if byte - b'0' <= file && !promoted => file -= byte - b'0',
            b'+' if !promoted => promoted = true,
            _ => {
                let piece = piece(byte, std::mem::take(&mut promoted)).ok_or_else(wrong)?;
                let square = Square::new(file, rank).ok_or_else(wrong)?;
                (board[square.index()], places[square.index()]) = (Some(piece), index);
                file -= 1;
            }
        }
    }
    if file != 0 || rank != 9 || promoted {
        return Err(SfenError {
            found: format!("a board that ends in rank {rank}"),
            ..at(text, &field[field.len()..], BOARD)
        });
    }
    Ok(places)
}

/// Returns the piece of a letter of SFEN, gote's if it is a small letter; `promoted`: a `+` is in
/// front of it. `None` if there is no such piece.
fn piece(letter: u8, promoted: bool) -> Option<Piece> {
    let kind = PieceType::from_letter(letter.to_ascii_uppercase())?;
    let kind = if promoted { kind.promoted()? } else { kind };
    let color = Color::ALL[usize::from(letter.is_ascii_lowercase())];
    Some(Piece { color, kind })
}

/// Reads the pieces in hand of sente and of gote, which are the slice `field` of the SFEN `text`:
/// letters of pieces, each with the count before it if there are several, or `-`. An error if a
/// kind is there twice, a count is 0 or above 18, or no piece follows it.
fn read_hands(text: &str, field: &str) -> Result<[Hand; 2], SfenError> {
    let mut hands = [Hand::EMPTY; 2];
    if field == "-" {
        return Ok(hands);
    }
    let mut count: Option<usize> = None;
    for (index, byte) in field.bytes().enumerate() {
        let wrong = || at(text, &field[field.floor_char_boundary(index)..], HANDS);
        if byte.is_ascii_digit() {
            let digit = usize::from(byte - b'0');
            let more = count.map_or(digit, |count| 10 * count + digit);
            count = Some(more).filter(|count| (1..=18).contains(count));
            if count.is_none() {
                return Err(wrong());
            }
            continue;
        }
        // Pieces in hand are never promoted (`false`).
        let piece = piece(byte, false).ok_or_else(wrong)?;
        let hand = &mut hands[piece.color.index()];
        if piece.kind == PieceType::King || hand.count(piece.kind) > 0 {
            return Err(wrong());
        }
        for _ in 0..count.take().unwrap_or(1) {
            hand.add(piece.kind);
        }
    }
    if count.is_some() {
        return Err(SfenError {
            found: "a count without piece".to_owned(),
            ..at(text, &field[field.len()..], HANDS)
        });
    }
    Ok(hands)
}

/// Makes the error of an SFEN at `part`, a slice of `text`, of which the first twelve characters
/// are shown as what was found.
fn at(text: &str, part: &str, expected: &'static str) -> SfenError {
    let shown: String = part.chars().take(12).collect();
    let end = shown.is_empty().then(|| "the end".to_owned());
    SfenError {
        offset: part.as_ptr().addr() - text.as_ptr().addr(),
        found: end.unwrap_or_else(|| format!("{shown:?}")),
        expected,
        illegal: None,
    }
}
