//! Counts of rows and games.

use crate::model::Part;
use crate::trace::rows::{Linearised, Row, TraceSet};

/// Counts the rows that take another branch at the given lanes.
pub(super) fn flipped(traces: &TraceSet, lanes: &[f64]) -> u64 {
    let table = traces.table(lanes);
    let mut linearised = Linearised::default();
    let mut flips = |row: &Row<'_>| {
        row.expression().is_some() && {
            linearised.at(row, &table);
            linearised.flipped(row)
        }
    };
    traces
        .rows(0..traces.len())
        .filter(|row| flips(row))
        .count() as u64
}

/// Counts the rows of a part.
pub(super) fn rows(traces: &TraceSet, part: Part) -> u64 {
    let all = traces.rows(0..traces.len());
    all.filter(|row| part.contains(row.game())).count() as u64
}

/// Counts the games of a part.
pub(super) fn games(traces: &TraceSet, part: Part) -> usize {
    let all = traces.rows(0..traces.len()).map(|row| row.game());
    let mut games: Vec<u32> = all.filter(|&game| part.contains(game)).collect();
    games.sort_unstable();
    games.dedup();
    games.len()
}
