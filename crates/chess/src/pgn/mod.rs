//! Games in Portable Game Notation.
//!
//! *Accepts* tags with escapes; moves in SAN with or without numbers, checks
//! and `!?`; castling as `O-O` or `0-0`; comments in braces and to the end of
//! the line, variations at any depth, numeric glyphs, lines that begin with
//! `%`; moves after tags on one line; games that begin with a `FEN`, Chess960
//! among them; any bytes in tags and comments, so Latin-1, too; `\r\n`; games
//! without tags, if each ends with its result and a blank line follows.
//!
//! *Positions* are those in which a move was played, the first among them; the
//! last position of a game is not. Each game has a key, a fingerprint of its
//! bytes, so the same game twice is one game.
//!
//! *Results* come from the tag `Result` and from the end of the moves. Where
//! both are there they must agree; where one is missing the other counts. `*`
//! is a game without result: counted, none of its positions read.
//!
//! *Scores* come from comments. An engine's score follows the move that it
//! chose, and is of the position before that move: cutechess' and fastchess'
//! `+0.30/12 0.5s` and `-M7/20` (WinBoard's with the move in parentheses
//! before) in the mover's view, TCEC's `wv=0.30` in White's, and `[%eval 30,14]`, centipawns and
//! a depth, in White's. Lichess' `[%eval 0.30]`, in White's view, is of the position after the
//! move, or before all moves of the first position; a score of the engine that moves
//! there takes precedence. Its whole numbers are centipawns, unless others of the game have a
//! point. `--score-perspective` and `--score-unit` state otherwise, but of `wv`;
//! `side-to-move` is there whoever made the move that the comment follows.
//! Comments without a score are accepted.
//!
//! *Book moves* are those with a comment that begins with the word `book`, and
//! all up to a comment that begins with `Book exit`. A game without either does
//! not tell.
//!
//! *Games* are told by `White`, `Black`, `WhiteElo`, `BlackElo` (no rating if that is not a number,
//! or 0), `Event`, `Date` or else `UTCDate`, `TimeControl`.
//!
//! *Text* before and between games, without tags, numbered moves or results, is counted.
//! *Forfeits* are told by `Termination` and `TerminationDetails`, and by the last comment; a game
//! without any of these does not tell.
//!
//! *Rejects*, one game at a time with the place: a word that is not a move, a move that is not
//! legal, a result that is unknown, missing or contradicts the tag, moves after the result, a
//! comment or variation that does not end, a `FEN` that is not a position, variants of chess but
//! Chess960. Lines that end with `\r` alone count as one line, so that such a file is rejected as
//! one game.
//!
//! *Ignores* all other tags, variations, other comments and glyphs.
//!
//! pgn-reader skips words that it does not know, and would read the moves after
//! a damaged one as if that had not been there; this reader rejects the game,
//! with line and column. A test compares the two.

mod book;
mod cut;
mod end;
mod game;
mod score;
mod tags;
mod time_control;
mod tokens;

use shakmaty::Chess;
use tuner_data::{RecordEvent, RecordUnit, Records, StatedScores};

use game::Reader;

/// Games in PGN; the [module](self) says what is accepted.
pub(crate) const PGN: Records<Chess> = Records {
    name: "pgn",
    pattern: "[Event \"…\"] and moves",
    unit: RecordUnit::Games,
    takes_stated: true,
    recognises,
    cut: cut::last_start,
    count: |bytes| memchr::memchr_iter(b'\n', bytes).count() as u64,
    parse: &parse,
};

/// Tells whether an input begins with a PGN tag or a first move, or has a tag `Event` behind other
/// text.
fn recognises(first: &[u8], _: bool) -> bool {
    let lines = first.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let text = |line: &&[u8]| !line.is_empty() && !line.starts_with(b"%");
    let line = lines.clone().find(text);
    line.is_some_and(|line| cut::is_tag(line) || is_first_move(line))
        // Games may be behind remarks that a person wrote at the beginning of the file.
        || lines.clone().any(|line| line.starts_with(b"[Event \"") && cut::is_tag(line))
}

/// Reads games in PGN, and hands what is found over, move by move; mistakes, with their place, as
/// well. `stated`: how scores in comments are meant.
fn parse(bytes: &[u8], stated: StatedScores, to: &mut dyn FnMut(RecordEvent<Chess>)) {
    let mut reader = Reader::new(stated);
    for (line, game) in cut::games(bytes) {
        reader.read(game, line, to);
    }
}

/// Tells whether a line begins with the first move of a game: `1.`, and behind it a letter, a
/// comment in braces, or nothing, so that the move is in the next line. A number such as `1.0` is
/// not one.
fn is_first_move(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"1.") else {
        return false;
    };
    let is_between = |byte: &&u8| matches!(byte, b'.' | b' ' | b'\t');
    let first = rest.iter().find(|byte| !is_between(byte));
    first.is_none_or(|byte| byte.is_ascii_alphabetic() || *byte == b'{')
}

#[cfg(test)]
mod tests;
