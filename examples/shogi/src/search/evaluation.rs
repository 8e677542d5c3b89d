//! The evaluation that a search uses.

use tuner_shogi::Position;

use crate::eval::evaluate;

/// An evaluation, in centipawns from the side to move. The search is compiled
/// for each, so that production pays nothing for the choice.
pub trait Evaluation {
    /// Scores a position.
    fn of(&self, pos: &Position) -> i32;
}

/// The evaluation of this crate, with the weights that are compiled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Production;

impl Evaluation for Production {
    fn of(&self, pos: &Position) -> i32 {
        evaluate(pos)
    }
}

/// An evaluation that is a function, for example the same at other weights.
#[derive(Clone, Copy, Debug)]
pub struct At<F>(pub F);

impl<F: Fn(&Position) -> i32> Evaluation for At<F> {
    fn of(&self, pos: &Position) -> i32 {
        (self.0)(pos)
    }
}
