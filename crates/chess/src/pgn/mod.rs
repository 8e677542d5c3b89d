//! Games in Portable Game Notation.
//!
//! *Accepts* tags with escapes; moves in SAN with or without numbers, checks
//! and `!?`; castling as `O-O` or `0-0`; comments in braces and to the end of
//! the line, variations at any depth, numeric glyphs, lines that begin with
//! `%`; moves behind tags on one line; games that begin with a `FEN`, Chess960 among them; any bytes in tags
//! and comments, so Latin-1, too; `\r\n`; games without tags, if each ends with
//! its result and a blank line follows.
//!
//! *Positions* are those in which a move was played, the first among them; the
//! last position of a game is not. Each game has a key, a fingerprint of its
//! bytes, so the same game twice is one game.
//!
//! *Results* come from the tag `Result` and from the end of the moves. Where
//! both are there they must agree; where one is missing the other counts. `*`
//! is a game without result: counted, none of its positions read.
//!
//! *Scores* come from comments. That of an engine stands behind the move that
//! it chose, and is of the position before: cutechess' and fastchess'
//! `+0.30/12 0.5s` and `-M7/20` (WinBoard's with the move in parentheses
//! before) in the mover's view, TCEC's `wv=0.30` in White's. Lichess'
//! `[%eval 0.30]`, in White's view, is of the position behind the move, or of
//! the first one before all moves; where the engine that moves there says
//! something itself, that counts. Comments without are no fault.
//!
//! *Rejects*, one game at a time with the place: a word that is no move, a move
//! that is not legal, a result that is unknown, missing or contradicts the tag,
//! moves behind the result, a comment or variation that does not end, a `FEN`
//! that is no position, other variants of chess. Lines that end with `\r` alone
//! are one line, so that such a file is rejected as one game.
//!
//! *Ignores* all other tags, what variations and other comments hold, glyphs.
//!
//! pgn-reader passes over words that it does not know, so what follows a
//! damaged move would be read as if it had not been there; this reader does
//! not, and it knows line and column. A test compares the two.

mod cut;
mod game;
mod moves;
mod score;
mod tags;

use shakmaty::Chess;
use tuner_data::{Found, Place, Records, Unit};

use game::Reader;

/// Games in PGN; the [module](self) says what is accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pgn;

impl Records<Chess> for Pgn {
    fn name(&self) -> &'static str {
        "pgn"
    }

    fn pattern(&self) -> &'static str {
        "[Event \"…\"] and moves"
    }

    fn unit(&self) -> Unit {
        Unit::Games
    }

    fn recognises(&self, first: &[u8], _: bool) -> bool {
        let lines = first.split(|&byte| byte == b'\n');
        let text = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"%");
        let first = lines.map(<[u8]>::trim_ascii).find(text);
        first.is_some_and(|line| cut::is_tag(line) || is_first_move(line))
    }

    fn cut(&self, bytes: &[u8]) -> Option<usize> {
        cut::last_start(bytes)
    }

    fn count(&self, bytes: &[u8]) -> u64 {
        memchr::memchr_iter(b'\n', bytes).count() as u64
    }

    fn parse(&self, bytes: &[u8], to: &mut dyn FnMut(Found<Chess>)) {
        let mut reader = Reader::default();
        for (line, game) in cut::games(bytes) {
            reader.read(game, line, to);
        }
    }
}

/// Tells whether a line begins with the first move of a game: not with a
/// number such as `1.0`.
fn is_first_move(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"1.") else {
        return false;
    };
    let mut rest = rest
        .iter()
        .skip_while(|byte| matches!(byte, b'.' | b' ' | b'\t'));
    rest.next()
        .is_none_or(|byte| byte.is_ascii_alphabetic() || *byte == b'{')
}

/// Returns line and column of a byte, as an editor counts them, but the column
/// in bytes, since the encoding is not known.
fn place(bytes: &[u8], at: usize, first_line: u64) -> Place {
    let before = &bytes[..at.min(bytes.len())];
    let line = memchr::memchr_iter(b'\n', before).count() as u64;
    let start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Place {
        line: first_line + line,
        column: (before.len() - start) as u64 + 1,
    }
}

#[cfg(test)]
mod tests;
