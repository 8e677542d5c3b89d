//! Some positions of each game.

use super::{Kept, mixed};
use crate::data::GameKey;

/// Takes so many positions of each game, drawn by a seed.
///
/// A game is a run of positions with the same key: what stands apart from it
/// counts as another game. Positions without game are all taken.
#[derive(Debug)]
pub(super) struct PerGame {
    most: usize,
    seed: u64,
    game: Option<GameKey>,
    run: Vec<Kept>,
}

impl PerGame {
    pub(super) fn new(most: usize, seed: u64) -> Self {
        Self {
            most,
            seed,
            game: None,
            run: Vec::new(),
        }
    }

    /// Takes a position; gives those of the game before once it has ended, and
    /// how many of them were left out.
    pub(super) fn add(&mut self, kept: Kept, give: &mut dyn FnMut(Kept)) -> u64 {
        let mut left_out = 0;
        if kept.game.is_none() || kept.game != self.game {
            left_out = self.finish(give);
            self.game = kept.game;
        }
        self.run.push(kept);
        left_out
    }

    /// Gives those of the last game.
    pub(super) fn finish(&mut self, give: &mut dyn FnMut(Kept)) -> u64 {
        let mut run = std::mem::take(&mut self.run);
        let count = run.len();
        if let Some(game) = self.game
            && count > self.most
        {
            let draw = |number: usize| mixed(self.seed, game.0.wrapping_add(number as u64));
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_unstable_by_key(|&number| (draw(number), number));
            order.truncate(self.most);
            order.sort_unstable();
            let mut number = 0;
            run.retain(|_| {
                number += 1;
                order.binary_search(&(number - 1)).is_ok()
            });
        }
        let left_out = (count - run.len()) as u64;
        run.into_iter().for_each(give);
        left_out
    }
}
