//! What a run is of, and how it is done.

use std::path::PathBuf;

use super::{Init, OptionsSnapshot, Renamed, TargetConfig, WeightsFormat};
use crate::{BASE, Settings};
use tuner_solve::{PriorSpec, Reduction};

/// Fraction of the games that judge a fit and are not fitted, unless it is
/// chosen otherwise.
pub const HELD_OUT: f64 = 0.1;

/// How often positions are traced again at most, unless it is chosen otherwise.
pub const MAX_RETRACES: usize = 5;

/// What is fitted: the weights, their names, and what is known of them before.
#[derive(Clone, Debug)]
pub struct Variables {
    /// Which weights move, and together with which.
    pub reduction: Reduction,
    /// The names of all weights, in the order of the reduction.
    pub names: Vec<String>,
    /// The initial values: where K is fitted and what the prior is around.
    /// `None` where nobody has declared any: a run then starts at zero, and the
    /// prior is around the start.
    pub initial: Option<Vec<f64>>,
    /// Standard deviations of single weights and of neighbours, where there is
    /// a prior.
    pub prior: PriorSpec,
}

impl Variables {
    /// Returns those of features without a spec: two weights for each slot,
    /// `feature[N].mg` and `feature[N].eg`, all free.
    pub fn of_features(slots: usize) -> Self {
        let name = |weight: usize| format!("feature[{}].{}", weight / 2, ["mg", "eg"][weight % 2]);
        Self {
            reduction: Reduction::of_lanes(2 * slots),
            names: (0..2 * slots).map(name).collect(),
            initial: None,
            prior: PriorSpec::default(),
        }
    }
}

/// All that can be chosen of a run. The default is that of an engine on the
/// command line: K fitted, squared error, a tenth of the games held out, a
/// prior of 20 around the initial values, integers, up to five rounds of
/// tracing again, no files.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Those of each fit;
    /// [`max_changed_branches`](Settings::max_changed_branches) is set round by
    /// round.
    pub settings: Settings,
    /// Whether [strengths of the prior](crate::choose) are tried first, and the
    /// one with the smallest error on games held out of those fitted is taken.
    pub choose_prior: bool,
    /// What is regressed on, and how positions count.
    pub targets: TargetConfig,
    /// The weights to start from.
    pub init: Init,
    /// How often positions are traced again at most, at new weights, where more
    /// than one in a thousand of them takes another branch there.
    pub max_retraces: usize,
    /// Number of iterations after which positions are traced again in any case:
    /// for positions that are the ends of a search at the weights.
    pub resolve_every: Option<usize>,
    /// Where the run is saved on its way; `None`: nowhere.
    pub files: Option<RunFiles>,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self {
            settings: Settings {
                held_out: HELD_OUT,
                prior: Some(BASE),
                integers: true,
                ..Settings::default()
            },
            choose_prior: false,
            targets: TargetConfig::default(),
            init: Init::Spec,
            max_retraces: MAX_RETRACES,
            resolve_every: None,
            files: None,
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
    /// What must be the same in a run that resumes.
    pub options: OptionsSnapshot,
}
