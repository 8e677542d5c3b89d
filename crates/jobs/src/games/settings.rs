//! How games are played, in all jobs that play some.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::polyglot::{HEAD, drawn, is_polyglot};
use crate::{Failure, Job, Result};
use tuner_base::Fingerprint;
use tuner_data::AnyGame;
use tuner_play::{
    Adjudication, ContestSettings, Limit, MatchTexts, OpeningChoice, Thinking, WinRule,
};

/// The largest score, either way, that random openings may have, in centipawns. Chosen: games that
/// begin so are still won by either side.
const BALANCE: i32 = 150;

/// Random moves of an opening.
pub const RANDOM_PLIES: usize = 8;
/// Half-moves that are taken of each game of a book, by default.
pub const BOOK_PLIES: usize = 16;

/// How games are played; the default is that of `match`.
#[derive(Clone, Debug, PartialEq)]
pub struct GamesConfig {
    /// Seed of all random numbers.
    pub seed: u64,
    /// How long sides think, where nothing else is said of one.
    pub thinking: Thinking,
    /// How games begin.
    pub openings: OpeningSource,
    /// When games end before the rules end them.
    pub adjudication: Adjudication,
    /// Whether what was interrupted continues.
    pub resume: bool,
}

/// How games begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// By random moves.
    Random {
        /// How many moves, of both sides.
        plies: usize,
        /// The largest score that the quiescence search may find after them, either way, in
        /// centipawns. `None`: 150, where an evaluator can tell, else any.
        balance: Option<i32>,
    },
    /// By a book: a position a line, games in PGN, or a Polyglot book.
    Book {
        /// Its file.
        file: PathBuf,
        /// Moves to take of each game, or opening.
        plies: usize,
        /// Whether its order is shuffled by the seed.
        shuffled: bool,
    },
}

impl Default for OpeningSource {
    /// Openings by 8 random half-moves, balanced as far as an evaluator can tell.
    fn default() -> Self {
        Self::Random {
            plies: RANDOM_PLIES,
            balance: None,
        }
    }
}

impl Default for GamesConfig {
    /// The games of `match` by default: 5000 nodes a move; won at a score of 1000 centipawns for 10
    /// plies, never drawn by scores, drawn after 500 plies.
    fn default() -> Self {
        Self {
            seed: 1,
            thinking: Thinking::Move(Limit::Nodes(5_000)),
            openings: OpeningSource::default(),
            adjudication: Adjudication {
                win: Some(WinRule {
                    score: 1_000,
                    plies: 10,
                }),
                draw: None,
                longest: 500,
            },
            resume: false,
        }
    }
}

impl GamesConfig {
    /// Returns the settings of games, in which both sides think alike. `judged`: whether an
    /// evaluator can tell if a random opening is balanced; `count`: how many openings are drawn of
    /// a Polyglot book, without meaning otherwise; `texts`: which texts of the games are wanted.
    pub(crate) fn settings(
        &self,
        game: &AnyGame,
        judged: bool,
        count: u64,
        texts: MatchTexts,
    ) -> Result<ContestSettings> {
        Ok(ContestSettings {
            seed: self.seed,
            thinking: [self.thinking; 2],
            openings: self.openings.choice(game, self.seed, judged, count)?,
            adjudication: self.adjudication,
            texts,
        })
    }
}

impl OpeningSource {
    /// Returns how games begin: by the text of a book, which is read, or by random moves. `judged`:
    /// whether an evaluator can tell if a random opening is balanced; then its score is bounded, by
    /// 150 centipawns if `--balance` says nothing. `count`: how many openings are drawn of a
    /// Polyglot book, by `seed`. Fails if `--balance` is given and `judged` is `false`, or if a
    /// Polyglot book is to be taken in its own order.
    fn choice(&self, game: &AnyGame, seed: u64, judged: bool, count: u64) -> Result<OpeningChoice> {
        match self {
            Self::Random {
                balance: Some(_), ..
            } if !judged => {
                misuse!("--balance: external engines cannot tell; leave it out, or give a book")
            }
            Self::Random { plies, balance } => Ok(OpeningChoice::Random {
                plies: *plies,
                bound: judged.then_some(balance.unwrap_or(BALANCE)),
            }),
            Self::Book {
                file,
                plies,
                shuffled,
            } => {
                let of_book = |error: String| format!("--book {}: {error}", file.display());
                let bytes = fs::read(file).map_err(|error| of_book(error.to_string()))?;
                let is_drawn = is_polyglot(file);
                if is_drawn && !shuffled {
                    misuse!(
                        "--book-order: openings of a Polyglot book are drawn by their weights; leave it out"
                    );
                }
                let text = if is_drawn {
                    drawn(game, &bytes, *plies, seed, count)
                } else {
                    tuner_data::text_of(&bytes)
                };
                Ok(OpeningChoice::Book {
                    text: text.map_err(of_book)?.into(),
                    plies: *plies,
                    shuffle: (*shuffled && !is_drawn).then_some(seed),
                })
            }
        }
    }

    /// Fails if a book of openings cannot be read; where this program knows the rules of the game,
    /// also if an opening of it is not legal.
    pub(crate) fn check(&self, game: &AnyGame) -> Result<()> {
        // Any seed, and one opening of a Polyglot book, are enough to see that it can be read; no
        // evaluator is asked (`false`).
        let choice = self.choice(game, 1, false, 1)?;
        if game.has_rules() {
            choice.resolve(game).map_err(|words| self.refused(&words))?;
        }
        Ok(())
    }

    /// Makes the failure of a book of openings, with the name of its file. `words` begin with the
    /// number of a line, or with a space, as they follow `FILE:`.
    pub(crate) fn refused(&self, words: &str) -> Failure {
        match self {
            Self::Book { file, .. } => format!("--book {}:{words}", file.display()).into(),
            Self::Random { .. } => words.into(),
        }
    }

    /// Tells the user how many openings the book has, `count`; says nothing where there is no book.
    pub(crate) fn say(&self, job: &Job, count: Option<u64>) {
        if let (Self::Book { file, .. }, Some(count)) = (self, count) {
            job.say(format_args!("{}: {count} openings", file.display()));
        }
    }

    /// Returns where openings come from, in words for a page.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Random { plies, .. } => format!("{plies} random half-moves"),
            Self::Book { file, shuffled, .. } => {
                let order = if is_polyglot(file) {
                    "drawn by its weights"
                } else if *shuffled {
                    "shuffled"
                } else {
                    "as in the file"
                };
                format!("{}, {order}", file.display())
            }
        }
    }
}

/// Returns what must be the same where games are resumed, as values by name: `players`, who plays;
/// the settings in `line`, which is names and values in turn; and the fingerprint of a book of
/// openings. Of a Polyglot book it is that of its file, not of the openings drawn, whose number may
/// change.
pub(crate) fn identity(
    players: impl IntoIterator<Item = (&'static str, Value)>,
    line: &str,
    openings: &OpeningChoice,
) -> Value {
    let mut all: serde_json::Map<String, Value> = (players.into_iter())
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let words: Vec<&str> = line.split(' ').collect();
    // Pairs of words: a name and its value.
    for [name, value] in words.as_chunks::<2>().0 {
        // Self-play calls `limit` what matches call `thinking`.
        let name = if *name == "limit" { "thinking" } else { *name };
        all.insert(name.to_owned(), (*value).into());
    }
    if let Some(book) = openings.book() {
        // A text that was drawn from a Polyglot book begins with a line that has the book's
        // fingerprint.
        let head = book.lines().next().filter(|line| line.starts_with(HEAD));
        let book = head.unwrap_or(book);
        let book = format!("{:016x}", Fingerprint::of_bytes(book.as_bytes()));
        all.insert("book".to_owned(), book.into());
    }
    all.into()
}

/// Returns how much both sides may think, in words; once where both have the same.
pub(crate) fn thinking_words(thinking: [Thinking; 2]) -> String {
    let [first, second] = thinking.map(|thinking| match thinking {
        Thinking::Move(limit) => limit_words(limit),
        Thinking::Game(control) => {
            format!("{control}, {} ms of margin", control.margin.as_millis())
        }
    });
    if first == second {
        return first;
    }
    format!("{first} against {second}")
}

/// Returns how much a player may think about a move, in words.
pub(crate) fn limit_words(limit: Limit) -> String {
    match limit {
        Limit::Nodes(nodes) => format!("{nodes} nodes a move"),
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Time(time) => format!("{} ms a move", time.as_millis()),
        Limit::Clock(_) => "clocks".to_owned(),
    }
}
