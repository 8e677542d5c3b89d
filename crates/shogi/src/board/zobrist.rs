//! Keys of positions.
//!
//! Random numbers of SplitMix64 (Steele, Lea and Flood, Fast Splittable
//! Pseudorandom Number Generators, 2014), computed at compile time, where no
//! crate's generator can run.

use super::{Color, Piece, PieceType, Square};

/// More than any hand holds of a kind: 18 pawns, and none.
const COUNTS: usize = 19;

struct Keys {
    pieces: [[[u64; 81]; 14]; 2],
    hands: [[[u64; COUNTS]; 7]; 2],
    turn: u64,
}

static KEYS: Keys = keys();

/// Returns the key of a piece on a square.
#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.color.index()][piece.kind.index()][square.index()]
}

/// Returns the key of a number of pieces in hand.
#[inline]
pub(super) fn hand(color: Color, kind: PieceType, count: u8) -> u64 {
    let kinds = &KEYS.hands[color.index()];
    let counts = kinds.get(kind.index());
    counts
        .and_then(|keys| keys.get(usize::from(count)))
        .copied()
        .unwrap_or(0)
}

/// Returns the key of gote to move.
#[inline]
pub(super) const fn turn() -> u64 {
    KEYS.turn
}

const fn next(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

#[allow(clippy::large_stack_arrays, reason = "it runs at compile time only")]
const fn keys() -> Keys {
    let mut keys = Keys {
        pieces: [[[0; 81]; 14]; 2],
        hands: [[[0; COUNTS]; 7]; 2],
        turn: 0,
    };
    // Chosen; nothing depends on it.
    let mut state = 0x7368_6f67_6921;
    (state, keys.turn) = next(state);
    let mut color = 0;
    while color < 2 {
        let mut kind = 0;
        while kind < 14 {
            let mut square = 0;
            while square < 81 {
                (state, keys.pieces[color][kind][square]) = next(state);
                square += 1;
            }
            kind += 1;
        }
        let mut kind = 0;
        while kind < 7 {
            // None in hand changes nothing.
            let mut count = 1;
            while count < COUNTS {
                (state, keys.hands[color][kind][count]) = next(state);
                count += 1;
            }
            kind += 1;
        }
        color += 1;
    }
    keys
}
