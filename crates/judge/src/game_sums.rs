//! Means whose errors go by games.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bins::{Bin, BinMeans};
use crate::statistics::{reach, two_sided_by_games};
use tuner_fit::model::{add_to_game, cluster, ratio_error};

/// Games from which on a bin may stand out. Chosen: fewer may all be drawn, and then their
/// spread is next to none.
pub(crate) const LEAST_GAMES: usize = 10;

/// Games whose sums are held apart at most; of more, games are put together by
/// a hash of their numbers. A standard error is then off by about 1/√(2·16,384)
/// of itself, half a percent.
const MOST_CLUSTERS: usize = 1 << 14;

/// Weights and two values of positions, and the difference of these added up game by game:
/// positions of one game share its result, so what is independent are games.
///
/// *Numerics*: the same where the same sums are merged in the same order.
/// *Cost*: at most 16,384 games, some 40 bytes each.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct GameSums {
    /// By game or, where there are too many, by cluster: weight, weight·difference.
    games: BTreeMap<u32, [f64; 2]>,
    /// Σ weight·first value.
    first: f64,
    /// Whether the keys are clusters.
    clustered: bool,
    /// How many positions were added.
    pub positions: u64,
}

impl GameSums {
    /// Adds a position of a game, with the two values that are compared, such as expectation and
    /// result. `weight`: how often the position counts. With more than 16,384 games, games are put
    /// together from now on.
    pub fn add(&mut self, game: u32, weight: f64, [first, second]: [f64; 2]) {
        self.positions += 1;
        self.first += weight * first;
        self.put(game, [weight, weight * (second - first)]);
        if self.games.len() > MOST_CLUSTERS {
            self.cluster();
        }
    }

    /// Adds the sums of later positions. If games are put together into clusters in one of the two,
    /// they are in both from now on.
    pub fn merge(&mut self, mut other: Self) {
        if other.clustered && !self.clustered {
            self.cluster();
        }
        if self.clustered && !other.clustered {
            other.cluster();
        }
        self.positions += other.positions;
        self.first += other.first;
        for (key, sums) in other.games {
            add_to_game(&mut self.games, key, sums);
        }
        if self.games.len() > MOST_CLUSTERS {
            self.cluster();
        }
    }

    /// Returns over all positions the sum of weights, and that of weight·(second − first value).
    fn totals(&self) -> [f64; 2] {
        let all = self.games.values();
        all.fold([0.0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
    }

    /// Returns the weight of all positions.
    pub(crate) fn weight(&self) -> f64 {
        self.totals()[0]
    }

    /// Makes the bin of these positions under a label: the means of both values, and their
    /// difference with its standard error by games. `None` if no position has weight. The bin does
    /// not stand out yet: that is decided by all bins of a table.
    pub(crate) fn bin<M: BinMeans>(&self, label: String) -> Option<Bin<M>> {
        let [weight, sum] = self.totals();
        if weight <= 0.0 {
            return None;
        }
        let (first, difference) = (self.first / weight, sum / weight);
        let (games, error) = ratio_error(self.games.values().copied(), difference, weight);
        let standard_error = (games >= 2).then_some(error);
        // Without any spread there is nothing to compare with.
        let t = standard_error.filter(|error| *error > 0.0);
        Some(Bin {
            label,
            positions: self.positions,
            games,
            means: M::of([first, first + difference, difference]),
            standard_error,
            reach: standard_error.map(|error| error * reach(games)),
            p_zero: t.and_then(|error| two_sided_by_games(difference / error, games)),
            stands_out: false,
        })
    }

    /// Adds the sums of weight and of weight·difference to those of a game or, where games are put
    /// together by a hash of their numbers, of the cluster of that game.
    fn put(&mut self, game: u32, sums: [f64; 2]) {
        let clusters = self.clustered.then_some(MOST_CLUSTERS);
        let key = clusters.map_or(game, |clusters| cluster(game, clusters) as u32);
        add_to_game(&mut self.games, key, sums);
    }

    /// Puts games together into 16,384 clusters, by a hash of their numbers, if they are not yet.
    fn cluster(&mut self) {
        if self.clustered {
            return;
        }
        self.clustered = true;
        for (game, sums) in std::mem::take(&mut self.games) {
            self.put(game, sums);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::Residual;

    fn bin(sums: &GameSums) -> Option<Bin<Residual>> {
        sums.bin(String::new())
    }

    #[test]
    fn the_error_is_that_of_a_ratio_over_games() {
        let mut sums = GameSums::default();
        for (game, value) in [(7, 1.0), (7, 2.0), (9, -1.0), (8, 0.0), (8, 1.0), (8, 3.0)] {
            sums.add(game, 1.0, [0.5, 0.5 + value]);
        }
        let mean = bin(&sums).unwrap();
        assert_eq!((mean.positions, mean.games), (6, 3));
        assert!((mean.means.residual - 1.0).abs() < 1e-15);
        // By hand: games are off by 3 − 2, −1 − 1 and 4 − 3.
        let expected = (1.5 * 6.0_f64).sqrt() / 6.0;
        assert!((mean.standard_error.unwrap() - expected).abs() < 1e-15);
        // t = 2 with 2 degrees of freedom: 0.1835.
        assert!((mean.p_zero.unwrap() - 0.1835).abs() < 1e-4);
    }

    #[test]
    fn one_game_has_no_error_and_none_no_mean() {
        let mut sums = GameSums::default();
        assert_eq!(bin(&sums), None);
        sums.add(1, 0.0, [0.0, 5.0]);
        assert_eq!(bin(&sums), None);
        sums.add(1, 2.0, [0.0, 5.0]);
        let mean = bin(&sums).unwrap();
        assert!((mean.means.residual - 5.0).abs() < 1e-15 && mean.standard_error.is_none());
    }

    #[test]
    fn clusters_of_games_have_the_error_of_games() {
        // ±1 by turns in so many games: the error is 1/√games.
        let (mut all, mut later) = (GameSums::default(), GameSums::default());
        let games = 40_000;
        for game in 0..games {
            let value = if game % 2 == 0 { 1.0 } else { -1.0 };
            let part = if game < 30_000 { &mut all } else { &mut later };
            part.add(game, 1.0, [0.0, value]);
        }
        all.merge(later);
        let mean = bin(&all).unwrap();
        assert!(mean.games <= MOST_CLUSTERS && mean.games > MOST_CLUSTERS / 2);
        let ratio = mean.standard_error.unwrap() * f64::from(games).sqrt();
        assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
        assert!(mean.means.residual.abs() < 1e-12 && mean.positions == u64::from(games));
    }
}
