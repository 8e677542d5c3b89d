//! Games that an evaluator plays: by number, and back come records.

use std::fmt::Display;

use crate::evaluation::{Borrowed, Evaluation};
use crate::session::{Answer, EvaluationError, Session};
use tuner_base::unexpected;
use tuner_data::Outcome;
use tuner_play::{
    ContestSettings, GameRecord, GameText, Limit, OpeningChoice, PairRecord, PlayerFault,
    PlayerResult, PlayoutSettings, SelfPlaySettings, SettingsText as _, Word as _,
};
use tuner_protocol::{Ability, Command};

/// Games of an evaluator by certain settings.
#[derive(Debug)]
pub struct EvaluatorGames<'e> {
    evaluation: &'e Evaluation,
    /// What every evaluator is told before it plays.
    settings: Option<Told>,
    /// How many openings the book has.
    openings: Option<u64>,
}

/// A command that an evaluator is told before it plays.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    command: Command,
    book: Option<String>,
}

impl<'e> EvaluatorGames<'e> {
    /// Prepares pairs of games between two sets of weights.
    ///
    /// # Errors
    /// The outer one if the evaluator cannot be asked or plays no games, the inner one if it
    /// refuses the settings: a book that it cannot read.
    pub fn of_match(evaluation: &'e Evaluation, settings: &ContestSettings) -> Answer<Self> {
        let command = Command::Match(settings.line());
        Self::told(evaluation, command, &settings.openings)
    }

    /// Prepares games of the engine against itself.
    ///
    /// # Errors
    /// The outer one if the evaluator cannot be asked or plays no games, the inner one if it
    /// refuses the settings.
    pub fn of_selfplay(evaluation: &'e Evaluation, settings: &SelfPlaySettings) -> Answer<Self> {
        let command = Command::SelfPlay(settings.line());
        Self::told(evaluation, command, &settings.openings)
    }

    /// Prepares searches from single positions.
    ///
    /// # Errors
    /// If the evaluator plays no games.
    pub fn of_positions(evaluation: &'e Evaluation) -> Result<Self, EvaluationError> {
        can_play(evaluation)?;
        Ok(Self {
            evaluation,
            settings: None,
            openings: None,
        })
    }

    /// Prepares games by a command with settings: tells them to one evaluator, which checks them
    /// and says how many openings there are. The book of `choice` is told before.
    fn told(evaluation: &'e Evaluation, command: Command, choice: &OpeningChoice) -> Answer<Self> {
        can_play(evaluation)?;
        let told = Told {
            command,
            book: choice.book().map(str::to_owned),
        };
        let mut session = evaluation.session()?;
        let found = tell(&mut session, &told)?;
        Ok(found.map(|openings| Self {
            evaluation,
            settings: Some(told),
            openings,
        }))
    }

    /// Returns how many openings there are; `None` where they are drawn.
    pub fn openings(&self) -> Option<u64> {
        self.openings
    }

    /// Makes what a thread plays with, on a conversation of its own. `values`: weights, by their
    /// numbers in the evaluator, that self-play and searches are at, empty for those of the source;
    /// pairs have theirs by [`sides`](EvaluatorPlayer::sides).
    ///
    /// # Errors
    /// If the evaluator cannot be asked.
    pub fn player(&self, values: &[f64]) -> PlayerResult<EvaluatorPlayer<'e>> {
        let mut session = self.evaluation.session().map_err(unusable)?;
        session.at(values).map_err(unusable)?;
        if let Some(told) = &self.settings {
            let told = tell(&mut session, told).map_err(unusable)?;
            told.map_err(unusable)?;
        }
        // Games take long: the evaluator may be silent for longer than in answering other
        // questions.
        session.is_slow = true;
        Ok(EvaluatorPlayer { session })
    }
}

/// Fails if an evaluator plays no games, with what lets it play them.
fn can_play(evaluation: &Evaluation) -> Result<(), EvaluationError> {
    evaluation.needs(
        Ability::Play,
        "it plays no games: in Rust `impl Plays` and `serve_playing` let it (docs/playing.md); or \
         `[engine]` in tuner.toml says how the engine itself is built and started",
    )
}

/// Tells an evaluator the book, unless it was told that one last, and then the settings. Returns
/// the number of openings; `None` where they are drawn.
fn tell(session: &mut Session, told: &Told) -> Answer<Option<u64>> {
    // Messages about these commands are not to name a position that was asked about before.
    session.position = None;
    if let Some(book) = &told.book
        && session.told.first() != Some(book)
    {
        session.done_with(&Command::Book(book.len()), book.as_bytes())?;
        session.told = vec![book.clone()];
    }
    session.ask(&told.command, |line| match line.strip_prefix("openings ") {
        Some("any") => Ok(None),
        Some(count) => {
            let count = count.trim().parse().map(Some);
            count.map_err(|_| unexpected(line, "`openings N`"))
        }
        None => Err(unexpected(line, "`openings N` or `openings any`")),
    })
}

/// The fault of a player that cannot play at all.
fn unusable(error: impl Display) -> PlayerFault {
    PlayerFault::Unusable(error.to_string())
}

/// One evaluator that plays.
pub struct EvaluatorPlayer<'e> {
    session: Borrowed<'e>,
}

tuner_base::impl_fmt! { Debug for EvaluatorPlayer<'_> }

impl EvaluatorPlayer<'_> {
    /// Sets the weights of both sides of the pairs that follow, by leaf number, none for those of
    /// the source.
    ///
    /// # Errors
    /// If the evaluator cannot be asked.
    pub fn sides(&mut self, sides: [&[f64]; 2]) -> PlayerResult<()> {
        for (side, values) in sides.into_iter().enumerate() {
            let command = Command::Side(side, values.to_vec());
            self.session.done(&command).map_err(unusable)?;
        }
        Ok(())
    }

    /// Plays the pair of games with a number: number and settings determine how the games go.
    ///
    /// # Errors
    /// If it cannot be played.
    pub fn pair(&mut self, number: u64) -> PlayerResult<PairRecord> {
        self.played(&Command::Pair(number))
    }

    /// Plays a game of the engine against itself: its number and the settings determine how it
    /// goes.
    ///
    /// # Errors
    /// If it cannot be played.
    pub fn game(&mut self, number: u64) -> PlayerResult<GameRecord> {
        self.played(&Command::Game(number))
    }

    /// Plays what a command asks for, and reads the record.
    fn played<T: GameText>(&mut self, command: &Command) -> PlayerResult<T> {
        let text = self.session.try_text(command).map_err(unusable)?;
        text.and_then(|text| T::read(&text)).map_err(unusable)
    }

    /// Forgets what was searched before.
    ///
    /// # Errors
    /// If the evaluator cannot be asked.
    pub fn new_game(&mut self) -> PlayerResult<()> {
        self.session.done(&Command::NewGame).map_err(unusable)
    }

    /// Searches a position; the score is the first player's, in centipawns; `None` where the engine
    /// gives no score.
    ///
    /// # Errors
    /// If it fails.
    pub fn search_score(&mut self, position: &str, limit: Limit) -> PlayerResult<Option<i32>> {
        let command = Command::Search(limit.word());
        self.about(position, &command, "search ", |word| match word {
            "none" => Some(None),
            word => word.parse().ok().map(Some),
        })
    }

    /// Plays a game from a position to its end, and returns its result.
    ///
    /// # Errors
    /// If it fails.
    pub fn playout(&mut self, position: &str, settings: &PlayoutSettings) -> PlayerResult<Outcome> {
        let command = Command::Playout(settings.line());
        self.about(position, &command, "playout ", |word| word.parse().ok())
    }

    /// Asks a player something about a position by `command`. Its answer is the line `word`
    /// followed by what `read` takes apart; or `fault` with a reason, which becomes
    /// [`PlayerFault::Illegal`], as does a position that it refuses. An answer of which `read`
    /// makes nothing (`None`), a command that it refuses, or an evaluator that cannot be asked is
    /// [`PlayerFault::Unusable`].
    fn about<T>(
        &mut self,
        position: &str,
        command: &Command,
        word: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> PlayerResult<T> {
        let taken = self.session.take_position(position).map_err(unusable)?;
        if let Err(words) = taken {
            // Messages about later commands must not name this position.
            self.session.position = None;
            return Err(PlayerFault::Illegal(words));
        }
        let found = self.session.ask(command, |line| {
            if let Some(words) = line.strip_prefix("fault ") {
                return Ok(Err(PlayerFault::Illegal(words.to_owned())));
            }
            let value = line.strip_prefix(word).map(str::trim).and_then(&read);
            let unexpected = || unexpected(line, &format!("`{word}…`"));
            value.map(Ok).ok_or_else(unexpected)
        });
        self.session.position = None;
        // From the outside: it cannot be asked, it refuses the command, its own `fault`.
        found.map_err(unusable)?.map_err(PlayerFault::Unusable)?
    }
}

impl Drop for EvaluatorPlayer<'_> {
    /// Gives the conversation back, with the usual patience for answers.
    fn drop(&mut self) {
        // It is used again, for questions whose answers do not take as long as games.
        self.session.is_slow = false;
    }
}
