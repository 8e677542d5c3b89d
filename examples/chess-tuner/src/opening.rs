//! Random openings: legal moves drawn blindly, unbalanced results thrown away.

use chess_engine::search::Searcher;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use shakmaty::Position;

use crate::game::{Game, quiet_score};

/// The random numbers of one game: its own stream of the seed, so that a game
/// does not depend on how many others were played before or beside it.
pub fn generator(seed: u64, game: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(game);
    rng
}

/// Plays random legal moves until an opening is found that is not over, leaves
/// nobody in check, and that quiescence scores within `bound` centipawns.
///
/// The score is the linked engine's: other weights accept other openings.
///
/// *Cost*: about two to five tries for a bound of 150 to 300.
pub fn random(rng: &mut ChaCha8Rng, plies: usize, bound: i32, judge: &mut Searcher) -> Game {
    loop {
        let game = random_moves(rng, plies);
        let over = game.ply() < plies || game.outcome().is_some() || game.pos().is_check();
        if !over && quiet_score(judge, game.pos()).abs() <= bound {
            return game;
        }
    }
}

/// Plays random legal moves from the start; fewer only where the game ends.
fn random_moves(rng: &mut ChaCha8Rng, plies: usize) -> Game {
    let mut game = Game::default();
    for _ in 0..plies {
        let moves = game.pos().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[rng.random_range(0..moves.len())]);
    }
    game
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_depend_on_seed_and_game_only() {
        let opening = |seed, game| {
            let mut rng = generator(seed, game);
            let _ = random(&mut generator(9, 9), 8, 300, &mut Searcher::new(0));
            random(&mut rng, 8, 300, &mut Searcher::new(0))
                .pos()
                .clone()
        };
        assert_eq!(opening(1, 5), opening(1, 5));
        assert_ne!(opening(1, 5), opening(1, 6));
        assert_ne!(opening(1, 5), opening(2, 5));
    }

    #[test]
    fn openings_are_balanced_and_not_over() {
        let mut judge = Searcher::new(0);
        for index in 0..50 {
            let game = random(&mut generator(3, index), 8, 100, &mut judge);
            assert_eq!((game.ply(), game.outcome()), (8, None));
            assert!(quiet_score(&mut judge, game.pos()).abs() <= 100);
        }
    }
}
