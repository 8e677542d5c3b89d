//! Noisy positions to the quiet ones at the end of their captures.

use crate::engine::{Engine, PositionOf};
use tuner_game::{Perspective, PositionNotation};
use tuner_protocol::answer::{LookAnswer, Resolution};
use tuner_trace::{Primitive, Recorder};

/// Returns a score that the engine gave to a position, which has the view that
/// `Engine::perspective` says, as the side to move sees it, rounded to a whole number.
pub(crate) fn from_side_to_move<E: Engine + ?Sized>(
    engine: &E,
    position: &PositionOf<E>,
    score: E::Score,
) -> i32 {
    let first = engine.notation().first_player_to_move(position);
    let turned = engine.perspective() == Perspective::FirstPlayer && !first;
    (score.to_f64() * if turned { -1.0 } else { 1.0 }).round() as i32
}

/// Calls `search` with a function that scores positions, and returns its result. Positions are
/// scored by production if `values` is empty, else by the twin at the weights `values`, by number.
fn searched<E: Engine, T>(
    engine: &E,
    values: &[f64],
    search: impl Fn(&dyn Fn(&PositionOf<E>) -> E::Score) -> T,
) -> T {
    if values.is_empty() {
        return search(&|position| engine.evaluate(position));
    }
    let twin = |position: &PositionOf<E>| Recorder::score(engine.trace(position));
    Recorder::within(values, || search(&twin))
}

/// Returns the evaluation of a position and the score of its quiescence search, in that order, both
/// from the side to move; the answer has nothing where the engine offers no such search. `values`:
/// the weights by number, empty for those of the source.
pub(crate) fn look<E: Engine>(engine: &E, values: &[f64], position: &PositionOf<E>) -> LookAnswer {
    let looked = searched(engine, values, |evaluate| {
        let quiet = engine.quiescence(position, evaluate)?;
        let standing = from_side_to_move(engine, position, evaluate(position));
        Some([standing, quiet.score])
    });
    LookAnswer(looked)
}

/// Finds where the quiescence search from a position ends. Returns the answer, whose scores are
/// from the side to move of `position`, and the quiet position that is traced in place of
/// `position`; `None` where that itself stays: no search is offered, the line ends with the game,
/// or nothing was played. `values`: the weights by number, empty for those of the source.
pub(crate) fn resolve<E: Engine>(
    engine: &E,
    values: &[f64],
    position: &PositionOf<E>,
) -> (Resolution, Option<PositionOf<E>>) {
    let found = searched(engine, values, |evaluate| {
        let quiet = engine.quiescence(position, evaluate)?;
        let standing = quiet.leaf.as_ref().map(evaluate);
        Some((quiet, standing))
    });
    let Some((quiet, standing)) = found else {
        return (Resolution::Unoffered, None);
    };
    let (Some(leaf), Some(standing)) = (quiet.leaf, standing) else {
        return (Resolution::None, None);
    };
    let notation = engine.notation();
    let root_first = notation.first_player_to_move(position);
    let leaf_first = notation.first_player_to_move(&leaf);
    // The evaluation of the leaf has its own view; the score of the search has that of the root's
    // side to move, which both get.
    let turned = match engine.perspective() {
        Perspective::SideToMove => root_first != leaf_first,
        Perspective::FirstPlayer => !root_first,
    };
    let standing = standing.to_f64() * if turned { -1.0 } else { 1.0 };
    let score = f64::from(quiet.score);
    let text = notation.describe(&leaf);
    // Where nothing was played, nothing has moved.
    let is_played = text != notation.describe(position);
    let resolution = Resolution::Leaf {
        score,
        standing,
        leaf: is_played.then_some((text, leaf_first)),
    };
    (resolution, is_played.then_some(leaf))
}
