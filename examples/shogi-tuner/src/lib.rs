//! The example shogi engine as Tuner sees it, and the positions that come with it.

mod engine;

pub use engine::ShogiEngine;

/// The positions that come with the example: see `data/README.md`.
pub const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");
