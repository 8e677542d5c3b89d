//! Answers of a line.

use crate::words::{finite, number};
use tuner_base::unexpected;

/// The answer to `score`: `score VALUE`, with `overflow` behind it where an operation of
/// the evaluation overflowed or a number is not finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreAnswer {
    /// The score, as the evaluation returns it.
    pub value: f64,
    /// Whether it means something: `false` if an operation overflowed or a number is not finite.
    pub is_defined: bool,
}

impl ScoreAnswer {
    /// Reads an answer to `score`: `score VALUE`, or `score VALUE overflow`.
    ///
    /// # Errors
    /// If the line is not such an answer.
    pub fn read(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        if words.next() != Some("score") {
            return Err(unexpected(line, "`score VALUE`"));
        }
        let value = number(words.next(), "a score")?;
        let is_defined = match (words.next(), words.next()) {
            (None, _) if f64::is_finite(value) => true,
            (Some("overflow"), None) => false,
            _ => return Err(unexpected(line, "`score VALUE` with a finite value")),
        };
        Ok(Self { value, is_defined })
    }
}

tuner_base::impl_fmt! { Display for ScoreAnswer, |self, f| {
    let end = if self.is_defined { "" } else { " overflow" };
    write!(f, "score {}{end}", self.value)
} }

/// Reads the answer to `position`: `true` if it is the first player's turn, `false` if the
/// second's.
///
/// # Errors
/// If it is not such an answer.
pub fn first_player_to_move(line: &str) -> Result<bool, String> {
    match line.trim() {
        "position first" => Ok(true),
        "position second" => Ok(false),
        _ => Err(unexpected(line, "`position first` or `position second`")),
    }
}

/// Writes the answer to `position`, which says whether it is the first or the second player's turn.
pub const fn position(first_player_to_move: bool) -> &'static str {
    if first_player_to_move {
        "position first"
    } else {
        "position second"
    }
}

/// The answer to `look`: `look STANDING QUIET`, both from the side to move, or `look none`
/// where the engine has no quiescence search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookAnswer(
    /// The evaluation, and the score of the quiescence search.
    pub Option<[i32; 2]>,
);

impl LookAnswer {
    /// Reads an answer to `look`: `look STANDING QUIET`, the evaluation and the score of the
    /// quiescence search, or `look none` where the engine has no such search.
    ///
    /// # Errors
    /// If the line is not such an answer.
    pub fn read(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("look"), Some("none"), None, _) => Ok(Self(None)),
            (Some("look"), standing, quiet, None) => Ok(Self(Some([
                number(standing, "a score")?,
                number(quiet, "a score")?,
            ]))),
            _ => Err(unexpected(line, "`look STANDING QUIET`")),
        }
    }
}

tuner_base::impl_fmt! { Display for LookAnswer, |self, f| match self.0 {
    None => f.write_str("look none"),
    Some([standing, quiet]) => write!(f, "look {standing} {quiet}"),
} }

/// The answer to `resolve`.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolution {
    /// `resolve unoffered`: the engine has no quiescence search.
    Unoffered,
    /// `resolve none`: the search ends in mate or stalemate, or names no last position.
    None,
    /// `resolve SCORE STANDING`, with `leaf TEXT` behind it where that is another position:
    /// it is the position of what follows.
    Leaf {
        /// The score that the search returned.
        score: f64,
        /// The evaluation of its last position, seen from the same side.
        standing: f64,
        /// That position, where something was played; and whether it is the first player's
        /// turn there.
        leaf: Option<(String, bool)>,
    },
}

impl Resolution {
    /// Reads an answer to `resolve`: `unoffered`, `none`, or the score of the search and the
    /// evaluation of its last position, with `leaf`, who is to move there and its text behind them
    /// if something was played.
    ///
    /// # Errors
    /// If the line is not such an answer.
    pub fn read(line: &str) -> Result<Self, String> {
        let (scores, leaf) = match line.strip_prefix("resolve ").map(str::trim) {
            None => return Err(unexpected(line, "`resolve …`")),
            Some("unoffered") => return Ok(Self::Unoffered),
            Some("none") => return Ok(Self::None),
            Some(rest) => match rest.split_once(" leaf ") {
                Some((scores, leaf)) => (scores, Some(leaf)),
                None => (rest, None),
            },
        };
        let mut words = scores.split_whitespace();
        let score = finite(words.next(), "a score")?;
        let standing = finite(words.next(), "a score")?;
        if words.next().is_some() {
            return Err(unexpected(
                line,
                "`resolve SCORE STANDING`, or `leaf …` behind it",
            ));
        }
        let leaf = leaf.map(|leaf| {
            let (turn, text) = leaf.split_once(' ').unwrap_or((leaf, ""));
            match turn {
                "first" => Ok((text.to_owned(), true)),
                "second" => Ok((text.to_owned(), false)),
                _ => {
                    let expected = "`leaf first TEXT` or `leaf second TEXT`";
                    Err(unexpected(line, expected))
                }
            }
        });
        Ok(Self::Leaf {
            score,
            standing,
            leaf: leaf.transpose()?,
        })
    }
}

tuner_base::impl_fmt! { Display for Resolution, |self, f| match self {
    Self::Unoffered => f.write_str("resolve unoffered"),
    Self::None => f.write_str("resolve none"),
    Self::Leaf { score, standing, leaf } => {
        write!(f, "resolve {score} {standing}")?;
        leaf.iter().try_for_each(|(text, first)| {
            let turn = if *first { "first" } else { "second" };
            write!(f, " leaf {turn} {text}")
        })
    }
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_are_written() {
        for score in [
            ScoreAnswer {
                value: -12.5,
                is_defined: true,
            },
            ScoreAnswer {
                value: 7.0,
                is_defined: false,
            },
        ] {
            assert_eq!(ScoreAnswer::read(&score.to_string()), Ok(score));
        }
        assert!(ScoreAnswer::read("score nan").is_err());
        assert!(ScoreAnswer::read("score").is_err());
        assert!(ScoreAnswer::read("23").is_err());
        assert!(ScoreAnswer::read("score 5 more").is_err());
        assert!(ScoreAnswer::read("score 5 overflow more").is_err());
        assert!(LookAnswer::read("look 1 2 more").is_err());
        assert!(Resolution::read("resolve 1 2 more").is_err());
        assert!(Resolution::read("resolve 1 2 more leaf first 8/8 w").is_err());
        for look in [LookAnswer(None), LookAnswer(Some([-3, 40]))] {
            assert_eq!(LookAnswer::read(&look.to_string()), Ok(look));
        }
        for resolution in [
            Resolution::Unoffered,
            Resolution::None,
            Resolution::Leaf {
                score: 3.0,
                standing: 3.0,
                leaf: None,
            },
            Resolution::Leaf {
                score: -3.0,
                standing: 4.0,
                leaf: Some(("8/8 w".to_owned(), true)),
            },
        ] {
            assert_eq!(Resolution::read(&resolution.to_string()), Ok(resolution));
        }
        for turn in [true, false] {
            assert_eq!(first_player_to_move(position(turn)), Ok(turn));
        }
    }
}
