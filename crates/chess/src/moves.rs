//! What readers and rules ask of a move.

use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move};

/// Tells whether a move captures or promotes.
pub(crate) fn is_tactical(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}

/// Reads a legal move in the notation of UCI.
pub(crate) fn from_uci(position: &Chess, text: &str) -> Option<Move> {
    let m: UciMove = text.parse().ok()?;
    m.to_move(position).ok()
}
