//! Tests of all formats: games written by another library are read as they were
//! played, and damaged ones are rejected.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod damaged;
mod scores;
mod written;

use tuner_data::Outcome;
use tuner_data::{LabelledPosition, RecordEvent, RecordPlace, Records, StatedScores};

use crate::Position;

/// What a reader found.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) positions: Vec<(RecordPlace, LabelledPosition<Position>)>,
    pub(crate) units: u64,
    pub(crate) unfinished: u64,
    pub(crate) unread: u64,
    pub(crate) rejected: Vec<(u64, u64, String)>,
}

pub(crate) fn read(format: &Records<Position>, bytes: &[u8]) -> Read {
    let mut read = Read::default();
    let mut open = 0;
    (format.parse)(bytes, StatedScores::default(), &mut |found| match found {
        RecordEvent::Position(place, labelled) => {
            open += 1;
            read.positions.push((place, labelled));
        }
        RecordEvent::Unit => {
            open = 0;
            read.units += 1;
        }
        RecordEvent::Text => {}
        RecordEvent::Unread(_, count, _) => read.unread += count,
        RecordEvent::Unfinished => read.unfinished += 1,
        RecordEvent::Rejected(place, fault) => {
            read.rejected
                .push((place.line + 1, place.column, fault.to_string()));
        }
    });
    assert_eq!(open, 0, "positions are emitted with their unit");
    read
}

impl Read {
    /// The result of the one game, and whether it is a forfeit; `None` if it is
    /// unfinished.
    pub(crate) fn result(&self) -> Option<(Outcome, bool)> {
        assert!(self.rejected.is_empty(), "{:?}", self.rejected);
        assert_eq!(self.units + self.unfinished, 1, "{self:?}");
        let (_, first) = self.positions.first()?;
        assert!(
            self.positions
                .iter()
                .all(|(_, other)| other.outcome == first.outcome)
        );
        Some((
            first.outcome.outcome().unwrap(),
            first.around.forfeit.unwrap(),
        ))
    }

    /// Line, column and message of the one game that was rejected.
    pub(crate) fn rejection(&self) -> (u64, u64, &str) {
        assert!(self.positions.is_empty() && self.units == 0, "{self:?}");
        let [(line, column, words)] = self.rejected.as_slice() else {
            panic!("{self:?}")
        };
        (*line, *column, words)
    }
}
