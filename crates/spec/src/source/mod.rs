//! Rust sources that hold weights: from their literals to a spec ([`import`]),
//! and from tuned weights back into the literals ([`Patch`]).
//!
//! Which literals are weights is said in `tuner_source`, for the macros too.
//! Start reading at [`Sources`].

mod change;
mod choice;
mod files;
mod import;
mod merge;
mod mistakes;
mod patch;
mod repeats;
mod run;
mod spec_text;
mod write;

pub use crate::edit::unified_diff;
pub use choice::Choice;
pub use files::Sources;
pub use import::{Imported, LeftOutConst, import};
pub use merge::{Merged, Vanished, merge};
pub use mistakes::{SourceError, SourceMistake};
pub use patch::{Patch, Patched};
pub use run::Run;
