//! What all formats share: games written by another library are read as they
//! were played, damaged ones do no harm.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod damaged;
mod written;

use tuner_data::Outcome;
use tuner_data::{Found, Labelled, Place, Records};

use crate::Position;

/// What a reader found.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) positions: Vec<(Place, Labelled<Position>)>,
    pub(crate) units: u64,
    pub(crate) unfinished: u64,
    pub(crate) rejected: Vec<(u64, u64, String)>,
}

pub(crate) fn read(format: &dyn Records<Position>, bytes: &[u8]) -> Read {
    let mut read = Read::default();
    let mut open = 0;
    format.parse(bytes, &mut |found| match found {
        Found::Position(place, labelled) => {
            open += 1;
            read.positions.push((place, labelled));
        }
        Found::Unit => {
            open = 0;
            read.units += 1;
        }
        Found::Unfinished => read.unfinished += 1,
        Found::Rejected(place, fault) => {
            read.rejected
                .push((place.line + 1, place.column, fault.to_string()));
        }
    });
    assert_eq!(open, 0, "positions are told with their unit");
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

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}
