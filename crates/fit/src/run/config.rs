//! The input of a run, and how it is done.

use std::path::PathBuf;

use super::{Init, OptionsSnapshot, Renamed, TargetConfig, WeightsFormat};
use crate::{BASE, LEAST_GAIN, Settings, WeightGroup};
use tuner_base::{LaneId, Ranks, WeightId};
use tuner_solve::{PriorSpec, Reduction};

/// Fraction of the games that judge a fit and are not fitted, unless it is
/// chosen otherwise.
pub const HELD_OUT: f64 = 0.1;

/// How often positions are traced again at most, unless it is chosen otherwise.
pub const MAX_RETRACES: usize = 5;

/// The variables of a fit: the weights, their names, and what is known of them before.
#[derive(Clone, Debug)]
pub struct Variables {
    /// Which weights move, and together with which.
    pub reduction: Reduction,
    /// The names of all weights, in the order of the reduction.
    pub names: Vec<String>,
    /// The initial values, where K is fitted.
    /// `None` where nobody has declared any: a run then starts at zero.
    pub initial: Option<Vec<f64>>,
    /// Standard deviations of single weights and of neighbours, where there is
    /// a prior.
    pub prior: PriorSpec,
    /// Weights that are judged together, and have a prior of one strength where
    /// that is chosen by the evidence: those of one parameter.
    pub groups: Vec<WeightGroup>,
}

impl Variables {
    /// Returns the variables of features without a spec: two weights for each slot,
    /// `feature[N].mg` and `feature[N].eg`, all free.
    pub fn of_features(slots: usize) -> Self {
        let name = |weight: usize| format!("feature[{}].{}", weight / 2, ["mg", "eg"][weight % 2]);
        let lanes = (0..2 * slots as u32).map(LaneId);
        let weights = lanes.map(|lane| (name(lane.index()), lane));
        Self::free(weights.collect(), slots)
    }

    /// Returns the variables of weights without a spec, all free and in one group. Each weight has
    /// a name, and a lane of its own among those of `slots` slots.
    ///
    /// # Panics
    /// If a lane is beyond the slots.
    pub fn free(weights: Vec<(String, LaneId)>, slots: usize) -> Self {
        let (names, lanes): (Vec<String>, Vec<LaneId>) = weights.into_iter().unzip();
        Self {
            reduction: Reduction::of_free(&lanes, 2 * slots),
            groups: vec![WeightGroup {
                name: "feature".to_owned(),
                weights: (0..names.len()).map(WeightId).collect(),
            }],
            names,
            initial: None,
            prior: PriorSpec::default(),
        }
    }
}

/// How the strength of the prior is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PriorChoice {
    /// The strength is that of the settings and the variables.
    Declared,
    /// [By the evidence](crate::FitTask::choose_by_evidence), a standard deviation for
    /// each group.
    #[default]
    Evidence,
    /// [Strengths are tried](crate::FitTask::choose), and the one with the smallest error
    /// on games held out of those fitted is taken.
    Validation,
}

/// All that can be chosen of a run. The default is that of an engine on the
/// command line: K fitted, squared error, a tenth of the games held out, a
/// prior around the initial values as strong as the evidence says, integers, up
/// to five rounds of tracing again, no files.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// The settings of each fit;
    /// [`max_changed_branches`](Settings::max_changed_branches) is set round by
    /// round.
    pub settings: Settings,
    /// How strong the prior is, where there is one.
    pub prior_choice: PriorChoice,
    /// The targets, and how positions count.
    pub targets: TargetConfig,
    /// K where neither the settings nor the file of `init` have one: that of the spec.
    /// Without any it is fitted.
    pub spec_k: Option<f64>,
    /// Whether K is fitted whatever file and spec say.
    pub fit_k: bool,
    /// The weights to start from.
    pub init: Init,
    /// The prior means, if not the weights to start from.
    pub prior_mean: Option<Init>,
    /// How often positions are traced again at most, at new weights, where more
    /// than one in a thousand of them takes another branch there.
    pub max_retraces: usize,
    /// Number of iterations after which positions are traced again in any case:
    /// for positions that are the ends of a search at the weights.
    pub resolve_every: Option<usize>,
    /// Where the run is saved on its way; `None`: nowhere.
    pub files: Option<RunFiles>,
    /// Who else runs it, each on some of the rows; the first one writes.
    pub ranks: Ranks,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            settings: Settings {
                held_out: HELD_OUT,
                prior: Some(BASE),
                integers: true,
                least_gain: LEAST_GAIN,
                ..Settings::default()
            },
            prior_choice: PriorChoice::Evidence,
            targets: TargetConfig::default(),
            spec_k: None,
            fit_k: false,
            init: Init::Spec,
            prior_mean: None,
            max_retraces: MAX_RETRACES,
            resolve_every: None,
            files: None,
            ranks: Ranks::default(),
        }
    }
}

/// Files of a run on its way.
#[derive(Clone, Debug)]
pub struct RunFiles {
    /// The folder, which must be there: of the checkpoint, written after every
    /// iteration, and of the folder `weights`.
    pub folder: PathBuf,
    /// Whether the weights are written after every iteration, and how.
    pub weights: Option<WeightsFormat>,
    /// Whether the run resumes from the checkpoint in the folder.
    pub resume: bool,
    /// Parameters that had other names when the checkpoint was written.
    pub renamed: Vec<Renamed>,
    /// The options that must be the same in a run that resumes.
    pub options: OptionsSnapshot,
}
