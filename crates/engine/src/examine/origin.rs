//! Where a position of the data comes from.

use serde::Serialize;

use super::pass::{Examination, ExaminedPosition};
use tuner_data::SampleLocation;

/// Where a position comes from, and its result, the first player's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionOrigin {
    /// The position, as the data have it.
    pub position: String,
    /// Its file.
    pub file: String,
    /// Its line, or the number of its record.
    pub line: u64,
    /// Its game: the id that the data give it, or else the place where this position
    /// was read, `FILE:LINE`; `None` if the data do not know games.
    pub game: Option<String>,
    /// The result R.
    pub outcome: f64,
}

impl Examination<'_> {
    /// Returns where a position comes from.
    pub(super) fn origin(&self, position: &ExaminedPosition<'_>) -> PositionOrigin {
        let read = position.read;
        let game = || self.game(read.game_id.as_deref(), read.location);
        PositionOrigin {
            position: position.text.to_owned(),
            file: self.positions.file(read.location),
            line: read.location.line,
            game: read.labelled.game.map(|_| game()),
            outcome: read.labelled.outcome.value(),
        }
    }

    /// Returns the name of a game: its id, or else the place of its first position.
    pub(super) fn game(&self, id: Option<&str>, first: SampleLocation) -> String {
        let place = || format!("{}:{}", self.positions.file(first), first.line);
        id.map_or_else(place, str::to_owned)
    }
}
