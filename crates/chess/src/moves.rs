//! Properties of moves that readers and rules need.

#[cfg(feature = "data")]
use shakmaty::Position;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Role};

/// Tells whether a move captures or promotes.
pub(crate) fn is_tactical(m: Move) -> bool {
    m.is_capture() || m.is_promotion()
}

/// Returns by how much a move seems to gain, to order moves: ten times the value of the captured
/// piece, in pawns, less that of the capturing one, and ten times what a pawn gains by promotion.
pub(crate) const fn gain(m: Move) -> i32 {
    let mut gain = 0;
    if let Some(victim) = m.capture() {
        gain += 10 * value(victim) - value(m.role());
    }
    if let Some(role) = m.promotion() {
        gain += 10 * (value(role) - 1);
    }
    gain
}

/// Returns the usual value of a piece in pawns. The king has 10, more than all others, only so that
/// captures can be ordered.
pub(crate) const fn value(role: Role) -> i32 {
    match role {
        Role::Pawn => 1,
        Role::Knight | Role::Bishop => 3,
        Role::Rook => 5,
        Role::Queen => 9,
        Role::King => 10,
    }
}

/// Reads a legal move in the notation of UCI; `None` of other text, and of a move that is not
/// legal.
pub(crate) fn from_uci(position: &Chess, text: &str) -> Option<Move> {
    let m: UciMove = text.parse().ok()?;
    m.to_move(position).ok()
}

/// Counts the plies before a position, by its move number.
#[cfg(feature = "data")]
pub(crate) fn plies_before(position: &Chess) -> u32 {
    let moves = position.fullmoves().get() - 1;
    (moves.saturating_mul(2)).saturating_add(u32::from(position.turn().is_black()))
}
