//! How games end.

use tuner_data::Outcome;

/// How a game ended: with a result, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameEnd {
    Result(Outcome),
    Unfinished,
}

impl GameEnd {
    /// Reads a result as the tag `Result` and the movetext have it, `1-0`, `0-1`, `1/2-1/2`, `1/2`,
    /// `½-½`, or `*` of an unfinished game; `None` of other text.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let outcome = match text.trim_ascii() {
            b"1-0" => Outcome::Win,
            b"0-1" => Outcome::Loss,
            b"1/2-1/2" | b"1/2" | b"\xc2\xbd-\xc2\xbd" => Outcome::Draw,
            b"*" => return Some(Self::Unfinished),
            _ => return None,
        };
        Some(Self::Result(outcome))
    }
}
