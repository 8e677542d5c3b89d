//! Some positions of each game.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::{KeyedPosition, mixed};
use crate::GameKey;

/// Takes so many positions of each game, drawn by a seed, wherever they stand.
///
/// A game is what has the same key, so positions may come in any order, and
/// the same game twice is one game. Positions without game are all taken.
///
/// *Cost*: memory for what is taken, which is known at the end only.
#[derive(Debug, Default)]
pub(super) struct PerGame {
    most: usize,
    seed: u64,
    games: HashMap<GameKey, Game>,
    /// What is taken so far, by its place in the input.
    pub(super) taken: BTreeMap<u64, KeyedPosition>,
    /// Positions so far.
    count: u64,
}

/// A game so far.
#[derive(Debug, Default)]
struct Game {
    /// Positions of it so far.
    count: u64,
    /// Of each position that is taken: its random draw, its number in the game, and its place in
    /// the input.
    drawn: BinaryHeap<(u64, u64, u64)>,
}

impl PerGame {
    /// Begins a selection of at most `most` positions of each game, drawn at random by `seed`.
    pub(super) fn new(most: usize, seed: u64) -> Self {
        Self {
            most,
            seed,
            ..Self::default()
        }
    }

    /// Takes a position; returns whether one is left out for it: the position itself, or another of
    /// its game that was taken before. One without a game is always taken.
    pub(super) fn add(&mut self, kept: KeyedPosition) -> bool {
        let place = self.count;
        self.count += 1;
        let key = kept.labelled.game;
        self.taken.insert(place, kept);
        let Some(key) = key else {
            return false;
        };
        let game = self.games.entry(key).or_default();
        let draw = mixed(self.seed, key.0.wrapping_add(game.count));
        game.drawn.push((draw, game.count, place));
        game.count += 1;
        if game.drawn.len() <= self.most {
            return false;
        }
        // Of the random draws of a game the largest leaves, so that those with the least draws
        // stay.
        if let Some((_, _, place)) = game.drawn.pop() {
            self.taken.remove(&place);
        }
        true
    }
}
