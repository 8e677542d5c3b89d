//! An engine whose evaluation is a function of the position alone.

use std::fmt;

use crate::engine::Engine;
use crate::plays::Plays;
use tuner_game::rules::Rules;
use tuner_game::{Perspective, PositionNotation};
use tuner_trace::{Primitive, Registry, Tr};

/// An [`Engine`] of two functions, for an evaluation that asks for the position and
/// nothing else. It [`Plays`] where its notation has rules, by the library's search.
///
/// ```ignore
/// let engine = FunctionEngine {
///     name: "wren",
///     registry: wren::registry(),
///     notation: Fen,
///     perspective: Perspective::SideToMove,
///     evaluate: wren::eval::evaluate,
///     trace: wren::eval::__traced::evaluate,
/// };
/// ```
///
/// Implement [`Engine`] where the engine's own quiescence search is at hand, or where its
/// own search shall play.
pub struct FunctionEngine<N: PositionNotation, S: Primitive> {
    /// Name of the engine, for headers and reports.
    pub name: &'static str,
    /// `tuner_core::registry!()` of the engine's crate.
    pub registry: &'static Registry,
    /// Reads and writes positions.
    pub notation: N,
    /// Whose view the scores have: above 0 is good for that player.
    pub perspective: Perspective,
    /// The production evaluation: what the engine itself plays with.
    pub evaluate: fn(&N::Position) -> S,
    /// The traced twin of `evaluate`, which the macro makes.
    pub trace: fn(&N::Position) -> Tr<S>,
}

impl<N: PositionNotation, S: Primitive> fmt::Debug for FunctionEngine<N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionEngine")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<N, S> Engine for FunctionEngine<N, S>
where
    N: PositionNotation<Position: Clone + Send + Sync>,
    S: Primitive,
{
    type Notation = N;
    type Score = S;

    fn name(&self) -> &str {
        self.name
    }

    fn registry(&self) -> &'static Registry {
        self.registry
    }

    fn notation(&self) -> &N {
        &self.notation
    }

    fn perspective(&self) -> Perspective {
        self.perspective
    }

    fn evaluate(&self, position: &N::Position) -> S {
        (self.evaluate)(position)
    }

    fn trace(&self, position: &N::Position) -> Tr<S> {
        (self.trace)(position)
    }
}

impl<N: Rules, S: Primitive> Plays for FunctionEngine<N, S> {}
