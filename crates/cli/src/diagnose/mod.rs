//! Looking into positions and weights: `explain`, `outliers`, `residuals`, `suggest`,
//! `effect`, `profile`.
//!
//! Their findings are computed in `tuner_engine::examine` and `tuner_judge`; here they become
//! tables on standard output and words on standard error.

mod args;
mod effect;
mod explain;
mod of_run;
mod outliers;
mod profile;
mod pulls;
mod residuals;
mod subject;
mod suggest;

pub(crate) use args::{
    EffectArgs, ExplainArgs, OutlierArgs, ResidualArgs, SuggestArgs, WeightProfileArgs,
};
pub(crate) use effect::run as effect;
pub(crate) use explain::run as explain;
pub(crate) use of_run::with_run;
pub(crate) use outliers::run as outliers;
pub(crate) use profile::run as profile;
pub(crate) use residuals::run as residuals;
pub(crate) use suggest::run as suggest;
