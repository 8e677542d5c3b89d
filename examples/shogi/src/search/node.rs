//! A position in the tree.

use tuner_shogi::{Move, Position};

use super::repetition::Visit;

/// A position with its distance from the root.
pub(super) struct Node {
    pub(super) pos: Position,
    pub(super) ply: usize,
    /// The last move was a null move, so this side does not pass as well.
    pub(super) after_null: bool,
}

impl Node {
    pub(super) fn root(pos: &Position) -> Node {
        Node {
            pos: *pos,
            ply: 0,
            after_null: false,
        }
    }

    /// The position after a legal move.
    pub(super) fn child(&self, m: Move) -> Node {
        let mut pos = self.pos;
        pos.play(m);
        Node {
            pos,
            ply: self.ply + 1,
            after_null: false,
        }
    }

    /// The position after a null move; `None` in check.
    pub(super) fn pass(&self) -> Option<Node> {
        let mut pos = self.pos;
        pos.pass().then_some(Node {
            pos,
            ply: self.ply + 1,
            after_null: true,
        })
    }

    pub(super) fn visit(&self) -> Visit {
        Visit::of(&self.pos)
    }
}
