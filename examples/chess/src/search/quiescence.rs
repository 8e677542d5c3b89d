//! Quiescence: captures and promotions until no piece is en prise; all evasions in
//! check.

use shakmaty::{Bitboard, Move, Position, Role};

use super::negamax::Window;
use super::node::Node;
use super::ordering::{Picker, exchange_value, immediate_gain};
use super::{Evaluation, MATE, MAX_PLY, Searcher};

impl<E: Evaluation> Searcher<E> {
    /// Scores a position as soon as it is quiet, from the side to move.
    pub(super) fn quiescence(&mut self, node: &Node, window: Window) -> i32 {
        self.quiescence_with::<false>(node, window)
    }

    /// The same; with `LINE` it notes the best line from each ply on.
    pub(super) fn quiescence_with<const LINE: bool>(
        &mut self,
        node: &Node,
        mut window: Window,
    ) -> i32 {
        if LINE {
            self.lines[node.ply].clear();
        }
        if self.enter() {
            return 0;
        }
        if node.ply >= MAX_PLY {
            return self.standing(node);
        }
        let in_check = node.pos.is_check();
        let standing = if in_check {
            -MATE + node.ply as i32
        } else {
            self.standing(node)
        };
        if standing >= window.beta {
            return standing;
        }
        let mut best = standing;
        window.alpha = window.alpha.max(standing);

        let mut moves = node.pos.legal_moves();
        if !in_check {
            if moves.is_empty() {
                return 0;
            }
            moves.retain(|m| is_forcing(*m));
        }
        for m in Picker::captures(moves) {
            if !in_check
                && (standing + immediate_gain(m) + self.constants.capture <= window.alpha
                    || loses_to_a_pawn(node, m))
            {
                continue;
            }
            let score = -self.quiescence_with::<LINE>(&node.child(m), window.negated());
            if self.aborted {
                return 0;
            }
            if score > best {
                best = score;
                if LINE {
                    self.extend_line(node.ply, m, score);
                }
                window.alpha = window.alpha.max(score);
                if score >= window.beta {
                    break;
                }
            }
        }
        best
    }
}

/// Captures, and promotions to the one piece that matters.
fn is_forcing(m: Move) -> bool {
    m.promotion()
        .map_or(m.is_capture(), |role| role == Role::Queen)
}

/// A piece takes something smaller that a pawn defends.
fn loses_to_a_pawn(node: &Node, m: Move) -> bool {
    let board = node.pos.board();
    let defenders: Bitboard = board.by_piece(node.pos.turn().other().pawn());
    let defended = (shakmaty::attacks::pawn_attacks(node.pos.turn(), m.to()) & defenders).any();
    defended && !m.is_promotion() && exchange_value(m.role()) > immediate_gain(m)
}
