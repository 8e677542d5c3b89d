//! Keys of positions.
//!
//! Random numbers of SplitMix64 (Steele, Lea and Flood, Fast Splittable
//! Pseudorandom Number Generators, 2014), which has a formula for every one:
//! computed, they cost as much as a table and need none.

use super::{Color, Piece, PieceType, Square};

/// The most that a hand holds of a kind: 18 pawns. None in hand changes nothing.
const COUNTS: usize = 18;
/// The order of the random numbers: the turn; then for each side its pieces by kind and square, and
/// its hand by kind and count. The constants: how many are of a side's pieces on the board, and of
/// the side.
const ON_BOARD: usize = PieceType::COUNT * Square::COUNT;
const OF_COLOR: usize = ON_BOARD + PieceType::IN_HAND.len() * COUNTS;

/// The key of gote to move.
pub(super) const TURN: u64 = number(0);

/// Returns the Zobrist key of a piece on a square, a random number. Random numbers are numbered in
/// this order: number 0 is that of the turn; then follow for each side its pieces by kind and
/// square, and its hand by kind and count.
#[inline]
pub(super) const fn piece(piece: Piece, square: Square) -> u64 {
    let kind = piece.kind.index() * Square::COUNT;
    number(1 + piece.color.index() * OF_COLOR + kind + square.index())
}

/// Returns the Zobrist key of `count` pieces of a kind in a side's hand, all together; 0 of none.
/// These random numbers follow those of the side's pieces on the board, by kind and count.
#[inline]
pub(super) const fn hand(color: Color, kind: PieceType, count: u8) -> u64 {
    if count == 0 {
        return 0;
    }
    // Number 0 is that of the turn, so that all others are 1 higher. Nothing is added for that
    // here, as counts begin with 1.
    number(color.index() * OF_COLOR + ON_BOARD + kind.index() * COUNTS + count as usize)
}

/// Returns the random number of an index, by SplitMix64, which has a formula for each. The seed is
/// chosen; nothing depends on it.
const fn number(index: usize) -> u64 {
    let steps = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = 0x7368_6f67_6921_u64.wrapping_add(steps);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
