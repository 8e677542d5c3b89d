//! All of them.

use crate::pair::S;

pub struct Weights {
    /// From pawn to queen; the king's value never matters.
    pub men: [Man; 5],
    pub king: King,
    pub pawns: Pawns,
    pub pair: S,
    pub tempo: S,
}

pub struct Man {
    pub value: S,
    /// By rank, seen from its own side.
    pub ranks: [S; 8],
    pub moves: S,
}

pub struct King {
    pub ranks: [S; 8],
    pub shield: S,
}

pub struct Pawns {
    pub doubled: S,
    pub isolated: S,
}

pub const WEIGHTS: Weights = Weights {
    men: [
        Man { value: S(80, 100), ranks: [S(0, 0); 8], moves: S(0, 0) },
        Man { value: S(320, 290), ranks: [S(0, 0); 8], moves: S(4, 4) },
        Man { value: S(330, 305), ranks: [S(0, 0); 8], moves: S(5, 5) }, // the pair is apart
        Man { value: S(470, 510), ranks: [S(0, 0); 8], moves: S(2, 4) },
        Man { value: S(960, 930), ranks: [S(0, 0); 8], moves: S(1, 2) },
    ],
    king: King { ranks: [S(0, 0); 8], shield: S(10, 0) },
    pawns: Pawns { doubled: S(-10, -20), isolated: S(-10, -10) },
    pair: S(30, 40),
    tempo: S(10, 10),
};

#[cfg(feature = "tune")]
tuner_core::traced!();
