//! Sides and pieces.

use std::fmt;
use std::ops::Not;

/// A side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// The first player, who moves up the board, in handicap games too, in
    /// which the second moves first.
    Sente,
    /// The second player.
    Gote,
}

impl Color {
    /// Both sides, the first player first.
    pub const ALL: [Self; 2] = [Self::Sente, Self::Gote];

    /// Returns 0 for sente, 1 for gote.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the other side.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Sente => Self::Gote,
            Self::Gote => Self::Sente,
        }
    }
}

impl Not for Color {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        self.other()
    }
}

/// A kind of piece. The first seven can be in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PieceType {
    /// Fuhyō, `P`.
    Pawn,
    /// Kyōsha, `L`.
    Lance,
    /// Keima, `N`.
    Knight,
    /// Ginshō, `S`.
    Silver,
    /// Kinshō, `G`.
    Gold,
    /// Kakugyō, `B`.
    Bishop,
    /// Hisha, `R`.
    Rook,
    /// Ōshō, `K`.
    King,
    /// Tokin, `+P`.
    Tokin,
    /// Narikyō, `+L`.
    PromotedLance,
    /// Narikei, `+N`.
    PromotedKnight,
    /// Narigin, `+S`.
    PromotedSilver,
    /// Ryūma, `+B`.
    Horse,
    /// Ryūō, `+R`.
    Dragon,
}

use PieceType::{
    Bishop, Dragon, Gold, Horse, King, Knight, Lance, Pawn, PromotedKnight, PromotedLance,
    PromotedSilver, Rook, Silver, Tokin,
};

/// The letters of SFEN of pieces that have not promoted, by the index of their kind.
const LETTERS: [u8; 8] = *b"PLNSGBRK";

/// What each kind was before promotion, by its index.
const UNPROMOTED: [PieceType; PieceType::COUNT] = [
    Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, King, Pawn, Lance, Knight, Silver, Bishop,
    Rook,
];

impl PieceType {
    /// How many kinds there are.
    pub const COUNT: usize = 14;

    /// All kinds, by their index.
    pub const ALL: [Self; 14] = [
        Pawn,
        Lance,
        Knight,
        Silver,
        Gold,
        Bishop,
        Rook,
        King,
        Tokin,
        PromotedLance,
        PromotedKnight,
        PromotedSilver,
        Horse,
        Dragon,
    ];

    /// The kinds that can be in hand, by their index.
    pub const IN_HAND: [Self; 7] = [Pawn, Lance, Knight, Silver, Gold, Bishop, Rook];

    /// Returns 0 for a pawn to 13 for a dragon.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns what it promotes to; `None` if it does not promote.
    #[inline]
    pub const fn promoted(self) -> Option<Self> {
        Some(match self {
            Pawn => Tokin,
            Lance => PromotedLance,
            Knight => PromotedKnight,
            Silver => PromotedSilver,
            Bishop => Horse,
            Rook => Dragon,
            _ => return None,
        })
    }

    /// Returns what it was before promotion; itself if it never promoted.
    #[inline]
    #[must_use]
    pub const fn unpromoted(self) -> Self {
        UNPROMOTED[self.index()]
    }

    /// Tells whether it has promoted: promoted kinds come behind the king in the order of kinds.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 > King as u8
    }

    /// Returns the number of farthest ranks from which it could never move, so
    /// that it may not go there.
    #[inline]
    pub(crate) const fn dead_ranks(self) -> u8 {
        match self {
            Pawn | Lance => 1,
            Knight => 2,
            _ => 0,
        }
    }

    /// Returns how many pieces of this kind, promoted ones counted, both sides have together in a
    /// full set.
    pub(crate) const fn in_a_set(self) -> u8 {
        match self.unpromoted() {
            Pawn => 18,
            Bishop | Rook | King => 2,
            _ => 4,
        }
    }

    /// Reads the letter of SFEN of a piece that has not promoted, in capitals; `None` of other
    /// letters.
    pub(crate) fn from_letter(letter: u8) -> Option<Self> {
        let index = LETTERS.iter().position(|other| *other == letter)?;
        Some(Self::ALL[index])
    }

    /// Returns the letter of SFEN, without the plus of a promoted piece.
    pub(crate) const fn letter(self) -> char {
        LETTERS[self.unpromoted().index()] as char
    }
}

/// A piece of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Whose it is.
    pub color: Color,
    /// Its kind.
    pub kind: PieceType,
}

/// Writes the letter of SFEN, a capital for sente, behind a `+` if the piece has promoted.
impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plus = if self.kind.is_promoted() { "+" } else { "" };
        let letter = self.kind.letter();
        match self.color {
            Color::Sente => write!(f, "{plus}{letter}"),
            Color::Gote => write!(f, "{plus}{}", letter.to_ascii_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_promote_and_back() {
        for (index, kind) in PieceType::ALL.into_iter().enumerate() {
            assert_eq!(kind.index(), index);
            assert_eq!(kind.is_promoted(), kind.unpromoted() != kind);
            if let Some(promoted) = kind.promoted() {
                assert!(promoted.is_promoted());
                assert_eq!(promoted.unpromoted(), kind);
            }
            assert_eq!(
                PieceType::from_letter(kind.letter() as u8),
                Some(kind.unpromoted())
            );
        }
        for (index, kind) in PieceType::IN_HAND.into_iter().enumerate() {
            assert_eq!(kind.index(), index);
        }
    }
}
