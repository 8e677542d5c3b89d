//! How games are played, in all jobs that play some.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::polyglot::{HEAD, drawn, is_polyglot};
use crate::{Failure, Job};
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
    fn default() -> Self {
        Self::Random {
            plies: RANDOM_PLIES,
            balance: None,
        }
    }
}

impl Default for GamesConfig {
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
    /// Returns the settings of games. `judged`: whether an evaluator can tell if a random opening
    /// is balanced; `count`: how many openings are drawn, if they are of a Polyglot book; `texts`:
    /// which texts of the games are wanted.
    pub(crate) fn settings(
        &self,
        game: &AnyGame,
        judged: bool,
        count: u64,
        texts: MatchTexts,
    ) -> Result<ContestSettings, Failure> {
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
    /// Reads the book, or takes random moves. `judged`: whether an evaluator can tell if a random
    /// opening is balanced; `count`: how many openings are drawn of a Polyglot book, by `seed`.
    /// Refused are a balance that nobody can tell, and a Polyglot book in its own order.
    fn choice(
        &self,
        game: &AnyGame,
        seed: u64,
        judged: bool,
        count: u64,
    ) -> Result<OpeningChoice, Failure> {
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

    /// Finds out what is wrong with a book, as far as the game's rules are known here.
    pub(crate) fn check(&self, game: &AnyGame) -> Result<(), Failure> {
        let choice = self.choice(game, 1, false, 1)?;
        if game.has_rules() {
            choice.resolve(game).map_err(|words| self.refused(&words))?;
        }
        Ok(())
    }

    /// Makes the failure of a book, with its name; `words` begin with the number of a line, or with
    /// a space.
    pub(crate) fn refused(&self, words: &str) -> Failure {
        match self {
            Self::Book { file, .. } => format!("--book {}:{words}", file.display()).into(),
            Self::Random { .. } => words.into(),
        }
    }

    /// Says how many openings the book has, if there is one; `count`: that number.
    pub(crate) fn say(&self, job: &Job, count: Option<u64>) {
        if let (Self::Book { file, .. }, Some(count)) = (self, count) {
            job.say(format_args!("{}: {count} openings", file.display()));
        }
    }

    /// Where openings come from, in words.
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

/// Returns the identity that games that are resumed must have in common, values by name: who plays;
/// the words of `line`, the settings of the games; of a book its fingerprint. That of a Polyglot
/// book is of the file, as the number of games may change.
pub(crate) fn identity(
    players: impl IntoIterator<Item = (&'static str, Value)>,
    line: &str,
    openings: &OpeningChoice,
) -> Value {
    let mut all: serde_json::Map<String, Value> = (players.into_iter())
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let words: Vec<&str> = line.split(' ').collect();
    for [name, value] in words.as_chunks::<2>().0 {
        // Self-play calls `limit` what matches call `thinking`.
        let name = if *name == "limit" { "thinking" } else { *name };
        all.insert(name.to_owned(), (*value).into());
    }
    if let Some(book) = openings.book() {
        let head = book.lines().next().filter(|line| line.starts_with(HEAD));
        let book = head.unwrap_or(book);
        let book = format!("{:016x}", Fingerprint::of_bytes(book.as_bytes()));
        all.insert("book".to_owned(), book.into());
    }
    all.into()
}

/// How much both sides may think, in words.
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

/// How much a player may think about a move, in words.
pub(crate) fn limit_words(limit: Limit) -> String {
    match limit {
        Limit::Nodes(nodes) => format!("{nodes} nodes a move"),
        Limit::Depth(depth) => format!("depth {depth}"),
        Limit::Time(time) => format!("{} ms a move", time.as_millis()),
        Limit::Clock(_) => "clocks".to_owned(),
    }
}
