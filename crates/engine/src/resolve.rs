//! Noisy positions to the quiet ones at the end of their captures.

use serde::{Deserialize, Serialize};

use super::agreement::keep_first;
use super::engine::{Engine, PositionOf};
use tuner_data::{Perspective, PositionNotation};
use tuner_trace::{Primitive, Recorder};

/// Which position is traced for one of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Resolve {
    /// The position itself.
    #[default]
    None,
    /// The last one of the principal variation of the quiescence search.
    Quiescence,
}

/// What became of positions that were resolved.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Resolved {
    /// Those that another one is traced for.
    pub moved: u64,
    /// Those whose search ends in mate or stalemate, or without a line: they
    /// are traced themselves.
    pub unexplained: u64,
    /// Those whose search returns another score than the evaluation of its
    /// last position: a mistake of the engine.
    pub wrong: u64,
    /// Those for which the engine offered no search: all, if any.
    pub unoffered: u64,
    /// The first of the wrong ones, with both scores.
    pub wrong_example: Option<(String, f64, f64)>,
}

impl Resolved {
    pub(super) fn merge(&mut self, other: Self) {
        self.moved += other.moved;
        self.unexplained += other.unexplained;
        self.wrong += other.wrong;
        self.unoffered += other.unoffered;
        keep_first(&mut self.wrong_example, other.wrong_example);
    }
}

/// The evaluation of a position and the score of its quiescence search, both
/// from the side to move; none where the engine offers no such search.
pub fn quiet_look<E: Engine>(engine: &E, position: &PositionOf<E>) -> Option<[i32; 2]> {
    let evaluate = |position: &PositionOf<E>| engine.evaluate(position);
    let quiet = engine.quiescence(position, &evaluate)?;
    let standing = from_side_to_move(engine, position, evaluate(position));
    Some([standing, quiet.score])
}

/// An evaluation of a position as its side to move sees it, rounded.
pub(super) fn from_side_to_move<E: Engine>(
    engine: &E,
    position: &PositionOf<E>,
    score: E::Score,
) -> i32 {
    let first = engine.notation().first_player_to_move(position);
    let turned = engine.perspective() == Perspective::FirstPlayer && !first;
    (score.to_f64() * if turned { -1.0 } else { 1.0 }).round() as i32
}

/// The position to trace for one of the data, or none: that position itself.
///
/// `values`: weights by leaf number, or none for those of the source.
pub(super) fn resolve<E: Engine>(
    engine: &E,
    values: &[f64],
    position: &PositionOf<E>,
    found: &mut Resolved,
) -> Option<PositionOf<E>> {
    let production = |position: &PositionOf<E>| engine.evaluate(position);
    let twin = |position: &PositionOf<E>| Recorder::score(engine.trace(position));
    let search = |evaluate: &dyn Fn(&PositionOf<E>) -> E::Score| {
        let quiet = engine.quiescence(position, evaluate)?;
        let standing = quiet.leaf.as_ref().map(evaluate);
        Some((quiet, standing))
    };
    let searched = if values.is_empty() {
        search(&production)
    } else {
        Recorder::within(values, || search(&twin))
    };
    let Some((quiet, standing)) = searched else {
        found.unoffered += 1;
        return None;
    };
    let (Some(leaf), Some(standing)) = (quiet.leaf, standing) else {
        found.unexplained += 1;
        return None;
    };
    let notation = engine.notation();
    let (root_first, leaf_first) = (
        notation.first_player_to_move(position),
        notation.first_player_to_move(&leaf),
    );
    // The leaf's score is that of its own view, the search's of the root's.
    let turned = match engine.perspective() {
        Perspective::SideToMove => root_first != leaf_first,
        Perspective::FirstPlayer => !root_first,
    };
    let standing = standing.to_f64() * if turned { -1.0 } else { 1.0 };
    let score = f64::from(quiet.score);
    if (standing - score).abs() > 0.0 {
        found.wrong += 1;
        found
            .wrong_example
            .get_or_insert_with(|| (notation.describe(position), score, standing));
    }
    // Where nothing was played, nothing has moved.
    if notation.describe(&leaf) == notation.describe(position) {
        return None;
    }
    found.moved += 1;
    Some(leaf)
}
