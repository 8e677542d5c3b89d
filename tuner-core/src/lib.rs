//! Tuning of hand-written evaluation functions of game engines.
//!
//! An engine links this crate without features and gets what `#[tunable]`
//! needs at run time: module [`trace`]. A tuning binary turns on `cli`.

#[cfg(feature = "cli")]
pub use tuner_cli as cli;
#[cfg(feature = "play")]
pub use tuner_data as data;
#[cfg(feature = "fit")]
pub use tuner_engine as engine;
#[cfg(feature = "fit")]
pub use tuner_fit as fit;
#[cfg(feature = "play")]
pub use tuner_play as play;
#[cfg(feature = "fit")]
pub use tuner_rows as rows;
#[cfg(feature = "fit")]
pub use tuner_solve as solve;
#[cfg(feature = "fit")]
pub use tuner_spec as spec;
pub use tuner_trace as trace;

pub use tuner_trace::{freeze, interpolated, traced_as, untraced, weight};

pub use tuner_macros::{frozen, registry, traced, tunable};
