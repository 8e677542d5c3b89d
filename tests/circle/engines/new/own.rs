//! A board of its own, that counts pieces.

use crate::board::Board;

pub const MATERIAL: [i32; 5] = [100, 300, 310, 500, 900];

impl Board {
    /// For White.
    pub fn evaluate(&self) -> i32 {
        let mut score = 0;
        for (count, value) in self.more.iter().zip(&MATERIAL) {
            score += count * value;
        }
        score
    }
}
