//! How games begin: random moves, or a book.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::book::Book;
use super::player::{Player, PlayerFault};
use tuner_game::rules::{Game, Rules};

/// Most tries for a random opening. A bound of 150 centipawns takes two to five.
const TRIES: usize = 10_000;

/// Returns the source of random numbers of one game: stream `game` of the seed, so that a game does
/// not depend on how many others were played before or beside it.
pub fn generator(seed: u64, game: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(game);
    rng
}

/// A beginning: a position, and moves from there.
#[derive(Clone, Debug)]
pub struct Opening<R: Rules + ?Sized> {
    /// The position that the game begins with.
    pub start: R::Position,
    /// Legal moves, played one after the other.
    pub moves: Vec<R::Move>,
}

/// Where openings come from.
#[derive(Clone, Debug)]
pub enum Openings<R: Rules + ?Sized> {
    /// Legal moves drawn blindly from the initial position.
    Random {
        /// How many moves, of both sides.
        plies: usize,
        /// The largest score, either way, that quiescence may find after them,
        /// where a player is there to tell.
        bound: Option<i32>,
    },
    /// Openings that somebody chose, one after the other, from the first again
    /// after the last.
    Book(Book<R>),
}

impl<R: Rules + ?Sized> Opening<R> {
    /// Returns the game after the moves of the opening.
    pub fn game<'r>(&self, rules: &'r R) -> Game<'r, R> {
        let mut game = Game::new(rules, self.start.clone());
        for &m in &self.moves {
            game.play(m);
        }
        game
    }
}

impl<R: Rules + ?Sized> Openings<R> {
    /// Returns how many openings there are; `None` where they are drawn at random.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Random { .. } => None,
            Self::Book(book) => Some(book.len() as u64),
        }
    }

    /// Returns the opening number `number` of a book, or a random one: as many random moves as the
    /// setting says, and `more`, drawn from `rng`.
    ///
    /// A random opening is not over, leaves nobody in check, and is within the bound by what
    /// `judge` sees.
    ///
    /// # Errors
    /// [`PlayerFault::Unusable`] if each of 10,000 random openings in a row is over, in check or
    /// beyond the bound.
    pub fn game<'r>(
        &self,
        rules: &'r R,
        number: u64,
        more: usize,
        rng: &mut ChaCha8Rng,
        judge: &mut dyn Player<R>,
    ) -> Result<Game<'r, R>, PlayerFault> {
        let (plies, bound) = match self {
            Self::Book(book) => return Ok(book.opening(number).game(rules)),
            &Self::Random { plies, bound } => (plies + more, bound),
        };
        for _ in 0..TRIES {
            let mut game = Game::new(rules, rules.initial());
            for _ in 0..plies {
                let moves = rules.legal_moves(game.position());
                if moves.is_empty() {
                    break;
                }
                game.play(moves[rng.random_range(0..moves.len())]);
            }
            let position = game.position();
            if game.moves().len() < plies || game.ending().is_some() || rules.is_check(position) {
                continue;
            }
            let balanced = bound.is_none_or(|bound| {
                let look = judge.look(position);
                look.is_none_or(|look| look.quiet.saturating_abs() <= bound)
            });
            if balanced {
                return Ok(game);
            }
        }
        let bound = bound.map_or_else(String::new, |bound| format!(" within {bound} centipawns"));
        Err(PlayerFault::Unusable(format!(
            "no opening of {plies} random plies{bound} in {TRIES} tries; ask for fewer plies, or give \
             a book"
        )))
    }
}
