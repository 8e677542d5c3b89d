//! Quiescence: captures and promotions until no piece is en prise; evasions in check.
//!
//! Captures and promotions come to an end by themselves. Evasions need not,
//! for what was captured may be dropped in between, so they are bounded.

use tuner_shogi::{Move, Position, Squares};

use super::negamax::Window;
use super::node::Node;
use super::ordering::{Picker, exchange_value, immediate_gain};
use super::{Evaluation, MATE, MATE_BOUND, MAX_PLY, Searcher};

/// What a capture may gain beyond the captured piece. Chosen.
const MARGIN: i32 = 250;

/// Checks that are evaded in one line; a later one is not seen as check.
/// Chosen.
const EVASIONS: u32 = 3;

impl<E: Evaluation> Searcher<E> {
    /// Scores a position as soon as it is quiet, from the side to move.
    pub(super) fn quiescence(&mut self, node: &Node, window: Window) -> i32 {
        self.quiescence_with::<false>(node, window, EVASIONS)
    }

    /// The same; notes the best line from each ply on.
    pub(super) fn quiescence_with_line(&mut self, node: &Node, window: Window) -> i32 {
        self.quiescence_with::<true>(node, window, EVASIONS)
    }

    fn quiescence_with<const LINE: bool>(
        &mut self,
        node: &Node,
        mut window: Window,
        evasions: u32,
    ) -> i32 {
        let pos = &node.pos;
        if LINE {
            self.lines[node.ply].clear();
        }
        if self.enter() {
            return 0;
        }
        if pos.may_declare() {
            return MATE - node.ply as i32 - 1;
        }
        if node.ply >= MAX_PLY {
            return self.standing(pos);
        }
        let evades = pos.is_check() && evasions > 0;
        let standing = if evades {
            -MATE + node.ply as i32
        } else {
            self.standing(pos)
        };
        if standing >= window.beta {
            return standing;
        }
        let mut best = standing;
        window.alpha = window.alpha.max(standing);

        let moves = if evades {
            pos.legal_moves()
        } else {
            pos.tactical_moves()
        };
        for m in Picker::captures(pos, &moves) {
            let hopeless = if evades {
                // With one evasion searched, others need not lose pieces.
                m.is_drop() && best > -MATE_BOUND
            } else {
                standing + immediate_gain(pos, m) + MARGIN <= window.alpha || loses(pos, m)
            };
            if hopeless {
                continue;
            }
            let child = node.child(m);
            let left = evasions - u32::from(evades);
            let score = -self.quiescence_with::<LINE>(&child, window.negated(), left);
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

/// A piece takes something smaller that is defended.
fn loses(pos: &Position, m: Move) -> bool {
    let (Some(from), Some(kind)) = (m.from(), pos.moved(m)) else {
        return false;
    };
    exchange_value(kind) > immediate_gain(pos, m) && {
        let without = pos.occupied() - Squares::of(from);
        pos.is_attacked(!pos.turn(), m.to(), without)
    }
}
