//! Reads traces made elsewhere, in any language: Arrow IPC files, CSV, and lines
//! `outcome index:coefficient …` as of libsvm.
//!
//! `docs/traces.md` describes the formats. A row is a position,
//! `score = constant + Σ c_j·w_j`, or, where there is a phase,
//! `constant + Σ c_j·(phase·mg_j + (1 − phase)·eg_scale·eg_j)`.
//!
//! The way of a row: `ArrowSource` or `TextSource` hand over what is in the file
//! (`columns`, `text`), `FeatureMap` says which weights its features are, and
//! `RowBuilder` makes a [`Trace`](tuner_trace::Trace) of it, which becomes a row as
//! those of the macros do.
//!
//! Not here: files that `trace` of an engine wrote, larger than memory
//! ([`file`](mod@crate::file)).

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "arrow")]
mod columns;
mod features;
mod keys;
#[cfg(feature = "arrow")]
mod message;
mod problems;
mod row;
mod text;
mod units;

pub use features::DeclaredWeights;
pub use problems::ImportError;
use problems::TracePlace;
pub use units::{quotient_forms, units};

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use tuner_base::LaneId;

use crate::TraceSet;
#[cfg(feature = "arrow")]
use arrow::ArrowSource;
use features::FeatureMap;
use keys::Keys;
use row::{RawRow, RowBuilder};
use text::TextSource;

/// Traces made elsewhere.
#[derive(Clone, Debug)]
pub struct ImportedTraces {
    /// The rows.
    pub traces: TraceSet,
    /// Names and lanes of the weights, in their order; empty where a spec has them.
    pub weights: Vec<(String, LaneId)>,
    /// Whether the file told which positions are of one game. If not, a split
    /// by game is one by position, and too optimistic.
    pub has_games: bool,
    /// Rows whose `score` was compared, and the largest difference, in the unit of
    /// the weights.
    pub compared: (u64, f64),
    /// Rows with a `score` that there were no initial weights to compare with.
    pub not_compared: u64,
    /// Whether features might be numbered from 1: of a libsvm text that does not say,
    /// where no row has feature 0.
    pub may_count_from_1: bool,
}

/// Reads a file of traces. `declared`: the weights of a spec, which its features are.
///
/// *Cost*: one pass over the file, one batch or line of it in memory at a time; two
/// passes where features have neither names nor a spec. Memory by the features that
/// occur, whatever their numbers are.
///
/// # Errors
/// If the file cannot be read, is cut off, or anything in it is not as the format
/// says. All problems are counted, the first ten returned.
pub fn read(
    path: &Path,
    declared: Option<&DeclaredWeights<'_>>,
) -> Result<ImportedTraces, ImportError> {
    let mut problems = ImportError::new(path);
    let source = open(path, &mut problems);
    problems.check()?;
    let Some(mut source) = source else {
        return Err(problems);
    };
    let tapered = source.has("phase");
    let keys = source.keys().clone();
    let map = match (declared, &keys.features) {
        (Some(declared), names) => {
            FeatureMap::declared(declared, names.as_deref(), tapered, &mut problems)
        }
        (None, Some(names)) => FeatureMap::named(names, tapered, &mut problems),
        (None, None) => {
            let occurring = occurring(&mut *source, &mut problems);
            problems.check()?;
            FeatureMap::numbered(occurring, tapered, &mut problems)
        }
    };
    problems.check()?;
    let mut builder = RowBuilder::new(map, keys.rounding);
    let mut has_first = false;
    source.rows(&mut problems, &mut |row, problems| {
        has_first |= row.features.first() == Some(&0.0);
        builder.push(row, problems);
    });
    problems.check()?;
    let (compared, not_compared) = (builder.compared, builder.not_compared);
    let (traces, weights) = builder.finish();
    Ok(ImportedTraces {
        traces,
        weights,
        has_games: source.has("game"),
        compared,
        not_compared,
        may_count_from_1: source.may_count_from_1() && !has_first,
    })
}

/// Whether a number is one that a feature may have; the largest is left out, as
/// numbers beyond it are cast to it.
fn is_feature(number: f64) -> bool {
    (0.0..f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0
}

/// A file of rows, of any format.
trait Source {
    /// Returns the metadata of the source.
    fn keys(&self) -> &Keys;

    /// Whether rows have what a column of this name holds.
    fn has(&self, column: &str) -> bool;

    /// Whether features might be counted from 1.
    fn may_count_from_1(&self) -> bool {
        false
    }

    /// Hands all rows over, in their order, until one cannot be read, which is reported.
    fn rows(&mut self, problems: &mut ImportError, each: &mut RowSink<'_>);
}

type RowSink<'a> = dyn FnMut(&RawRow<'_>, &mut ImportError) + 'a;

/// Opens a file, whatever its first bytes say it is; reports why it cannot.
fn open(path: &Path, problems: &mut ImportError) -> Option<Box<dyn Source>> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        // To open a pipe again may take for ever.
        problems.file("is no regular file; traces are read more than once, so write a file");
        return None;
    }
    let mut first = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read(&mut first));
    let why = match read {
        Ok(4) if &first == b"ARRO" => return open_arrow(path, problems),
        Ok(4) if first == [0xff; 4] => "is an Arrow stream; expected the file format: in Python \
             `pyarrow.ipc.new_file` in place of `new_stream`"
            .to_owned(),
        Ok(_) => return TextSource::open(path, problems).map(|source| Box::new(source) as _),
        Err(error) => format!("cannot be opened: {error}"),
    };
    problems.file(why);
    None
}

#[cfg(feature = "arrow")]
fn open_arrow(path: &Path, problems: &mut ImportError) -> Option<Box<dyn Source>> {
    ArrowSource::open(path, problems).map(|source| Box::new(source) as _)
}

#[cfg(not(feature = "arrow"))]
fn open_arrow(_: &Path, problems: &mut ImportError) -> Option<Box<dyn Source>> {
    problems.file(
        "is an Arrow file, and this program was built without them: build it with `--features \
         arrow`",
    );
    None
}

/// Returns the features that occur, ascending; what is not a feature is left out.
fn occurring(source: &mut dyn Source, problems: &mut ImportError) -> Vec<u32> {
    let mut occurring = BTreeSet::new();
    let mut last = None;
    source.rows(problems, &mut |row, _| {
        for &feature in row.features {
            // Features of neighbours are often the same.
            if last != Some(feature.to_bits()) && is_feature(feature) {
                occurring.insert(feature as u32);
            }
            last = Some(feature.to_bits());
        }
    });
    occurring.into_iter().collect()
}

#[cfg(test)]
mod tests;
