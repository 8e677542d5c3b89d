//! The description of an engine that its author gives.

use tuner_game::{Perspective, PositionNotation, QuietPosition};
use tuner_trace::{Primitive, Registry, Tr};

/// An engine with an annotated evaluation: what an evaluator [serves](crate::serve).
///
/// Both scores are of the same [`Perspective`].
pub trait Engine: Sync {
    /// How positions are written; it brings their type.
    type Notation: PositionNotation<Position: Clone + Send + Sync>;
    /// The number type of the score.
    type Score: Primitive;

    /// Name of the engine, for headers and reports.
    fn name(&self) -> &str;

    /// The weights that the macro found: `tuner_core::registry!()` of the
    /// engine's crate.
    fn registry(&self) -> &'static Registry;

    /// Reads and writes positions.
    fn notation(&self) -> &Self::Notation;

    /// Whose view the scores of [`evaluate`](Self::evaluate) and [`trace`](Self::trace) have: above
    /// 0 is good for that player.
    fn perspective(&self) -> Perspective;

    /// The production evaluation: what the engine itself plays with, at the weights of its source.
    fn evaluate(&self, position: &PositionOf<Self>) -> Self::Score;

    /// The traced twin of `evaluate`, which the macro makes: the score, and how it depends on each
    /// weight.
    fn trace(&self, position: &PositionOf<Self>) -> Tr<Self::Score>;

    /// Where the engine's quiescence search (of captures until the position is quiet) from a
    /// position ends: its score, and the last position of its principal variation. With the option
    /// `--resolve qsearch` that one is traced in place of the first. `evaluate` is the evaluation
    /// to search with, at the weights in question. `None`, as by default, where the engine offers
    /// no such search; [`quiescence`](tuner_game::quiescence) is one for any game with
    /// [`Rules`](tuner_game::rules::Rules).
    fn quiescence(
        &self,
        position: &PositionOf<Self>,
        evaluate: &dyn Fn(&PositionOf<Self>) -> Self::Score,
    ) -> Option<QuietPosition<PositionOf<Self>>> {
        let _ = (position, evaluate);
        None
    }
}

/// The positions of an engine.
pub type PositionOf<E> = <<E as Engine>::Notation as PositionNotation>::Position;
