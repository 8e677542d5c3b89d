//! An evaluation and its spec, ready to be fitted.
//!
//! All of [`tuner_evaluation`] is here too: start with [`Evaluation`], an evaluator that is
//! asked over a pipe or within this program. [`LinkedSpec`] ties its weights to those that the
//! spec declares, [`EngineRows`] are the rows of its positions for a [run](tuner_fit::run),
//! traced and checked. [`mod@examine`] looks at positions one by one: the worst explained,
//! those that move a weight, the parts of a score. [`recover()`] proves that known weights
//! come back.
//!
//! Not here: the evaluator's side (`tuner-evaluator`), reading positions (`data`), what games
//! say (`tuner-tournament`).

mod check_words;
mod evaluated;
pub mod examine;
mod linked_spec;
mod recover;
mod retrace;
mod rows;
mod spec_variables;
pub mod testing;

pub use tuner_base::Ranks;
pub use tuner_evaluation::*;

pub use check_words::{check_notes, check_words, some_names};
pub use evaluated::EvaluatedRows;
pub use linked_spec::{LinkedSpec, provenance};
pub use recover::{RecoveredWeight, Recovery, RecoveryOptions, recover};
pub use rows::{COMPARED, CheckedTraces, EngineRows, NO_POSITIONS, PART_WITHOUT_WEIGHTS};
pub use spec_variables::spec_variables;
