//! Squares.

use std::fmt;

use super::Color;

/// A square of the board.
///
/// Files are counted from sente's right, ranks from gote's side, both from 1,
/// as shogi writes them. [`index`](Self::index) runs down the files: `1a` is
/// 0, `1i` is 8, `2a` is 9, `9i` is 80.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(pub(super) u8);

impl Square {
    /// Number of squares.
    pub const COUNT: usize = 81;

    /// Returns the square of a file and a rank from 1 to 9; `None` if there is
    /// none.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < 1 || file > 9 || rank < 1 || rank > 9 {
            return None;
        }
        Some(Self((file - 1) * 9 + rank - 1))
    }

    /// Returns the square with an index below 81; `None` if there is none.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Self(index as u8))
        } else {
            None
        }
    }

    /// Returns the squares by their index.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..Self::COUNT as u8).map(Self)
    }

    /// Returns the index of the square, from 0 to 80, down the files: `1a` is 0, `1i` is 8, `2a` is
    /// 9.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the file, 1 to 9.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 / 9 + 1
    }

    /// Returns the rank, 1 to 9.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 % 9 + 1
    }

    /// Returns the square with this one's place as the other side sees the board, which is the
    /// board turned by half a turn: 1a becomes 9i.
    #[inline]
    #[must_use]
    pub const fn rotated(self) -> Self {
        Self(80 - self.0)
    }

    /// Returns the square on the same rank, as far from the other edge.
    #[inline]
    #[must_use]
    pub const fn mirrored(self) -> Self {
        Self((8 - self.0 / 9) * 9 + self.0 % 9)
    }

    /// Returns the square as a side sees it: turned for gote.
    #[inline]
    #[must_use]
    pub const fn relative(self, color: Color) -> Self {
        match color {
            Color::Sente => self,
            Color::Gote => self.rotated(),
        }
    }

    /// Returns the rank as a side sees it, from 1, the farthest, to 9.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> u8 {
        self.relative(color).rank()
    }

    /// Reads a square as USI writes it, such as `7g`; `None` of other text.
    pub fn from_usi(text: &str) -> Option<Self> {
        match text.as_bytes() {
            [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => Self::new(file - b'0', rank - b'a' + 1),
            _ => None,
        }
    }

    /// Returns the square as rsshogi's type.
    #[inline]
    pub(crate) const fn inner(self) -> rsshogi::types::Square {
        rsshogi::types::Square::new(self.0 as i8)
    }

    /// Makes a square of rsshogi's type, which must be one of the board's 81 squares.
    #[inline]
    pub(crate) const fn from_inner(square: rsshogi::types::Square) -> Self {
        Self(square.raw() as u8)
    }
}

/// Writes the square as USI does, such as `7g`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), char::from(b'a' + self.rank() - 1))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn squares_are_numbered_down_the_files() {
        for (number, square) in Square::all().enumerate() {
            assert_eq!(square.index(), number);
            assert_eq!(Square::from_index(number), Some(square));
            assert_eq!(Square::new(square.file(), square.rank()), Some(square));
            assert_eq!(Square::from_usi(&square.to_string()), Some(square));
            assert_eq!(square.rotated().rotated(), square);
            assert_eq!(square.mirrored().mirrored(), square);
            assert_eq!(square.mirrored().rank(), square.rank());
            assert_eq!(square.rotated().mirrored().file(), square.file());
        }
        assert_eq!(Square::from_index(81), None);
        assert_eq!(Square::new(7, 7).unwrap().to_string(), "7g");
        assert_eq!(
            Square::new(7, 7).unwrap().relative(Color::Gote).to_string(),
            "3c"
        );
        for text in ["", "7", "7j", "0a", "7gg", "a7", "７七"] {
            assert_eq!(Square::from_usi(text), None, "{text}");
        }
        for (file, rank) in [(0, 1), (1, 0), (10, 1), (1, 10), (255, 255)] {
            assert_eq!(Square::new(file, rank), None);
        }
    }
}
