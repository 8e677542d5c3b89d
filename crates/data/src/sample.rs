//! One labelled position of an input.

use super::{AnyPosition, LabelledPosition};

/// A labelled position as the reader hands it over.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The position and its labels.
    pub labelled: LabelledPosition<AnyPosition>,
    /// How often the position counts: the weight of its input.
    pub weight: f64,
    /// Where it was read.
    pub location: SampleLocation,
    /// The id of its game, where the data give one in words.
    pub game_id: Option<Box<str>>,
}

/// The line that a sample was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SampleLocation {
    /// Which of the inputs, counted from 0.
    pub input: u32,
    /// Line, counted from 1; of binary data the number of the record or game.
    pub line: u64,
}
