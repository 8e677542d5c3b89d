//! Sets of squares.

use std::fmt;
use std::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};

use rsshogi::types::Bitboard;

use super::{Color, Square};

/// A set of squares, in 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Squares(Bitboard);

/// The first rank: every ninth bit, as nine bits are a file. All 81 bits are the nine of a file
/// (`0x1ff`) times these.
const RANK: u128 = ((1 << 81) - 1) / 0x1ff;

/// By side and count, the ranks that are farthest from it.
const FARTHEST: [[Squares; 4]; 2] = [
    [ranks(0, 0), ranks(0, 1), ranks(0, 2), ranks(0, 3)],
    [ranks(9, 0), ranks(8, 1), ranks(7, 2), ranks(6, 3)],
];

/// Returns `count` ranks that follow the first `others`, counted from gote's side. `RANK` has the
/// bits of the first rank, every ninth one, and a shift by one bit leads to the next rank.
const fn ranks(others: u8, count: u8) -> Squares {
    Squares::from_bits((RANK * ((1 << count) - 1)) << others)
}

impl Squares {
    /// No square.
    pub const EMPTY: Self = Self(Bitboard::EMPTY);
    /// The whole board.
    pub const ALL: Self = Self(Bitboard::ALL);

    /// Returns the set of one square.
    #[inline]
    pub fn of(square: Square) -> Self {
        Self(Bitboard::from_square(square.inner()))
    }

    /// Returns the squares whose [`index`](Square::index) is a set bit; higher
    /// bits are left out.
    pub const fn from_bits(bits: u128) -> Self {
        Self(Bitboard::from_packed_bits(bits))
    }

    /// Returns all squares of the file of a square; nine bits that follow each other are a file.
    #[inline]
    pub const fn file_of(square: Square) -> Self {
        Self::from_bits(0x1ff << (9 * (square.file() - 1)))
    }

    /// Returns the `count` ranks that are farthest from a side, three at most.
    #[inline]
    pub(super) fn farthest_ranks(color: Color, count: usize) -> Self {
        FARTHEST[color.index()][count.min(3)]
    }

    /// Returns the three ranks in which a side promotes: the enemy's camp.
    #[inline]
    pub const fn promotion_zone(color: Color) -> Self {
        // `FARTHEST` has for each side the sets of its 0, 1, 2 and 3 farthest ranks.
        FARTHEST[color.index()][3]
    }

    /// Returns the squares between two on a line, without the two; empty if they are not on a line.
    #[inline]
    pub fn between(a: Square, b: Square) -> Self {
        Self(Bitboard::between(a.inner(), b.inner()))
    }

    /// Returns the whole line through two squares; empty if they are not on a line.
    #[inline]
    pub fn line(a: Square, b: Square) -> Self {
        Self(Bitboard::line(a.inner(), b.inner()))
    }

    /// Tells whether a square is in the set.
    #[inline]
    pub fn contains(self, square: Square) -> bool {
        self.0.test(square.inner())
    }

    /// Tells whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Tells whether the set has two squares or more.
    #[inline]
    pub const fn is_several(self) -> bool {
        self.0.more_than_one()
    }

    /// Counts the squares.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count()
    }

    /// Returns the square with the lowest index; `None` of an empty set.
    #[inline]
    pub fn first(self) -> Option<Square> {
        self.0.lsb().map(Square::from_inner)
    }

    /// Removes a square.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        self.0.clear(square.inner());
    }

    /// Returns the set as rsshogi's type.
    #[inline]
    pub(crate) const fn inner(self) -> Bitboard {
        self.0
    }

    /// Makes a set of rsshogi's.
    #[inline]
    pub(crate) const fn from_inner(set: Bitboard) -> Self {
        Self(set)
    }
}

/// Implements an operator of two sets, and its assignment.
macro_rules! operator {
    ($(#[$doc:meta])* $trait:ident $method:ident, $inner:ident, $assign:ident $assigned:ident) => {
        $(#[$doc])*
        impl $trait for Squares {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$inner(other.0))
            }
        }

        impl $assign for Squares {
            #[inline]
            fn $assigned(&mut self, other: Self) {
                *self = self.$method(other);
            }
        }
    };
}

operator!(BitAnd bitand, bitand, BitAndAssign bitand_assign);
operator!(BitOr bitor, bitor, BitOrAssign bitor_assign);
operator!(BitXor bitxor, bitxor, BitXorAssign bitxor_assign);
operator!(
    /// The squares that are in the first set only.
    Sub sub, and_not, SubAssign sub_assign
);

impl Not for Squares {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.not())
    }
}

impl IntoIterator for Squares {
    type Item = Square;
    type IntoIter = SquaresIter;

    #[inline]
    fn into_iter(self) -> SquaresIter {
        SquaresIter(self.0)
    }
}

/// Iterates over the squares of a set, by their index.
#[derive(Clone, Debug)]
pub struct SquaresIter(Bitboard);

impl Iterator for SquaresIter {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        self.0.pop_lsb().map(Square::from_inner)
    }
}

impl fmt::Debug for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn square(text: &str) -> Square {
        Square::from_usi(text).unwrap()
    }

    #[test]
    fn set_operations_agree_with_single_squares() {
        let all = Square::all()
            .map(Squares::of)
            .fold(Squares::EMPTY, BitOr::bitor);
        assert_eq!(all, Squares::ALL);
        assert_eq!(all.count(), 81);
        assert_eq!(!all, Squares::EMPTY);
        assert_eq!(Squares::from_bits(u128::MAX), all);
        for a in Square::all() {
            let mut set = Squares::of(a);
            assert_eq!(set, Squares::from_bits(1 << a.index()));
            assert_eq!((set.count(), set.first()), (1, Some(a)));
            assert!(!set.is_several() && (all - set).is_several());
            assert_eq!(set | (all - set), all);
            assert_eq!(Squares::file_of(a) & ranks(a.rank() - 1, 1), set);
            set.remove(a);
            assert!(set.is_empty());
            assert_eq!(Squares::file_of(a).count(), 9);
        }
        let order: Vec<Square> = all.into_iter().collect();
        assert!(order.is_sorted() && order.len() == 81);
    }

    #[test]
    fn zones_and_lines_have_their_squares() {
        assert!(Squares::promotion_zone(Color::Sente).contains(square("5c")));
        assert!(!Squares::promotion_zone(Color::Sente).contains(square("5d")));
        assert!(Squares::promotion_zone(Color::Gote).contains(square("5g")));
        assert_eq!(
            Squares::farthest_ranks(Color::Gote, 3),
            Squares::promotion_zone(Color::Gote)
        );
        assert_eq!(Squares::farthest_ranks(Color::Sente, 1), ranks(0, 1));
        let between = Squares::of(square("7g")) | Squares::of(square("6f"));
        assert_eq!(Squares::between(square("8h"), square("5e")), between);
        assert!(Squares::between(square("8h"), square("5d")).is_empty());
        assert!(Squares::line(square("8h"), square("5e")).contains(square("1a")));
        assert_eq!(Squares::line(square("8h"), square("8a")).count(), 9);
    }
}
