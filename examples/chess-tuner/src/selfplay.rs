//! One game of the engine against itself, and the quiet positions in it.
//!
//! Games begin with random moves and go on with a fixed number of nodes a
//! move. A game ends by the rules, when both sides agree for some moves that
//! one of them wins, or as a draw when it is too long.
//!
//! A position is kept when it is quiet: nobody is in check, the best move is no
//! capture and no promotion, quiescence finds nothing to do, no mate is
//! announced. A few of them are drawn from each game, because positions of one
//! game share its result and so tell much the same.

use chess_engine::eval::evaluate;
use chess_engine::search::{Limits, MATE_BOUND, Searcher};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use shakmaty::fen::Fen;
use shakmaty::{EnPassantMode, Move, Position};
use tuner_core::outcome::Outcome;

use crate::game::{Game, from_white};
use crate::opening;

/// Openings that quiescence scores higher than this are thrown away.
const OPENING_BOUND: i32 = 150;

/// The game is won at this score, seen for so many plies by both sides. Low
/// enough for a lone rook: the engine does not know how to mate with it.
const WIN_SCORE: i32 = 600;
const WIN_PLIES: usize = 8;

/// Longer games are drawn.
const MAX_PLIES: usize = 300;

/// No position before this ply: too close to the random moves.
const FIRST_PLY: usize = 14;

/// How games are played. The numbers of a data set.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Of all random numbers.
    pub seed: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Random plies at the start: this many or one more, so that both sides
    /// get to move first.
    pub random_plies: usize,
    /// Positions to keep of a game, at most.
    pub positions: usize,
}

/// A position of a game that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// All six fields.
    pub fen: String,
    /// The search's score in centipawns from White's side.
    pub score: i32,
    /// Moves played before it, both sides counted.
    pub ply: usize,
}

/// A game's result from White's side and its samples in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The result.
    pub outcome: Outcome,
    /// In the order of the game.
    pub samples: Vec<Sample>,
}

/// Two memories, kept from game to game to save their allocation only.
#[derive(Debug)]
pub struct Players {
    player: Searcher,
    judge: Searcher,
}

impl Default for Players {
    fn default() -> Players {
        Players {
            player: Searcher::new(1),
            judge: Searcher::new(0),
        }
    }
}

/// Plays one game. It depends on the settings, its index and the engine alone.
pub fn play(players: &mut Players, settings: &Settings, index: u64) -> Record {
    let Players { player, judge } = players;
    let mut rng = opening::generator(settings.seed, index);
    let plies = settings.random_plies + rng.random_range(0..2_usize);
    let mut game = opening::random(&mut rng, plies, OPENING_BOUND, judge);
    player.new_game();

    let mut quiet = Vec::new();
    // Plies in a row that White, or Black, has been winning for.
    let mut winning = (0, 0);
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        if game.ply() >= MAX_PLIES {
            break Outcome::Draw;
        }
        let limits = Limits::nodes(settings.nodes);
        let result = player.search(game.pos(), game.history(), limits);
        let Some(best) = result.best_move else {
            break Outcome::Draw;
        };
        let score = from_white(result.score, game.pos());
        winning.0 = if score >= WIN_SCORE { winning.0 + 1 } else { 0 };
        winning.1 = if score <= -WIN_SCORE {
            winning.1 + 1
        } else {
            0
        };
        if winning.0 >= WIN_PLIES {
            break Outcome::Win;
        }
        if winning.1 >= WIN_PLIES {
            break Outcome::Loss;
        }
        if game.ply() >= FIRST_PLY && score.abs() < MATE_BOUND && is_quiet(&game, best, judge) {
            let fen = Fen::from_position(game.pos(), EnPassantMode::Legal).to_string();
            quiet.push(Sample {
                fen,
                score,
                ply: game.ply(),
            });
        }
        game.play(best);
    };
    Record {
        outcome,
        samples: draw(quiet, settings.positions, &mut rng),
    }
}

fn is_quiet(game: &Game, best: Move, judge: &mut Searcher) -> bool {
    let pos = game.pos();
    !pos.is_check()
        && !best.is_capture()
        && !best.is_promotion()
        && judge.quiescence_score(pos) == evaluate(pos)
}

/// Keeps a number of samples, drawn evenly, in their order. Of positions that
/// occurred twice the first is kept.
fn draw(mut samples: Vec<Sample>, keep: usize, rng: &mut ChaCha8Rng) -> Vec<Sample> {
    let mut seen = std::collections::HashSet::new();
    samples.retain(|sample| seen.insert(placement(&sample.fen).to_owned()));
    while samples.len() > keep {
        samples.remove(rng.random_range(0..samples.len()));
    }
    samples
}

/// The FEN without its two move counters.
fn placement(fen: &str) -> &str {
    fen.rsplitn(3, ' ').last().unwrap_or(fen)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failure is a failed test

    use super::*;
    use shakmaty::{CastlingMode, Chess};

    const SETTINGS: Settings = Settings {
        seed: 7,
        nodes: 100,
        random_plies: 8,
        positions: 6,
    };

    #[test]
    fn a_game_depends_on_its_index_alone() {
        let mut fresh = Players::default();
        let first = play(&mut fresh, &SETTINGS, 3);
        let mut used = Players::default();
        play(&mut used, &SETTINGS, 1);
        assert_eq!(play(&mut used, &SETTINGS, 3), first);
    }

    #[test]
    fn samples_are_quiet_distinct_and_in_order() {
        let mut players = Players::default();
        for index in 0..10 {
            let record = play(&mut players, &SETTINGS, index);
            assert!(record.samples.len() <= SETTINGS.positions);
            assert!(record.samples.is_sorted_by(|a, b| a.ply < b.ply));
            for sample in record.samples {
                assert!(sample.ply >= FIRST_PLY);
                let fen = sample.fen.parse::<Fen>().unwrap();
                let pos: Chess = fen.into_position(CastlingMode::Standard).unwrap();
                assert!(!pos.is_check());
                assert_eq!(players.judge.quiescence_score(&pos), evaluate(&pos));
            }
        }
    }

    #[test]
    fn repeated_positions_are_kept_once() {
        let sample = |fen: &str, ply| Sample {
            fen: fen.to_owned(),
            score: 0,
            ply,
        };
        let samples = vec![
            sample("8/8/8/8/8/8/k6K/8 w - - 3 40", 78),
            sample("8/8/8/8/8/8/k6K/8 w - - 7 42", 82),
        ];
        assert_eq!(draw(samples, 5, &mut opening::generator(1, 1)).len(), 1);
    }
}
