//! Counts of rows and games.

use crate::model::Part;
use crate::trace::rows::{AHEAD, Linearised, Row, TraceSet, Traces};

/// Adds up what is counted in sets.
fn sum(traces: Traces<'_>, count: impl Fn(&TraceSet) -> u64 + Sync) -> u64 {
    let mut total = 0;
    traces.each(AHEAD, count, |part| total += part);
    total
}

/// Counts the rows that take another branch at the given lanes.
pub(super) fn flipped(traces: Traces<'_>, lanes: &[f64]) -> u64 {
    sum(traces, |set| {
        let table = set.table(lanes);
        let mut linearised = Linearised::default();
        let mut flips = |row: &Row<'_>| {
            row.expression().is_some() && {
                linearised.at(row, &table);
                linearised.flipped(row)
            }
        };
        set.rows(0..set.len()).filter(|row| flips(row)).count() as u64
    })
}

/// Counts the rows of a part.
pub(super) fn rows(traces: Traces<'_>, part: Part) -> u64 {
    sum(traces, |set| {
        let all = set.rows(0..set.len());
        all.filter(|row| part.contains(row.game())).count() as u64
    })
}

/// Counts the games of a part. *Cost*: a pass; four bytes a game meanwhile, and
/// more where games are torn.
pub(super) fn games(traces: Traces<'_>, part: Part) -> usize {
    let of_set = |set: &TraceSet| {
        let all = set.rows(0..set.len()).map(|row| row.game());
        let mut games: Vec<u32> = all.filter(|&game| part.contains(game)).collect();
        games.sort_unstable();
        games.dedup();
        games
    };
    let mut games = Vec::new();
    traces.each(AHEAD, of_set, |more| games.extend(more));
    games.sort_unstable();
    games.dedup();
    games.len()
}
