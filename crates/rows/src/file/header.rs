//! What a file says of itself.

use serde::{Deserialize, Serialize};

/// What the writer of traces knows of where they come from.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The engine's name.
    pub engine: String,
    /// Fingerprint of the layout: names, order and lanes of the weights.
    pub layout: String,
    /// Fingerprint of the data that was traced.
    pub data: String,
    /// Positions that came with the id of their game.
    pub with_game: u64,
    /// Lines that were no positions.
    pub rejected: u64,
    /// Positions whose score is not linear in the weights.
    pub curved: u64,
    /// The weights in the source when the positions were traced, by leaf.
    pub weights: Vec<f64>,
    /// Positions and what their traces were: whether the evaluation is still
    /// the same is found out by tracing them again.
    pub examples: Vec<Example>,
}

/// A position, and the fingerprint of its trace.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The position in its notation.
    pub position: String,
    /// Fingerprint of its row, 16 hexadecimal digits.
    pub row: String,
}

/// The footer's metadata.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) format: u32,
    /// The version of the program that wrote it.
    pub(super) tuner: String,
    pub(super) slots: usize,
    pub(super) positions: u64,
    /// Fingerprint of each block, 16 hexadecimal digits.
    pub(super) blocks: Vec<String>,
    pub(super) about: About,
    /// Fingerprint of all of the above, 16 hexadecimal digits.
    pub(super) fingerprint: String,
}
