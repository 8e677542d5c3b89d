//! One game: tags, moves, result.

use shakmaty::san::San;
use shakmaty::{Chess, Color, Move, Position};
use tuner_data::Outcome;
use tuner_data::{Around, Fault, Found, GameKey, Labelled, Place};

use super::moves::{Word, Words, Wrong};
use super::score::{View, score};
use super::tags::{Ended, Tags, result};

/// Reads games one after the other, in memory that it keeps.
#[derive(Debug, Default)]
pub(super) struct Reader {
    plies: Vec<Ply>,
    /// What a comment said of the position that comes next.
    next_score: Option<i32>,
}

/// A move. The position before it is played again when it is told, which is
/// faster than keeping it.
#[derive(Debug)]
struct Ply {
    played: Move,
    /// Of a comment before the move.
    given_score: Option<i32>,
    /// Of the comment behind the move: of who chose it.
    own_score: Option<i32>,
    place: Place,
}

/// What is wrong with a game, and at which byte.
struct Bad {
    at: usize,
    fault: Fault,
}

impl Reader {
    /// Reads a game that begins in line `first_line`, counted from 0.
    pub(super) fn read(&mut self, game: &[u8], first_line: u64, to: &mut dyn FnMut(Found<Chess>)) {
        if game.trim_ascii().is_empty() {
            return;
        }
        self.plies.clear();
        self.next_score = None;
        match self.game(game, first_line) {
            Err(Bad { at, fault }) => {
                to(Found::Rejected(super::place(game, at, first_line), fault));
            }
            Ok((_, Ended::Unfinished)) => to(Found::Unfinished),
            Ok((tags, Ended::With(outcome))) => {
                let key = GameKey::of_bytes(game.trim_ascii());
                self.tell(&tags, outcome, key, to);
                to(Found::Unit);
            }
        }
    }

    /// Hands over the positions of a game that was read to its end.
    fn tell(
        &mut self,
        tags: &Tags,
        outcome: Outcome,
        game: GameKey,
        to: &mut dyn FnMut(Found<Chess>),
    ) {
        let mut position = tags.start();
        let before = played(&position);
        let count = self.plies.len() as u32;
        let mut last_tactical = None;
        for (number, ply) in (0..).zip(&self.plies) {
            let tactical = ply.played.is_capture() || ply.played.is_promotion();
            let around = Around {
                last_tactical,
                next_tactical: Some(tactical),
                plies_left: Some(count - number),
                forfeit: Some(tags.forfeit),
            };
            last_tactical = Some(tactical);
            let labelled = Labelled {
                position: position.clone(),
                outcome: outcome.into(),
                search_score: ply.own_score.or(ply.given_score),
                game: Some(game),
                ply: Some(before + number),
                around,
            };
            to(Found::Position(ply.place, labelled));
            position.play_unchecked(ply.played);
        }
    }

    /// Reads tags and moves.
    fn game(&mut self, game: &[u8], first_line: u64) -> Result<(Tags, Ended), Bad> {
        let (tags, at) = tags(game)?;
        if tags.result == Some(Ended::Unfinished) {
            return Ok((tags, Ended::Unfinished));
        }
        let stated = tags.result;
        let ended = self.moves(game, at, first_line, &tags)?;
        let outcome = match (stated, ended) {
            (Some(stated), Some((at, ended))) if stated != ended => {
                let words = format!("{} at the end of the moves", written(ended));
                let expected = match stated {
                    Ended::With(Outcome::Win) => "1-0, as the tag Result says",
                    Ended::With(Outcome::Loss) => "0-1, as the tag Result says",
                    _ => "1/2-1/2, as the tag Result says",
                };
                return Err(Bad {
                    at,
                    fault: fault(words, expected),
                });
            }
            (Some(outcome), _) | (None, Some((_, outcome))) => outcome,
            (None, None) => {
                let fault = fault("no result", "a tag Result, or a result behind the moves");
                return Err(Bad {
                    at: game.trim_ascii_end().len(),
                    fault,
                });
            }
        };
        Ok((tags, outcome))
    }

    /// Plays the moves; returns the result behind them and where it is.
    fn moves(
        &mut self,
        game: &[u8],
        at: usize,
        first_line: u64,
        tags: &Tags,
    ) -> Result<Option<(usize, Ended)>, Bad> {
        let mut position = tags.start();
        let line = super::place(game, at, first_line).line;
        let mut words = Words::new(game, at, line);
        let mut ended = None;
        while let Some(word) = words.next() {
            let (at, word) = word.map_err(|wrong| self::wrong(game, &wrong))?;
            match word {
                Word::Move(_) if ended.is_some() => {
                    let fault = fault("a move", "nothing but comments behind the result");
                    return Err(Bad { at, fault });
                }
                Word::Move(san) => {
                    let place = words.place(at);
                    self.play(&mut position, san, place)
                        .map_err(|fault| Bad { at, fault })?;
                }
                Word::Comment(comment) => self.comment(comment, position.turn()),
                Word::Result(text) => {
                    let found = result(text).unwrap_or(Ended::Unfinished);
                    if ended.is_some_and(|(_, other)| other != found) {
                        let fault = fault("a second result", "one result");
                        return Err(Bad { at, fault });
                    }
                    ended = Some((at, found));
                }
            }
        }
        Ok(ended)
    }

    fn play(&mut self, position: &mut Chess, san: San, place: Place) -> Result<(), Fault> {
        let Ok(m) = san.to_move(position) else {
            let fen = shakmaty::fen::Fen::from_position(position, shakmaty::EnPassantMode::Legal);
            let found = format!("{san}, which is not legal in {fen}");
            return Err(fault(found, "a legal move"));
        };
        self.plies.push(Ply {
            played: m,
            given_score: self.next_score.take(),
            own_score: None,
            place,
        });
        position.play_unchecked(m);
        Ok(())
    }

    /// Takes the score of a comment, if it has one; `turn` is who moves next.
    /// The first comment of a move is the engine's, others are about it.
    fn comment(&mut self, comment: &[u8], turn: Color) {
        let Some((view, score)) = score(comment, turn) else {
            return;
        };
        if view == View::WhiteNext {
            self.next_score.get_or_insert(score);
        } else if let Some(ply) = self.plies.last_mut() {
            let turned = view == View::Mover && turn.is_white();
            (ply.own_score).get_or_insert(if turned { -score } else { score });
        }
    }
}

/// Half-moves that a position says were played before it.
fn played(position: &Chess) -> u32 {
    let moves = position.fullmoves().get() - 1;
    moves.saturating_mul(2) + u32::from(position.turn().is_black())
}

const fn written(ended: Ended) -> &'static str {
    match ended {
        Ended::With(Outcome::Win) => "1-0",
        Ended::With(Outcome::Draw) => "1/2-1/2",
        Ended::With(Outcome::Loss) => "0-1",
        Ended::Unfinished => "*",
    }
}

/// Reads the tags; returns where the moves begin.
fn tags(game: &[u8]) -> Result<(Tags, usize), Bad> {
    let mut tags = Tags::default();
    let mut at = 0;
    for line in game.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        if text.starts_with(b"[") {
            let offset = at + (line.len() - line.trim_ascii_start().len());
            let rest = tags_of_line(text, &mut tags).map_err(|fault| Bad { at: offset, fault })?;
            if !rest.is_empty() {
                return Ok((tags, offset + text.len() - rest.len()));
            }
        } else if !text.is_empty() && !text.starts_with(b"%") {
            break;
        }
        at += line.len();
    }
    Ok((tags, at))
}

/// Reads one line of tags, of which there may be several; returns the moves
/// behind them, if there are.
fn tags_of_line<'a>(line: &'a [u8], tags: &mut Tags) -> Result<&'a [u8], Fault> {
    let mut rest = line;
    while let Some(text) = rest.strip_prefix(b"[") {
        let wrong = || {
            let found = Fault::quote(&String::from_utf8_lossy(line));
            fault(found, "a tag such as [Result \"1-0\"]")
        };
        let quote = text
            .iter()
            .position(|&byte| byte == b'"')
            .ok_or_else(wrong)?;
        let (name, text) = (text[..quote].trim_ascii(), &text[quote + 1..]);
        let mut value = Vec::new();
        let mut bytes = text.iter();
        loop {
            match bytes.next().ok_or_else(wrong)? {
                b'"' => break,
                b'\\' => value.extend(bytes.next()),
                byte => value.push(*byte),
            }
        }
        let after = bytes.as_slice().trim_ascii_start();
        rest = after
            .strip_prefix(b"]")
            .ok_or_else(wrong)?
            .trim_ascii_start();
        tags.take(name, &value)?;
    }
    Ok(if rest.starts_with(b";") { b"" } else { rest })
}

fn wrong(game: &[u8], wrong: &Wrong<'_>) -> Bad {
    let at = wrong.found.as_ptr().addr() - game.as_ptr().addr();
    let found = if wrong.found.len() > 200 {
        &wrong.found[..200]
    } else {
        wrong.found
    };
    let found = Fault::quote(&String::from_utf8_lossy(found));
    Bad {
        at,
        fault: fault(found, wrong.expected),
    }
}

/// A fault of a game; where it is, the caller says.
pub(super) fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
    Fault {
        offset: 0,
        found: found.into(),
        expected: expected.into(),
        cure: "correct the game, or pass over bad games with --on-bad-line skip".into(),
    }
}
