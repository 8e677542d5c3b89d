//! An engine whose type is not known where it is used: so that the command line is
//! compiled for a notation, once, and not again with each evaluation.

use std::fmt;
use std::sync::Arc;

use tuner_data::rules::Rules;
use tuner_data::{Perspective, QuietPosition};
use tuner_play::Player;
use tuner_trace::{Primitive, Registry, Tr};

use super::engine::{Embedded, Engine};
use super::plays::{AtWeights, Plays};

/// [`Engine`] and [`Plays`] in a form that makes trait objects. Every engine that
/// [`Plays`] has it.
pub trait ErasedEngine<R: Rules, S: Primitive>: Sync {
    /// [`Engine::name`].
    fn erased_name(&self) -> &str;

    /// [`Engine::spec`].
    fn erased_spec(&self) -> (&str, &str);

    /// [`Engine::registry`].
    fn erased_registry(&self) -> &'static Registry;

    /// [`Engine::notation`].
    fn erased_notation(&self) -> &R;

    /// [`Engine::perspective`].
    fn erased_perspective(&self) -> Perspective;

    /// [`Engine::evaluate`].
    fn erased_evaluate(&self, position: &R::Position) -> S;

    /// [`Engine::trace`].
    fn erased_trace(&self, position: &R::Position) -> Tr<S>;

    /// [`Engine::quiescence`].
    fn erased_quiescence(
        &self,
        position: &R::Position,
        evaluate: &dyn Fn(&R::Position) -> S,
    ) -> Option<QuietPosition<R::Position>>;

    /// [`Engine::embedded`].
    fn erased_embedded(&self) -> Option<Embedded>;

    /// [`Plays::player`] at values by leaf number; none: the source's.
    fn erased_player(&self, values: Arc<[f64]>) -> Box<dyn Player<R> + '_>;
}

impl<E: Plays> ErasedEngine<E::Notation, E::Score> for E {
    fn erased_name(&self) -> &str {
        self.name()
    }

    fn erased_spec(&self) -> (&str, &str) {
        self.spec()
    }

    fn erased_registry(&self) -> &'static Registry {
        self.registry()
    }

    fn erased_notation(&self) -> &E::Notation {
        self.notation()
    }

    fn erased_perspective(&self) -> Perspective {
        self.perspective()
    }

    fn erased_evaluate(&self, position: &super::PositionOf<E>) -> E::Score {
        self.evaluate(position)
    }

    fn erased_trace(&self, position: &super::PositionOf<E>) -> Tr<E::Score> {
        self.trace(position)
    }

    fn erased_quiescence(
        &self,
        position: &super::PositionOf<E>,
        evaluate: &dyn Fn(&super::PositionOf<E>) -> E::Score,
    ) -> Option<QuietPosition<super::PositionOf<E>>> {
        self.quiescence(position, evaluate)
    }

    fn erased_embedded(&self) -> Option<Embedded> {
        self.embedded()
    }

    fn erased_player(&self, values: Arc<[f64]>) -> Box<dyn Player<E::Notation> + '_> {
        self.player(AtWeights::of_values(self, values))
    }
}

/// An engine of some notation and score, whatever its type.
///
/// What is generic over engines is compiled for it without their evaluation:
/// `tuner_chess::main_playing` and `tuner_shogi::main_playing` are.
///
/// *Cost*: a call by pointer for each evaluation or trace.
pub struct Erased<'a, R: Rules, S: Primitive>(&'a dyn ErasedEngine<R, S>);

impl<'a, R: Rules, S: Primitive> Erased<'a, R, S> {
    /// Forgets the type of an engine.
    pub fn new(engine: &'a dyn ErasedEngine<R, S>) -> Self {
        Self(engine)
    }
}

impl<R: Rules, S: Primitive> fmt::Debug for Erased<'_, R, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Erased")
            .field(&self.0.erased_name())
            .finish()
    }
}

impl<R: Rules<Position: Send + Sync>, S: Primitive> Engine for Erased<'_, R, S> {
    type Notation = R;
    type Score = S;

    fn name(&self) -> &str {
        self.0.erased_name()
    }

    fn spec(&self) -> (&str, &str) {
        self.0.erased_spec()
    }

    fn registry(&self) -> &'static Registry {
        self.0.erased_registry()
    }

    fn notation(&self) -> &R {
        self.0.erased_notation()
    }

    fn perspective(&self) -> Perspective {
        self.0.erased_perspective()
    }

    fn evaluate(&self, position: &R::Position) -> S {
        self.0.erased_evaluate(position)
    }

    fn trace(&self, position: &R::Position) -> Tr<S> {
        self.0.erased_trace(position)
    }

    fn quiescence(
        &self,
        position: &R::Position,
        evaluate: &dyn Fn(&R::Position) -> S,
    ) -> Option<QuietPosition<R::Position>> {
        self.0.erased_quiescence(position, evaluate)
    }

    fn embedded(&self) -> Option<Embedded> {
        self.0.erased_embedded()
    }
}

impl<R: Rules<Position: Send + Sync>, S: Primitive> Plays for Erased<'_, R, S> {
    fn player<'e>(&'e self, at: AtWeights<'e, Self>) -> Box<dyn Player<R> + 'e> {
        self.0.erased_player(at.into_values())
    }
}
