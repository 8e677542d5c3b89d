//! The lines of a game.

use tuner_data::{Fault, Found, GameKey, Place};

use super::ending::{self, Summary};
use super::head::{Begin, Head};
use super::resolve::{Unclear, resolve};
use super::text::Text;
use super::words::{is_mark, marked, numbered, written};
use crate::records::game::{Bad, Ended, Reading, fault};
use crate::{Color, Position, Square};

/// Reads the one game of a file.
pub(super) fn read(bytes: &[u8], to: &mut dyn FnMut(Found<Position>)) {
    let mut reader = Reader::default();
    for (number, line) in Text::new(bytes).lines() {
        let read = line.and_then(|line| reader.line(&line, number));
        if let Err(Bad { place, fault }) = read {
            return to(Found::Rejected(place, fault));
        }
    }
    match reader.end() {
        Ok(None) => {}
        Ok(Some(Game::Played(reading, ended))) => {
            reading.tell(ended, GameKey::of_bytes(bytes.trim_ascii()), to);
        }
        Ok(Some(Game::Problem)) => to(Found::Unfinished),
        Err(Bad { place, fault }) => to(Found::Rejected(place, fault)),
    }
}

/// What a file held.
enum Game {
    Played(Box<Reading>, Ended),
    /// A problem, which has no result.
    Problem,
}

enum Part {
    Head,
    Moves(Box<Reading>),
    Problem,
}

struct Reader {
    head: Head,
    part: Part,
    /// Moves so far, of a problem too, and one that was not legal.
    moves: u32,
    /// The number of the first move of KIF, less one.
    before: Option<u32>,
    ended: Option<Ended>,
    summary: Option<Summary>,
    /// A move that is not legal, and who made it.
    illegal: Option<(Color, Bad)>,
    /// Whether the main line is over.
    over: bool,
    /// Whether the line above the moves was there.
    titled: bool,
    begun: bool,
    last: u64,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            head: Head::default(),
            part: Part::Head,
            moves: 0,
            before: None,
            ended: None,
            summary: None,
            illegal: None,
            over: false,
            titled: false,
            begun: false,
            last: 0,
        }
    }
}

impl Reader {
    fn line(&mut self, line: &str, number: u64) -> Result<(), Bad> {
        let text = line.trim_end();
        let word = text.trim_start();
        let at = |part: &str| Place {
            line: number,
            column: text[..text.len() - part.len()].chars().count() as u64 + 1,
        };
        if word.is_empty() || word.starts_with(['*', '#', '&', '＊']) {
            return Ok(());
        }
        self.last = number;
        let bad = |fault| Bad {
            place: at(word),
            fault,
        };
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
        if word.starts_with("手数＝") || word.starts_with("手数=") {
            return Ok(());
        }
        let taken = match self.part {
            Part::Head => self.head.line(text).map_err(bad)?,
            // Notes such as a place of sealed moves.
            _ => word.contains('：'),
        };
        if taken {
            return Ok(());
        }
        let expected = "a head such as 手合割：平手, a move, or the end of the game";
        Err(bad(fault(Fault::quote(word), expected)))
    }

    /// The start position becomes a game; `first` says who moves first where
    /// the notation does.
    fn begin(&mut self, first: Option<Color>, place: Place) -> Result<(), Bad> {
        if let Part::Head = self.part {
            let begin = self
                .head
                .begin(first)
                .map_err(|fault| Bad { place, fault })?;
            self.part = match begin {
                Begin::Position(position) => Part::Moves(Box::new(Reading::new(&position))),
                Begin::Problem => Part::Problem,
            };
        }
        Ok(())
    }

    /// Who is to move, if anybody plays.
    fn turn(&self) -> Color {
        match (&self.part, &self.illegal) {
            (Part::Moves(_), Some((by, _))) => by.other(),
            (Part::Moves(reading), None) => reading.position().turn(),
            _ if self.moves.is_multiple_of(2) => Color::Sente,
            _ => Color::Gote,
        }
    }

    /// A line of KIF behind its number: a move, or how the game ended.
    fn numbered(&mut self, ply: u32, text: &str, place: Place) -> Result<(), Bad> {
        let bad = |fault| Bad { place, fault };
        self.begin(None, place)?;
        if self.ended.is_some() {
            let expected = "nothing behind the end of the game";
            return Err(bad(fault(Fault::quote(text), expected)));
        }
        let before = *self.before.get_or_insert(ply.saturating_sub(1));
        let next = before.saturating_add(self.moves).saturating_add(1);
        if ply != next {
            let found = format!("move number {ply} where {next} should be");
            return Err(bad(fault(found, "moves one after the other")));
        }
        let name = text
            .split(|c: char| c.is_whitespace() || c == '(')
            .next()
            .unwrap_or_default();
        if let Some(ended) = ending::word(name, self.turn()) {
            return self.ending(ended, place);
        }
        let text = text.strip_prefix(is_mark).unwrap_or(text);
        let rest = self.moved(text, place)?;
        let rest = rest.trim_start().trim_end_matches('+').trim_end();
        // The time that the move took.
        if rest.is_empty() || rest.starts_with(['(', '（', '/']) {
            return Ok(());
        }
        Err(bad(fault(
            Fault::quote(rest),
            "nothing but a time behind the move",
        )))
    }

    /// A line of KI2.
    fn marked(&mut self, text: &str, word: &str, line: u64) -> Result<(), Bad> {
        let mut rest = word;
        while let Some(mark) = rest.chars().next() {
            let column = text[..text.len() - rest.len()].chars().count() as u64 + 1;
            let place = Place { line, column };
            let bad = |fault| Bad { place, fault };
            let Some(color) = marked(mark) else {
                return Err(bad(fault(Fault::quote(rest), "▲ or △ before each move")));
            };
            self.begin(Some(color), place)?;
            if matches!(self.part, Part::Moves(_)) && self.illegal.is_none() && color != self.turn()
            {
                return Err(bad(fault(Fault::quote(rest), "a move of the other side")));
            }
            rest = self.moved(&rest[mark.len_utf8()..], place)?.trim_start();
        }
        Ok(())
    }

    /// Plays a move; returns what follows it.
    fn moved<'t>(&mut self, text: &'t str, place: Place) -> Result<&'t str, Bad> {
        let bad = |fault| Bad { place, fault };
        if self.ended.is_some() || self.summary.is_some() {
            return Err(bad(fault("a move", "nothing behind the end of the game")));
        }
        if let Some((_, bad)) = &self.illegal {
            return Err(bad.clone());
        }
        let Some((move_, rest)) = written(text) else {
            let expected = "a move such as ７六歩(77), or an end such as 投了";
            return Err(bad(fault(Fault::quote(text), expected)));
        };
        self.moves += 1;
        let Part::Moves(reading) = &mut self.part else {
            return Ok(rest);
        };
        let position = *reading.position();
        let last: Option<Square> = reading.moves().last().map(|m| m.to());
        match resolve(&position, last, &move_) {
            Ok(m) => reading.play(m, place),
            Err(Unclear::Several) => {
                let found = format!("{}, which several pieces could be", shown(text, rest));
                let expected = "a move that says which piece it moves, such as ５八金右";
                return Err(bad(fault(found, expected)));
            }
            Err(Unclear::Illegal) => {
                let fault = reading.illegal(text[..text.len() - rest.len()].trim_end());
                self.illegal = Some((position.turn(), Bad { place, fault }));
            }
        }
        Ok(rest)
    }

    /// Takes how the game ended; a move that was not legal must be why.
    fn ending(&mut self, ended: Ended, place: Place) -> Result<(), Bad> {
        if self.ended.is_some() {
            let fault = fault("a second end", "one end of the game");
            return Err(Bad { place, fault });
        }
        if let Some((by, bad)) = &self.illegal
            && ended != Ended::forfeited(by.other())
        {
            return Err(bad.clone());
        }
        self.ended = Some(ended);
        Ok(())
    }

    fn summary(&mut self, line: &str, place: Place) -> Result<(), Bad> {
        let bad = |fault| Bad { place, fault };
        self.begin(None, place)?;
        let expected = "how the game ended, such as まで85手で先手の勝ち";
        let summary = ending::summary(line, self.turn());
        let summary = summary.ok_or_else(|| bad(fault(Fault::quote(line), expected)))?;
        let moves = self.before.unwrap_or(0).saturating_add(self.moves);
        if summary.moves != moves {
            let found = format!("{} behind {moves} moves", Fault::quote(line));
            return Err(bad(fault(found, "the number of moves that there are")));
        }
        if self.summary.replace(summary).is_some() {
            return Err(bad(fault("a second end", "one end of the game")));
        }
        match self.ended {
            None => self.ending(summary.ended, place),
            Some(ended) if agree(ended, summary.ended) => Ok(()),
            Some(_) => {
                let found = format!(
                    "{}, which the end of the moves contradicts",
                    Fault::quote(line)
                );
                Err(bad(fault(found, "the same end")))
            }
        }
    }

    fn end(mut self) -> Result<Option<Game>, Bad> {
        if self.ended.is_none()
            && let Some((_, bad)) = self.illegal.take()
        {
            return Err(bad);
        }
        if !self.begun {
            return Ok(None);
        }
        let place = Place {
            line: self.last,
            column: 1,
        };
        self.begin(None, place)?;
        Ok(match self.part {
            Part::Moves(reading) => {
                Some(Game::Played(reading, self.ended.unwrap_or(Ended::Unsaid)))
            }
            Part::Head | Part::Problem => Some(Game::Problem),
        })
    }
}

/// What was written, for messages.
fn shown(text: &str, rest: &str) -> String {
    Fault::quote(text[..text.len() - rest.len()].trim_end())
}

/// Tells whether two ends are the same, where one may say more of why.
fn agree(one: Ended, other: Ended) -> bool {
    match (one, other) {
        (Ended::With { outcome: a, .. }, Ended::With { outcome: b, .. }) => a == b,
        _ => one == other,
    }
}
