//! An engine that plays: what self-play and matches ask of it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{Engine, PositionOf};
use crate::resolve::from_side_to_move;
use tuner_base::{Panicked, caught};
use tuner_game::PositionNotation as _;
use tuner_game::rules::{Game, Rules};
use tuner_play::{AlphaBeta, ChosenMove, Limit, Look, Player, PlayerFault};
use tuner_trace::{Recorder, Registry};

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
        let (engine, values) = (self.engine, Arc::clone(&self.values));
        Self { engine, values }
    }
}

impl<'e, E: Engine + ?Sized> AtWeights<'e, E> {
    /// Makes the evaluation of an engine at some weights: the values of all weights by their
    /// numbers; empty: those of the source. If the values are those of the source, that is noticed,
    /// so that production scores.
    ///
    /// # Panics
    /// If there are values, but not one for each weight.
    pub fn new(engine: &'e E, values: &[f64]) -> Self {
        let source = engine.registry().values();
        let is_whole = values.is_empty() || values.len() == source.len();
        assert!(
            is_whole,
            "{} values for {} weights",
            values.len(),
            source.len()
        );
        let mut pairs = values.iter().zip(source);
        let is_source = pairs.all(|(value, source)| (value - source).abs() <= 0.0);
        let values = if is_source { &[] } else { values };
        let values = values.into();
        Self { engine, values }
    }

    /// Tells whether the weights are those of the source: then the production evaluation gives the
    /// scores, which takes less time than the twin.
    pub fn is_source(&self) -> bool {
        self.values.is_empty()
    }

    /// Scores a position at these weights, in the view that [`Engine::perspective`] says.
    /// Production scores at the weights of the source, the twin at any others.
    ///
    /// *Cost*: elsewhere than at the source, a run of the twin without a tape: 2.2 times production
    /// for the chess example, whose games take 1.8 times as long.
    ///
    /// # Panics
    /// Where the evaluation does, as of a weight that it divides by: the message then has the
    /// position, and that weight.
    pub fn evaluate(&self, position: &PositionOf<E>) -> E::Score {
        let score = catch_unwind(AssertUnwindSafe(|| self.score(position)));
        score.unwrap_or_else(|panic| self.explain(position, &*panic))
    }

    /// Panics again with the message of `panic`, in which the evaluation of a position ended, and
    /// the position. If there is a changed weight with which alone set back to the source's value
    /// the evaluation does not panic, the message names it; weights that are 0 are tried first.
    #[cold]
    fn explain(&self, position: &PositionOf<E>, panic: &(dyn Any + Send)) -> ! {
        let at = self.engine.notation().describe(position);
        let mut words = format!("{} in {at}", Panicked::of(panic));
        let registry = self.engine.registry();
        let source = registry.values();
        let differs = |&leaf: &usize| (self.values[leaf] - source[leaf]).abs() > 0.0;
        let mut changed: Vec<usize> = (0..self.values.len()).filter(differs).collect();
        // Those that are 0 first: an evaluation may divide by them.
        changed.sort_by_key(|&leaf| self.values[leaf].abs() > 0.0);
        let cured = changed.into_iter().find(|&leaf| {
            let mut values = self.values.to_vec();
            values[leaf] = source[leaf];
            let score = || Recorder::score(self.engine.trace(position));
            caught(|| Recorder::within(&values, score)).is_ok()
        });
        if let Some(leaf) = cured {
            let (name, value, before) = (name(registry, leaf), self.values[leaf], source[leaf]);
            words.extend([format!(
                ": {name} is {value} there, and with {before}, as in the source, it does not panic; \
                 give it `bounds` in the spec"
            )]);
        }
        resume_unwind(Box::new(words))
    }

    /// Scores a position at these weights: by production at those of the source, else by the twin,
    /// which leaves no tape. If [`Recorder::is_within`], a player has put these weights into force
    /// already.
    fn score(&self, position: &PositionOf<E>) -> E::Score {
        if self.is_source() {
            self.engine.evaluate(position)
        } else if Recorder::is_within() {
            Recorder::score(self.engine.trace(position))
        } else {
            // The weights are in force for this position alone.
            Recorder::within(&self.values, || {
                Recorder::score(self.engine.trace(position))
            })
        }
    }
}

/// The name of a weight by its number: the name of its item in the source, the indices of its
/// entry, and `.mg` or `.eg` if the entry is a pair; the number itself where no item has it.
fn name(registry: &Registry, leaf: usize) -> String {
    let mut items = registry.parameters.iter().rev();
    let Some(item) = items.find(|item| item.first as usize <= leaf) else {
        return leaf.to_string();
    };
    let at = leaf - item.first as usize;
    // The place among the numbers of all entries. It is another one where entries are other consts,
    // which have no weights here: then `places` lists it for each weight.
    let at = item.places.get(at).copied().unwrap_or(at);
    let (mut entry, mut indices) = (at / item.lanes, String::new());
    // From the innermost index to the outermost.
    for length in item.dims.iter().rev() {
        indices.insert_str(0, &format!("[{}]", entry % length));
        entry /= length;
    }
    let lane = match item.lanes {
        2 => [".mg", ".eg"][at % 2],
        _ => "",
    };
    format!("{}{indices}{lane}", item.name)
}

/// Makes the player of an engine at some weights. Weights other than the source's are in force
/// during each of its searches, as putting them into force for each position would cost more.
pub fn player_at<'e, E: Plays>(at: &AtWeights<'e, E>) -> Box<dyn Player<E::Notation> + 'e> {
    let player = at.engine.player(at.clone());
    if at.is_source() {
        return player;
    }
    let values = Arc::clone(&at.values);
    Box::new(InForce { values, player })
}

/// A player whose weights are in force while it thinks.
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

    fn overhead(&self) -> Duration {
        self.player.overhead()
    }
}
