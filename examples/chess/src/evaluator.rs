//! The engine as Tuner sees it: its evaluation, and its search.
//!
//! ```
//! use chess_engine::evaluator::ChessEngine;
//! use shakmaty::Chess;
//! use tuner_core::evaluator::Engine;
//!
//! let start = Chess::default();
//! let score = ChessEngine.evaluate(&start);
//! assert_eq!(score, chess_engine::eval::evaluate(&start));
//! ```
//!
//! [`ChessEngine`] is what an author writes to tune an engine of his own; the program
//! `chess-evaluator` serves it.

use crate::eval;
use crate::search::{At, Evaluation, Limits, MATE, MATE_BOUND, Production, Searcher};
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Position};
use tuner_chess::Fen;
use tuner_core::evaluator::{AtWeights, Engine, Plays};
use tuner_core::game::rules::Game;
use tuner_core::game::{Perspective, QuietPosition};
use tuner_core::play::{Limit, Look, MoveChoice, Player, PlayerFault, Score};
use tuner_core::trace::{Registry, Tr};

/// The size of the transposition table of a player, in megabytes, which is enough
/// for several thousand nodes a move.
const HASH: usize = 1;

/// The engine, with all that Tuner needs of it.
#[derive(Clone, Copy, Debug)]
pub struct ChessEngine;

impl Engine for ChessEngine {
    type Notation = Fen;
    type Score = i32;

    fn name(&self) -> &'static str {
        "chess-engine"
    }

    fn registry(&self) -> &'static Registry {
        crate::registry()
    }

    fn notation(&self) -> &Fen {
        &Fen
    }

    fn perspective(&self) -> Perspective {
        Perspective::SideToMove
    }

    fn evaluate(&self, position: &Chess) -> i32 {
        eval::evaluate(position)
    }

    fn trace(&self, position: &Chess) -> Tr<i32> {
        eval::__traced::evaluate(position)
    }

    fn quiescence(
        &self,
        position: &Chess,
        evaluate: &dyn Fn(&Chess) -> i32,
    ) -> Option<QuietPosition<Chess>> {
        let mut searcher = Searcher::with(0, At(evaluate));
        let (score, leaf) = searcher.quiescence_leaf(position);
        Some(QuietPosition { score, leaf })
    }
}

impl Plays for ChessEngine {
    fn player<'e>(&'e self, at: AtWeights<'e, Self>) -> Box<dyn Player<Fen> + 'e> {
        if at.is_source() {
            return Box::new(ChessPlayer::new(Production));
        }
        Box::new(ChessPlayer::new(At(move |pos: &Chess| at.evaluate(pos))))
    }
}

/// A search that plays, and one that scores positions without changing the
/// first one's transposition table.
struct ChessPlayer<E> {
    searcher: Searcher<E>,
    judge: Searcher<E>,
}

impl<E: Evaluation + Clone> ChessPlayer<E> {
    fn new(evaluation: E) -> Self {
        Self {
            searcher: Searcher::with(HASH, evaluation.clone()),
            judge: Searcher::with(0, evaluation),
        }
    }
}

impl<E: Evaluation + Send> Player<Fen> for ChessPlayer<E> {
    fn new_game(&mut self) -> Result<(), PlayerFault> {
        self.searcher.new_game();
        Ok(())
    }

    fn choose(
        &mut self,
        game: &Game<'_, Fen>,
        limit: Limit,
    ) -> Result<MoveChoice<shakmaty::Move>, PlayerFault> {
        let history: Vec<Zobrist64> = game
            .before()
            .iter()
            .map(|seen| Zobrist64(seen.key))
            .collect();
        let limits = match limit {
            Limit::Nodes(nodes) => Limits::nodes(nodes),
            Limit::Depth(depth) => Limits::depth(depth),
            Limit::Time(time) => Limits::time(time),
            Limit::Clock(clock) => Limits::time(clock.share(game.position().turn().is_white())),
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

    fn look(&mut self, position: &Chess) -> Option<Look> {
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
