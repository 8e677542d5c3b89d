//! The header of a file: what it says of itself.
//!
//! Names of fields are those of files: a field that gets another name keeps its
//! old one by `serde(rename)`, or the format a new version.

use serde::{Deserialize, Serialize};

use tuner_base::Fingerprint;

/// The origin of traces, as their writer knows it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFileInfo {
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
    pub nonlinear: u64,
    /// The weights in the source when the positions were traced, by leaf.
    pub weights: Vec<f64>,
    /// Some positions with fingerprints of their traces: they are traced again to find out whether
    /// the evaluation is still the same.
    pub examples: Vec<Example>,
}

impl TraceFileInfo {
    /// Adds all fields to a fingerprint, in their order: texts, counts, the list of the bits of the
    /// weights, and the texts of the examples after their count.
    pub(super) fn add_to(&self, hash: &mut Fingerprint) {
        for text in [&self.engine, &self.layout, &self.data] {
            hash.text(text);
        }
        for count in [self.with_game, self.rejected, self.nonlinear] {
            hash.u64(count);
        }
        hash.list(self.weights.iter().map(|weight| weight.to_bits()));
        hash.count(self.examples.len());
        for example in &self.examples {
            hash.text(&example.position);
            hash.text(&example.row);
        }
    }
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
    pub(super) about: TraceFileInfo,
    /// Fingerprint of the blocks' fingerprints and of `about`, 16 hexadecimal digits.
    pub(super) fingerprint: String,
}
