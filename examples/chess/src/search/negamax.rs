//! Principal variation search with the usual pruning.
//!
//! The margins and depths below are chosen by hand, not tuned; some are in [`Constants`](super::Constants).

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use super::node::Node;
use super::ordering::{Picker, is_quiet};
use super::transposition::{Bound, from_table, to_table};
use super::{Evaluation, MATE, MATE_BOUND, MAX_PLY, Searcher};

/// Scores between which a search has to be exact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) alpha: i32,
    pub(super) beta: i32,
}

impl Window {
    pub(super) const FULL: Window = Window {
        alpha: -MATE,
        beta: MATE,
    };

    /// The same window from the opponent's view.
    pub(super) fn negated(self) -> Window {
        Window {
            alpha: -self.beta,
            beta: -self.alpha,
        }
    }

    /// Asks only whether a score is above `score`.
    fn above(score: i32) -> Window {
        Window {
            alpha: score,
            beta: score + 1,
        }
    }

    fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

impl<E: Evaluation> Searcher<E> {
    /// Scores a node from the side to move, exactly inside the window and as a
    /// bound outside (fail-soft). The value means nothing once `self.aborted`.
    pub(super) fn negamax(&mut self, node: &Node, depth: i32, mut window: Window) -> i32 {
        self.lines[node.ply].clear();
        if node.ply > 0 {
            if self.is_draw(node) {
                return 0;
            }
            // No score here can be better than a shorter mate found before.
            window.alpha = window.alpha.max(-MATE + node.ply as i32);
            window.beta = window.beta.min(MATE - node.ply as i32 - 1);
            if window.alpha >= window.beta {
                return window.alpha;
            }
        }
        let in_check = node.pos.is_check();
        let depth = depth + i32::from(in_check);
        if depth <= 0 || node.ply >= MAX_PLY {
            return self.quiescence(node, window);
        }
        if self.enter() {
            return 0;
        }

        let entry = self.table.get(node.key);
        if let Some(entry) = entry
            && window.is_null()
            && i32::from(entry.depth) >= depth
        {
            let score = from_table(entry.score, node.ply);
            let decides = match entry.bound {
                Bound::Exact => true,
                Bound::Lower => score >= window.beta,
                Bound::Upper => score <= window.alpha,
            };
            if decides {
                return score;
            }
        }
        if !in_check
            && window.is_null()
            && window.beta.abs() < MATE_BOUND
            && let Some(score) = self.prune(node, depth, window.beta)
        {
            return score;
        }

        self.path.push(node.key);
        let table_move = entry.and_then(|entry| entry.best);
        let (best, score) = self.try_moves(node, depth, window, table_move);
        self.path.pop();
        if !self.aborted {
            let bound = match score {
                _ if score >= window.beta => Bound::Lower,
                _ if score > window.alpha => Bound::Exact,
                _ => Bound::Upper,
            };
            self.table
                .put(node.key, best, to_table(score, node.ply), depth, bound);
        }
        score
    }

    /// Prunes positions that are so good that the opponent will avoid them:
    /// statically, or even after a null move.
    fn prune(&mut self, node: &Node, depth: i32, beta: i32) -> Option<i32> {
        let standing = self.standing(node);
        if depth <= 6 && standing - self.constants.futility * depth >= beta {
            return Some(standing);
        }
        if depth < 3 || standing < beta || node.after_null || !has_pieces(&node.pos) {
            return None;
        }
        let child = node.pass()?;
        self.path.push(node.key);
        let score = -self.negamax(
            &child,
            depth - 3 - depth / 4,
            Window::above(beta - 1).negated(),
        );
        self.path.pop();
        // The length of a mate after a null move is not reliable.
        (!self.aborted && score >= beta).then(|| score.min(MATE_BOUND - 1))
    }

    /// Searches the moves; returns the best one that beat alpha and the score.
    fn try_moves(
        &mut self,
        node: &Node,
        depth: i32,
        mut window: Window,
        table_move: Option<Move>,
    ) -> (Option<Move>, i32) {
        let constants = self.constants;
        let us = node.pos.turn();
        let in_check = node.pos.is_check();
        let moves = node.pos.legal_moves();
        if moves.is_empty() {
            return (None, if in_check { -MATE + node.ply as i32 } else { 0 });
        }
        let picker = Picker::all(
            moves,
            table_move,
            &self.killers,
            |m| self.history.get(us, m),
            node.ply,
        );
        let mut quiets_tried: Vec<Move> = Vec::new();
        let (mut best, mut best_score) = (None, -MATE);
        for (index, m) in picker.enumerate() {
            let quiet = is_quiet(m);
            let prunable = quiet && !in_check && best_score > -MATE_BOUND;
            // Late quiet moves of a shallow node rarely change anything.
            if prunable
                && window.is_null()
                && depth <= 4
                && index as i32 > constants.late_moves + depth * depth
            {
                continue;
            }
            let child = node.child(m);
            let reduction = if prunable && depth >= 3 && index >= 3 {
                1 + (depth.ilog2() * (index as u32).ilog2()) as i32 * constants.reduction / 100
            } else {
                0
            };
            let score = self.try_move(&child, depth - 1, reduction, window, index == 0);
            if self.aborted {
                break;
            }
            best_score = best_score.max(score);
            if score > window.alpha {
                window.alpha = score;
                best = Some(m);
                self.extend_line(node.ply, m, score);
                if score >= window.beta {
                    if quiet {
                        self.killers.add(node.ply, m);
                        self.history.update(us, m, &quiets_tried, depth);
                    }
                    break;
                }
            }
            if quiet {
                quiets_tried.push(m);
            }
        }
        (best, best_score)
    }

    /// Searches the first move with the full window, the others first with a null
    /// window, reduced.
    fn try_move(
        &mut self,
        child: &Node,
        depth: i32,
        reduction: i32,
        window: Window,
        first: bool,
    ) -> i32 {
        if first {
            return -self.negamax(child, depth, window.negated());
        }
        let scout = Window::above(window.alpha).negated();
        let mut score = -self.negamax(child, depth - reduction, scout);
        if score > window.alpha && reduction > 0 && !self.aborted {
            score = -self.negamax(child, depth, scout);
        }
        if score > window.alpha && score < window.beta && !self.aborted {
            score = -self.negamax(child, depth, window.negated());
        }
        score
    }

    /// Puts a move before the line of the next ply.
    pub(super) fn extend_line(&mut self, ply: usize, m: Move, score: i32) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        before[ply].clear();
        before[ply].push(m);
        before[ply].extend_from_slice(&after[0]);
        if ply == 0 {
            self.root_score = score;
        }
    }

    /// Fifty moves, too little material, or a position seen before.
    ///
    /// One repetition counts: a side that repeats once can repeat again.
    fn is_draw(&self, node: &Node) -> bool {
        let since_irreversible = node.pos.halfmoves() as usize;
        let repeated = self
            .path
            .iter()
            .rev()
            .take(since_irreversible)
            .skip(1)
            .step_by(2)
            .any(|&key| key == node.key);
        repeated
            || node.pos.is_insufficient_material()
            || (since_irreversible >= 100 && !node.pos.is_checkmate())
    }
}

/// Whether the side to move has more than pawns, so that being forced to move
/// is no likely disadvantage.
fn has_pieces(pos: &Chess) -> bool {
    let us: Color = pos.turn();
    let board = pos.board();
    let pieces: Bitboard = board.by_color(us) & !board.pawns() & !board.kings();
    pieces.any()
}
