//! The evaluation as the tuner sees it: something that answers questions about positions;
//! the rows of positions, and the check that production and twin agree.
//!
//! Start with [`Evaluation`], an evaluator that is asked over a pipe or within this program.
//! [`Link`] ties its weights to those that the spec declares, [`LinkedSpec`] is both;
//! [`Tracer`] makes rows of positions; [`collect()`] does it for files, and
//! [`Agreement`] is what `check` reports. [`EngineRows`] are the rows of its positions for a
//! [run](tuner_fit::run). [`mod@examine`] looks at positions one by one: the worst
//! explained, those that move a weight, the parts of a score. [`EvaluatorGames`] are games that
//! it plays.
//!
//! Not here: the evaluator's side (`tuner-evaluator`), reading positions (`data`), what games
//! say (`tuner-tournament`).

mod agreement;
mod check_words;
mod collect;
mod connection;
mod culprit;
mod differences;
mod evaluation;
pub mod examine;
mod games;
mod link;
mod linked_spec;
mod recover;
mod resolve;
mod retrace;
mod room;
mod rows;
mod session;
mod spec_variables;
pub mod testing;
mod tracer;

pub use tuner_base::Ranks;

pub use agreement::{Agreement, Constants, Mismatch, ParameterTerm, Place};
pub use check_words::check_words;
pub use collect::{Collected, Tracing, collect, collect_into};
pub use connection::EvaluatorProgram;
pub use culprit::Culprit;
pub use differences::{Difference, Differences, TwoScores, differences};
pub use evaluation::{Evaluation, KnownGame, PATIENCE};
pub use games::{EvaluatorGames, EvaluatorPlayer};
pub use link::{Link, LinkError};
pub use linked_spec::{LinkedSpec, LinkedSpecError, provenance};
pub use recover::{
    DrawnResults, RecoveredWeight, Recovery, RecoveryError, RecoveryOptions, recover,
};
pub use resolve::{Resolve, Resolved};
pub use rows::{
    COMPARED, CheckError, CheckedTraces, EngineRows, EngineRowsError, Positions, thinned,
};
pub use session::{EvaluationError, EvaluationProblem};
pub use spec_variables::spec_variables;
pub use tracer::{TracedPosition, Tracer};
