//! What the programs around the example engine share: games and their rules,
//! random openings, self-play, matches between UCI engines.
//!
//! `src/bin/selfplay.rs` makes the training data, `src/bin/versus.rs` plays
//! two engines against each other.

pub mod elo;
pub mod game;
pub mod opening;
pub mod opponent;
pub mod selfplay;
pub mod versus;

/// The positions that come with the example: see `data/README.md`.
pub const DATA: &[u8] = include_bytes!("../data/selfplay.tsv.zst");
