//! Reads traces made elsewhere, in any language, from Arrow IPC files.
//!
//! One row per position, `score = constant + Σ c_j·(phase·mg_j +
//! (1 − phase)·eg_scale·eg_j)`, in these columns, in any order:
//!
//! | column | type | meaning |
//! |---|---|---|
//! | `outcome` | number | R for the first player, in [0, 1] |
//! | `phase` | number | 1 full material, 0 bare endgame; may exceed 1 |
//! | `eg_scale` | number | what the endgame half is multiplied by |
//! | `constant` | number | what no weight explains, in centipawns |
//! | `feature` | list of integers | numbers *j* of features, from 0 |
//! | `coefficient` | list of numbers | their coefficients c_j |
//! | `game` | integer, optional | the game; without it every row is one |
//! | `weight` | number, optional | how often the row counts; without it 1 |
//! | `search_score` | integer, optional | a search's score for the first player, in centipawns |
//!
//! A number is any integer or float type, a list `List`, `LargeList` or
//! `FixedSizeList`. Nulls are refused, except in `search_score`: a position
//! without one. Feature *j* becomes slot *j*, so its
//! weights are lanes 2*j* (mg) and 2*j* + 1 (eg).

mod columns;
mod error;

pub use error::{ArrowTraceError, TraceProblem};

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileReader;

use tuner_base::Slot;

use crate::{RowDraft, RowInfo, Segment, TraceSet};
use columns::{Columns, check};

/// Features beyond this are refused: each takes 16 bytes in every vector of
/// weights, so a wrong number would ask for gigabytes.
const MOST_FEATURES: f64 = 16_777_216.0;

/// Traces made elsewhere.
#[derive(Clone, Debug)]
pub struct ArrowTraces {
    /// The rows; one slot per feature.
    pub traces: TraceSet,
    /// Whether the file told which positions are of one game. If not, a split
    /// by game is one by position, and too optimistic.
    pub has_games: bool,
}

/// Reads a file of traces.
///
/// *Cost*: one pass over the file, one batch of it in memory at a time.
///
/// # Errors
/// If the file cannot be read, is cut off, or anything in it is not as the
/// table in the [module](self) says. All problems are counted, the first ten
/// returned.
pub fn read(path: &Path) -> Result<ArrowTraces, ArrowTraceError> {
    let mut problems = ArrowTraceError::new(path);
    let Some(reader) = open(path, &mut problems) else {
        return Err(problems);
    };
    let has_games = reader.schema().index_of("game").is_ok();
    let mut traces = TraceSet::new(0);
    let mut first_row = 0;
    for (number, batch) in reader.enumerate() {
        match batch {
            Ok(batch) => {
                read_batch(&batch, first_row, &mut traces, &mut problems);
                first_row += batch.num_rows() as u64;
            }
            Err(error) => {
                let what = format!(
                    "batch {number} cannot be read ({error}); the file is cut off or damaged, \
                     write it again"
                );
                problems.add(None, None, what);
                break;
            }
        }
    }
    if problems.count > 0 {
        return Err(problems);
    }
    traces.finish();
    Ok(ArrowTraces { traces, has_games })
}

/// Opens the file and checks that all columns are there.
fn open(path: &Path, problems: &mut ArrowTraceError) -> Option<FileReader<BufReader<File>>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => {
            problems.add(None, None, format!("cannot be opened: {error}"));
            return None;
        }
    };
    match FileReader::try_new_buffered(file, None) {
        Ok(reader) => check(&reader.schema(), problems).then_some(reader),
        Err(error) => {
            let what = format!(
                "is no complete Arrow IPC file ({error}); it may be cut off, or a stream or \
                 another format; expected the file format with its footer, write it again"
            );
            problems.add(None, None, what);
            None
        }
    }
}

/// Appends the rows of one batch.
fn read_batch(
    batch: &RecordBatch,
    first_row: u64,
    traces: &mut TraceSet,
    problems: &mut ArrowTraceError,
) {
    let Some(columns) = Columns::of(batch, first_row, problems) else {
        return;
    };
    let mut draft = RowDraft::default();
    for row in 0..batch.num_rows() {
        let place = first_row + row as u64;
        let before = problems.count;
        let info = read_info(&columns, row, place, problems);
        fill(&columns, row, place, &mut draft, problems);
        if problems.count != before {
            continue;
        }
        let slots = draft
            .segments
            .iter()
            .flat_map(|s| &s.entries)
            .map(|e| e.0.index() + 1)
            .max();
        traces.ensure_slots(slots.unwrap_or(0));
        if let Err(error) = traces.push(&draft, &info) {
            problems.add(Some(place), None, error.to_string());
        }
    }
}

/// Reads the facts about a position that its trace does not hold.
fn read_info(columns: &Columns, row: usize, place: u64, problems: &mut ArrowTraceError) -> RowInfo {
    let outcome = columns.outcome[row];
    if !(0.0..=1.0).contains(&outcome) {
        let what = format!("is {outcome}; expected a number from 0 (loss) to 1 (win)");
        problems.add(Some(place), Some("outcome"), what);
    }
    let game = columns.game.as_ref().map_or(place as f64, |game| game[row]);
    if !(0.0..=f64::from(u32::MAX)).contains(&game) || game.fract() != 0.0 {
        let what = format!("is {game}; expected an integer from 0 to 4294967295");
        problems.add(Some(place), Some("game"), what);
    }
    let weight = columns.weight.as_ref().map_or(1.0, |weight| weight[row]);
    if !weight.is_finite() || weight < 0.0 {
        let what = format!("is {weight}; expected a finite number of at least 0");
        problems.add(Some(place), Some("weight"), what);
    }
    let search_score = (columns.search_score.as_ref()).and_then(|scores| scores[row]);
    let range = f64::from(i32::MIN)..=f64::from(i32::MAX);
    if let Some(score) = search_score.filter(|score| !range.contains(score)) {
        let what = format!("is {score}; expected an integer of 32 bits");
        problems.add(Some(place), Some("search_score"), what);
    }
    RowInfo {
        outcome,
        game: game as u32,
        weight,
        search_score: search_score.map(|score| score as i32),
    }
}

/// Fills the draft with the linear part of a row.
fn fill(
    columns: &Columns,
    row: usize,
    place: u64,
    draft: &mut RowDraft,
    problems: &mut ArrowTraceError,
) {
    let finite = |name, value: f64, problems: &mut ArrowTraceError| {
        if !value.is_finite() {
            let what = format!("is {value}; expected a finite number");
            problems.add(Some(place), Some(name), what);
        }
        value
    };
    draft.clear();
    draft.constant = finite("constant", columns.constant[row], problems);
    let phase = finite("phase", columns.phase[row], problems);
    let eg_scale = finite("eg_scale", columns.eg_scale[row], problems);
    let factors = [phase, (1.0 - phase) * eg_scale];
    draft.segments.resize_with(1, Segment::default);
    draft.segments[0].factors = factors;
    let features = columns.feature.row(row);
    let coefficients = columns.coefficient.row(row);
    if features.len() != coefficients.len() {
        let what = format!(
            "has {} entries, `feature` has {}; expected equal lengths",
            coefficients.len(),
            features.len()
        );
        problems.add(Some(place), Some("coefficient"), what);
        return;
    }
    for (&feature, &coefficient) in features.iter().zip(coefficients) {
        if !(0.0..MOST_FEATURES).contains(&feature) {
            let what =
                format!("has entry {feature}; expected a number from 0 below {MOST_FEATURES}");
            problems.add(Some(place), Some("feature"), what);
            continue;
        }
        let c = finite("coefficient", coefficient, problems);
        if c.fract() == 0.0 && (f64::from(i16::MIN)..=f64::from(i16::MAX)).contains(&c) {
            draft.segments[0]
                .entries
                .push((Slot(feature as u32), [c as i16; 2]));
        } else {
            let factors = factors.map(|factor| factor * c);
            draft.segments.push(Segment {
                factors,
                entries: vec![(Slot(feature as u32), [1; 2])],
            });
        }
    }
}

#[cfg(test)]
mod tests;
