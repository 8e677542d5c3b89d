//! How much the positions of a game count, and how many games that makes.

use std::collections::BTreeMap;

use serde::Serialize;

use super::by_game::{ByGame, sum_by_game};
use super::{Part, PassResult};
use tuner_parallel as parallel;
use tuner_rows::{Row, TraceSet, Traces};

/// How positions share what their game says.
///
/// Positions of a game share its result, so a long game is not more evidence by as much as it is
/// longer. A row's own weight multiplies whatever this gives: n is the number of a game's positions
/// that count. On the command line and in summaries it has the name of the variant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SampleWeighting {
    /// Every position counts 1: the default.
    #[default]
    Positions,
    /// Every game counts 1 in all, each of its positions 1/n.
    Games,
    /// Every position counts 1/√n, so a game √n: between the two.
    Sqrt,
}

tuner_base::impl_fmt! { Display for SampleWeighting, |self, f| self.serialize(f) }

impl SampleWeighting {
    /// Returns how many rows with a weight above 0 each game has, over all ranks; nothing where
    /// every position counts 1. *Cost*: a pass over games and weights.
    ///
    /// # Errors
    /// If rows cannot be read.
    pub fn totals<'a>(self, traces: impl Into<Traces<'a>>) -> PassResult<Totals> {
        match self {
            Self::Positions => Ok(Totals::new()),
            Self::Games | Self::Sqrt => {
                let counts = |own| f64::from(u8::from(own > 0.0));
                let totals = totals(traces.into(), Part::All, counts)?;
                Ok(totals.into_iter().collect())
            }
        }
    }

    /// Returns how much a row counts whose own weight is `own`, in a game with `n` rows of positive
    /// weight; 0 if n is 0, except where every position counts 1.
    pub fn weight(self, own: f64, n: f64) -> f64 {
        match self {
            Self::Positions => own,
            // A game that does not count.
            _ if n <= 0.0 => 0.0,
            Self::Games => own / n,
            Self::Sqrt => own / n.sqrt(),
        }
    }

    /// Changes the weight of each row by how many rows its game has. `totals` has these numbers
    /// over all ranks and blocks; games that are not in it get weight 0. Where every position
    /// counts 1 nothing changes, whatever is in it.
    pub fn share(self, traces: &mut TraceSet, totals: &Totals) {
        if self == Self::Positions {
            return;
        }
        let weight = |row: Row<'_>| {
            let n = totals.get(&row.game()).copied().unwrap_or(0.0);
            self.weight(row.weight(), n)
        };
        let weights: Vec<f64> = traces.rows(0..traces.len()).map(weight).collect();
        traces.map_weights(|row, _| weights[row]);
    }
}

/// Returns how many games of equal weight say as much as those of `part`:
/// (Σ W)²/Σ W², with W the sum of the weights of a game. 0 where no game has weight.
///
/// *Source*: L. Kish, Survey Sampling, 1965, §11.7.
/// *Cost*: a pass over the columns of games and weights.
///
/// # Errors
/// If rows cannot be read.
pub fn effective_games(traces: Traces<'_>, part: Part) -> PassResult<f64> {
    let [sum, squares] = match traces.in_memory() {
        // Takes the least memory; possible where all rows of a game are in this one set.
        Some(set) if traces.ranks().is_alone() => moments(totals_of_set(set, part)),
        _ => {
            let games = totals(traces, part, |own| own)?.into_iter();
            moments(games.map(|(_, total)| total))
        }
    };
    let games = sum * sum / squares;
    Ok(if squares > 0.0 { games } else { 0.0 })
}

/// Returns the sum of some numbers, and the sum of their squares.
fn moments(numbers: impl Iterator<Item = f64>) -> [f64; 2] {
    let add = |[sum, squares]: [f64; 2], number| [sum + number, squares + number * number];
    numbers.fold([0.0; 2], add)
}

/// Iterates over the games of a part in one set, ascending by their number, and gives the sum of
/// the weights of each game's rows. *Cost*: eight bytes a row; a tree of games would take fifty for
/// each, and a game may have a single row.
fn totals_of_set(set: &TraceSet, part: Part) -> impl Iterator<Item = f64> {
    let mut rows = Vec::with_capacity(set.len());
    let all = (0..set.len() as u32).map(|row| (set.game(row as usize), row));
    rows.extend(all.filter(|&(game, _)| part.contains(game)));
    parallel::sort(&mut rows);
    let mut rows = rows.into_iter().peekable();
    std::iter::from_fn(move || {
        let (game, first) = rows.next()?;
        let mut total = set.weight(first as usize);
        while let Some((_, row)) = rows.next_if(|&(next, _)| next == game) {
            total += set.weight(row as usize);
        }
        Some(total)
    })
}

/// By game, a sum over its rows, such as how many of them have weight.
pub type Totals = BTreeMap<u32, f64>;

/// Returns, ascending by game and over all ranks, a sum over the rows of each game of a part: of
/// what `of` makes of a row's weight.
fn totals(traces: Traces<'_>, part: Part, of: fn(f64) -> f64) -> PassResult<ByGame<f64>> {
    let of_set = |set: &TraceSet| weighed(set, part, of);
    sum_by_game(traces, of_set, |sum| [sum], |sums| sums[0])
}

/// Returns, for each row of a part of one set, the number of its game and what `of` makes of its
/// weight.
fn weighed(set: &TraceSet, part: Part, of: fn(f64) -> f64) -> Vec<(u32, f64)> {
    let rows = (0..set.len()).map(|row| (set.game(row), of(set.weight(row))));
    // Reserved at once: while a list grows, its old copy takes memory as well.
    let mut weights = Vec::with_capacity(set.len());
    weights.extend(rows.filter(|&(game, _)| part.contains(game)));
    weights
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_rows::{RowDraft, RowInfo};

    /// Rows of these games and weights.
    fn traces(rows: &[(u32, f64)]) -> TraceSet {
        let mut set = TraceSet::new(0);
        for &(game, weight) in rows {
            let info = RowInfo {
                weight,
                ..RowInfo::new(0.5, game)
            };
            set.push(&RowDraft::default(), &info).unwrap();
        }
        set
    }

    fn weights(set: &TraceSet) -> Vec<f64> {
        set.rows(0..set.len()).map(|row| row.weight()).collect()
    }

    const ROWS: [(u32, f64); 7] = [
        (7, 1.0),
        (7, 1.0),
        (3, 0.5),
        (7, 1.0),
        (7, 3.0),
        (9, 0.0),
        (9, 0.0),
    ];

    #[test]
    fn a_game_counts_one_or_its_root() {
        let set = traces(&ROWS);
        let weighed = |weighing: SampleWeighting| {
            let mut weighed = set.clone();
            weighing.share(&mut weighed, &weighing.totals(&set).unwrap());
            assert_eq!(weights(&set), ROWS.map(|row| row.1));
            weights(&weighed)
        };
        assert_eq!(weighed(SampleWeighting::Positions), ROWS.map(|row| row.1));
        let by_game = weighed(SampleWeighting::Games);
        // What the data say of a game's weight is not divided out again.
        assert_eq!(by_game, [0.25, 0.25, 0.5, 0.25, 0.75, 0.0, 0.0]);
        let by_root = weighed(SampleWeighting::Sqrt);
        assert_eq!(by_root, [0.5, 0.5, 0.5, 0.5, 1.5, 0.0, 0.0]);
    }

    #[test]
    fn games_of_unequal_weight_are_fewer() {
        let mut set = traces(&ROWS);
        let games = |set: &TraceSet| effective_games(set.into(), Part::All).unwrap();
        assert!((games(&set) - 6.5 * 6.5 / 36.25).abs() < 1e-12);
        let totals = SampleWeighting::Games.totals(&set).unwrap();
        SampleWeighting::Games.share(&mut set, &totals);
        assert!((games(&set) - 4.0 / 2.5).abs() < 1e-12);
        assert!(games(&traces(&[])).abs() < 1e-12);
        assert!((games(&traces(&[(1, 3.0), (2, 3.0)])) - 2.0).abs() < 1e-12);
    }
}
