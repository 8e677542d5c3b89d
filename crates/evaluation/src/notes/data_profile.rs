//! The profile of the data of a fit: results, phases, half-moves, positions of a game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::features::has_hands;
use super::{MEN, NotedPosition, PLIES, men_label, plies_label};
use tuner_base::Fingerprint;
use tuner_data::Outcome;
use tuner_data::tools::ResultCounts;

/// Positions of one bin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct DataProfileBin {
    /// Their label: what they have in common.
    pub label: String,
    /// Their results; those that are probabilities are in `positions` alone.
    #[serde(flatten)]
    pub results: ResultCounts,
}

/// How many positions games have.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct PositionsOfGame {
    /// The fewest.
    pub fewest: u32,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub most: u32,
}

/// The profile of the data of a fit.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct DataProfile {
    /// All positions.
    #[serde(flatten)]
    pub results: ResultCounts,
    /// Their games; `None` if the data name none.
    pub games: Option<u64>,
    /// Positions that name no game, where others do.
    pub without_game: u64,
    /// Positions of a game.
    pub positions_of_game: Option<PositionsOfGame>,
    /// Positions that were there before, move counters aside.
    pub duplicates: u64,
    /// Positions that are there with different results.
    pub contradictions: u64,
    /// By the men on the board.
    pub by_phase: Vec<DataProfileBin>,
    /// By the half-moves before; empty where no position says.
    pub by_ply: Vec<DataProfileBin>,
    /// Positions that do not say how many half-moves were before.
    pub without_ply: u64,
    /// By the side to move, the first player first.
    pub by_side: Vec<DataProfileBin>,
}

/// The sums that a [`DataProfile`] is made of.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataProfileSums {
    all: ResultCounts,
    /// By the men on the board, the half-moves before, the side to move.
    bins: [BTreeMap<u32, ResultCounts>; 3],
    without_ply: u64,
    without_game: u64,
    /// The game of each run of positions of one game, and how many these are.
    games: Vec<(u64, u32)>,
    /// A hash of each position, its last two bits the result.
    seen: Vec<u64>,
}

/// Returns the result that a value of R, from 0 to 1, is; `None` for a probability between.
fn result(outcome: f64) -> Option<Outcome> {
    let mut all = [Outcome::Loss, Outcome::Draw, Outcome::Win].into_iter();
    all.find(|of| (outcome - of.value()).abs() <= 0.0)
}

/// A hash of a position without its move counters: of the first four fields of FEN,
/// three of SFEN.
pub(crate) fn key(text: &str) -> u64 {
    let board = text.split(' ').next().unwrap_or_default();
    let fields = if has_hands(board) { 3 } else { 4 };
    let end = text.match_indices(' ').nth(fields - 1);
    Fingerprint::of_bytes(&text.as_bytes()[..end.map_or(text.len(), |(end, _)| end)])
}

/// Adds a number of positions of a game to `games`, runs of positions of one game with their
/// lengths: to the last run if it is of this game, else as a new run.
fn add_positions(games: &mut Vec<(u64, u32)>, game: u64, positions: u32) {
    match games.last_mut() {
        Some((last, count)) if *last == game => *count += positions,
        _ => games.push((game, positions)),
    }
}

impl DataProfileSums {
    /// Adds a position to all counts: results, bins, hashes, and positions of its game, in the last
    /// run of positions if that is of the game, else in a new run.
    pub(crate) fn add(&mut self, position: &NotedPosition) {
        let outcome = result(position.outcome);
        self.all.add(outcome);
        let phase = position.men.saturating_sub(1) / MEN;
        let plies = position.ply.map(|ply| ply / PLIES);
        let bins = [Some(phase), plies, Some(position.side)];
        for (counts, bin) in self.bins.iter_mut().zip(bins) {
            if let Some(bin) = bin {
                counts.entry(bin).or_default().add(outcome);
            }
        }
        self.without_ply += u64::from(position.ply.is_none());
        match position.game {
            Some(game) => add_positions(&mut self.games, game.0, 1),
            None => self.without_game += 1,
        }
        // The last two bits of the hash are the result, 3 where it is a probability.
        let result = outcome.map_or(3, |outcome| outcome as u64);
        self.seen.push(position.key & !3 | result);
    }

    /// Adds the sums of positions that come later in the data: a game that continues there is one
    /// run.
    pub(crate) fn merge(&mut self, later: Self) {
        self.all += later.all;
        for (all, later) in self.bins.iter_mut().zip(later.bins) {
            for (bin, counts) in later {
                *all.entry(bin).or_default() += counts;
            }
        }
        self.without_ply += later.without_ply;
        self.without_game += later.without_game;
        for (game, positions) in later.games {
            add_positions(&mut self.games, game, positions);
        }
        self.seen.extend(later.seen);
    }

    /// Makes the profile of all positions that were added; the sums stay.
    ///
    /// *Cost*: a sort; another 8 bytes a position meanwhile.
    pub(crate) fn profile(&self) -> DataProfile {
        let mut seen = self.seen.clone();
        seen.sort_unstable();
        let (mut duplicates, mut contradictions) = (0, 0);
        // Hashes that are equal but for the last two bits, the result, are one position; the first
        // and the last have different results if any two have.
        for equal in seen.chunk_by(|a, b| a & !3 == b & !3) {
            duplicates += equal.len() as u64 - 1;
            contradictions += u64::from(equal.first() != equal.last());
        }
        let mut by_game: BTreeMap<u64, u32> = BTreeMap::new();
        for &(game, positions) in &self.games {
            *by_game.entry(game).or_default() += positions;
        }
        let counts = || by_game.values().copied();
        let games = by_game.len() as u64;
        let [phases, plies, sides] = &self.bins;
        let bins = |bins: &BTreeMap<u32, ResultCounts>, label: &dyn Fn(u32) -> String| {
            let labelled = bins.iter().map(|(&bin, results)| DataProfileBin {
                label: label(bin),
                results: *results,
            });
            labelled.collect()
        };
        let positions_of_game = counts().min().zip(counts().max());
        let with_game = self.all.positions - self.without_game;
        DataProfile {
            games: (games > 0).then_some(games),
            // Data without any game lack none.
            without_game: if games > 0 { self.without_game } else { 0 },
            positions_of_game: positions_of_game.map(|(fewest, most)| PositionsOfGame {
                fewest,
                mean: with_game as f64 / games as f64,
                most,
            }),
            duplicates,
            contradictions,
            by_phase: bins(phases, &men_label),
            by_ply: bins(plies, &plies_label),
            without_ply: self.without_ply,
            by_side: bins(sides, &|side| {
                ["first player", "second player"][side.min(1) as usize].to_owned()
            }),
            results: self.all,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tuner_data::GameKey;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const LATER: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 4 3";
    const BLACK: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1";

    #[test]
    fn a_profile_counts_what_is_there() {
        let game = |name| Some(GameKey::of(name));
        let noted = |text: &str, [men, side]: [u32; 2], ply, outcome, game| NotedPosition {
            key: key(text),
            men,
            side,
            ply,
            outcome,
            game,
            balance: None,
            material: None,
        };
        // Two ids of as many games whose 32 bits, of rows, are the same.
        let [one, other] = ["44257", "59801"].map(GameKey::of);
        assert_eq!(one.number(), other.number());
        let mut alike = DataProfileSums::default();
        for game in [one, other] {
            alike.add(&noted(START, [32, 0], Some(0), 1.0, Some(game)));
        }
        assert_eq!(alike.profile().games, Some(2));
        let (mut all, mut later) = (DataProfileSums::default(), DataProfileSums::default());
        all.add(&noted(START, [32, 0], Some(0), 1.0, game("a")));
        all.add(&noted(LATER, [32, 0], Some(4), 0.0, game("b")));
        later.add(&noted(START, [32, 0], Some(40), 1.0, game("a")));
        later.add(&noted(BLACK, [32, 1], None, 0.5, game("a")));
        later.add(&noted(
            "8/8/8/8/8/8/8/K1k5 w - - 0 1",
            [2, 0],
            None,
            0.3,
            None,
        ));
        all.merge(later);
        let found = all.profile();
        assert_eq!(found.games, Some(2));
        assert_eq!((found.without_game, found.without_ply), (1, 2));
        let of_game = PositionsOfGame {
            fewest: 1,
            mean: 2.0,
            most: 3,
        };
        assert_eq!(found.positions_of_game, Some(of_game));
        // The initial position is there three times, won and lost.
        assert_eq!((found.duplicates, found.contradictions), (2, 1));
        let of = |r: &ResultCounts| [r.positions, r.wins, r.draws, r.losses];
        assert_eq!(of(&found.results), [5, 2, 1, 1]);
        let bins = |bins: &[DataProfileBin]| -> Vec<(String, u64)> {
            let bins = bins.iter().map(|b| (b.label.clone(), b.results.positions));
            bins.collect()
        };
        let named = |bins: &[(&str, u64)]| -> Vec<(String, u64)> {
            bins.iter()
                .map(|(name, n)| ((*name).to_owned(), *n))
                .collect()
        };
        assert_eq!(
            bins(&found.by_phase),
            named(&[("1 to 4 men", 1), ("29 to 32 men", 4)])
        );
        assert_eq!(
            bins(&found.by_ply),
            named(&[("0 to 19", 2), ("40 to 59", 1)])
        );
        assert_eq!(
            bins(&found.by_side),
            named(&[("first player", 4), ("second player", 1)])
        );
    }

    #[test]
    fn nothing_has_an_empty_profile() {
        let none = DataProfileSums::default().profile();
        assert_eq!((none.games, none.positions_of_game), (None, None));
        assert!(none.by_phase.is_empty() && none.duplicates == 0);
    }
}
