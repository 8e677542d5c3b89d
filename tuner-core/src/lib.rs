//! Tuning of hand-written evaluation functions of game engines.
//!
//! An engine links this crate without default features and gets what
//! `#[tunable]` needs at run time: module [`trace`]. A tuning binary links it
//! with its default features and gets the rest; `ARCHITECTURE.md` is the map.
//!
//! Layers, lowest first; each uses only what stands before it:
//! `error`, `outcome`, `whole_file` · `param`, `linalg` · `trace` · `data`, `model` ·
//! `rules`, `solve` · `data_tools`, `stats` · `fit` · `black_box` · `codegen` ·
//! `source` · `play` · `game` · `cli`.

#[cfg(feature = "fit")]
pub mod black_box;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "fit")]
pub mod codegen;
#[cfg(feature = "fit")]
pub mod data;
#[cfg(feature = "fit")]
pub mod data_tools;
#[cfg(feature = "fit")]
pub mod error;
#[cfg(feature = "fit")]
pub mod fit;
#[cfg(feature = "fit")]
pub mod game;
#[cfg(feature = "fit")]
pub mod linalg;
#[cfg(feature = "fit")]
pub mod model;
#[cfg(feature = "fit")]
pub mod outcome;
#[cfg(feature = "fit")]
pub mod param;
#[cfg(feature = "fit")]
pub mod play;
#[cfg(feature = "fit")]
pub mod rules;
#[cfg(feature = "fit")]
pub mod solve;
#[cfg(feature = "source")]
pub mod source;
#[cfg(feature = "fit")]
pub mod stats;
pub mod trace;
#[cfg(feature = "fit")]
mod whole_file;

pub use tuner_macros::{frozen, registry, traced, tunable};
