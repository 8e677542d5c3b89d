//! The function that a fit minimises: losses, the scaling constant, free variables; and its minimum
//! in integers.
//!
//! [`Objective`] is all that a solver sees; [`Regression`] is the one that the
//! fit uses: traces, a [`Loss`], a [`Sigmoid`], a [`Reduction`] and the part
//! of the games that counts. [`integers`] rounds what minimises it and searches around it;
//! [`counts`] counts rows, [`wdl`] has the curves of win, draw and loss. All that is done for each
//! row of a fit is here, so this crate is optimised for speed.

mod block;
mod by_game;
pub mod counts;
mod curvature;
mod curvature_system;
mod deterministic_reduce;
mod exponential;
mod gradient;
pub mod integers;
mod loss;
mod nonlinear_row;
mod passes;
mod power;
mod products;
mod regression;
mod sample_weighting;
mod scaling_constant;
mod scores;
mod sigmoid;
mod simd;
mod split;
mod target_blend;
pub mod wdl;

use tuner_solve::{
    ByGradient, Curvature, Line, LinePoint, Objective, PassError, PassResult, Reduction,
};

pub use by_game::{
    ByGame, CLUSTERS, ClusterScores, GameLoss, add_to_game, cluster, games_by_lane, losses_by_game,
    paired_errors, ratio_error,
};
pub use curvature_system::CurvatureSystem;
pub use loss::{Loss, Penalty};
pub use passes::{counted, each as each_set};
pub use power::Power;
pub use products::{ProductBuffers, sign};
pub use regression::{Regression, RegressionError};
pub use sample_weighting::{SampleWeighting, Totals, effective_games};
pub use scaling_constant::{KError, KFit, fit_k, fit_score_k};
pub use sigmoid::Sigmoid;
pub use split::{Part, Split};
pub use target_blend::TargetBlend;
