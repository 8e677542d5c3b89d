//! The engine as Tuner sees it: its evaluation, and its search.
//!
//! ```
//! use shogi_engine::evaluator::ShogiEngine;
//! use tuner_core::evaluator::Engine;
//! use tuner_shogi::Position;
//!
//! let start = Position::start();
//! let score = ShogiEngine.evaluate(&start);
//! assert_eq!(score, shogi_engine::eval::evaluate(&start));
//! ```
//!
//! [`ShogiEngine`] is what an author writes to tune an engine of his own; the program
//! `shogi-evaluator` serves it.

use crate::eval;
use crate::search::{At, Evaluation, Limits, MATE, MATE_BOUND, Production, Searcher, Visit};
use tuner_core::evaluator::{AtWeights, Engine, Plays};
use tuner_core::game::rules::{Game, Seen};
use tuner_core::game::{Perspective, QuietPosition};
use tuner_core::play::{Limit, Look, MoveChoice, Player, PlayerFault, Score};
use tuner_core::trace::{Registry, Tr};
use tuner_shogi::{Color, Move, Position, Sfen};

/// The size of the transposition table of a player, in megabytes, which is enough
/// for several thousand nodes a move.
const HASH: usize = 1;

/// The engine, with all that Tuner needs of it.
#[derive(Clone, Copy, Debug)]
pub struct ShogiEngine;

impl Engine for ShogiEngine {
    type Notation = Sfen;
    type Score = i32;

    fn name(&self) -> &'static str {
        "shogi-engine"
    }

    fn registry(&self) -> &'static Registry {
        crate::registry()
    }

    fn notation(&self) -> &Sfen {
        &Sfen
    }

    fn perspective(&self) -> Perspective {
        Perspective::SideToMove
    }

    fn evaluate(&self, position: &Position) -> i32 {
        eval::evaluate(position)
    }

    fn trace(&self, position: &Position) -> Tr<i32> {
        eval::__traced::evaluate(position)
    }

    fn quiescence(
        &self,
        position: &Position,
        evaluate: &dyn Fn(&Position) -> i32,
    ) -> Option<QuietPosition<Position>> {
        let mut searcher = Searcher::with(0, At(evaluate));
        let (score, leaf) = searcher.quiescence_leaf(position);
        Some(QuietPosition { score, leaf })
    }
}

impl Plays for ShogiEngine {
    fn player<'e>(&'e self, at: AtWeights<'e, Self>) -> Box<dyn Player<Sfen> + 'e> {
        if at.is_source() {
            return Box::new(ShogiPlayer::new(Production));
        }
        Box::new(ShogiPlayer::new(At(move |pos: &Position| at.evaluate(pos))))
    }
}

/// A search that plays, and one that scores positions without changing the
/// first one's transposition table.
struct ShogiPlayer<E> {
    searcher: Searcher<E>,
    judge: Searcher<E>,
}

impl<E: Evaluation + Clone> ShogiPlayer<E> {
    fn new(evaluation: E) -> Self {
        Self {
            searcher: Searcher::with(HASH, evaluation.clone()),
            judge: Searcher::with(0, evaluation),
        }
    }
}

impl<E: Evaluation + Send> Player<Sfen> for ShogiPlayer<E> {
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        self.searcher.new_game();
        Ok(())
    }

    fn choose(
        &mut self,
        game: &Game<'_, Sfen>,
        limit: Limit,
    ) -> Result<MoveChoice<Move>, PlayerFault> {
        let visit = |seen: &Seen| Visit {
            key: seen.key,
            check: seen.check,
        };
        let history: Vec<Visit> = game.before().iter().map(visit).collect();
        let limits = match limit {
            Limit::Nodes(nodes) => Limits::nodes(nodes),
            Limit::Depth(depth) => Limits::depth(depth),
            Limit::Time(time) => Limits::time(time),
            Limit::Clock(clock) => {
                Limits::time(clock.share(game.position().turn() == Color::Sente))
            }
        };
        let result = self.searcher.search(game.position(), &history, limits);
        let best = result.best_move.ok_or_else(|| {
            PlayerFault::Illegal("found no move in a game that is not over".to_owned())
        })?;
        Ok(MoveChoice {
            best,
            score: Some(score(result.score)),
            nodes: result.nodes,
            depth: Some(result.depth),
            time: None,
        })
    }

    fn look(&mut self, position: &Position) -> Option<Look> {
        Some(Look {
            quiet: self.judge.quiescence_score(position),
            standing: self.judge.evaluate(position),
        })
    }
}

fn score(score: i32) -> Score {
    if score >= MATE_BOUND {
        Score::Mate((MATE - score + 1) / 2)
    } else if score <= -MATE_BOUND {
        Score::Mate(-(MATE + score) / 2)
    } else {
        Score::Centipawns(score)
    }
}
