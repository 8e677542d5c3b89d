//! The evaluation of `examples/python/traces.py`, in Rust.

use super::engine::Position;
use super::tuned_weights::{MATERIAL, PST, S, TEMPO};

/// The score for White.
pub fn white(position: &Position) -> i32 {
    let mut sum = S::ZERO;
    for piece in &position.pieces {
        let value = MATERIAL[piece.role] + PST[piece.role][piece.square];
        if piece.white {
            sum += value;
        } else {
            sum -= value;
        }
    }
    let score = sum.taper(position.phase, 24);
    if position.white_to_move {
        score + TEMPO
    } else {
        score - TEMPO
    }
}

#[cfg(feature = "tune")]
tuner_core::traced!();
