//! The lines of one game.

use tuner_data::in_games::unexpected;
use tuner_data::{RecordPlace, StatedScores};

use super::setup::Start;
use super::words::{At, at, ending, kind, side};
use crate::records::game::{GameSoFar, Rejection};
use crate::records::kif::Text;
use crate::{Color, Move, Position};

/// Reads one game.
#[derive(Debug, Default)]
pub(super) struct Reader {
    /// The lines before the side to move.
    start: Start,
    game: GameSoFar,
    bad: Option<Rejection>,
    /// Whether there was anything but comments.
    begun: bool,
    last: u64,
}

impl Reader {
    /// Begins a game; `stated` is what options say of its scores.
    pub(super) fn new(stated: StatedScores) -> Self {
        Self {
            game: GameSoFar::stated(stated),
            ..Self::default()
        }
    }

    /// Reads line `number`, counted from 0, which may hold several statements with commas between;
    /// after a fault the rest of the game is ignored.
    pub(super) fn line(&mut self, line: &[u8], number: u64) {
        if self.bad.is_some() {
            return;
        }
        let text = line.trim_ascii_end();
        if text.is_empty() {
            return;
        }
        self.last = number;
        let mut offset = 0;
        // Names and comments may hold commas.
        let whole = matches!(text[0], b'\'' | b'N' | b'$' | b'V');
        while self.bad.is_none() && offset <= text.len() {
            let rest = &text[offset..];
            let comma = rest.iter().position(|&byte| byte == b',');
            let end = match comma {
                Some(comma) if !whole && !rest.starts_with(b"'") => comma,
                _ => rest.len(),
            };
            let statement = rest[..end].trim_ascii_end();
            if !statement.is_empty() {
                let at = RecordPlace::new(number, offset as u64 + 1);
                self.bad = self.statement(statement, at).err();
            }
            offset += end + 1;
        }
    }

    /// Ends the reading at the end of the record and returns the game. If the record has neither
    /// moves nor a side to move, its position is taken to be sente's to move; if it has comments
    /// alone, the game has not begun. The error is the first that a line had.
    pub(super) fn end(mut self) -> Result<GameSoFar, Rejection> {
        if let Some(bad) = self.bad {
            return Err(bad);
        }
        if self.begun {
            self.begin(Color::Sente, RecordPlace::new(self.last, 1))?;
        }
        Ok(self.game)
    }

    /// Reads a statement, by the sign that it begins with: `'` a comment, `V`, `N` and `$` version,
    /// names and other fields, which are passed over, `T` the time of a move, `P` a part of the
    /// start position, `+` or `-` alone the side to move and with more a move, `%` the end.
    fn statement(&mut self, text: &[u8], place: RecordPlace) -> Result<(), Rejection> {
        let bad = |fault| Rejection(place, fault);
        self.begun |= text[0] != b'\'';
        match text {
            [b'\'', comment @ ..] => {
                self.comment(comment, place);
                Ok(())
            }
            [b'V' | b'N' | b'$', ..] => Ok(()),
            [b'T', rest @ ..] if is_time(rest) => Ok(()),
            [b'P', rest @ ..] => {
                if self.game.has_begun() {
                    let expected = "no start position behind the side to move";
                    return Err(bad(unexpected(text, expected)));
                }
                self.start.line(rest).map_err(bad)
            }
            [b'+' | b'-'] if self.game.has_begun() => {
                Err(bad(unexpected(text, "the side to move once")))
            }
            // Both signs are sides, so that sente is not needed.
            [sign @ (b'+' | b'-')] => self.begin(side(*sign).unwrap_or(Color::Sente), place),
            [sign @ (b'+' | b'-'), rest @ ..] => {
                self.moved(side(*sign).unwrap_or(Color::Sente), rest, text, place)
            }
            [b'%', word @ ..] => self.ending(word, text, place),
            _ => {
                let expected = "a line of CSA, such as +7776FU, T10, %TORYO or 'comment";
                Err(bad(unexpected(text, expected)))
            }
        }
    }

    /// Begins the game at the start position that was read, if it has not begun; `first` is who
    /// moves there, by a line that says so or else by the first move.
    fn begin(&mut self, first: Color, place: RecordPlace) -> Result<(), Rejection> {
        let start = &mut self.start;
        (self.game).begin(place, || std::mem::take(start).position(first))
    }

    /// Plays a move of `color`: `rest` is the statement `text` without its sign. The first move
    /// begins the game, if no line has said who moves. Of a problem, which has no position to play
    /// from, moves are only looked at for their form.
    fn moved(
        &mut self,
        color: Color,
        rest: &[u8],
        text: &[u8],
        place: RecordPlace,
    ) -> Result<(), Rejection> {
        let bad = |fault| Rejection(place, fault);
        self.game.before_move(place)?;
        if !is_move(rest) {
            return Err(bad(unexpected(text, "a move such as +7776FU or -0055KA")));
        }
        self.begin(color, place)?;
        let Some(position) = self.game.position() else {
            return Ok(());
        };
        if position.turn() != color {
            return Err(bad(unexpected(text, "a move of the other side")));
        }
        let written = String::from_utf8_lossy(text);
        self.game.play(to_move(&position, rest), &written, place);
        Ok(())
    }

    /// Ends the game by the statement `text`, whose `word` is behind its `%`. If nothing before it
    /// says who moves first, sente does.
    fn ending(&mut self, word: &[u8], text: &[u8], place: RecordPlace) -> Result<(), Rejection> {
        let bad = |fault| Rejection(place, fault);
        self.begin(Color::Sente, place)?;
        // Without a position, as in a problem, which side it is does not matter: the end is not
        // used.
        let us = (self.game.position()).map_or(Color::Sente, |position| position.turn());
        let ended = ending(word, us, self.game.illegal_by());
        let expected = "an end such as %TORYO or %SENNICHITE";
        let ended = ended.ok_or_else(|| bad(unexpected(text, expected)))?;
        // A second end may follow, as servers write what a player declares and then what they
        // decide; it must be equal.
        self.game.end(ended, place)
    }

    /// Notes the score of a comment, if it has one; the comment comes without its mark `'`, and the
    /// `*` that a program puts behind that is left out.
    fn comment(&mut self, comment: &[u8], place: RecordPlace) {
        let comment = comment.strip_prefix(b"*").unwrap_or(comment);
        if let Some((_, Ok(line))) = Text::new(comment).lines().next() {
            self.game.comment(&line, place);
        }
    }
}

/// Tells whether a text is a move of CSA without its sign, such as `7776FU`: origin (`00` for a
/// drop), target, and the piece.
pub(super) fn is_move(text: &[u8]) -> bool {
    text.len() == 6
        && at(&text[..2]).is_some()
        && matches!(at(&text[2..4]), Some(At::On(_)))
        && kind(&text[4..]).is_some()
}

/// Returns the move, legal or not, that a text of six bytes such as `7776FU` means: origin (`00`
/// for a drop), target, and the piece as it is after the move. `None` if there is no piece on the
/// origin that can become that.
fn to_move(position: &Position, text: &[u8]) -> Option<Move> {
    let (from, to, kind) = (at(&text[..2])?, at(&text[2..4])?, kind(&text[4..])?);
    let At::On(to) = to else { return None };
    let At::On(from) = from else {
        return Move::drop(kind, to);
    };
    let before = position.piece_at(from)?.kind;
    let promotes = before.promoted() == Some(kind);
    (before == kind || promotes).then(|| Move::on_board(from, to, promotes))
}

/// Tells whether a text is a time in seconds, which since CSA 3.0 may have decimals.
fn is_time(text: &[u8]) -> bool {
    let good = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    !text.is_empty() && text.trim_ascii().iter().all(good)
}
