//! Games in the format of the Computer Shogi Association, versions 1 to 3.
//!
//! *Accepts* several games in a file, apart by lines `/`; several statements in
//! a line, apart by commas; start positions as `PI` (with pieces removed for
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
//! An illegal move before the statement of an illegal move is not played, and
//! the side that made it lost.
//!
//! *Scores* come from comments such as `'** 30 …` behind a move, sente's in centipawns (CSA 3.0,
//! section 2.6), and as [`score`](super::score) says.
//!
//! Problems, in which sente has no king, are not games: they count as games
//! without result, and their moves are not tried.
//!
//! *Rejects*, one game at a time with the place: other lines,
//! moves that are not legal or of the wrong side, moves after the end, endings
//! that are unknown.
//!
//! *Ignores* names, `$` lines, times, other comments.

mod reader;
mod setup;
mod words;

pub(super) use words::{ending, kind};

use tuner_data::{RecordEvent, RecordUnit, Records, StatedScores, lines};

use super::game::tell;
use crate::Position;
use reader::Reader;

/// Games in CSA; the [module](self) says what is accepted.
pub(crate) const CSA: Records<Position> = Records {
    name: "csa",
    pattern: "lines V2.2, PI, +, +7776FU",
    unit: RecordUnit::Games,
    takes_stated: true,
    recognises,
    cut: |bytes| lines::end_of_last(bytes, b"/"),
    count: lines::count,
    parse: &parse,
};

/// Tells whether the first line that is not a comment is one of CSA, and not of another format
/// whose lines begin with the same signs.
fn recognises(first: &[u8], _: bool) -> bool {
    let mut lines = lines::lines(first).map(|(_, line)| line.trim_ascii());
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"'"));
    first.is_some_and(|line| match line {
        // A version, such as `V2.2`.
        [b'V', version, ..] => version.is_ascii_digit() && line.len() < 8,
        // The name of a player; the side to move alone; or the line between two games.
        [b'N', b'+' | b'-', ..] | [b'+' | b'-' | b'/'] => true,
        // A start position: a board without `/`, which an SFEN has.
        [b'P', b'I' | b'1', ..] => !line.contains(&b'/'),
        // Single pieces: two digits of a square and two letters each.
        [b'P', b'+' | b'-', rest @ ..] => rest.len() % 4 == 0,
        // A remark on the game, such as `$EVENT:…`.
        [b'$', ..] => line.contains(&b':'),
        [b'+' | b'-', rest @ ..] => reader::is_move(rest),
        _ => false,
    })
}

/// Reads games of CSA, which are apart by lines `/`, and tells `to` of each. `stated`: what options
/// say of view and unit of scores.
fn parse(bytes: &[u8], stated: StatedScores, to: &mut dyn FnMut(RecordEvent<Position>)) {
    let mut reader = Reader::new(stated);
    // Where the first line of the game that is being read begins; `None` before there is one.
    let mut start = None;
    for (number, line) in lines::lines(bytes) {
        let at = line.as_ptr().addr() - bytes.as_ptr().addr();
        if line.trim_ascii() == b"/" {
            let game = &bytes[start.take().unwrap_or(at)..at];
            let read = std::mem::replace(&mut reader, Reader::new(stated));
            tell(read.end(), game, to);
        } else {
            start.get_or_insert(at);
            reader.line(line, number);
        }
    }
    tell(reader.end(), &bytes[start.unwrap_or(bytes.len())..], to);
}

#[cfg(test)]
mod tests;
