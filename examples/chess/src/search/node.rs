//! A position in the tree.

use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position, PositionError};

/// A position with its key and its distance from the root.
pub(super) struct Node {
    pub(super) pos: Chess,
    pub(super) key: Zobrist64,
    pub(super) ply: usize,
    /// The last move was a null move, so this side does not pass as well.
    pub(super) after_null: bool,
}

impl Node {
    pub(super) fn root(pos: &Chess) -> Node {
        let key = pos.zobrist_hash(EnPassantMode::Legal);
        Node {
            pos: pos.clone(),
            key,
            ply: 0,
            after_null: false,
        }
    }

    /// The position after a legal move.
    pub(super) fn child(&self, m: Move) -> Node {
        let mut pos = self.pos.clone();
        pos.play_unchecked(m);
        let key = self
            .pos
            .update_zobrist_hash(self.key, m, EnPassantMode::Legal)
            .unwrap_or_else(|| pos.zobrist_hash(EnPassantMode::Legal));
        Node {
            pos,
            key,
            ply: self.ply + 1,
            after_null: false,
        }
    }

    /// The position after a null move; `None` if that is not legal.
    pub(super) fn pass(&self) -> Option<Node> {
        let pos = self.pos.clone().swap_turn();
        let pos = pos.or_else(PositionError::ignore_invalid_ep_square).ok()?;
        let key = pos.zobrist_hash(EnPassantMode::Legal);
        Some(Node {
            pos,
            key,
            ply: self.ply + 1,
            after_null: true,
        })
    }
}
