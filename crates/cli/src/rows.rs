//! The rows that an engine's fit is on: traced just now, or in a file.

use serde_json::{Value, json};

use tuner_engine::Collected;
use tuner_fit::TracesMut;
#[cfg(feature = "arrow")]
use tuner_rows::file::TraceFile;
use tuner_rows::{TraceSet, Traces};

/// Rows, and what is known of where they come from.
pub(super) struct Rows {
    source: Source,
    /// Fingerprint of the data; of a file that of its rows.
    pub(super) data: String,
    /// Fingerprint of the rows.
    pub(super) fingerprint: String,
    /// Positions that came with the id of their game.
    pub(super) with_game: u64,
    rejected: u64,
}

enum Source {
    Memory(TraceSet),
    #[cfg(feature = "arrow")]
    File(TraceFile),
}

impl Rows {
    /// Rows that have been traced.
    pub(super) fn traced<P>(collected: Collected<P>) -> Self {
        let total = collected.report.total();
        Self {
            data: collected.report.fingerprint(),
            fingerprint: collected.fingerprint,
            with_game: total.with_game,
            rejected: total.rejected,
            source: Source::Memory(collected.traces),
        }
    }

    /// Rows in a file.
    #[cfg(feature = "arrow")]
    pub(super) fn in_file(file: TraceFile) -> Self {
        Self {
            data: file.fingerprint(),
            fingerprint: file.fingerprint(),
            with_game: file.about().with_game,
            rejected: file.about().rejected,
            source: Source::File(file),
        }
    }

    /// The rows.
    pub(super) fn traces(&self) -> Traces<'_> {
        match &self.source {
            Source::Memory(set) => Traces::Whole(set),
            #[cfg(feature = "arrow")]
            Source::File(file) => Traces::Blocks(file),
        }
    }

    /// The rows, to be given other targets for a while.
    pub(super) fn traces_mut(&mut self) -> TracesMut<'_> {
        match &mut self.source {
            Source::Memory(set) => TracesMut::Whole(set),
            #[cfg(feature = "arrow")]
            Source::File(file) => TracesMut::Blocks(file),
        }
    }

    /// Tells whether every position came with the id of its game.
    pub(super) fn all_with_game(&self) -> bool {
        self.with_game == self.traces().len() as u64
    }

    /// What the summary says of the data.
    pub(super) fn json(&self) -> Value {
        let positions = self.traces().len();
        let bytes = match &self.source {
            Source::Memory(set) => set.bytes() as u64,
            #[cfg(feature = "arrow")]
            Source::File(file) => file.bytes(),
        };
        json!({
            "fingerprint": self.fingerprint,
            "positions": positions,
            "games": self.traces().games(),
            "rejected": self.rejected,
            "bytes_per_position": bytes as f64 / positions as f64,
            "streamed": self.traces().are_streamed(),
        })
    }
}
