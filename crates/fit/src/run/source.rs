//! Where the rows of a run come from.

use std::error::Error;

use tuner_base::Ranks;
use tuner_rows::{Blocks, TraceSet, Traces};

/// Why positions could not be traced again.
pub type RetraceError = Box<dyn Error + Send + Sync>;

/// Rows at the initial weights, and perhaps at others.
///
/// One path for all: positions of an engine, traces in a file, traces made
/// elsewhere.
pub trait RowSource {
    /// Returns what is known of the rows beyond the rows themselves, such as fingerprints and
    /// counts.
    fn facts(&self) -> &RowFacts;

    /// Returns the processes that have the rows, each those of some games; by default this one
    /// alone.
    fn ranks(&self) -> Ranks {
        Ranks::default()
    }

    /// Is called before the first fit with the weights that the run's result is compared with, in
    /// the order of the reduction. If the rows were taken at other weights and depend on that, it
    /// takes them again at these; by default it does nothing.
    ///
    /// # Errors
    /// If the positions cannot be read or traced again.
    fn begin_at(&mut self, _weights: &[f64]) -> Result<(), RetraceError> {
        Ok(())
    }

    /// Returns the rows that the run begins with.
    fn rows(&self) -> Traces<'_>;

    /// Tells whether the same positions can be traced at other weights.
    fn can_retrace(&self) -> bool {
        false
    }

    /// Tells whether rows are only a model of the scores at other weights, as those of an
    /// evaluation that is not traced: then only rows of [`retrace`](Self::retrace) have true
    /// scores, and a step of a run is taken as far as their error falls. `false`: rows are exact
    /// but where a branch changes.
    fn knows_scores(&self) -> bool {
        false
    }

    /// Returns this rank's rows of the same positions at other weights, which are in the order
    /// of the reduction. Rows of which no branch changes may stay as they are.
    ///
    /// # Errors
    /// If the positions cannot be read or traced again.
    fn retrace(&mut self, _weights: &[f64]) -> Result<TraceSet, RetraceError> {
        Err("these rows cannot be traced again".into())
    }
}

/// Facts about rows beyond the rows themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowFacts {
    /// Fingerprint of the bytes of the data; where there are only rows, that of
    /// the rows.
    pub data: String,
    /// Fingerprint of the rows.
    pub rows: String,
    /// Positions that came with the id of their game.
    pub with_game: u64,
    /// Positions of the data that were rejected.
    pub rejected: u64,
    /// Counts of each file, in their order; empty where they are not known.
    pub files: Vec<FileFacts>,
    /// The size of the rows, in memory or in their file, in bytes.
    pub bytes: u64,
    /// Whether rows hold only near the initial weights, so that what they say of others is
    /// predicted by a linear model and not measured.
    pub linearised: bool,
}

/// Facts about a file of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Positions read from it.
    pub positions: u64,
    /// Lines, records, games and positions of it that were rejected.
    pub rejected: u64,
}

impl RowFacts {
    /// Returns the facts of rows without data of their own, whose fingerprint is that of the data
    /// as well; there are no counts of files, and nothing was rejected. `games`: whether the games
    /// of the rows are known.
    pub fn of_rows(traces: &TraceSet, games: bool) -> Self {
        let fingerprint = traces.fingerprint();
        Self {
            data: fingerprint.clone(),
            rows: fingerprint,
            with_game: if games { traces.len() as u64 } else { 0 },
            bytes: traces.bytes() as u64,
            ..Self::default()
        }
    }
}

/// Rows that cannot be traced again, as the positions that they were traced from are not at hand.
#[derive(Debug)]
pub struct FixedRows {
    facts: RowFacts,
    place: Place,
    ranks: Ranks,
}

/// Where rows are: in memory, or in blocks that are read for every pass.
#[derive(Debug)]
enum Place {
    Memory(Box<TraceSet>),
    Blocks(Box<dyn Blocks>),
}

impl FixedRows {
    /// Makes a source of rows in memory that were made elsewhere. `games`: whether the game of each
    /// row is known.
    pub fn in_memory(traces: TraceSet, games: bool) -> Self {
        Self {
            facts: RowFacts::of_rows(&traces, games),
            place: Place::Memory(Box::new(traces)),
            ranks: Ranks::default(),
        }
    }

    /// Sets whether rows hold only near the initial weights, so that what they say of other weights
    /// is predicted and not measured.
    #[must_use]
    pub fn linearised(mut self, linearised: bool) -> Self {
        self.facts.linearised = linearised;
        self
    }

    /// Makes a source of rows that are read again for every pass, block by block; `facts` are those
    /// of all its rows.
    pub fn streamed(blocks: impl Blocks + 'static, facts: RowFacts) -> Self {
        Self {
            facts,
            place: Place::Blocks(Box::new(blocks)),
            ranks: Ranks::default(),
        }
    }

    /// Makes these rows those of one of several processes, `ranks`; the facts are those of all
    /// ranks.
    #[must_use]
    pub fn among(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }
}

impl RowSource for FixedRows {
    /// Returns the facts that the rows were given with.
    fn facts(&self) -> &RowFacts {
        &self.facts
    }

    /// Returns the processes that have the rows, each those of some games.
    fn ranks(&self) -> Ranks {
        self.ranks
    }

    /// Returns the rows of this process, in memory or as blocks that are read for every pass.
    fn rows(&self) -> Traces<'_> {
        let rows = match &self.place {
            Place::Memory(set) => Traces::from(&**set),
            Place::Blocks(blocks) => Traces::from(&**blocks),
        };
        rows.among(self.ranks)
    }
}
