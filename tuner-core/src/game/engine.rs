//! What a tuning binary says of its engine.

use crate::outcome::Perspective;
use crate::trace::{Primitive, Registry, Tr};

/// An engine with an annotated evaluation.
///
/// The tuning binary implements it and hands it to `cli::main`. Both scores
/// are of the same [`Perspective`].
pub trait Engine: Sync {
    /// A position of the game.
    type Position: Send + Sync;
    /// The number type of the score.
    type Score: Primitive;

    /// Name of the engine, for headers and reports.
    fn name(&self) -> &str;

    /// The spec: its file name, for messages, and its text.
    fn spec(&self) -> (&str, &str);

    /// The weights that the macro found: `tuner_core::registry!()` of the
    /// engine's crate.
    fn registry(&self) -> &'static Registry;

    /// Reads a position from its notation.
    ///
    /// # Errors
    /// Why the text is no position that the evaluation can score.
    fn parse(&self, text: &str) -> Result<Self::Position, String>;

    /// Writes a position in its notation.
    fn describe(&self, position: &Self::Position) -> String;

    /// Whether it is the first player's turn.
    fn first_player_to_move(&self, position: &Self::Position) -> bool;

    /// Whose view the scores have.
    fn perspective(&self) -> Perspective;

    /// The production evaluation.
    fn evaluate(&self, position: &Self::Position) -> Self::Score;

    /// Its traced twin.
    fn trace(&self, position: &Self::Position) -> Tr<Self::Score>;

    /// Labelled positions that come with the binary, if any.
    fn embedded(&self) -> Option<Embedded> {
        None
    }
}

/// A file that is part of the binary.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// Its name, for messages and for the format.
    pub name: &'static str,
    /// Its content, compressed or not.
    pub bytes: &'static [u8],
}
