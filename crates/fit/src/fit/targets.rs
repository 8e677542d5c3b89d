//! The targets of a fit and the weights of its positions, put into the rows for as
//! long as a fit lasts.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::{Fit, FitError, FitInputs, FitProgress, FitTask, Settings, fit};
use crate::model::{SampleWeighting, TargetBlend, Totals};
use tuner_base::Ranks;
use tuner_rows::{Blocks, Token, TraceSet, Traces};
use tuner_solve::Reduction;

/// Targets and weights of all rows.
///
/// The default: results alone, each row at its own weight.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// How search scores join the results.
    pub mix: Option<TargetBlend>,
    /// How positions of a game share its weight.
    pub weighing: SampleWeighting,
}

/// Rows that get other targets and weights for a while: [`Traces`] of which those in
/// memory can be changed.
#[derive(Debug)]
pub struct TracesMut<'a> {
    place: PlaceMut<'a>,
    ranks: Ranks,
}

#[derive(Debug)]
enum PlaceMut<'a> {
    /// All in memory: they are changed, and changed back.
    Whole(&'a mut TraceSet),
    /// Block by block from somewhere else: each is changed as it comes.
    Blocks(&'a dyn Blocks),
}

impl<'a> From<&'a mut TraceSet> for TracesMut<'a> {
    fn from(set: &'a mut TraceSet) -> Self {
        Self {
            place: PlaceMut::Whole(set),
            ranks: Ranks::default(),
        }
    }
}

impl<'a> From<&'a dyn Blocks> for TracesMut<'a> {
    fn from(blocks: &'a dyn Blocks) -> Self {
        Self {
            place: PlaceMut::Blocks(blocks),
            ranks: Ranks::default(),
        }
    }
}

impl TracesMut<'_> {
    /// Says that these are the rows of one of some ranks.
    #[must_use]
    pub fn among(self, ranks: Ranks) -> Self {
        Self { ranks, ..self }
    }

    /// Borrows the rows again, for a shorter time.
    pub fn reborrow(&mut self) -> TracesMut<'_> {
        TracesMut {
            place: match &mut self.place {
                PlaceMut::Whole(set) => PlaceMut::Whole(set),
                PlaceMut::Blocks(blocks) => PlaceMut::Blocks(*blocks),
            },
            ranks: self.ranks,
        }
    }

    /// The rows as they are.
    pub fn traces(&self) -> Traces<'_> {
        let traces = match &self.place {
            PlaceMut::Whole(set) => Traces::from(&**set),
            PlaceMut::Blocks(blocks) => Traces::from(*blocks),
        };
        traces.among(self.ranks)
    }
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
    /// Runs `f` on rows with these targets and weights; afterwards they have
    /// their own again. *Cost*: two passes; 16 bytes a row meanwhile, or of
    /// streamed rows some for each game and a little more time for each block.
    ///
    /// # Errors
    /// If rows cannot be read, or `f` fails.
    pub fn with<'a, T>(
        &self,
        traces: impl Into<TracesMut<'a>>,
        f: impl FnOnce(Traces<'_>) -> Result<T, FitError>,
    ) -> Result<T, FitError> {
        let TracesMut { place, ranks } = traces.into();
        let set = match place {
            PlaceMut::Blocks(blocks) if *self == Self::default() => {
                return f(Traces::from(blocks).among(ranks));
            }
            PlaceMut::Blocks(blocks) => {
                let totals = self.weighing.totals(Traces::from(blocks).among(ranks))?;
                let retargeted = Retargeted {
                    blocks,
                    targets: *self,
                    totals,
                };
                return f(Traces::from(&retargeted as &dyn Blocks).among(ranks));
            }
            PlaceMut::Whole(set) => set,
        };
        let results = self.mix.map(|mix| mix.apply(set));
        let weights = self.weighing.apply(set);
        let found = f(Traces::from(&*set).among(ranks));
        if let Some(results) = results {
            set.map_outcomes(|row, _| results[row]);
        }
        if let Some(weights) = weights {
            set.map_weights(|row, _| weights[row]);
        }
        found
    }

    /// Fits to these targets; says also what is left against results.
    ///
    /// # Errors
    /// As [`fit()`].
    pub fn fit<'a>(
        &self,
        traces: impl Into<TracesMut<'a>>,
        reduction: &Reduction,
        inputs: &FitInputs<'_>,
        settings: &Settings,
        observer: &mut dyn FnMut(&FitProgress<'_>) -> ControlFlow<()>,
    ) -> Result<Fit, FitError> {
        let mut traces = traces.into();
        if *self == Self::default() {
            return fit(traces.traces(), reduction, inputs, settings, observer);
        }
        let mut found = self.with(traces.reborrow(), |traces| {
            fit(traces, reduction, inputs, settings, observer)
        })?;
        let traces = traces.traces();
        let task = FitTask::new(traces, reduction, inputs, settings);
        let lanes = |weights: &[f64]| reduction.lanes_of(weights);
        let held_out = |k, weights: &[f64]| -> Result<Option<f64>, FitError> {
            let judge = task.judge(k)?;
            Ok((judge.map(|judge| judge.at_lanes(&lanes(weights)))).transpose()?)
        };
        found.against_results = Some(AgainstResults {
            error: (task.objective(found.k)?).at_lanes(&lanes(&found.written))?,
            held_out_error: held_out(found.k, &found.written)?,
            held_out_start: held_out(found.k_before(), inputs.start)?,
        });
        Ok(found)
    }
}

/// Blocks of which every row is changed as it is read: they are not in memory,
/// so they cannot be changed once for all.
#[derive(Debug)]
struct Retargeted<'a> {
    blocks: &'a dyn Blocks,
    targets: Targets,
    /// The weight of each game, where weights are shared; a game may be in
    /// several blocks.
    totals: Totals,
}

impl Blocks for Retargeted<'_> {
    fn slots(&self) -> usize {
        self.blocks.slots()
    }

    fn rows(&self) -> usize {
        self.blocks.rows()
    }

    fn count(&self) -> usize {
        self.blocks.count()
    }

    fn tokens(&self) -> &[Token] {
        self.blocks.tokens()
    }

    fn load(&self, block: usize) -> Option<TraceSet> {
        let mut set = self.blocks.load(block)?;
        if let Some(mix) = self.targets.mix {
            mix.apply(&mut set);
        }
        self.targets.weighing.share(&mut set, &self.totals);
        Some(set)
    }

    fn done(&self, block: TraceSet) {
        self.blocks.done(block);
    }

    fn failure(&self) -> Option<String> {
        self.blocks.failure()
    }
}
