//! The lines of a game.

use tuner_data::in_games::fault;
use tuner_data::{Fault, RecordEvent, RecordPlace, StatedScores};

use super::ending::{self, Summary};
use super::head::Head;
use super::resolve::{MoveError, resolve};
use super::text::Text;
use super::words::{is_mark, marked, numbered, written};
use crate::records::game::{GameEnd, GameSoFar, Rejection, behind_end, second_end, tell};
use crate::{Color, Position, Square};

/// Reads the one game of a file in KIF or KI2, and tells `to` of it. `stated`: what options say of
/// view and unit of scores.
pub(super) fn read(bytes: &[u8], stated: StatedScores, to: &mut dyn FnMut(RecordEvent<Position>)) {
    let mut reader = Reader {
        game: GameSoFar::stated(stated),
        ..Reader::default()
    };
    for (number, line) in Text::new(bytes).lines() {
        let read = line.and_then(|line| reader.line(&line, number));
        if let Err(Rejection(place, fault)) = read {
            return to(RecordEvent::Rejected(place, fault));
        }
    }
    tell(reader.end(), bytes, to);
}

/// A game of which some lines have been read.
#[derive(Default)]
struct Reader {
    head: Head,
    game: GameSoFar,
    /// Moves so far, of a problem too, and one that was not legal.
    moves: u32,
    /// The number of the first move of KIF, less one.
    before: Option<u32>,
    summary: Option<Summary>,
    /// Whether the main line is over.
    over: bool,
    /// Whether the line above the moves was there.
    titled: bool,
    /// Whether there was anything but comments.
    begun: bool,
    /// The number of the last line that was neither empty nor a comment.
    last: u64,
}

impl Reader {
    /// Reads line `number`, counted from 0: a comment, a field of the head, a row of the board, or
    /// a move. The main line of the game ends at the first variation (`変化`); behind it nothing is
    /// read but the head line of a second game, which is refused.
    fn line(&mut self, line: &str, number: u64) -> Result<(), Rejection> {
        let text = line.trim_end();
        let word = text.trim_start();
        let at = |part: &str| RecordPlace {
            line: number,
            column: text[..text.len() - part.len()].chars().count() as u64 + 1,
        };
        if let Some(comment) = word.strip_prefix(['*', '＊']) {
            if !self.over {
                self.game.comment(comment, at(word));
            }
            return Ok(());
        }
        if word.is_empty() || word.starts_with(['#', '&']) {
            return Ok(());
        }
        self.last = number;
        let bad = |fault| Rejection(at(word), fault);
        // The title above the moves of KIF.
        if word.starts_with("手数--") {
            if std::mem::replace(&mut self.titled, true) {
                return Err(bad(fault("a second game", "one game a file")));
            }
            return Ok(());
        }
        if self.over {
            return Ok(());
        }
        self.begun = true;
        if word.starts_with("変化") {
            self.over = true;
            return Ok(());
        }
        if word.starts_with("まで") {
            return self.summary(word, at(word));
        }
        if let Some((ply, rest)) = numbered(text) {
            return self.numbered(ply, rest, at(rest));
        }
        if word.starts_with(is_mark) {
            return self.marked(text, word, number);
        }
        // How many moves were made before the position of a diagram, which is not read.
        if word.starts_with("手数＝") || word.starts_with("手数=") {
            return Ok(());
        }
        // Behind the first move a line `NAME：VALUE` is a note, such as where a sealed move was
        // made. A name before a narrow colon has no bracket, as a move without its number has
        // before its time.
        let is_named = |(name, _): (&str, &str)| !name.contains('(');
        let is_note = word.contains('：') || word.split_once(':').is_some_and(is_named);
        let is_note = self.game.has_begun() && is_note;
        if is_note || !self.game.has_begun() && self.head.line(text).map_err(bad)? {
            return Ok(());
        }
        let expected = "a head such as 手合割：平手, a move, or the end of the game";
        Err(bad(fault(Fault::quote(word), expected)))
    }

    /// Begins the game at the start position; `first` is who moves first, where
    /// the notation says so.
    fn begin(&mut self, first: Option<Color>, place: RecordPlace) -> Result<(), Rejection> {
        self.game.begin(place, || self.head.begin(first))
    }

    /// Returns who is to move. Behind an illegal move, which is not played, that is the side that
    /// did not make it; in a problem, whose moves are not played, sente after an even number of
    /// moves.
    fn turn(&self) -> Color {
        match (self.game.position(), self.game.illegal_by()) {
            (Some(_), Some(by)) => by.other(),
            (Some(position), None) => position.turn(),
            _ if self.moves.is_multiple_of(2) => Color::Sente,
            _ => Color::Gote,
        }
    }

    /// Reads a line of KIF that begins with the number `ply`, which must follow that of the line
    /// before; `text` is what is behind it: a move, perhaps with a time, or a word that says how
    /// the game ended.
    fn numbered(&mut self, ply: u32, text: &str, place: RecordPlace) -> Result<(), Rejection> {
        let bad = |fault| Rejection(place, fault);
        self.begin(None, place)?;
        if self.game.ended.is_some() {
            return Err(bad(behind_end(Fault::quote(text))));
        }
        // `before`: how many moves, by its number, come before the first move of the file.
        let before = *self.before.get_or_insert(ply.saturating_sub(1));
        let next = before.saturating_add(self.moves).saturating_add(1);
        if ply != next {
            let found = format!("move number {ply} where {next} should be");
            return Err(bad(fault(found, "moves one after the other")));
        }
        let name = text.split(|c: char| c.is_whitespace() || c == '(').next();
        if let Some(ended) = ending::word(name.unwrap_or_default(), self.turn()) {
            return self.game.end(ended, place);
        }
        // A sign of KI2 before the move, ▲ or △, is passed over.
        let text = text.strip_prefix(is_mark).unwrap_or(text);
        let rest = self.moved(text, place)?;
        // `+` at the end says that variations of this move follow behind the game.
        let rest = rest.trim_start().trim_end_matches('+').trim_end();
        // What is left may be the time that the move took.
        if rest.is_empty() || rest.starts_with(['(', '（', '/']) {
            return Ok(());
        }
        let expected = "nothing but a time behind the move";
        Err(bad(fault(Fault::quote(rest), expected)))
    }

    /// Reads a line of KI2: moves, each behind the mark of its side. `word` is the line `text`
    /// without the blanks before it; `line` is its number.
    fn marked(&mut self, text: &str, word: &str, line: u64) -> Result<(), Rejection> {
        let mut rest = word;
        while let Some(mark) = rest.chars().next() {
            let column = text[..text.len() - rest.len()].chars().count() as u64 + 1;
            let place = RecordPlace { line, column };
            let bad = |fault| Rejection(place, fault);
            let Some(color) = marked(mark) else {
                return Err(bad(fault(Fault::quote(rest), "▲ or △ before each move")));
            };
            self.begin(Some(color), place)?;
            let is_played = self.game.position().is_some() && self.game.illegal_by().is_none();
            if is_played && color != self.turn() {
                return Err(bad(fault(Fault::quote(rest), "a move of the other side")));
            }
            rest = self.moved(&rest[mark.len_utf8()..], place)?.trim_start();
        }
        Ok(())
    }

    /// Plays the move that a text begins with; returns the text after it. Moves of a problem are
    /// read and counted, and not played.
    fn moved<'t>(&mut self, text: &'t str, place: RecordPlace) -> Result<&'t str, Rejection> {
        let bad = |fault| Rejection(place, fault);
        if self.summary.is_some() {
            return Err(bad(behind_end("a move")));
        }
        self.game.before_move(place)?;
        let Some((move_, rest)) = written(text) else {
            let expected = "a move such as ７六歩(77), or an end such as 投了";
            return Err(bad(fault(Fault::quote(text), expected)));
        };
        self.moves += 1;
        let (Some(position), Some(replay)) = (self.game.position(), self.game.replay()) else {
            return Ok(rest);
        };
        let last: Option<Square> = replay.moves().last().map(|m| m.to());
        let written = text[..text.len() - rest.len()].trim_end();
        let m = resolve(&position, last, &move_);
        if m == Err(MoveError::Ambiguous) {
            let found = format!("{}, which several pieces could be", Fault::quote(written));
            let expected = "a move that says which piece it moves, such as ５八金右";
            return Err(bad(fault(found, expected)));
        }
        // A move that is not legal is handed over as `None`: the end of the game may name it.
        self.game.play(m.ok(), written, place);
        Ok(rest)
    }

    /// Reads the line that sums the game up, such as まで85手で先手の勝ち; it must agree with the number of
    /// moves, and with the end that a word behind the moves says.
    fn summary(&mut self, line: &str, place: RecordPlace) -> Result<(), Rejection> {
        let bad = |fault| Rejection(place, fault);
        self.begin(None, place)?;
        let expected = "how the game ended, such as まで85手で先手の勝ち";
        let summary = ending::summary(line, self.turn());
        let summary = summary.ok_or_else(|| bad(fault(Fault::quote(line), expected)))?;
        // Moves of KI2 have no numbers, and count from the first.
        let moves = self.before.unwrap_or(0).saturating_add(self.moves);
        if summary.moves != moves {
            let found = format!("{} behind {moves} moves", Fault::quote(line));
            return Err(bad(fault(found, "the number of moves that there are")));
        }
        if self.summary.replace(summary).is_some() {
            return Err(second_end(place));
        }
        match self.game.ended {
            None => self.game.end(summary.ended, place),
            Some(ended) if agree(ended, summary.ended) => Ok(()),
            Some(_) => {
                let line = Fault::quote(line);
                let found = format!("{line}, which the end of the moves contradicts");
                Err(bad(fault(found, "the same end")))
            }
        }
    }

    /// Ends the reading at the end of the file and returns the game. A file that has a head and no
    /// moves is a game without moves; one that has comments alone is none.
    fn end(mut self) -> Result<GameSoFar, Rejection> {
        if self.begun {
            self.begin(None, RecordPlace::new(self.last, 1))?;
        }
        Ok(self.game)
    }
}

/// Tells whether two ends have the same result; one may not say whether it is a
/// forfeit.
fn agree(one: GameEnd, other: GameEnd) -> bool {
    match (one, other) {
        (GameEnd::Result { outcome: a, .. }, GameEnd::Result { outcome: b, .. }) => a == b,
        _ => one == other,
    }
}
