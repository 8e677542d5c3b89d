//! A game of a record, which is told position by position.

use std::sync::Arc;

use super::rules::Rules;
use super::{
    Around, EventSink, Expected, GameKey, GameTags, LabelledPosition, RecordEvent, RecordPlace,
};

/// A recorded game that is over, without its moves.
#[derive(Clone, Debug)]
pub struct RecordedGame<P> {
    /// The position that it began with.
    pub start: P,
    /// Half-moves before that position.
    pub plies_before: u32,
    /// The result for the first player.
    pub outcome: Expected,
    /// Whether something other than the moves decided: time, an illegal move, a lost
    /// connection. `None` if the record does not tell.
    pub forfeit: Option<bool>,
    /// The key of the game.
    pub key: GameKey,
    /// Its tags: what else the record tells of it.
    pub tags: Option<Arc<GameTags>>,
}

/// A move of a recorded game.
#[derive(Clone, Copy, Debug)]
pub struct RecordedPly<M> {
    /// The move: a legal one.
    pub played: M,
    /// The search score of the position before it, the first player's.
    pub score: Option<i32>,
    /// Whether it came from a book, if the record tells.
    pub book: Option<bool>,
    /// Where it is in the record.
    pub place: RecordPlace,
}

impl<P> RecordedGame<P> {
    /// Tells `to` each position in which a move was played, with its labels, oldest first, and then
    /// the end of the game. `plies` are all moves of the game, which must be legal ones.
    pub fn tell<R: Rules<Position = P>>(
        self,
        rules: &R,
        plies: impl ExactSizeIterator<Item = RecordedPly<R::Move>>,
        to: EventSink<'_, P>,
    ) where
        P: Clone,
    {
        let mut position = self.start;
        let count = plies.len() as u32;
        let mut last_tactical = None;
        for (number, ply) in (0..).zip(plies) {
            let tactical = rules.is_tactical(&position, ply.played);
            let labelled = LabelledPosition {
                position: position.clone(),
                outcome: self.outcome,
                search_score: ply.score,
                game: Some(self.key),
                ply: Some(self.plies_before.saturating_add(number)),
                around: Around {
                    last_tactical,
                    next_tactical: Some(tactical),
                    plies_left: Some(count - number),
                    forfeit: self.forfeit,
                    book: ply.book,
                },
                tags: self.tags.clone(),
            };
            last_tactical = Some(tactical);
            to(RecordEvent::Position(ply.place, labelled));
            rules.play(&mut position, ply.played);
        }
        to(RecordEvent::Unit);
    }
}
