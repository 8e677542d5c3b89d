//! Weights of an engine.

#[derive(Clone, Copy)]
pub struct S(pub i32, pub i32);

const fn s(mg: i32, eg: i32) -> S {
    S(mg, eg)
}

/// The right to move.
pub const TEMPO: S = S(12, 7);
const MATERIAL: [S; 3] = [S(82, 94), s(337, 281), S(365, 297)];
pub static TABLE: [[i16; 4]; 2] = [[-1, 2, 3_0, 0x10], [5; 4]];
const FLOATS: [f32; 2] = [0.5, -1.25e1];
const PHASE_MAX: i32 = 24;
const MASK: u64 = 0xff;

pub struct Weights {
    pub pawn: S,
    pub rows: [i32; 2],
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            pawn: S(80, 100),
            rows: [3, -4], // of ranks
        }
    }
}

macro_rules! pair {
    ($mg:expr, $eg:expr) => {
        S($mg, $eg)
    };
}

pub const ROOKS: [S; 2] = [pair!(500, 510), pair!(-4, 6)];
