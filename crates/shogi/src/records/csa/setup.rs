//! Start positions.

use super::words::{At, at, kind, side};
use crate::records::game::start;
use crate::{Color, Piece, PieceType, Position, Setup, Square};
use tuner_data::Fault;
use tuner_data::in_games::{fault, unexpected};

/// A start position, as far as its lines have been read.
#[derive(Debug, Default)]
pub(super) struct Start {
    setup: Setup,
    /// Whether any line has been read.
    stated: bool,
    /// Who has the pieces that no line places (`AL`); `None` if nobody does.
    rest: Option<Color>,
}

const CELLS: &str = "nine squares such as +FU, -HI or  * ";
const PIECES: &str = "pieces such as 63FU, 00KI or 00AL";
const REMOVED: &str = "pieces of the start position to take away, such as 82HI22KA";

impl Start {
    /// Reads a line of the start position, without the `P` that it begins with: the usual start
    /// less some pieces (`PI82HI22KA`), a rank (`P1` to `P9`), or pieces of a side one by one (`P+`
    /// and `P-`).
    pub(super) fn line(&mut self, text: &[u8]) -> Result<(), Fault> {
        match text {
            [b'I', removed @ ..] => {
                self.setup.board = Setup::start().board;
                for piece in pieces(removed, REMOVED)? {
                    let (at, kind) = piece?;
                    // The piece has to be on its square. Hands are empty at the usual start.
                    let there = match at {
                        At::On(square) => Some(&mut self.setup.board[square.index()]),
                        At::Hand => None,
                    };
                    let there = there.filter(|on| on.is_some_and(|piece| Some(piece.kind) == kind));
                    *there.ok_or_else(|| unexpected(removed, REMOVED))? = None;
                }
            }
            [rank @ b'1'..=b'9', cells @ ..] => self.rank(rank - b'0', cells)?,
            [sign, list @ ..] => {
                let color =
                    side(*sign).ok_or_else(|| unexpected(text, "PI, P1 to P9, P+ or P-"))?;
                for piece in pieces(list, PIECES)? {
                    let (at, kind) = piece?;
                    self.put(color, at, kind, list)?;
                }
            }
            [] => return Err(fault("P", "PI, P1 to P9, P+ or P-")),
        }
        self.stated = true;
        Ok(())
    }

    /// Reads a rank of the board: nine cells of three signs, files from 9 to 1.
    fn rank(&mut self, rank: u8, cells: &[u8]) -> Result<(), Fault> {
        // Blanks at the end are often lost, so cells there may be short or missing.
        let cell = |number: usize| {
            let start = (3 * number).min(cells.len());
            &cells[start..cells.len().min(start + 3)]
        };
        if cells.trim_ascii_end().len() > 27 {
            return Err(unexpected(cells, CELLS));
        }
        for (number, file) in (1..=9).rev().enumerate() {
            let Some(square) = Square::new(file, rank) else {
                continue;
            };
            self.setup.board[square.index()] = match cell(number) {
                blank if matches!(blank.trim_ascii(), b"*" | b"") => None,
                // Some programs end the line with a dot, to preserve its blanks.
                [b' ', b'*', b'.'] | [] => None,
                [sign, piece @ ..] => {
                    let color = side(*sign).ok_or_else(|| unexpected(cells, CELLS))?;
                    let kind = kind(piece).ok_or_else(|| unexpected(cells, CELLS))?;
                    Some(Piece { color, kind })
                }
            };
        }
        Ok(())
    }

    /// Puts a piece of a side on a square or in its hand. In hand without a kind, which CSA writes
    /// `00AL`, are all pieces that are on no square and in no hand at the end of the setup. `list`
    /// is the text that the piece is from, for messages.
    fn put(
        &mut self,
        color: Color,
        at: At,
        kind: Option<PieceType>,
        list: &[u8],
    ) -> Result<(), Fault> {
        match (at, kind) {
            (At::Hand, None) => self.rest = Some(color),
            (At::On(square), Some(kind)) => {
                let on = &mut self.setup.board[square.index()];
                if on.replace(Piece { color, kind }).is_some() {
                    return Err(unexpected(list, "one piece a square"));
                }
            }
            (At::Hand, Some(kind)) if kind.index() < PieceType::IN_HAND.len() => {
                self.setup.hands[color.index()].add(kind);
            }
            _ => return Err(unexpected(list, PIECES)),
        }
        Ok(())
    }

    /// Makes the position that the lines describe, in which `turn` is to move; without lines it is
    /// the usual start. A side that was given all pieces left (`AL`) gets in hand those that no
    /// line places. `None` for a problem, in which sente has no king.
    pub(super) fn position(mut self, turn: Color) -> Result<Option<Position>, Fault> {
        if !self.stated {
            self.setup.board = Setup::start().board;
        }
        if let Some(color) = self.rest {
            let used = self.setup;
            for kind in PieceType::IN_HAND {
                for _ in used.in_all(kind)..usize::from(kind.in_a_set()) {
                    self.setup.hands[color.index()].add(kind);
                }
            }
        }
        self.setup.turn = turn;
        start(&self.setup, "a legal start position in the lines before")
    }
}

/// A square or the hand, and a kind or all that is left.
type Listed = (At, Option<PieceType>);

/// Cuts a list into its pieces of four letters, two of the place (`00` is the hand) and two of the
/// kind. `00AL`, all pieces that are left, has the kind `None`. `expected` says in words what the
/// list should be.
fn pieces<'a>(
    list: &'a [u8],
    expected: &'static str,
) -> Result<impl Iterator<Item = Result<Listed, Fault>> + 'a, Fault> {
    let list = list.trim_ascii_end();
    if !list.len().is_multiple_of(4) {
        return Err(unexpected(list, expected));
    }
    Ok(list.chunks(4).map(move |piece| {
        let (square, name) = piece.split_at(2);
        let at = at(square).ok_or_else(|| unexpected(piece, expected))?;
        if matches!(at, At::Hand) && name == b"AL" {
            return Ok((at, None));
        }
        let kind = kind(name).ok_or_else(|| unexpected(piece, expected))?;
        Ok((at, Some(kind)))
    }))
}
