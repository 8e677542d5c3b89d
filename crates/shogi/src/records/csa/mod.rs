//! Games in the format of the Computer Shogi Association, versions 1 to 3.
//!
//! *Accepts* several games in a file, apart by lines `/`; several statements in
//! a line, apart by commas; start positions as `PI` (with pieces taken away for
//! handicaps), `P1` to `P9`, `P+` and `P-` (with `AL`); no start position for
//! the usual one; any bytes in names and comments; `\r\n`.
//!
//! *Positions* are those in which a move was played. A game's key is a
//! fingerprint of its bytes.
//!
//! *Results* are those of the statement that ends a game:
//!
//! | statement | result |
//! |---|---|
//! | `%TORYO`, `%TSUMI` | the side to move lost |
//! | `%KACHI` | the side to move won, by declaration |
//! | `%TIME_UP`, `%ILLEGAL_MOVE` | the side to move lost, a forfeit |
//! | `%+ILLEGAL_ACTION`, `%-ILLEGAL_ACTION` | sente, gote lost, a forfeit |
//! | `%SENNICHITE` | a draw; if it was perpetual check, the rules say who lost |
//! | `%HIKIWAKE`, `%JISHOGI`, `%MAX_MOVES` | a draw |
//! | `%CHUDAN`, `%MATTA`, `%ERROR`, `%FUZUMI` | none: counted, no position read |
//! | none | none, unless the side to move is mated |
//!
//! Where the last move before an illegal move's statement is itself not legal,
//! it is that move, it is not played, and who made it lost.
//!
//! *Scores* come from comments `'** 30 …` behind a move, and `'**評価値=30`, in
//! centipawns, sente's in both (CSA 3.0, section 2.6).
//!
//! Problems, in which sente has no king, are no games: they count as games
//! without result, and their moves are not tried.
//!
//! *Rejects*, one game at a time with the place: lines that are none of this,
//! moves that are not legal or of the wrong side, moves behind the end, endings
//! that are unknown.
//!
//! *Ignores* names, `$` lines, times, other comments.

mod reader;
mod setup;

use tuner_data::{Found, GameKey, Place, Records, Unit};

use super::game::{Bad, Ended};
use super::lines;
use crate::{Color, PieceType, Position, Square};
use reader::{Game, Reader};

/// Games in CSA; the [module](self) says what is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Csa;

impl Records<Position> for Csa {
    fn name(&self) -> &'static str {
        "csa"
    }

    fn pattern(&self) -> &'static str {
        "lines V2.2, PI, +, +7776FU"
    }

    fn unit(&self) -> Unit {
        Unit::Games
    }

    fn recognises(&self, first: &[u8], _: bool) -> bool {
        let mut lines = lines::lines(first).map(|(_, line)| line.trim_ascii());
        let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"'"));
        first.is_some_and(|line| match line {
            [b'V', version, ..] => version.is_ascii_digit() && line.len() < 8,
            [b'N', b'+' | b'-', ..] | [b'+' | b'-' | b'/'] => true,
            [b'P', b'I' | b'1', ..] => !line.contains(&b'/'),
            [b'P', b'+' | b'-', rest @ ..] => rest.len() % 4 == 0,
            [b'$', ..] => line.contains(&b':'),
            [b'+' | b'-', rest @ ..] => reader::is_move(rest),
            _ => false,
        })
    }

    fn cut(&self, bytes: &[u8]) -> Option<usize> {
        let mut end = lines::last_end(bytes)?;
        loop {
            let start = lines::last_end(&bytes[..end - 1]).unwrap_or(0);
            if bytes[start..end].trim_ascii() == b"/" {
                return Some(end);
            }
            if start == 0 {
                return None;
            }
            end = start;
        }
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        lines::count(bytes)
    }

    fn parse(&self, bytes: &[u8], to: &mut dyn FnMut(Found<Position>)) {
        let mut reader = Reader::default();
        let mut start = None;
        let end =
            |reader: Reader, game: &[u8], to: &mut dyn FnMut(Found<Position>)| match reader.end() {
                Ok(Some(Game::Problem)) => to(Found::Unfinished),
                Ok(Some(Game::Played(reading, ended))) => {
                    reading.tell(ended, GameKey::of_bytes(game.trim_ascii()), to);
                }
                Ok(None) => {}
                Err(Bad { place, fault }) => to(Found::Rejected(place, fault)),
            };
        for (number, line) in lines::lines(bytes) {
            let at = line.as_ptr().addr() - bytes.as_ptr().addr();
            if line.trim_ascii() == b"/" {
                let game = &bytes[start.take().unwrap_or(at)..at];
                end(std::mem::take(&mut reader), game, to);
            } else {
                start.get_or_insert(at);
                reader.line(line, number);
            }
        }
        end(reader, &bytes[start.unwrap_or(bytes.len())..], to);
    }
}

/// Where a piece is.
#[derive(Clone, Copy, Debug)]
enum At {
    Hand,
    On(Square),
}

/// Reads two digits as a square, `00` as the hand.
fn at(text: &[u8]) -> Option<At> {
    match text {
        b"00" => Some(At::Hand),
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => {
            Square::new(file - b'0', rank - b'0').map(At::On)
        }
        _ => None,
    }
}

/// Reads the two letters of a piece.
pub(super) fn kind(text: &[u8]) -> Option<PieceType> {
    use PieceType::{
        Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, PromotedKnight, PromotedLance,
        PromotedSilver, Rook, Silver, Tokin,
    };
    Some(match text {
        b"FU" => Pawn,
        b"KY" => Lance,
        b"KE" => Knight,
        b"GI" => Silver,
        b"KI" => Gold,
        b"KA" => Bishop,
        b"HI" => Rook,
        b"OU" => King,
        b"TO" => Tokin,
        b"NY" => PromotedLance,
        b"NK" => PromotedKnight,
        b"NG" => PromotedSilver,
        b"UM" => Horse,
        b"RY" => Dragon,
        _ => return None,
    })
}

/// Reads a sign as a side.
const fn side(sign: u8) -> Option<Color> {
    match sign {
        b'+' => Some(Color::Sente),
        b'-' => Some(Color::Gote),
        _ => None,
    }
}

/// Reads how a game ended, without `%`; `us` is to move, `illegal` is who made a
/// last move that is not legal.
pub(super) fn ending(word: &[u8], us: Color, illegal: Option<Color>) -> Option<Ended> {
    Some(match word {
        b"TORYO" | b"TSUMI" => Ended::won(!us),
        b"KACHI" => Ended::won(us),
        b"TIME_UP" => Ended::forfeited(!us),
        b"ILLEGAL_MOVE" => Ended::forfeited(illegal.unwrap_or(us).other()),
        b"+ILLEGAL_ACTION" => Ended::forfeited(Color::Gote),
        b"-ILLEGAL_ACTION" => Ended::forfeited(Color::Sente),
        b"SENNICHITE" => Ended::Repetition,
        b"HIKIWAKE" | b"JISHOGI" | b"MAX_MOVES" => Ended::drawn(),
        b"CHUDAN" | b"MATTA" | b"ERROR" | b"FUZUMI" => Ended::Unfinished,
        _ => return None,
    })
}

/// Line and column of a statement.
const fn place(line: u64, offset: usize) -> Place {
    Place {
        line,
        column: offset as u64 + 1,
    }
}

#[cfg(test)]
mod tests;
