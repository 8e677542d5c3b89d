//! An evaluation whose weights the engine holds at run time, in a struct that
//! `default()` makes: scalars and nested arrays, the phases in fields of their own.

use shakmaty::{Board, Chess, Color, Position};

#[derive(Clone)]
pub struct EvalWeights {
    pub material: [[i32; 6]; 2],
    pub files: [[[i16; 4]; 6]; 2],
    pub ranks: [[[i16; 8]; 6]; 2],
    pub mobility_mg: [i32; 6],
    pub mobility_eg: [i32; 6],
    pub tempo: i32,
}

const EVAL_WEIGHTS: EvalWeights = EvalWeights {
    material: [[80, 320, 330, 470, 960, 0], [100, 290, 305, 510, 930, 0]],
    files: [[[0; 4]; 6]; 2],
    ranks: [[[0; 8]; 6]; 2],
    mobility_mg: [0, 4, 5, 2, 1, 0],
    mobility_eg: [0, 4, 5, 4, 2, 0],
    tempo: 12, // half a move
};

impl Default for EvalWeights {
    fn default() -> Self {
        EVAL_WEIGHTS
    }
}

/// Centipawns, for the side to move.
pub fn evaluate(weights: &EvalWeights, pos: &Chess) -> i32 {
    let (board, us) = (pos.board(), pos.turn());
    let (mg, eg) = side(weights, board, us);
    let (their_mg, their_eg) = side(weights, board, !us);
    let phase = phase(board);
    ((mg - their_mg) * phase + (eg - their_eg) * (24 - phase)) / 24 + weights.tempo
}

fn side(weights: &EvalWeights, board: &Board, us: Color) -> (i32, i32) {
    let (mut mg, mut eg) = (0, 0);
    for square in board.by_color(us) {
        let Some(role) = board.role_at(square) else {
            continue;
        };
        let role = role as usize - 1;
        let rank = us.fold_wb(square, square.flip_vertical()).rank() as usize;
        let file = (square.file() as usize).min(7 - square.file() as usize);
        let moves = (board.attacks_from(square) & !board.by_color(us)).count() as i32;
        mg += weights.material[0][role] + weights.mobility_mg[role] * moves;
        eg += weights.material[1][role] + weights.mobility_eg[role] * moves;
        mg += i32::from(weights.files[0][role][file] + weights.ranks[0][role][rank]);
        eg += i32::from(weights.files[1][role][file] + weights.ranks[1][role][rank]);
    }
    (mg, eg)
}

fn phase(board: &Board) -> i32 {
    let light = (board.knights() | board.bishops()).count() as i32;
    (light + 2 * board.rooks().count() as i32 + 4 * board.queens().count() as i32).min(24)
}

#[cfg(feature = "tune")]
tuner_core::traced!();

/// The weights that the macros found.
pub fn registry() -> &'static tuner_core::trace::Registry {
    tuner_core::registry!()
}
