//! Labelled positions looked at one by one: what a fit's rows do not keep.
//!
//! Start with [`Examination`], one pass over positions. On it rest [`outliers()`], the positions
//! that are explained worst; [`residual_tables()`], where residuals gather; [`pulls()`], which
//! positions and games move one weight; [`effect()`], which positions a change of weights helps.
//! They measure by an [`ExaminationObjective`], that of a fit. [`explain()`] is about one position:
//! what each weight adds to its score. [`Examination::suggestions`] are features that no weight
//! reads. [`fitted_positions()`] is what a fit itself says of its positions.
//!
//! Not here: what needs rows alone (`judge`), words and tables (`cli`).

mod bins;
mod diagram;
mod effect;
mod explain;
mod fitted;
mod objective;
mod origin;
mod outliers;
mod pass;
mod point;
mod pulls;
mod ranking;
mod residuals;
mod suggested;
mod weights;

pub use bins::BinnedBy;
pub use diagram::{BoardPiece, BoardText, diagram};
pub use effect::{Effect, EffectPosition, effect};
pub use explain::{Explanation, ParameterShare, ShareDifference, WeightShare, compare, explain};
pub use fitted::{FittedPositions, FittedPositionsError, WorstPosition, fitted_positions};
pub use objective::{ExaminationObjective, ObjectiveConfig, ObjectiveNotes};
pub use origin::PositionOrigin;
pub use outliers::{Outlier, Outliers, outliers};
pub use pass::{Examination, ExaminationReport, ExaminedPosition};
pub use point::{PointTerm, TracePoint};
pub use pulls::{GamePull, PositionPull, Pulls, WithoutGame, pulls};
pub use ranking::{MostOf, Ranking};
pub use residuals::residual_tables;
pub use weights::WeightSet;
