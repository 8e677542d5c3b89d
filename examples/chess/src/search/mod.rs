//! The search: iterative deepening over principal variation search, with a
//! transposition table and quiescence.
//!
//! Scores are centipawns from the side to move. With a limit of nodes or depth
//! alone a search is deterministic: it depends on the position, its history
//! and what the [`Searcher`] saw since [`Searcher::new_game`].

mod constants;
mod evaluation;
mod limits;
mod negamax;
mod node;
mod ordering;
mod quiescence;
mod transposition;

use std::time::Instant;

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, Move, Position};

pub use constants::{ConstantOption, Constants};
use evaluation::EvaluationCache;
pub use evaluation::{At, Evaluation, Production};
pub use limits::{Budget, Clock, Limits};
use negamax::Window;
use node::Node;
use ordering::{History, Killers};
use transposition::Table;

/// Mate on the board; mate in n plies is worth n less.
pub const MATE: i32 = 30_000;

/// A score beyond this, either way, announces a mate.
pub const MATE_BOUND: i32 = MATE - 1_000;

/// The maximum number of plies from the root.
pub const MAX_PLY: usize = 100;

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// None only where the game is over.
    pub best_move: Option<Move>,
    /// In centipawns from the side to move; see [`MATE_BOUND`].
    pub score: i32,
    /// Positions visited.
    pub nodes: u64,
    /// The last iteration that was finished.
    pub depth: u32,
    /// The expected line, starting with the best move.
    pub pv: Vec<Move>,
}

/// A search with its memory: transposition table and move ordering statistics.
///
/// The evaluation is a parameter, [`Production`] by default.
#[derive(Debug)]
pub struct Searcher<E = Production> {
    evaluation: E,
    /// Numbers of the search.
    pub constants: Constants,
    evaluated: EvaluationCache,
    table: Table,
    history: History,
    killers: Killers,
    /// Keys of the positions before the current one, in game and tree.
    path: Vec<Zobrist64>,
    /// The best line from each ply on.
    lines: Vec<Vec<Move>>,
    root_score: i32,
    nodes: u64,
    limits: Limits,
    started: Instant,
    aborted: bool,
}

impl Searcher {
    /// Makes a searcher whose transposition table takes at most `hash_mb`
    /// megabytes, and has 16 entries at least; evaluations that are kept take 256 KB more.
    pub fn new(hash_mb: usize) -> Searcher {
        Searcher::with(hash_mb, Production)
    }
}

impl<E: Evaluation> Searcher<E> {
    /// The same with another evaluation.
    pub fn with(hash_mb: usize, evaluation: E) -> Searcher<E> {
        Searcher {
            evaluation,
            constants: Constants::default(),
            evaluated: EvaluationCache::new(hash_mb),
            table: Table::new(hash_mb),
            history: History::new(),
            killers: Killers::new(),
            path: Vec::new(),
            lines: vec![Vec::new(); MAX_PLY + 2],
            root_score: 0,
            nodes: 0,
            limits: Limits::default(),
            started: Instant::now(),
            aborted: false,
        }
    }

    /// Clears what earlier searches stored.
    pub fn new_game(&mut self) {
        self.table.clear();
        self.history = History::new();
        self.killers = Killers::new();
    }

    /// Searches for the best move.
    ///
    /// `history` holds the keys of the earlier positions of the game, oldest
    /// first, without `pos` itself: they are what repetitions repeat.
    pub fn search(&mut self, pos: &Chess, history: &[Zobrist64], limits: Limits) -> SearchResult {
        self.search_reporting(pos, history, limits, &mut |_| {})
    }

    /// The same, with a call after every finished iteration, and after one that was cut
    /// off with a better move.
    pub fn search_reporting(
        &mut self,
        pos: &Chess,
        history: &[Zobrist64],
        limits: Limits,
        report: &mut dyn FnMut(&SearchResult),
    ) -> SearchResult {
        self.start(history, limits);
        let root = Node::root(pos);
        let legal = pos.legal_moves();
        let mut result = SearchResult {
            best_move: legal.first().copied(),
            ..SearchResult::default()
        };
        if legal.is_empty() {
            result.score = if pos.is_check() { -MATE } else { 0 };
            return result;
        }
        let deepest = self
            .limits
            .depth
            .unwrap_or(u32::MAX)
            .clamp(1, MAX_PLY as u32 - 1);
        let mut said = None;
        for depth in 1..=deepest {
            self.lines[0].clear();
            self.negamax(&root, depth as i32, Window::FULL);
            // An iteration that was cut off may have found a better move first.
            if let Some(&best) = self.lines[0].first() {
                result.best_move = Some(best);
                result.score = self.root_score;
                result.pv.clone_from(&self.lines[0]);
            }
            result.nodes = self.nodes;
            if self.aborted {
                // What is played is what was said last.
                if result.best_move != said {
                    report(&SearchResult {
                        depth,
                        ..result.clone()
                    });
                }
                break;
            }
            said = result.best_move;
            result.depth = depth;
            report(&result);
            let mate_in = MATE - result.score.abs();
            if mate_in <= depth as i32 || self.limits.is_late(self.started) {
                break;
            }
        }
        result
    }

    /// Resolves captures, promotions and checks and scores what is left, in
    /// centipawns from the side to move.
    pub fn quiescence_score(&mut self, pos: &Chess) -> i32 {
        self.start(&[], Limits::default());
        self.quiescence(&Node::root(pos), Window::FULL)
    }

    /// The same search, with the position at the end of its best line: its
    /// evaluation is the score. No position where the line ends with the game,
    /// or in check, which is mate or too deep.
    pub fn quiescence_leaf(&mut self, pos: &Chess) -> (i32, Option<Chess>) {
        self.start(&[], Limits::default());
        let score = self.quiescence_with::<true>(&Node::root(pos), Window::FULL);
        let mut leaf = pos.clone();
        for &m in &self.lines[0] {
            leaf.play_unchecked(m);
        }
        let ends = leaf.is_check() || leaf.is_game_over();
        (score, (!ends).then_some(leaf))
    }

    /// Evaluates a position, without a search.
    pub fn evaluate(&self, pos: &Chess) -> i32 {
        self.evaluation.of(pos)
    }

    /// The evaluation of a node.
    fn standing(&mut self, node: &Node) -> i32 {
        let evaluate = || self.evaluation.of(&node.pos);
        self.evaluated.score(node.key, evaluate)
    }

    fn start(&mut self, history: &[Zobrist64], limits: Limits) {
        self.table.new_search();
        self.history.fade();
        self.killers = Killers::new();
        self.path.clear();
        self.path.extend_from_slice(history);
        self.root_score = 0;
        self.nodes = 0;
        self.limits = limits;
        self.started = Instant::now();
        self.aborted = false;
    }

    /// Counts a visited position; true when the search has to end.
    fn enter(&mut self) -> bool {
        self.aborted = self.aborted || self.limits.exhausted(self.nodes, self.started);
        self.nodes += u64::from(!self.aborted);
        self.aborted
    }
}

#[cfg(test)]
mod tests;
