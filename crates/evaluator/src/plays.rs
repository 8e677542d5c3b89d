//! An engine that plays: what self-play and matches ask of it.

use std::sync::Arc;

use crate::engine::{Engine, PositionOf};
use crate::resolve::from_side_to_move;
use tuner_game::rules::{Game, Rules};
use tuner_play::{AlphaBeta, ChosenMove, Limit, Look, Player, PlayerFault};
use tuner_trace::Recorder;

/// An engine that plays games by the rules of its notation:
/// [`serve_playing`](crate::serve_playing) it.
///
/// `impl Plays for MyEngine {}` is enough: [`AlphaBeta`] then searches with its evaluation.
pub trait Plays: Engine<Notation: Rules> {
    /// Makes a player whose search scores positions by `at`; by default [`AlphaBeta`], which
    /// keeps scores by the [`key`](Rules::key) of a position.
    /// With the search of the engine itself games say more of the engine.
    ///
    /// Where [`at.is_source()`](AtWeights::is_source), the search that is
    /// compiled for the production evaluation is the one to take; elsewhere
    /// scores come from [`at.evaluate`](AtWeights::evaluate).
    fn player<'e>(&'e self, at: AtWeights<'e, Self>) -> Box<dyn Player<Self::Notation> + 'e>
    where
        Self: Sized,
    {
        let evaluate = move |position: &PositionOf<Self>| {
            from_side_to_move(self, position, at.evaluate(position))
        };
        Box::new(AlphaBeta::new(self.notation(), evaluate))
    }
}

/// The evaluation of an engine at some weights, as a value: nothing is built
/// again.
#[derive(Debug)]
pub struct AtWeights<'e, E: Engine + ?Sized> {
    engine: &'e E,
    /// By the number of the weight; empty: the source's.
    values: Arc<[f64]>,
}

impl<E: Engine + ?Sized> Clone for AtWeights<'_, E> {
    fn clone(&self) -> Self {
        Self {
            engine: self.engine,
            values: Arc::clone(&self.values),
        }
    }
}

impl<'e, E: Engine + ?Sized> AtWeights<'e, E> {
    /// Takes the values of all weights by their numbers; none: those of the source. Those
    /// that the source holds are recognised as such.
    pub fn new(engine: &'e E, values: &[f64]) -> Self {
        let is_source = values
            .iter()
            .zip(engine.registry().values())
            .all(|(a, b)| (a - b).abs() <= 0.0);
        let values = if is_source { &[] } else { values };
        Self {
            engine,
            values: values.into(),
        }
    }

    /// Tells whether the weights are those of the source, so that production
    /// says the same and says it faster.
    pub fn is_source(&self) -> bool {
        self.values.is_empty()
    }

    /// Scores a position as [`Engine::evaluate`] does, at these weights.
    ///
    /// *Cost*: elsewhere than at the source, a run of the twin without a tape: 2.2 times
    /// production for the chess example, whose games take 1.8 times as long.
    pub fn evaluate(&self, position: &PositionOf<E>) -> E::Score {
        if self.is_source() {
            self.engine.evaluate(position)
        } else if Recorder::is_within() {
            Recorder::score(self.engine.trace(position))
        } else {
            // Nobody has put the weights into force for more than this once.
            Recorder::within(&self.values, || {
                Recorder::score(self.engine.trace(position))
            })
        }
    }
}

/// Makes the player of an engine at weights, which are in force while it thinks.
pub fn player_at<'e, E: Plays>(at: &AtWeights<'e, E>) -> Box<dyn Player<E::Notation> + 'e> {
    let player = at.engine.player(at.clone());
    if at.is_source() {
        return player;
    }
    Box::new(InForce {
        values: Arc::clone(&at.values),
        player,
    })
}

struct InForce<P> {
    values: Arc<[f64]>,
    player: P,
}

impl<R: Rules> Player<R> for InForce<Box<dyn Player<R> + '_>> {
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        self.player.new_game()
    }

    fn choose(&mut self, game: &Game<'_, R>, limit: Limit) -> ChosenMove<R::Move> {
        Recorder::within(&self.values, || self.player.choose(game, limit))
    }

    fn look(&mut self, position: &R::Position) -> Option<Look> {
        Recorder::within(&self.values, || self.player.look(position))
    }
}
