//! Pieces in hand.

use super::PieceType;

/// The pieces that a side has in hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand([u8; 7]);

impl Hand {
    /// An empty hand.
    pub const EMPTY: Self = Self([0; 7]);

    /// Counts pieces of a kind; a promoted piece is in hand as what it was. 0 for a king, which is
    /// never in hand.
    #[inline]
    pub const fn count(self, kind: PieceType) -> u8 {
        let index = kind.unpromoted().index();
        if index < 7 { self.0[index] } else { 0 }
    }

    /// Returns the kinds that are in hand, with their counts.
    #[inline]
    pub fn pieces(self) -> impl Iterator<Item = (PieceType, u8)> {
        let counts = PieceType::IN_HAND.into_iter().zip(self.0);
        counts.filter(|(_, count)| *count > 0)
    }

    /// Adds one piece, as what it was before promotion. Kings are never in
    /// hand.
    #[inline]
    pub fn add(&mut self, kind: PieceType) {
        if let Some(count) = self.0.get_mut(kind.unpromoted().index()) {
            *count = count.saturating_add(1);
        }
    }

    /// Removes one piece of a kind from the hand, a promoted kind as what it was before; does
    /// nothing if there is none.
    #[inline]
    pub fn take(&mut self, kind: PieceType) {
        if let Some(count) = self.0.get_mut(kind.unpromoted().index()) {
            *count = count.saturating_sub(1);
        }
    }
}
