//! The rows of an engine's positions: traced at the source's weights and
//! checked, and traced again where a run asks for it.

use std::error::Error;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::LinkedSpec;
use super::examine::WeightSet;
use super::retrace::retraced;
use tuner_base::Ranks;
use tuner_data::InputOptions;
use tuner_evaluation::notes::PositionNotes;
use tuner_evaluation::{
    Agreement, Collected, Differences, Evaluation, Positions, Resolve, Tracing, differences,
    thinned,
};
use tuner_fit::rows_with_changed_branch;
use tuner_fit::run::{FileFacts, RetraceError, RowFacts, RowSource};
use tuner_rows::{TraceSet, Traces};

/// Positions on which all derivatives are compared with differences, unless it
/// is chosen otherwise.
pub const COMPARED: usize = 100;

/// Says that there is nothing to fit or to look at.
pub const NO_POSITIONS: &str = "no position was read; give a file with labelled positions";

/// Says that an author has to decide about a part of the score.
pub const PART_WITHOUT_WEIGHTS: &str = "what was compared agrees; left for you to decide: a part of \
    the score comes from where no weight is (see above): annotate that code, or accept the part as \
    fixed with --allow-constants";

/// Traces, and what the check of their derivatives found.
#[derive(Debug)]
pub struct CheckedTraces {
    /// The traces.
    pub collected: Collected,
    /// The comparison of derivatives with differences.
    pub differences: Differences,
}

impl CheckedTraces {
    /// Adds up what all ranks have found, and compares derivatives on `compared` of the positions
    /// that were kept, those of all ranks together. All ranks must call it.
    ///
    /// # Errors
    /// If the evaluator cannot be asked any further, or ranks do not understand each other.
    pub fn new(
        tracing: &Tracing<'_>,
        mut collected: Collected,
        compared: usize,
    ) -> Result<Self, Box<dyn Error>> {
        let ranks = tracing.positions.ranks;
        let nothing = Agreement::new(collected.agreement.reads.len());
        collected.agreement = among(ranks, collected.agreement, nothing, Agreement::merge)?;
        // Of its own positions each rank compares its share of `compared`.
        let sample = collected.sample.iter().map(String::as_str).collect();
        let sample = thinned(sample, compared.div_ceil(ranks.size()));
        // An evaluator that only scores has no derivatives to compare.
        let found = if tracing.evaluation.only_scores() {
            Differences::default()
        } else {
            differences(tracing.evaluation, tracing.link, &sample)?
        };
        let differences = among(ranks, found, Differences::default(), Differences::merge)?;
        Ok(Self {
            collected,
            differences,
        })
    }

    /// Tells whether a fit on the traces is one of the engine. `allow_constants`: a part of the
    /// score may come from where no weight is.
    ///
    /// # Errors
    /// If a fit on the traces is not one of the engine: why.
    pub fn verdict(&self, allow_constants: bool) -> Result<(), &'static str> {
        let (agreement, differences) = (&self.collected.agreement, &self.differences);
        if agreement.positions == 0 {
            return Err(NO_POSITIONS);
        }
        let are_right = differences.wrong.is_empty() && differences.changes_wrong.is_empty();
        if agreement.is_wrong() || !are_right {
            return Err(if agreement.only_scores {
                "the scores of a position differ (see above); no weights can be fitted"
            } else {
                "production and trace do not agree (see above); no weights can be fitted"
            });
        }
        Err(if differences.refused > 0 {
            "the evaluator gives no score at weights other than those of the source (see \
             above), so none can be fitted"
        } else if !differences.read.is_empty()
            && differences.read.values().all(|&compared| !compared)
        {
            "no derivative of a weight that is read could be compared (see above), so nothing \
             shows that the traces are right"
        } else if agreement.has_foreign_constants() && !allow_constants {
            PART_WITHOUT_WEIGHTS
        } else {
            return Ok(());
        })
    }
}

/// Merges what all ranks have found, in their order, into `all`, which begins empty; every rank
/// gets the whole. The error says that another rank has sent something else.
fn among<T: Clone + DeserializeOwned + Serialize>(
    ranks: Ranks,
    here: T,
    mut all: T,
    merge: fn(&mut T, T),
) -> Result<T, String> {
    if ranks.is_alone() {
        return Ok(here);
    }
    let other = |error| format!("ranks of different versions of this program: {error}");
    let gathered = ranks.gather_bytes(&serde_json::to_vec(&here).map_err(other)?);
    for (rank, there) in gathered.iter().enumerate() {
        // What this rank found is taken as it is, as serialization leaves parts of it out.
        let found = if rank == ranks.rank() {
            here.clone()
        } else {
            serde_json::from_slice(there).map_err(other)?
        };
        merge(&mut all, found);
    }
    Ok(all)
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
    /// Notes on each position for [`examine`](mod@crate::examine); `None` where several ranks read
    /// them.
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
        let files = collected.report.files.iter().map(|file| FileFacts {
            positions: file.positions,
            rejected: file.rejected,
        });
        let facts = RowFacts {
            data: collected.report.fingerprint(),
            rows: collected.fingerprint,
            // Where results are drawn each position is a game.
            with_game: match positions.drawn {
                Some(_) => total.positions,
                None => total.with_game,
            },
            rejected: total.rejected,
            files: files.collect(),
            bytes: (positions.ranks).total(collected.traces.bytes() as u64),
            // Traces are taken to hold at all weights, as long as no branch changes.
            linearised: false,
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

    /// Reads positions, traces them at the source's weights, and checks them: scores on all, and
    /// derivatives on a hundred of them.
    ///
    /// # Errors
    /// If they cannot be read, production and twin do not agree on them, or a part of the score
    /// comes from where no weight is.
    pub fn read(
        evaluation: &'a Evaluation,
        linked: &'a LinkedSpec,
        positions: Positions,
    ) -> Result<Self, Box<dyn Error>> {
        // No values: those of the source.
        let tracing = positions.tracing(evaluation, &linked.link, &[]);
        let collected = tracing.collect(COMPARED)?;
        let checked = CheckedTraces::new(&tracing, collected, COMPARED)?;
        let allow_constants = false;
        checked.verdict(allow_constants)?;
        Ok(Self::new(evaluation, linked, positions, checked.collected))
    }

    /// Returns by row the number of the input that it comes from; `None` where that is not known:
    /// not every good position became a row, results were drawn, or there are other ranks.
    pub fn sources(&self) -> Option<Vec<u32>> {
        let files = self.facts.files.iter().zip(0..);
        let pushed =
            files.flat_map(|(file, number)| std::iter::repeat_n(number, file.positions as usize));
        let pushed: Vec<u32> = pushed.collect();
        let rows = 0..self.traces.len();
        let of_row = |row| pushed[self.traces.pushed_as(row)];
        // Rows keep the numbers of their positions only where the results are those of the data and
        // this process has read all positions.
        let is_kept = self.positions.drawn.is_none() && self.positions.ranks.is_alone();
        (pushed.len() == rows.len() && is_kept).then(|| rows.map(of_row).collect())
    }

    /// Multiplies the weight of each position by the factor of its file, also where it is traced
    /// again. `source`: by row the number of its file, of which `factors` has the factor.
    pub fn weigh_sources(&mut self, source: &[u32], factors: &[f64]) {
        (self.traces).map_weights(|row, weight| weight * factors[source[row] as usize]);
        let inputs = &mut self.positions.options.inputs;
        inputs.resize(inputs.len().max(factors.len()), InputOptions::default());
        // Without a weight in its options a file counts 1.
        for (options, factor) in inputs.iter_mut().zip(factors) {
            options.weight = Some(options.weight.unwrap_or(1.0) * factor);
        }
    }

    /// Tells whether rows that are traced again at other weights are of the same positions in the
    /// same order as those before.
    pub(crate) fn keeps_rows(&self) -> bool {
        // Where positions are resolved others may be traced than those of the rows, and
        // which lines have rows is known where all have.
        self.positions.resolve == Resolve::None && self.facts.rejected == 0
    }
}

impl RowSource for EngineRows<'_> {
    /// Returns what is known of the rows beyond themselves, such as fingerprints and counts.
    fn facts(&self) -> &RowFacts {
        &self.facts
    }

    /// Returns the processes that have read the positions, each those of some games.
    fn ranks(&self) -> Ranks {
        self.positions.ranks
    }

    /// Traces again, at the weights that the run's result is compared with, the positions whose
    /// rows take another branch there than at the source's weights, or all positions if some line
    /// of the data was rejected; all ranks do so if one has such a row. Nothing is done if no rank
    /// has such a row, nor where positions are resolved or cannot be read again. `weights` are in
    /// the order of the spec.
    fn begin_at(&mut self, weights: &[f64]) -> Result<(), RetraceError> {
        // Where positions are resolved, they are so at the source's weights. Elsewhere the rows are
        // right at any weights, but for those whose trace took another branch at the source's.
        if self.positions.resolve != Resolve::None || !self.can_retrace() {
            return Ok(());
        }
        let at = WeightSet::new(self.linked, weights.to_vec());
        if !self.positions.ranks.any(!at.is_source()) {
            return Ok(());
        }
        let changed = rows_with_changed_branch(&self.traces, at.lanes());
        if self.positions.ranks.any(!changed.is_empty()) {
            let again = self.retrace(weights)?;
            // If a position is refused at these weights its row is missing: then all rows stay as
            // they are.
            if again.len() == self.traces.len() {
                self.traces = again;
            }
        }
        Ok(())
    }

    /// Returns the rows of this process, as a part of those of all ranks.
    fn rows(&self) -> Traces<'_> {
        Traces::from(&self.traces).among(self.positions.ranks)
    }

    /// Tells whether the positions can be traced at other weights: whether they can be read again.
    fn can_retrace(&self) -> bool {
        self.positions.can_be_read_again()
    }

    /// Returns this rank's rows of the positions at other weights, in the order of the spec.
    fn retrace(&mut self, weights: &[f64]) -> Result<TraceSet, RetraceError> {
        let at = WeightSet::new(self.linked, weights.to_vec());
        // Only changed rows are traced, if each belongs to a known line; else all positions are.
        if self.keeps_rows() {
            return retraced(self, &at);
        }
        let link = &self.linked.link;
        let tracing = (self.positions).tracing(self.evaluation, link, at.values());
        // No position is kept beside its row: derivatives are not compared again.
        let sample = 0;
        Ok(tracing.collect(sample)?.traces)
    }
}
