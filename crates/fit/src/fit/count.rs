//! Counts of rows and games.

use crate::model::Part;
use crate::model::passes::counted;
use rayon::prelude::*;
use tuner_rows::{Linearised, Row, Traces};
use tuner_solve::PassError;

/// Rows that a thread looks at before it asks for more. Chosen.
const CHUNK: usize = 4096;

/// Counts the rows that take another branch at the given lanes.
pub(super) fn flipped(traces: Traces<'_>, lanes: &[f64]) -> Result<u64, PassError> {
    let count = traces.count(|set| {
        let table = set.table(lanes);
        let of_chunk = |first: usize| {
            let mut linearised = Linearised::default();
            let mut flips = |row: &Row<'_>| {
                row.expression().is_some() && {
                    linearised.at(row, &table);
                    linearised.changes_branch(row)
                }
            };
            let rows = set.rows(first..set.len().min(first + CHUNK));
            rows.filter(|row| flips(row)).count()
        };
        let chunks = (0..set.len()).into_par_iter().step_by(CHUNK);
        chunks.map(of_chunk).sum()
    });
    counted(traces, count)
}

/// Counts the rows of a part.
pub(super) fn rows(traces: Traces<'_>, part: Part) -> Result<u64, PassError> {
    counted(traces, traces.rows_of(|game| part.contains(game)))
}

/// Counts the games of a part.
pub(super) fn games(traces: Traces<'_>, part: Part) -> Result<usize, PassError> {
    counted(traces, traces.games_of(|game| part.contains(game)))
}
