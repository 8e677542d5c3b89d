//! A game in progress: the position, what came before, and when it is over.

use chess_engine::search::Searcher;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Chess, EnPassantMode, Move, Position};
use tuner_core::outcome::Outcome;

/// A position with the keys of those before it.
#[derive(Clone, Debug, Default)]
pub struct Game {
    pos: Chess,
    history: Vec<Zobrist64>,
}

impl Game {
    /// The current position.
    pub fn pos(&self) -> &Chess {
        &self.pos
    }

    /// The keys of the earlier positions, oldest first.
    pub fn history(&self) -> &[Zobrist64] {
        &self.history
    }

    /// Moves played so far, both sides counted.
    pub fn ply(&self) -> usize {
        self.history.len()
    }

    /// Plays a legal move.
    pub fn play(&mut self, m: Move) {
        self.history.push(key(&self.pos));
        self.pos.play_unchecked(m);
    }

    /// The result, once the rules end the game: checkmate, stalemate, too
    /// little material, fifty moves, the third occurrence of a position.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.pos.legal_moves().is_empty() {
            return Some(match (self.pos.is_check(), self.pos.turn().is_white()) {
                (true, true) => Outcome::Loss,
                (true, false) => Outcome::Win,
                (false, _) => Outcome::Draw,
            });
        }
        let now = key(&self.pos);
        let drawn = self.pos.is_insufficient_material()
            || self.pos.halfmoves() >= 100
            || self.history.iter().filter(|&&before| before == now).count() >= 2;
        drawn.then_some(Outcome::Draw)
    }
}

/// The score of the quiet end of all captures, from White's side.
pub fn quiet_score(searcher: &mut Searcher, pos: &Chess) -> i32 {
    from_white(searcher.quiescence_score(pos), pos)
}

/// Turns a score from the side to move into one from White's side.
pub fn from_white(score: i32, pos: &Chess) -> i32 {
    pos.turn().fold_wb(score, -score)
}

fn key(pos: &Chess) -> Zobrist64 {
    pos.zobrist_hash(EnPassantMode::Legal)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // the moves below are written here

    use super::*;
    use shakmaty::uci::UciMove;

    fn after(moves: &str) -> Game {
        let mut game = Game::default();
        for text in moves.split_whitespace() {
            let m = text
                .parse::<UciMove>()
                .unwrap()
                .to_move(game.pos())
                .unwrap();
            game.play(m);
        }
        game
    }

    #[test]
    fn mates_go_to_the_right_side() {
        assert_eq!(after("f2f3 e7e5 g2g4 d8h4").outcome(), Some(Outcome::Loss));
        let scholar = "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7";
        assert_eq!(after(scholar).outcome(), Some(Outcome::Win));
        assert_eq!(after("e2e4").outcome(), None);
    }

    #[test]
    fn the_third_occurrence_is_a_draw() {
        let twice = "g1f3 g8f6 f3g1 f6g8";
        assert_eq!(after(twice).outcome(), None);
        assert_eq!(
            after(&format!("{twice} {twice}")).outcome(),
            Some(Outcome::Draw)
        );
    }
}
