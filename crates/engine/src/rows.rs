//! The rows of an engine's positions: traced at the source's weights and
//! checked, and traced again where a run asks for it.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::LinkedSpec;
use super::retrace::{changed_rows, retraced};
use tuner_base::Ranks;
use tuner_data::{FirstReading, Input, ReadError, ReadOptions, SampleLocation};
use tuner_evaluation::notes::PositionNotes;
use tuner_evaluation::{
    Agreement, Collected, Differences, DrawnResults, Evaluation, EvaluationError, Resolve, Tracing,
    collect, differences,
};
use tuner_fit::TracesMut;
use tuner_fit::run::{RetraceError, RowFacts, RowSource};
use tuner_rows::TraceSet;

/// Positions on which all derivatives are compared with differences, unless it
/// is chosen otherwise.
pub const COMPARED: usize = 100;

/// Labelled positions, and which of them are traced.
#[derive(Debug)]
pub struct Positions {
    /// Files, standard input, or what comes with the engine.
    pub inputs: Vec<Input>,
    /// How they are read.
    pub options: ReadOptions,
    /// Which position is traced for one of the data.
    pub resolve: Resolve,
    /// Results to take in place of those of the data, each position a game.
    pub drawn: Option<DrawnResults>,
    /// Who else works on them: each rank traces the positions of some of the games.
    pub ranks: Ranks,
}

/// Why there are no rows.
#[derive(Debug, Error)]
pub enum EngineRowsError {
    /// An input is named wrongly.
    #[error("{0}")]
    Input(String),
    /// No file is named.
    #[error("no file of positions is named; name one, or `data` in tuner.toml")]
    NoInput,
    /// The evaluator cannot be asked.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// The positions cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The traces are none of the production evaluation.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// Ranks do not understand each other.
    #[error("ranks of different versions of this program: {0}")]
    Ranks(#[from] serde_json::Error),
}

/// Why a fit on traces would be one of something else than the engine.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum CheckError {
    /// There is no position.
    #[error("no position was read; give a file with labelled positions")]
    NoPositions,
    /// Scores, sums or derivatives differ.
    #[error("production and trace do not agree (see above); nothing was fitted")]
    Disagreement,
    /// A part of the score comes from where no weight is.
    #[error(
        "a part of the score comes from where no weight is (see above): annotate that code, or \
         accept the part as fixed with --allow-constants"
    )]
    ForeignConstants,
}

/// Traces, and what the check of their derivatives found.
#[derive(Debug)]
pub struct CheckedTraces {
    /// The traces.
    pub collected: Collected,
    /// What the comparison of derivatives with differences found.
    pub differences: Differences,
}

impl CheckedTraces {
    /// Adds up what all ranks have found, and compares derivatives on so many of the positions
    /// that were kept.
    ///
    /// # Errors
    /// If the evaluator cannot be asked any further, or ranks do not understand each other.
    pub fn new(
        evaluation: &Evaluation,
        linked: &LinkedSpec,
        mut collected: Collected,
        compared: usize,
        ranks: Ranks,
    ) -> Result<Self, EngineRowsError> {
        let weights = collected.agreement.reads.len();
        collected.agreement = among(
            ranks,
            collected.agreement,
            Agreement::new(weights),
            Agreement::merge,
        )?;
        let sample = thinned(&collected.sample, compared.div_ceil(ranks.size()));
        let sample: Vec<&str> = sample.into_iter().map(String::as_str).collect();
        let found = differences(evaluation, &linked.link, &sample)?;
        let differences = among(ranks, found, Differences::default(), Differences::merge)?;
        Ok(Self {
            collected,
            differences,
        })
    }

    /// Tells whether a fit on the traces is one of the engine.
    ///
    /// # Errors
    /// If it is not.
    pub fn verdict(&self, allow_constants: bool) -> Result<(), CheckError> {
        let (agreement, differences) = (&self.collected.agreement, &self.differences);
        if agreement.positions == 0 {
            return Err(CheckError::NoPositions);
        }
        if agreement.is_wrong() || differences.are_wrong() {
            return Err(CheckError::Disagreement);
        }
        if agreement.has_foreign_constants() && !allow_constants {
            return Err(CheckError::ForeignConstants);
        }
        Ok(())
    }
}

/// Adds up what all ranks have found, in their order, to what begins without anything.
fn among<T: Clone + DeserializeOwned + Serialize>(
    ranks: Ranks,
    here: T,
    mut all: T,
    merge: fn(&mut T, T),
) -> Result<T, serde_json::Error> {
    if ranks.is_alone() {
        return Ok(here);
    }
    let gathered = ranks.gather_bytes(&serde_json::to_vec(&here)?);
    for (rank, there) in gathered.iter().enumerate() {
        // Not all of it is told to others.
        let found = if rank == ranks.rank() {
            here.clone()
        } else {
            serde_json::from_slice(there)?
        };
        merge(&mut all, found);
    }
    Ok(all)
}

/// So many of the positions, spread over all.
pub fn thinned<P>(sample: &[P], wanted: usize) -> Vec<&P> {
    let count = wanted.min(sample.len());
    (0..count)
        .map(|number| &sample[number * sample.len() / count])
        .collect()
}

impl Positions {
    /// Names files, in the notation of the command line: `FILE:limit=1000`.
    ///
    /// # Errors
    /// If an option of a file is none, or there is no file.
    pub fn of(evaluation: &Evaluation, files: &[PathBuf]) -> Result<Self, EngineRowsError> {
        let named: Result<Vec<_>, String> = (files.iter())
            .map(|path| Input::with_options(evaluation.game(), path))
            .collect();
        let (inputs, own): (Vec<_>, Vec<_>) =
            named.map_err(EngineRowsError::Input)?.into_iter().unzip();
        if inputs.is_empty() {
            return Err(EngineRowsError::NoInput);
        }
        Ok(Self::new(
            inputs,
            ReadOptions {
                inputs: own,
                first: Some(FirstReading::default()),
                ..ReadOptions::default()
            },
        ))
    }

    /// A text or a file within the program, as of `include_bytes!`.
    pub fn embedded(name: &'static str, bytes: &'static [u8]) -> Self {
        let input = Input::Embedded { name, bytes };
        Self::new(vec![input], ReadOptions::default())
    }

    fn new(inputs: Vec<Input>, options: ReadOptions) -> Self {
        Self {
            inputs,
            options,
            resolve: Resolve::None,
            drawn: None,
            ranks: Ranks::default(),
        }
    }

    /// Returns the name of the file that a position was read from.
    pub(crate) fn file(&self, location: SampleLocation) -> String {
        let input = self.inputs.get(location.input as usize);
        input.map_or_else(String::new, |input| input.name().display().to_string())
    }

    /// Says how they are traced at weights by leaf number; none: those of the
    /// source.
    pub fn tracing<'a>(
        &'a self,
        evaluation: &'a Evaluation,
        linked: &'a LinkedSpec,
        values: &'a [f64],
    ) -> Tracing<'a> {
        Tracing {
            evaluation,
            link: &linked.link,
            slots: linked.spec.layout().slots(),
            values,
            resolve: self.resolve,
            drawn: self.drawn.as_ref(),
            ranks: self.ranks,
        }
    }

    /// Reads and traces all of them so. `sample` as in [`collect()`].
    ///
    /// # Errors
    /// As [`collect()`].
    pub fn trace(
        &self,
        evaluation: &Evaluation,
        linked: &LinkedSpec,
        values: &[f64],
        sample: usize,
    ) -> Result<Collected, ReadError> {
        let tracing = self.tracing(evaluation, linked, values);
        let sample = sample.div_ceil(self.ranks.size());
        collect(&tracing, &self.inputs, &self.options, sample)
    }

    /// Tells whether all inputs can be read again: neither standard input nor a
    /// pipe.
    pub fn can_be_read_again(&self) -> bool {
        self.inputs.iter().all(|input| match input {
            Input::File(path) => std::fs::metadata(path).is_ok_and(|found| found.is_file()),
            Input::Stdin => false,
            Input::Embedded { .. } => true,
        })
    }
}

/// The rows of an engine's positions.
///
/// With it a fit from Rust is what `fit FILE…` of the command line is. Branches
/// of a nonlinear evaluation may change on the way: its positions are then
/// traced again.
///
/// ```
/// use std::error::Error;
/// use std::path::{Path, PathBuf};
/// use tuner_engine::{EngineRows, Evaluation, LinkedSpec, Positions};
/// use tuner_fit::run::{FitRun, RunConfig};
///
/// /// Fits an evaluation to labelled positions; returns `tuned_weights.rs`.
/// fn tuned_weights(
///     evaluation: &Evaluation,
///     spec: &str,
///     files: &[PathBuf],
/// ) -> Result<String, Box<dyn Error>> {
///     // Spec and source declare the same weights.
///     let linked = LinkedSpec::of_text(evaluation.weights(), Path::new("engine.toml"), spec)?;
///     let positions = Positions::of(evaluation, files)?;
///     let mut rows = EngineRows::read(evaluation, &linked, positions)?; // traced, and checked
///     let variables = linked.variables()?;
///     let run = FitRun::new(&variables, RunConfig::default(), &mut ())?;
///     let finished = run.run(&mut rows, &mut ())?;
///     Ok(linked.emit(&finished, None, None)?)
/// }
/// ```
#[derive(Debug)]
pub struct EngineRows<'a> {
    pub(crate) evaluation: &'a Evaluation,
    pub(crate) linked: &'a LinkedSpec,
    pub(crate) positions: Positions,
    pub(crate) traces: TraceSet,
    pub(crate) notes: Option<PositionNotes>,
    facts: RowFacts,
}

impl<'a> EngineRows<'a> {
    /// Takes positions that have been traced at the source's weights and
    /// checked.
    pub fn new(
        evaluation: &'a Evaluation,
        linked: &'a LinkedSpec,
        positions: Positions,
        collected: Collected,
    ) -> Self {
        let total = collected.report.total();
        let facts = RowFacts {
            data: collected.report.fingerprint(),
            rows: collected.fingerprint,
            with_game: match positions.drawn {
                Some(_) => total.positions,
                None => total.with_game,
            },
            rejected: total.rejected,
            bytes: (positions.ranks).total(collected.traces.bytes() as u64),
        };
        Self {
            evaluation,
            linked,
            positions,
            traces: collected.traces,
            notes: collected.notes,
            facts,
        }
    }

    /// Reads, traces and checks positions.
    ///
    /// # Errors
    /// If they cannot be read, or production and twin do not agree on them.
    pub fn read(
        evaluation: &'a Evaluation,
        linked: &'a LinkedSpec,
        positions: Positions,
    ) -> Result<Self, EngineRowsError> {
        let ranks = positions.ranks;
        evaluation.traces()?;
        let collected = positions.trace(evaluation, linked, &[], COMPARED)?;
        let checked = CheckedTraces::new(evaluation, linked, collected, COMPARED, ranks)?;
        checked.verdict(false)?;
        Ok(Self::new(evaluation, linked, positions, checked.collected))
    }

    /// Weights in the order of the reduction, by leaf number.
    fn by_leaf(&self, weights: &[f64]) -> Vec<f64> {
        let of_leaf = self.linked.link.weights().iter();
        of_leaf.map(|weight| weights[weight.index()]).collect()
    }

    /// Tells whether rows that are traced again are of the same positions in the same order.
    pub(crate) fn keeps_rows(&self) -> bool {
        // Where positions are resolved others may be traced than those of the rows, and
        // which lines have rows is known where all have.
        self.positions.resolve == Resolve::None && self.facts.rejected == 0
    }
}

impl RowSource for EngineRows<'_> {
    fn facts(&self) -> &RowFacts {
        &self.facts
    }

    fn ranks(&self) -> Ranks {
        self.positions.ranks
    }

    fn begin_at(&mut self, weights: &[f64]) -> Result<(), RetraceError> {
        // Where positions are resolved, they are so at the source's weights.
        if self.positions.resolve != Resolve::None || !self.can_retrace() {
            return Ok(());
        }
        let changed = changed_rows(&self.linked.link, &self.traces, &self.by_leaf(weights));
        if self.positions.ranks.any(!changed.is_empty()) {
            let again = self.retrace(weights)?;
            // Positions that are refused there keep their rows, and with them all others.
            if again.len() == self.traces.len() {
                self.traces = again;
            }
        }
        Ok(())
    }

    fn rows(&mut self) -> TracesMut<'_> {
        TracesMut::from(&mut self.traces).among(self.positions.ranks)
    }

    fn can_retrace(&self) -> bool {
        self.positions.can_be_read_again()
    }

    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        let values = self.by_leaf(weights);
        if self.keeps_rows() {
            let of = (self.evaluation, self.linked);
            return retraced(of, &self.positions, &self.traces, &values);
        }
        let traced = (self.positions).trace(self.evaluation, self.linked, &values, 0)?;
        Ok(traced.traces)
    }
}
