//! Answers to commands about games.

use std::sync::Arc;

use crate::engine::{Engine, PositionOf};
use crate::plays::{AtWeights, Plays, player_at};
use tuner_play::{
    ContestSettings, GameText as _, Limit, OpeningChoice, Openings, Player, PlayerFault,
    PlayoutSettings, Seats, SelfPlaySettings, SettingsText as _, Word as _, play_pair, playout,
    search_score, selfplay_game,
};
use tuner_protocol::{Command, DONE};

/// Answers commands about games. A trait object, as only an engine that plays has one.
pub(crate) trait AnswersGames<E: Engine>: Send {
    /// Keeps the text of a book of openings, which later commands `match` and `selfplay` may name.
    fn take_book(&mut self, book: Arc<str>);

    /// Returns the lines of the answer to a command, or the reason why there is none. `values`: the
    /// weights in force by number, empty for those of the source. `position`: the one that was set,
    /// or why there is none, for commands that are about one.
    fn answer(
        &mut self,
        command: &Command,
        values: &[f64],
        position: &Result<PositionOf<E>, String>,
    ) -> Result<String, String>;
}

/// The games of an engine that plays.
pub(crate) struct Games<'e, E: Plays> {
    engine: &'e E,
    /// The text of the book that settings may name; `None` before a `book` command.
    book: Option<Arc<str>>,
    /// Settings of the last `match`, and its openings; `None` before the first.
    contest: Option<(ContestSettings, Openings<E::Notation>)>,
    /// The weights, by number, of the first and the second side of pairs; empty: those of the
    /// source.
    sides: [Vec<f64>; 2],
    /// The two players of pairs and the judge; `None` until the first pair at these weights.
    seats: Option<Seats<'e, E::Notation>>,
    /// Settings of the last `selfplay`, and its openings; `None` before the first.
    selfplay: Option<(SelfPlaySettings, Openings<E::Notation>)>,
    /// Who plays itself, or searches, and at which weights.
    player: Option<PlayerAt<'e, E>>,
}

/// The weights that a player plays at, by number, and the player.
type PlayerAt<'e, E> = (Vec<f64>, Box<dyn Player<<E as Engine>::Notation> + 'e>);

impl<'e, E: Plays> Games<'e, E> {
    /// Begins without a book, settings or players. Both sides of pairs of games have the weights of
    /// the source.
    pub(crate) fn new(engine: &'e E) -> Self {
        Self {
            engine,
            book: None,
            contest: None,
            sides: [Vec::new(), Vec::new()],
            seats: None,
            selfplay: None,
            player: None,
        }
    }

    /// Makes a player of the engine at the weights `values`, by number; empty: those of the source.
    fn player_of(&self, values: &[f64]) -> Box<dyn Player<E::Notation> + 'e> {
        player_at(&AtWeights::new(self.engine, values))
    }

    /// Returns the player that plays itself and searches, at the weights `values`, by number, empty
    /// for those of the source: the one of the last command if it has these weights, else a new
    /// one, which replaces it.
    fn player(&mut self, values: &[f64]) -> &mut (dyn Player<E::Notation> + 'e) {
        let player = match self.player.take() {
            Some((of, player)) if of == values => player,
            _ => self.player_of(values),
        };
        &mut *self.player.insert((values.to_vec(), player)).1
    }

    /// Returns the openings that settings choose, and the line that answers the command with the
    /// settings: `openings` and how many there are, or `any` where they are drawn at random.
    fn openings(&self, choice: &OpeningChoice) -> Result<(Openings<E::Notation>, String), String> {
        let openings = choice.resolve(self.engine.notation())?;
        let count = openings.count();
        let count = count.map_or_else(|| "any".to_owned(), |count| count.to_string());
        Ok((openings, format!("openings {count}\n")))
    }

    /// Plays pair `number` of the match whose settings were given last; returns its record in
    /// lines. Players are made for the first pair after a `side` command, and after a failure.
    /// `Err`: no `match` yet, or why an opening or a player failed.
    fn pair(&mut self, number: u64) -> Result<String, String> {
        let seats = self.seats.take().unwrap_or_else(|| Seats {
            first: self.player_of(&self.sides[0]),
            second: self.player_of(&self.sides[1]),
            // The judge scores at the weights of the source.
            judge: Some(self.player_of(&[])),
        });
        let seats = self.seats.insert(seats);
        let (settings, openings) = self.contest.as_ref().ok_or("no `match` yet")?;
        let played = play_pair(self.engine.notation(), settings, openings, number, seats);
        if played.is_err() {
            // Whoever has failed plays no other game.
            self.seats = None;
        }
        Ok(played.map_err(|fault| fault.to_string())?.write())
    }

    /// Plays game `number` of the engine against itself by the settings that `selfplay` gave last;
    /// returns its record in lines. `values`: the weights of the player by number, empty for those
    /// of the source. `Err`: no `selfplay` yet, or why an opening or the player failed, which is
    /// then not used again.
    fn game(&mut self, number: u64, values: &[f64]) -> Result<String, String> {
        // Taken out meanwhile, as the player borrows all of `self`.
        let (settings, openings) = self.selfplay.take().ok_or("no `selfplay` yet")?;
        let rules = self.engine.notation();
        let player = self.player(values);
        let played = selfplay_game(rules, &settings, &openings, number, player);
        self.selfplay = Some((settings, openings));
        if played.is_err() {
            self.player = None;
        }
        Ok(played.map_err(|fault| fault.to_string())?.write())
    }

    /// Makes the answer to a question about a position of what the player found: `word`, then
    /// `found`; or `fault` and the reason where the player failed, which is then not used again.
    /// `Err`: the player cannot play at all.
    fn asked(&mut self, word: &str, found: Result<String, PlayerFault>) -> Result<String, String> {
        if found.is_err() {
            self.player = None;
        }
        match found {
            Ok(found) => Ok(format!("{word} {found}\n")),
            Err(PlayerFault::Unusable(words)) => Err(words),
            Err(fault) => {
                let words = fault.to_string().replace(['\n', '\r'], " ");
                Ok(format!("fault {words}\n"))
            }
        }
    }
}

impl<E: Plays> AnswersGames<E> for Games<'_, E> {
    fn take_book(&mut self, book: Arc<str>) {
        self.book = Some(book);
    }

    /// Answers `match`, `selfplay`, `side`, `pair`, `game`, `new`, `search` and `playout`; any
    /// other command is an error.
    fn answer(
        &mut self,
        command: &Command,
        values: &[f64],
        position: &Result<PositionOf<E>, String>,
    ) -> Result<String, String> {
        let rules = self.engine.notation();
        let position = || position.as_ref().map_err(Clone::clone).cloned();
        match command {
            Command::Match(line) => {
                let settings = ContestSettings::of_line(line, self.book.as_deref())?;
                let (openings, answer) = self.openings(&settings.openings)?;
                self.contest = Some((settings, openings));
                Ok(answer)
            }
            Command::SelfPlay(line) => {
                let settings = SelfPlaySettings::of_line(line, self.book.as_deref())?;
                let (openings, answer) = self.openings(&settings.openings)?;
                self.selfplay = Some((settings, openings));
                Ok(answer)
            }
            Command::Side(side, side_values) => {
                let wanted = self.engine.registry().leaves();
                if !side_values.is_empty() && side_values.len() != wanted {
                    let found = side_values.len();
                    return Err(format!("found {found} values, expected {wanted}"));
                }
                self.sides[*side].clone_from(side_values);
                // The players of pairs are made anew at these weights.
                self.seats = None;
                Ok(format!("{DONE}\n"))
            }
            Command::Pair(number) => Ok(self.pair(*number)? + DONE + "\n"),
            Command::Game(number) => Ok(self.game(*number, values)? + DONE + "\n"),
            Command::NewGame => {
                let begun = self.player(values).new_game();
                if let Err(fault) = begun {
                    self.player = None;
                    return Err(fault.to_string());
                }
                Ok(format!("{DONE}\n"))
            }
            Command::Search(limit) => {
                let (limit, position) = (Limit::of_word(limit)?, position()?);
                let found = search_score(rules, self.player(values), position, limit);
                let text = |score: i32| score.to_string();
                // A search may find no score.
                let word = |score: Option<i32>| score.map_or_else(|| "none".to_owned(), text);
                self.asked("search", found.map(word))
            }
            Command::Playout(line) => {
                let (settings, position) = (PlayoutSettings::of_line(line, None)?, position()?);
                let player = self.player(values);
                let begun = player.new_game();
                let found = begun.and_then(|()| playout(rules, player, position, &settings));
                self.asked("playout", found.map(|outcome| outcome.to_string()))
            }
            other => Err(format!("found {other}, expected a command about games")),
        }
    }
}
