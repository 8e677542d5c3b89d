//! The engine as the tuning binary sees it: its positions, its production
//! evaluation and the twin; the traces of its positions, and the check that
//! both agree.
//!
//! Start with [`Engine`]; [`FunctionEngine`] is one of two functions. [`Link`] ties the weights that the macro found to
//! those that the spec declares; [`Tracer`] makes rows of positions;
//! [`collect()`] does it for files, and
//! [`Agreement`] is what `check` reports. [`LinkedSpec`] is its spec, tied to its
//! source, and [`EngineRows`] the rows of its positions for a
//! [run](tuner_fit::run). [`Plays`] is what self-play and
//! matches ask of an engine; [`mod@examine`] looks at positions one by one: the worst
//! explained, those that move a weight, the parts of a score. [`AtWeights`] is its evaluation at any weights.
//!
//! Not here: reading positions (`data`), games (`play`).

mod agreement;
mod check_words;
mod collect;
mod culprit;
mod differences;
mod engine;
mod erased;
pub mod examine;
mod function_engine;
mod link;
mod linked_spec;
mod plays;
mod recover;
mod resolve;
mod retrace;
mod room;
mod rows;
mod spec_variables;
pub mod testing;
mod tracer;

pub use tuner_base::Ranks;

pub use agreement::{Agreement, Constants, Mismatch, Place};
pub use check_words::check_words;
pub use collect::{Collected, Tracing, collect, collect_into};
pub use culprit::Culprit;
pub use differences::{Change, Difference, Differences, differences};
pub use engine::{Embedded, Engine, PositionOf};
pub use erased::{Erased, ErasedEngine};
pub use function_engine::FunctionEngine;
pub use link::{Link, LinkError};
pub use linked_spec::{LinkedSpec, LinkedSpecError, provenance};
pub use plays::{AtWeights, Plays, player_at};
pub use recover::{
    DrawnResults, RecoveredWeight, Recovery, RecoveryError, RecoveryOptions, recover,
};
pub use resolve::{Resolve, Resolved, quiet_look};
pub use rows::{COMPARED, CheckError, EngineRows, EngineRowsError, Positions, check};
pub use spec_variables::spec_variables;
pub use tracer::Tracer;
