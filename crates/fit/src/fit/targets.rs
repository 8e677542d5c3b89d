//! The targets of a fit and the weights of its positions.

use serde::{Deserialize, Serialize};

use super::{Fit, FitError, FitTask, ProgressObserver};
use crate::model::{SampleWeighting, TargetBlend, Totals};
use tuner_rows::{Blocks, Token, TraceSet, Traces};
use tuner_solve::PassResult;

/// Targets and weights of all rows.
///
/// The default: results alone, each row at its own weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// How search scores join the results.
    pub mix: Option<TargetBlend>,
    /// How much the positions of a game count.
    pub weighing: SampleWeighting,
}

/// Errors of one fit, by results alone and the rows' own weights: what compares
/// fits with different targets.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct AgainstResults {
    /// E of the written weights on the games fitted on.
    pub error: f64,
    /// E of the written weights on the held-out games.
    pub held_out_error: Option<f64>,
    /// E of the starting weights on the held-out games.
    #[serde(rename = "held_out_error_at_start")]
    pub held_out_start: Option<f64>,
}

impl Targets {
    /// Returns the rows of `traces` with these targets and weights; all else of them is shared.
    /// *Cost*: up to 16 bytes a row and some time for each; if rows are streamed, some bytes for
    /// each game, where the number of its rows counts, and a little time more for each block.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn of<'a>(&self, traces: impl Into<Traces<'a>>) -> PassResult<TargetRows<'a>> {
        let traces = traces.into();
        let changed = if *self == Self::default() {
            TargetPlace::Nothing
        } else {
            let totals = self.weighing.totals(traces)?;
            match (traces.in_memory(), traces.blocks()) {
                (Some(set), _) => {
                    let mut set = set.clone();
                    self.apply(&mut set, &totals);
                    TargetPlace::Whole(set)
                }
                (_, Some(blocks)) => TargetPlace::Blocks(Retargeted {
                    blocks,
                    targets: *self,
                    totals,
                }),
                // Rows are always in memory or in blocks.
                (None, None) => TargetPlace::Nothing,
            }
        };
        Ok(TargetRows { traces, changed })
    }

    /// Gives the rows of a set these targets and weights. `totals`: how many rows of each game have
    /// a weight, where weights depend on that.
    pub fn apply(&self, set: &mut TraceSet, totals: &Totals) {
        if let Some(mix) = self.mix {
            mix.apply(set);
        }
        self.weighing.share(set, totals);
    }

    /// Fits the rows of a task, whose targets are results, with these targets and weights in their
    /// place. Where these are not the default, the errors against results alone are computed as
    /// well.
    ///
    /// # Errors
    /// If the fit fails, or rows cannot be read.
    pub fn fit(&self, task: &FitTask<'_>, observer: ProgressObserver<'_>) -> Result<Fit, FitError> {
        let rows = self.of(task.traces)?;
        let traces = rows.traces();
        let mut found = FitTask { traces, ..*task }.run(observer)?;
        if *self == Self::default() {
            return Ok(found);
        }
        let lanes = |weights: &[f64]| task.reduction.lanes_of(weights);
        let held_out = |k, weights: &[f64]| -> Result<Option<f64>, FitError> {
            let judge = task.judge(k)?;
            Ok((judge.map(|judge| judge.at_lanes(&lanes(weights)))).transpose()?)
        };
        found.against_results = Some(AgainstResults {
            error: (task.objective(found.k)?).at_lanes(&lanes(&found.written))?,
            held_out_error: held_out(found.k, &found.written)?,
            held_out_start: held_out(found.k_before(), task.inputs.start)?,
        });
        Ok(found)
    }
}

/// Rows with the targets and weights of [`Targets`].
#[derive(Debug)]
pub struct TargetRows<'a> {
    traces: Traces<'a>,
    changed: TargetPlace<'a>,
}

/// Where rows with other targets are.
#[derive(Debug)]
enum TargetPlace<'a> {
    /// Nowhere: targets are the results, and weights as they were.
    Nothing,
    /// A copy in memory, with the targets.
    Whole(TraceSet),
    /// Rows are streamed, and changed as they are read.
    Blocks(Retargeted<'a>),
}

impl TargetRows<'_> {
    /// Returns the rows with their targets and weights: as they were, in the copy, or changed as
    /// they are read.
    pub fn traces(&self) -> Traces<'_> {
        let changed = match &self.changed {
            TargetPlace::Nothing => return self.traces,
            TargetPlace::Whole(set) => Traces::from(set),
            TargetPlace::Blocks(blocks) => Traces::from(blocks as &dyn Blocks),
        };
        changed.among(self.traces.ranks())
    }
}

/// Blocks of which every row is changed as it is read: they are not in memory,
/// so they cannot be changed once for all.
#[derive(Debug)]
struct Retargeted<'a> {
    blocks: &'a dyn Blocks,
    targets: Targets,
    /// How many rows of each game count, where that matters; a game may be in several blocks.
    totals: Totals,
}

impl Blocks for Retargeted<'_> {
    /// Returns how many slots each block has.
    fn slots(&self) -> usize {
        self.blocks.slots()
    }

    /// Returns how many rows all blocks have.
    fn rows(&self) -> usize {
        self.blocks.rows()
    }

    /// Returns how many blocks there are.
    fn count(&self) -> usize {
        self.blocks.count()
    }

    /// Returns the distinct entries of all blocks; targets and weights of rows do not change them.
    fn tokens(&self) -> &[Token] {
        self.blocks.tokens()
    }

    /// Reads a block, and gives its rows the targets and weights; `None` if it cannot be read.
    fn load(&self, block: usize) -> Option<TraceSet> {
        let mut set = self.blocks.load(block)?;
        self.targets.apply(&mut set, &self.totals);
        Some(set)
    }

    /// Gives back a block that was worked on, so that its memory may serve for another one.
    fn done(&self, block: TraceSet) {
        self.blocks.done(block);
    }

    /// Returns why a block could not be read; `None` if all could be.
    fn failure(&self) -> Option<String> {
        self.blocks.failure()
    }
}
