//! What the players of a game are called.

use super::board::Board;
use tuner_record::RunRecord;

/// The names of both players, where the game is one whose boards are drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Players(Option<[&'static str; 2]>);

impl Players {
    /// Returns what both players are called in the game of the first position of a record whose
    /// text is a board of chess or shogi; without such a position they have no names.
    pub(super) fn of(record: &RunRecord) -> Self {
        let mut positions = record.examined.worst.iter();
        let board = positions.find_map(|of| Board::read(&of.position));
        Self(board.map(|board| board.players()))
    }

    /// Replaces `first player` and `second player` in `words` by the names of the game's players,
    /// such as White and Black; words stay as they are where the players have no names.
    pub(super) fn said(self, words: &str) -> String {
        let Some(names) = self.0 else {
            return words.to_owned();
        };
        let mut words = words.to_owned();
        for (player, name) in ["first player", "second player"].iter().zip(names) {
            words = words
                .replace(&format!("the {player}"), name)
                .replace(player, name);
        }
        words
    }
}
