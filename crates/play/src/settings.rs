//! Settings of games without rules: what one process asks another to play.

use std::sync::Arc;

use super::adjudication::{Adjudication, DrawRule, WinRule};
use super::book::{Book, BookError};
use super::clock::{Clock, TimeControl};
use super::contest::{Contest, Thinking};
use super::opening::Openings;
use super::player::Limit;
use super::record::{GameTexts, MatchTags};
use super::sampling::Sampling;
use super::selfplay::SelfPlay;
use super::words::{
    WordReader, is_yes, nanoseconds, number, number_or_none, or_none, unexpected, yes,
};
use tuner_base::{escaped_word, unescaped};
use tuner_game::rules::Rules;

/// Where openings come from, before the rules have read the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningChoice {
    /// Legal moves drawn blindly from the initial position.
    Random {
        /// How many.
        plies: usize,
        /// The largest score, either way, that quiescence may find after them,
        /// where a player is there to tell.
        bound: Option<i32>,
    },
    /// Openings of a book.
    Book {
        /// The book, as [`Book::parse`] reads it.
        text: Arc<str>,
        /// Moves that are read of games.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContestSettings {
    /// Of the openings.
    pub seed: u64,
    /// Thinking, of both sides.
    pub thinking: Thinking,
    /// How pairs begin.
    pub openings: OpeningChoice,
    /// When games end early.
    pub adjudication: Adjudication,
    /// What is written of the games.
    pub texts: MatchTexts,
}

/// How an engine plays itself, and what is kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfPlaySettings {
    /// Of all random numbers.
    pub seed: u64,
    /// Thinking a move.
    pub limit: Limit,
    /// How games begin.
    pub openings: OpeningChoice,
    /// When games end early.
    pub adjudication: Adjudication,
    /// What is kept.
    pub sampling: Sampling,
    /// Thinking about each position that is kept, for its score.
    pub score: Option<Limit>,
}

impl OpeningChoice {
    /// The text of the book, which goes beside what [`write`](Self::write) returns.
    pub fn book(&self) -> Option<&str> {
        match self {
            Self::Random { .. } => None,
            Self::Book { text, .. } => Some(text),
        }
    }

    /// Reads the book, if there is one, by the rules.
    ///
    /// # Errors
    /// As [`Book::parse`].
    pub fn resolve<R: Rules>(&self, rules: &R) -> Result<Openings<R>, BookError> {
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

    /// Writes it as one word, without the text of the book: `random:8:150`, `book:8:none`.
    pub fn write(&self) -> String {
        match self {
            Self::Random { plies, bound } => format!("random:{plies}:{}", or_none(*bound)),
            Self::Book { plies, shuffle, .. } => format!("book:{plies}:{}", or_none(*shuffle)),
        }
    }

    /// Reads what [`write`](Self::write) wrote; `book` is the text of the book.
    ///
    /// # Errors
    /// What was found and what was expected; without the text of a book that is asked
    /// for, or with one that is not.
    pub fn read(word: &str, book: Option<&str>) -> Result<Self, String> {
        let parts: Vec<&str> = word.split(':').collect();
        match (&*parts, book) {
            (["random", plies, bound], None) => Ok(Self::Random {
                plies: number(plies)?,
                bound: number_or_none(bound)?,
            }),
            (["book", plies, shuffle], Some(text)) => Ok(Self::Book {
                text: text.into(),
                plies: number(plies)?,
                shuffle: number_or_none(shuffle)?,
            }),
            (["random", _, _], Some(_)) => Err("found a book, expected none".to_owned()),
            (["book", _, _], None) => Err("found no book, expected its text".to_owned()),
            _ => Err(unexpected(word, "openings such as random:8:150")),
        }
    }
}

impl ContestSettings {
    /// Reads the book, if there is one, by the rules.
    ///
    /// # Errors
    /// As [`Book::parse`].
    pub fn resolve<R: Rules>(&self, rules: &R) -> Result<Contest<R>, BookError> {
        Ok(Contest {
            seed: self.seed,
            thinking: self.thinking,
            openings: self.openings.resolve(rules)?,
            adjudication: self.adjudication,
        })
    }

    /// Which texts are made of pair `number`.
    pub fn texts_of(&self, number: u64) -> GameTexts<'_> {
        let texts = &self.texts;
        let tags = MatchTags {
            event: &texts.event,
            names: [&texts.names[0], &texts.names[1]],
            time_control: match self.thinking {
                Thinking::Game(control) => Some(control),
                Thinking::Move(_) => None,
            },
        };
        GameTexts {
            tags: Some(tags),
            text: texts.text,
            files: texts.files,
            number,
        }
    }

    /// Writes one line without its end, of keys and values by turns; the text of the book
    /// goes beside it.
    ///
    /// ```text
    /// seed 1 thinking nodes:5000 openings random:8:150 win 1000:10 draw none longest 500 event match first new second old text no files no
    /// ```
    ///
    /// Times are in nanoseconds. In texts a backslash is `\\`, a space `\s`, the end of a
    /// line `\n`, a carriage return `\r`; a text without characters is `\e`.
    pub fn write(&self) -> String {
        let texts = &self.texts;
        format!(
            "seed {} thinking {} openings {} {} event {} first {} second {} text {} files {}",
            self.seed,
            thinking_word(self.thinking),
            self.openings.write(),
            adjudication_words(&self.adjudication),
            escaped_word(&texts.event),
            escaped_word(&texts.names[0]),
            escaped_word(&texts.names[1]),
            yes(texts.text),
            yes(texts.files),
        )
    }

    /// Reads what [`write`](Self::write) wrote; `book` is the text of the book.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub fn read(line: &str, book: Option<&str>) -> Result<Self, String> {
        let mut words = WordReader::new(line)?;
        let settings = Self {
            seed: words.read("seed", number)?,
            thinking: words.read("thinking", thinking)?,
            openings: words.read("openings", |word| OpeningChoice::read(word, book))?,
            adjudication: adjudication(&mut words)?,
            texts: MatchTexts {
                event: words.read("event", unescaped)?,
                names: [
                    words.read("first", unescaped)?,
                    words.read("second", unescaped)?,
                ],
                text: words.read("text", is_yes)?,
                files: words.read("files", is_yes)?,
            },
        };
        words.finish()?;
        Ok(settings)
    }
}

/// How a game from a position is played to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayoutSettings {
    /// Thinking a move.
    pub limit: Limit,
    /// When the game ends early.
    pub adjudication: Adjudication,
}

impl PlayoutSettings {
    /// Writes one line without its end, of keys and values by turns:
    /// `limit nodes:800 win 1000:10 draw none longest 500`.
    pub fn write(&self) -> String {
        let rules = adjudication_words(&self.adjudication);
        format!("limit {} {rules}", limit_word(self.limit))
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub fn read(line: &str) -> Result<Self, String> {
        let mut words = WordReader::new(line)?;
        let settings = Self {
            limit: words.read("limit", limit_of)?,
            adjudication: adjudication(&mut words)?,
        };
        words.finish()?;
        Ok(settings)
    }
}

impl SelfPlaySettings {
    /// Reads the book, if there is one, by the rules.
    ///
    /// # Errors
    /// As [`Book::parse`].
    pub fn resolve<R: Rules>(&self, rules: &R) -> Result<SelfPlay<R>, BookError> {
        Ok(SelfPlay {
            seed: self.seed,
            limit: self.limit,
            openings: self.openings.resolve(rules)?,
            adjudication: self.adjudication,
            sampling: self.sampling,
            score: self.score,
        })
    }

    /// Writes one line without its end, of keys and values by turns; the text of the book
    /// goes beside it.
    ///
    /// ```text
    /// seed 1 limit nodes:800 openings random:8:150 win 600:8 draw none longest 500 positions 10 first-ply 8 checks no tactical no noisy no score none
    /// ```
    pub fn write(&self) -> String {
        let sampling = &self.sampling;
        format!(
            "seed {} limit {} openings {} {} positions {} first-ply {} checks {} tactical {} \
             noisy {} score {}",
            self.seed,
            limit_word(self.limit),
            self.openings.write(),
            adjudication_words(&self.adjudication),
            sampling.positions,
            sampling.first_ply,
            yes(sampling.checks),
            yes(sampling.tactical),
            yes(sampling.noisy),
            or_none(self.score.map(limit_word)),
        )
    }

    /// Reads what [`write`](Self::write) wrote; `book` is the text of the book.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub fn read(line: &str, book: Option<&str>) -> Result<Self, String> {
        let mut words = WordReader::new(line)?;
        let settings = Self {
            seed: words.read("seed", number)?,
            limit: words.read("limit", limit_of)?,
            openings: words.read("openings", |word| OpeningChoice::read(word, book))?,
            adjudication: adjudication(&mut words)?,
            sampling: Sampling {
                positions: words.read("positions", number)?,
                first_ply: words.read("first-ply", number)?,
                checks: words.read("checks", is_yes)?,
                tactical: words.read("tactical", is_yes)?,
                noisy: words.read("noisy", is_yes)?,
            },
            score: words.read("score", |word| match word {
                "none" => Ok(None),
                word => limit_of(word).map(Some),
            })?,
        };
        words.finish()?;
        Ok(settings)
    }
}

fn adjudication_words(rules: &Adjudication) -> String {
    let win = rules
        .win
        .map(|rule| format!("{}:{}", rule.score, rule.plies));
    let draw = (rules.draw).map(|rule| format!("{}:{}:{}", rule.score, rule.plies, rule.from));
    format!(
        "win {} draw {} longest {}",
        or_none(win),
        or_none(draw),
        rules.longest
    )
}

fn adjudication(words: &mut WordReader<'_>) -> Result<Adjudication, String> {
    Ok(Adjudication {
        win: words.read("win", win)?,
        draw: words.read("draw", draw)?,
        longest: words.read("longest", number)?,
    })
}

fn win(word: &str) -> Result<Option<WinRule>, String> {
    match &*word.split(':').collect::<Vec<_>>() {
        ["none"] => Ok(None),
        [score, plies] => Ok(Some(WinRule {
            score: number(score)?,
            plies: number(plies)?,
        })),
        _ => Err(unexpected(word, "a score and plies")),
    }
}

fn draw(word: &str) -> Result<Option<DrawRule>, String> {
    match &*word.split(':').collect::<Vec<_>>() {
        ["none"] => Ok(None),
        [score, plies, from] => Ok(Some(DrawRule {
            score: number(score)?,
            plies: number(plies)?,
            from: number(from)?,
        })),
        _ => Err(unexpected(word, "a score, plies and a ply")),
    }
}

/// Writes a limit as one word: `nodes:800`, `depth:8`, `time:NANOSECONDS`.
pub fn limit_word(limit: Limit) -> String {
    match limit {
        Limit::Nodes(nodes) => format!("nodes:{nodes}"),
        Limit::Depth(depth) => format!("depth:{depth}"),
        Limit::Time(time) => format!("time:{}", time.as_nanos()),
        Limit::Clock(clock) => format!(
            "clock:{}:{}:{}:{}:{}",
            clock.left[0].as_nanos(),
            clock.left[1].as_nanos(),
            clock.increment.as_nanos(),
            or_none(clock.moves_to_go),
            clock.margin.as_nanos(),
        ),
    }
}

/// Reads a limit as [`limit_word`] writes it.
///
/// # Errors
/// What was found and what was expected.
pub fn limit_of(word: &str) -> Result<Limit, String> {
    match &*word.split(':').collect::<Vec<_>>() {
        ["nodes", nodes] => Ok(Limit::Nodes(number(nodes)?)),
        ["depth", depth] => Ok(Limit::Depth(number(depth)?)),
        ["time", time] => Ok(Limit::Time(nanoseconds(time)?)),
        ["clock", first, second, increment, moves, margin] => Ok(Limit::Clock(Clock {
            left: [nanoseconds(first)?, nanoseconds(second)?],
            increment: nanoseconds(increment)?,
            moves_to_go: number_or_none(moves)?,
            margin: nanoseconds(margin)?,
        })),
        _ => Err(unexpected(word, "a limit such as nodes:800")),
    }
}

/// As [`limit_word`], or the clocks of a game: base, increment, moves, margin.
fn thinking_word(thinking: Thinking) -> String {
    match thinking {
        Thinking::Move(limit) => limit_word(limit),
        Thinking::Game(control) => format!(
            "game:{}:{}:{}:{}",
            control.base.as_nanos(),
            control.increment.as_nanos(),
            or_none(control.moves),
            control.margin.as_nanos(),
        ),
    }
}

fn thinking(word: &str) -> Result<Thinking, String> {
    match &*word.split(':').collect::<Vec<_>>() {
        ["game", base, increment, moves, margin] => {
            let moves = number_or_none(moves)?;
            if moves == Some(0) {
                return Err("found a period of 0 moves, expected at least one".to_owned());
            }
            Ok(Thinking::Game(TimeControl {
                base: nanoseconds(base)?,
                increment: nanoseconds(increment)?,
                moves,
                margin: nanoseconds(margin)?,
            }))
        }
        _ => limit_of(word).map(Thinking::Move),
    }
}
