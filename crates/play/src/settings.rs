//! Settings of games without rules: what one process asks another to play.

use std::sync::Arc;

use super::adjudication::{Adjudication, DrawRule, WinRule};
use super::book::Book;
use super::clock::{Clock, TimeControl};
use super::contest::Thinking;
use super::opening::Openings;
use super::player::Limit;
use super::sampling::Sampling;
use super::words::{FieldReader, FieldWriter, Fields, Word, fields, joined, parts};
use tuner_base::unexpected;
use tuner_game::rules::Rules;

/// Where openings come from, before the rules have read the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningChoice {
    /// Legal moves drawn blindly from the initial position.
    Random {
        /// How many moves, of both sides.
        plies: usize,
        /// The largest score, either way, that quiescence may find after them,
        /// where a player is there to tell.
        bound: Option<i32>,
    },
    /// Openings of a book.
    Book {
        /// The book, as [`Book::parse`] reads it.
        text: Arc<str>,
        /// How many moves are read of each game, if the book is in PGN.
        plies: usize,
        /// The seed of their order; in the order of the book without one.
        shuffle: Option<u64>,
    },
}

/// Which texts of the games of a match are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchTexts {
    /// The event that they name.
    pub event: String,
    /// Names of the side whose results are counted, and of the other one.
    pub names: [String; 2],
    /// Whether to write each game as PGN or as records of the game.
    pub text: bool,
    /// Whether to write each game as a file of its own.
    pub files: bool,
}

/// How a match is played, and what is written of it.
///
/// ```text
/// seed 1 thinking nodes:5000 openings random:8:150 win 1000:10 draw none longest 500 event match first new second old text no files no
/// ```
///
/// Times are in nanoseconds: `time:50000000`, and a clock
/// `game:8000000000:80000000:none:20000000` of base, increment, moves and margin. Where sides think
/// for longer or shorter, both are said: `nodes:5000,nodes:500`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestSettings {
    /// The seed of the openings.
    pub seed: u64,
    /// Thinking, of the side whose results are counted and of the other one.
    pub thinking: [Thinking; 2],
    /// How pairs begin.
    pub openings: OpeningChoice,
    /// When games end early.
    pub adjudication: Adjudication,
    /// The texts of the games that are written.
    pub texts: MatchTexts,
}

/// How an engine plays itself, and what is kept of it.
///
/// ```text
/// seed 1 limit nodes:800 openings random:8:150 win 600:8 draw none longest 500 positions 10 first-ply 8 checks no tactical no noisy no score none
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfPlaySettings {
    /// The seed of all random numbers.
    pub seed: u64,
    /// How much the engine may think about a move.
    pub limit: Limit,
    /// How games begin.
    pub openings: OpeningChoice,
    /// When games end early.
    pub adjudication: Adjudication,
    /// The positions that are kept.
    pub sampling: Sampling,
    /// How much it may think about each position that is kept, for its score; `None`: the score is
    /// that of the move played.
    pub score: Option<Limit>,
}

/// How a game from a position is played to its end:
/// `limit nodes:800 win 1000:10 draw none longest 500`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutSettings {
    /// How much the player may think about a move.
    pub limit: Limit,
    /// When the game ends early.
    pub adjudication: Adjudication,
}

impl OpeningChoice {
    /// Returns the text of the book, which is sent apart from the line of settings; `None` where
    /// openings are random.
    pub fn book(&self) -> Option<&str> {
        match self {
            Self::Random { .. } => None,
            Self::Book { text, .. } => Some(text),
        }
    }

    /// Reads the book, if there is one, by the rules.
    ///
    /// # Errors
    /// If a line or a move of the book cannot be read, or it has no opening.
    pub fn resolve<R: Rules + ?Sized>(&self, rules: &R) -> Result<Openings<R>, String> {
        Ok(match self {
            &Self::Random { plies, bound } => Openings::Random { plies, bound },
            Self::Book {
                text,
                plies,
                shuffle,
            } => {
                let book = Book::parse(rules, text, *plies)?;
                Openings::Book(match shuffle {
                    Some(seed) => book.shuffled(*seed),
                    None => book,
                })
            }
        })
    }

    /// Reads a word of the settings: `random:PLIES:BOUND`, such as `random:8:150`, or
    /// `book:PLIES:SEED`, such as `book:8:none`. `book` is the text of the book; fails if there is
    /// one for random openings, or if it is missing for a book.
    pub(crate) fn of_word(word: &str, book: Option<&str>) -> Result<Self, String> {
        let parts: Vec<&str> = word.split(':').collect();
        match (&*parts, book) {
            (["random", plies, bound], None) => Ok(Self::Random {
                plies: Word::of_word(plies)?,
                bound: Word::of_word(bound)?,
            }),
            (["book", plies, shuffle], Some(text)) => Ok(Self::Book {
                text: text.into(),
                plies: Word::of_word(plies)?,
                shuffle: Word::of_word(shuffle)?,
            }),
            (["random", _, _], Some(_)) => Err("found a book, expected none".to_owned()),
            (["book", _, _], None) => Err("found no book, expected its text".to_owned()),
            _ => Err(unexpected(word, "openings such as random:8:150")),
        }
    }
}

impl Fields for OpeningChoice {
    /// Writes the key `openings` and `random:PLIES:BOUND` or `book:PLIES:SEED`; the text of the
    /// book is sent apart.
    fn put(&self, to: &mut FieldWriter) {
        let word = match self {
            Self::Random { plies, bound } => format!("random:{plies}:{}", bound.word()),
            Self::Book { plies, shuffle, .. } => format!("book:{plies}:{}", shuffle.word()),
        };
        to.word("openings", &word);
    }

    /// Reads the value of `openings`, `random:PLIES:BOUND` or `book:PLIES:SEED`.
    fn take(from: &mut FieldReader<'_>) -> Result<Self, String> {
        let word: String = from.word("openings")?;
        Self::of_word(&word, from.book).map_err(|words| format!("openings: {words}"))
    }
}

/// Settings as one line, without its end, of keys and values by turns; the text of a book goes
/// beside it.
pub trait SettingsText: Sized {
    /// Writes the settings as one line of keys and words.
    fn line(&self) -> String;

    /// Reads settings from a line that [`line`](Self::line) wrote; `book` is the text of the book
    /// of openings, if they name one.
    ///
    /// # Errors
    /// If the line cannot be read; the message says what was found and what was expected.
    fn of_line(line: &str, book: Option<&str>) -> Result<Self, String>;
}

impl<T: Fields> SettingsText for T {
    /// Writes the fields by turns as keys and words, with single spaces between.
    fn line(&self) -> String {
        let mut to = FieldWriter::default();
        self.put(&mut to);
        to.into_line()
    }

    /// Reads the fields from a line of keys and words, which must have nothing else. `book`: the
    /// text of the book of openings, if the settings name one.
    fn of_line(line: &str, book: Option<&str>) -> Result<Self, String> {
        FieldReader::of_line(line, book)?.whole()
    }
}

fields!(ContestSettings {
    seed "seed",
    thinking "thinking",
    openings,
    adjudication,
    texts,
});
fields!(SelfPlaySettings {
    seed "seed",
    limit "limit",
    openings,
    adjudication,
    sampling,
    score "score",
});
fields!(PlayoutSettings {
    limit "limit",
    adjudication,
});
fields!(Adjudication {
    win "win",
    draw "draw",
    longest "longest",
});
fields!(Sampling {
    positions "positions",
    first_ply "first-ply",
    checks "checks",
    tactical "tactical",
    noisy "noisy",
});
fields!(MatchTexts {
    event "event",
    names,
    text "text",
    files "files",
});
joined!(":" WinRule { score, plies } "a score and plies");
joined!(":" DrawRule { score, plies, from } "a score, plies and a ply");
joined!(":" TimeControl { base, increment, moves, margin } "a base, an increment, moves and a margin");

/// Names of both sides.
impl Fields for [String; 2] {
    /// Writes the names of both sides under the keys `first` and `second`.
    fn put(&self, to: &mut FieldWriter) {
        let [first, second] = self;
        to.word("first", first);
        to.word("second", second);
    }

    /// Reads the names of both sides from the keys `first` and `second`.
    fn take(from: &mut FieldReader<'_>) -> Result<Self, String> {
        Ok([from.word("first")?, from.word("second")?])
    }
}

impl Word for Clock {
    /// Writes, with colons between: the time left of the first player and of the second, their
    /// increments, the moves to go (`none` if there is no such number) and the margin; times in
    /// nanoseconds.
    fn word(&self) -> String {
        let [first, second] = self.left.map(|time| time.word());
        let moves = self.moves_to_go.word();
        let [own, other] = self.increment.map(|time| time.word());
        let margin = self.margin.word();
        format!("{first}:{second}:{own}:{other}:{moves}:{margin}")
    }

    /// Reads, with colons between: the time left of the first player and of the second, their
    /// increments, the moves to go (`none` if there is no such number) and the margin; times in
    /// nanoseconds.
    fn of_word(text: &str) -> Result<Self, String> {
        let [first, second, own, other, moves, margin] = parts(text, ":", "what clocks say")?;
        Ok(Self {
            left: [Word::of_word(first)?, Word::of_word(second)?],
            increment: [Word::of_word(own)?, Word::of_word(other)?],
            moves_to_go: Word::of_word(moves)?,
            margin: Word::of_word(margin)?,
        })
    }
}

impl Word for Limit {
    /// Writes the kind of the limit, a colon, and how much: `nodes:800`; times in nanoseconds.
    fn word(&self) -> String {
        match self {
            Self::Nodes(nodes) => format!("nodes:{nodes}"),
            Self::Depth(depth) => format!("depth:{depth}"),
            Self::Time(time) => format!("time:{}", time.word()),
            Self::Clock(clock) => format!("clock:{}", clock.word()),
        }
    }

    /// Reads the kind of a limit, a colon, and how much: `nodes:800`; times in nanoseconds.
    fn of_word(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("nodes", nodes)) => Word::of_word(nodes).map(Self::Nodes),
            Some(("depth", depth)) => Word::of_word(depth).map(Self::Depth),
            Some(("time", time)) => Word::of_word(time).map(Self::Time),
            Some(("clock", clock)) => Word::of_word(clock).map(Self::Clock),
            _ => Err(unexpected(text, "a limit such as nodes:800")),
        }
    }
}

impl Word for Thinking {
    /// Writes the limit of each move, such as `nodes:800`, or `game:` and the time control of a
    /// game.
    fn word(&self) -> String {
        match self {
            Self::Move(limit) => limit.word(),
            Self::Game(control) => format!("game:{}", control.word()),
        }
    }

    /// Reads the limit of each move, such as `nodes:800`, or `game:` and the time control of a
    /// game.
    fn of_word(text: &str) -> Result<Self, String> {
        let Some(control) = text.strip_prefix("game:") else {
            return Word::of_word(text).map(Self::Move);
        };
        let control: TimeControl = Word::of_word(control)?;
        if control.moves == Some(0) {
            return Err("found a period of 0 moves, expected at least one".to_owned());
        }
        Ok(Self::Game(control))
    }
}

/// The thinking of both sides: one word where they think alike, else two with a comma between.
impl Word for [Thinking; 2] {
    /// Writes the thinking of both sides: one word where they are equal, else two with a comma
    /// between.
    fn word(&self) -> String {
        let [first, second] = self.map(|thinking| thinking.word());
        if first == second {
            return first;
        }
        format!("{first},{second}")
    }

    /// Reads the thinking of both sides: one word for both, or two with a comma between.
    fn of_word(text: &str) -> Result<Self, String> {
        let (first, second) = text.split_once(',').unwrap_or((text, text));
        Ok([Word::of_word(first)?, Word::of_word(second)?])
    }
}
