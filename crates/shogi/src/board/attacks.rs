//! Which squares a piece attacks.

use rsshogi::board::attack_tables::{bishop_attacks, lance_attacks, rook_attacks};
use rsshogi::board::{GOLD_ATTACKS, KING_ATTACKS, KNIGHT_ATTACKS, PAWN_ATTACKS, SILVER_ATTACKS};

use super::{Color, PieceType, Square, Squares};

/// Returns the squares that a piece attacks from a square, on a board where the
/// squares `occupied` are not empty. Own pieces count as attacked.
#[inline]
pub fn attacks(kind: PieceType, color: Color, from: Square, occupied: Squares) -> Squares {
    let (at, side, all) = (from.inner(), color.index(), occupied.inner());
    Squares::from_inner(match kind {
        PieceType::Pawn => PAWN_ATTACKS[at][side],
        PieceType::Lance => lance_attacks(at, all, rsshogi::types::Color::new(color as u8)),
        PieceType::Knight => KNIGHT_ATTACKS[at][side],
        PieceType::Silver => SILVER_ATTACKS[at][side],
        PieceType::Gold
        | PieceType::Tokin
        | PieceType::PromotedLance
        | PieceType::PromotedKnight
        | PieceType::PromotedSilver => GOLD_ATTACKS[at][side],
        PieceType::Bishop => bishop_attacks(at, all),
        PieceType::Rook => rook_attacks(at, all),
        PieceType::King => KING_ATTACKS[at],
        PieceType::Horse => bishop_attacks(at, all).or(KING_ATTACKS[at]),
        PieceType::Dragon => rook_attacks(at, all).or(KING_ATTACKS[at]),
    })
}
