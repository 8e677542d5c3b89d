//! What the author forgot to annotate.

pub const UNDECLARED: [i32; 4] = [3, 9, 27, 81];

/// A scale of scores.
pub const WHOLE: i32 = 64;

/// Remembers a score, as a pawn hash does.
pub fn probe(knights: usize) -> Option<i32> {
    (knights == 2).then_some(17)
}
