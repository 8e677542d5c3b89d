//! An error in a text of a game.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// An error in one line or in the position in it.
///
/// A [`PositionNotation`](super::PositionNotation) returns it with the offset
/// counted within the position's text; the reader adds the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where the offending field begins, in bytes from the beginning of the text.
    pub offset: usize,
    /// The text that was found, in words or as [`Fault::quote`] gives it.
    pub found: String,
    /// The text that was expected, in words.
    pub expected: Cow<'static, str>,
    /// How to mend the input, in words.
    pub cure: Cow<'static, str>,
}

impl Fault {
    /// Makes a fault at the first byte of a text, from three pieces of words: what was found there,
    /// what was expected, and how to mend the input.
    pub fn new(found: impl Into<String>, expected: &'static str, cure: &'static str) -> Self {
        Self {
            offset: 0,
            found: found.into(),
            expected: expected.into(),
            cure: cure.into(),
        }
    }

    /// The cure of a result -1: other lines of such a file are not read as they are meant, so it
    /// is not read at all.
    pub const SIGNED_RESULT: &str =
        "if losses are -1 and draws 0 in this file, write 0-1 and 1/2-1/2 instead";
    /// The cure of numbers and words that are results in other files: such a file is not read at
    /// all, as results in it that can be read may mean something else.
    pub const OTHER_RESULT: &str = "results are perhaps written in another way in this file (0, 1 \
        and 2, say, or per cent), so that none is taken; write all as it is expected";

    /// Words for results that are not read. One of them shows that a file writes all its results in
    /// another way.
    const RESULTS_IN_WORDS: [&str; 16] = [
        "w", "b", "l", "d", "=", "win", "loss", "lose", "draw", "white", "black", "true", "false",
        "0.5-0.5", "1/2:1/2", "none",
    ];

    /// Returns how to mend the input, in words, where the text of a result that cannot be read
    /// shows that the whole file writes results in another way: it is a whole number, a number
    /// between -1 and 1, or a word such as `win`. A comma counts as a decimal point; a negative
    /// number gets words of its own, as losses are then -1. `None` of other text: a stray 1.7 tells
    /// nothing of the rest of the file.
    pub fn of_coding(result: &str) -> Option<&'static str> {
        let word = result.to_ascii_lowercase().replace(',', ".");
        if Self::RESULTS_IN_WORDS.contains(&word.as_str()) {
            return Some(Self::OTHER_RESULT);
        }
        let number: f64 = word.parse().ok()?;
        let is_coded = number.abs() < 1.0 || number.fract().abs() <= 0.0;
        is_coded.then_some(if number < 0.0 {
            Self::SIGNED_RESULT
        } else {
            Self::OTHER_RESULT
        })
    }

    /// Tells whether this fault is a bad result that shows that its file writes all results in
    /// another way, so that those that could be read are perhaps misread. It is known by its cure,
    /// one of the two that [`of_coding`](Self::of_coding) gives.
    pub fn is_of_coding(&self) -> bool {
        self.cure == Self::SIGNED_RESULT || self.cure == Self::OTHER_RESULT
    }

    /// Returns the fault as one at the byte `offset` of the text.
    #[must_use]
    pub fn at(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// Returns a text in quotation marks, control characters escaped, cut
    /// after 40 characters.
    pub fn quote(text: &str) -> String {
        tuner_base::quote(text)
    }

    /// Adds to what was found `words`, in which the engine's own parser says why it refused the
    /// text. An empty text and `()` say nothing and are left out; at most 200 characters are taken.
    #[must_use]
    pub fn saying(mut self, words: &str) -> Self {
        if !words.is_empty() && words != "()" {
            let words: String = words.chars().take(200).collect();
            self.found = format!("{}: the engine says: {}", self.found, words.escape_debug());
        }
        self
    }
}

/// The words of a parser's error: its `Display`, else its `Debug`, else none.
///
/// Of the methods of one name the compiler takes the first whose bounds hold, an inherent one
/// before that of a trait, that of a value before that of a reference to it: so any error compiles.
#[macro_export]
macro_rules! error_words {
    ($error:expr) => {{
        #[allow(unused_imports)]
        use $crate::{ErrorOfDebug as _, ErrorOfNoWords as _};
        (&$crate::ParserError($error)).words()
    }};
}

/// An error of an engine's parser, for [`error_words!`](crate::error_words).
#[doc(hidden)]
#[derive(Debug)]
pub struct ParserError<E>(pub E);

impl<E: fmt::Display> ParserError<E> {
    /// Returns the words of an error of an engine's parser by its `Display`. This is an inherent
    /// method, which the compiler prefers to the trait methods of this name; those are for errors
    /// that have only `Debug`, or not even that.
    pub fn words(&self) -> String {
        self.0.to_string()
    }
}

/// The words of an error by its `Debug`, where it has no `Display`.
#[doc(hidden)]
pub trait ErrorOfDebug {
    /// Returns the words of the error.
    fn words(&self) -> String;
}

impl<E: fmt::Debug> ErrorOfDebug for ParserError<E> {
    /// Returns the words of an error of an engine's parser by its `Debug`.
    fn words(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// The words of an error that has neither `Display` nor `Debug`: none.
#[doc(hidden)]
pub trait ErrorOfNoWords {
    /// Returns an empty text: an error with neither `Display` nor `Debug` has no words.
    fn words(&self) -> String {
        String::new()
    }
}

impl<E> ErrorOfNoWords for &ParserError<E> {}

/// The return value of a position parser of another crate: an `Option`, or a `Result`, whose error
/// is asked for words.
pub trait ReadBoard {
    /// The position.
    type Board;
    /// The reason why no position was read; `()` for an `Option`.
    type Error;
    /// Returns the position, or the reason why there is none.
    ///
    /// # Errors
    /// If the parser refused the text.
    fn read_board(self) -> Result<Self::Board, Self::Error>;
}

impl<B> ReadBoard for Option<B> {
    type Board = B;
    type Error = ();
    /// Returns the position; an option tells no reason why there is none.
    fn read_board(self) -> Result<B, ()> {
        self.ok_or(())
    }
}

impl<B, E> ReadBoard for Result<B, E> {
    type Board = B;
    type Error = E;
    /// Returns the result as it is.
    fn read_board(self) -> Self {
        self
    }
}

tuner_base::impl_fmt! { Display for Fault, |self, f| {
    write!(f, "found {}, expected {}; {}", self.found, self.expected, self.cure)
} }

impl Error for Fault {}

/// Faults of games; the caller says where they are.
pub mod in_games {
    use super::Fault;

    /// Makes a fault of a game in a file of games, by what was found and what was expected in
    /// words. The place in the file is left for the caller to add.
    pub fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
        let cure = "correct the game, or pass over bad games with --on-bad-line skip";
        Fault::new(found, expected, cure)
    }

    /// Makes a fault of a game whose text has the bytes `found`, which are quoted, in place of what
    /// was expected.
    pub fn unexpected(found: &[u8], expected: &'static str) -> Fault {
        fault(Fault::quote(&String::from_utf8_lossy(found)), expected)
    }
}

/// Faults of binary records; the caller says where they are.
pub mod in_bytes {
    use super::Fault;
    use crate::{LEFT_OUT, MATE, Outcome};

    /// Reads a result that a binary record gives for the side to move, 1 (won), 0 (drawn) or -1
    /// (lost), and returns it for the first player.
    ///
    /// # Errors
    /// If it is another number.
    pub fn movers_result(result: i16, first_player_to_move: bool) -> Result<Outcome, Fault> {
        let outcome = match result {
            1 => Outcome::Win,
            0 => Outcome::Draw,
            -1 => Outcome::Loss,
            other => return Err(fault(format!("the result {other}"), "1, 0 or -1")),
        };
        let other = outcome.flipped();
        Ok(if first_player_to_move { outcome } else { other })
    }

    /// The rest of a message about scores beyond a mate, behind their number.
    pub const BEYOND_MATE: &str = "scores are beyond a mate (32000) and count as none; write \
                                   them in centipawns, mates as 32000 less the plies to it";

    /// Reads a score of a binary record, in centipawns. `None` if its size is beyond that of a mate
    /// (32,000), as it says nothing then. The exception is [`LEFT_OUT`] (32,002, of either sign),
    /// by which makers of data mark positions to be left out: it is returned.
    pub fn score(score: i16) -> Option<i32> {
        Some(i32::from(score)).filter(|score| score.abs() <= MATE || score.abs() == LEFT_OUT)
    }

    /// Reads a score of a binary record, in centipawns of the side to move, and returns it for the
    /// first player. `None` if its size is beyond that of a mate (32,000), as it says nothing then.
    /// The exception is [`LEFT_OUT`] (32,002, of either sign), by which makers of data mark
    /// positions to be left out: it is returned.
    pub fn movers_score(score: i16, first_player_to_move: bool) -> Option<i32> {
        let score = self::score(score);
        score.map(|score| if first_player_to_move { score } else { -score })
    }

    /// Makes a fault of a binary record, by what was found and what was expected in words. The
    /// place in the file is left for the caller to add.
    pub fn fault(found: impl Into<String>, expected: &'static str) -> Fault {
        let cure = "the file is damaged or of another format; pass over bad records with \
                    --on-bad-line skip";
        Fault::new(found, expected, cure)
    }

    /// Makes the fault of an input that ends within a binary record, after so many `bytes` of it.
    /// `expected` says in words what a whole record is.
    pub fn truncated(bytes: usize, expected: &'static str) -> Fault {
        fault(format!("{bytes} bytes at the end"), expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsers_of_other_crates_say_why_if_they_do() {
        struct BadRank;
        let read = |words: Result<u8, String>| words;
        assert_eq!(Some(1).read_board(), Ok(1));
        let why = |error: String| error_words!(error);
        assert_eq!(read(Ok(1)).read_board().map_err(why), Ok(1));
        let error = read("8x".parse::<u8>().map_err(|error| error.to_string()));
        assert_eq!(
            error.read_board().map_err(why),
            Err("invalid digit found in string".to_owned())
        );
        let silent = None::<u8>.read_board().map_err(|error| error_words!(error));
        assert_eq!(silent, Err("()".to_owned()));
        let silent = Err::<u8, _>(BadRank).read_board();
        assert_eq!(
            silent.map_err(|error| error_words!(error)),
            Err(String::new())
        );
    }

    #[test]
    fn a_fault_tells_what_the_engine_says() {
        #[derive(Debug)]
        struct BadRank;
        struct Silent;
        let fault = || Fault::new("x", "a FEN", "correct the line");
        let told = |words: &str| {
            format!("found x: the engine says: {words}, expected a FEN; correct the line")
        };
        for (words, expected) in [
            (error_words!("no side"), told("no side")),
            (error_words!(&&"no side".to_owned()), told("no side")),
            (error_words!(BadRank), told("BadRank")),
            (error_words!(()), fault().to_string()),
            (error_words!(Silent), fault().to_string()),
        ] {
            assert_eq!(fault().saying(&words).to_string(), expected);
        }
    }
}
