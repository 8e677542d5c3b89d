//! What cannot be tunable.

use tuner_core::tunable;

#[tunable]
enum Side {
    White,
    Black,
}

struct Position;

impl Position {
    #[tunable]
    const SIZE: i32 = 8;
}

#[tunable]
pub use std::fmt;

fn main() {
    let _ = (Side::White, Side::Black, Position::SIZE);
}
