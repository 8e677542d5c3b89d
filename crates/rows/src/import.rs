//! Reads traces made elsewhere, in any language: lines of rows as an evaluator answers them,
//! Arrow IPC files, CSV, and lines `outcome index:coefficient …` as of libsvm.
//!
//! `docs/traces.md` describes the formats. A row is a position,
//! `score = constant + Σ c_j·w_j`, or, where there is a phase,
//! `constant + Σ c_j·(phase·mg_j + (1 − phase)·eg_scale·eg_j)`, or it has steps.
//!
//! The way of a row: `ArrowSource` or `TextSource` hand over parts of the file, which all
//! threads read (`columns`, `text`), `FeatureMap` says which weights its features are, and
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
mod head;
mod keys;
#[cfg(feature = "arrow")]
mod message;
mod parts;
mod problems;
mod row;
mod text;
mod units;

pub use features::DeclaredWeights;
pub use head::RowsHead;
pub use problems::ImportError;
use problems::TracePlace;
pub use units::{quotient_forms, units};

use std::collections::BTreeSet;
use std::path::Path;

use tuner_base::LaneId;
use tuner_data::Input;

use crate::{Culprit, RowInfo, TraceSet};
#[cfg(feature = "arrow")]
use arrow::ArrowSource;
use features::FeatureMap;
use keys::Keys;
use parts::{Part, each_part};
use row::{RawRow, RowBuilder, RowTools};
use text::TextSource;

/// Traces made elsewhere.
#[derive(Clone, Debug)]
pub struct ImportedTraces {
    /// The rows, in the order of reading.
    pub traces: TraceSet,
    /// Names and lanes of the weights, in their order; empty where a spec has them.
    pub weights: Vec<(String, LaneId)>,
    /// Whether the file told which positions are of one game. If not, a split
    /// by game is one by position, and too optimistic.
    pub has_games: bool,
    /// Whether rows hold only near the weights that they were made at.
    pub linearised: bool,
    /// Rows whose `score` was compared, and the largest difference, without sign, in the unit of
    /// the weights.
    pub compared: (u64, f64),
    /// Rows without steps that have a part which no weight explains.
    pub with_constant: u64,
    /// Rows with a `score` that there were no initial weights to compare with.
    pub not_compared: u64,
    /// Whether features might be numbered from 1: of a libsvm text that does not say,
    /// where no row has feature 0.
    pub may_count_from_1: bool,
    /// The position of each row by the number that it was pushed as; empty unless they were to
    /// be kept.
    pub positions: Vec<RowPosition>,
}

/// A position that comes with a row.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPosition {
    /// Its text, in the notation of the game.
    pub text: String,
    /// The score that its row gives, seen as the evaluator sees it.
    pub score: f64,
    /// The facts about the position that its row does not have.
    pub info: RowInfo,
}

/// A file of traces made elsewhere, of which the head was read.
pub struct RowsFile {
    source: Box<dyn Source>,
    problems: ImportError,
}

tuner_base::impl_fmt! { Debug for RowsFile }

impl RowsFile {
    /// Tells whether a file has lines of rows as an evaluator answers them, which come behind a
    /// head that lists its weights; false if the file cannot be read, or is a pipe other than
    /// standard input.
    pub fn has_head(input: &Input) -> bool {
        input.begins_with(head::MARK)
    }

    /// Opens a file or standard input, plain or compressed, and reads its head.
    ///
    /// # Errors
    /// If it cannot be read, or its head is not as the format says.
    pub fn open(input: &Input) -> Result<Self, ImportError> {
        let mut problems = ImportError::new(&input.name());
        let source = open(input, &mut problems);
        problems.check()?;
        match source {
            Some(source) => Ok(Self { source, problems }),
            None => Err(problems),
        }
    }

    /// Returns what the head says of an evaluation and its weights; `None` of all formats but lines
    /// of rows as an evaluator answers them.
    pub fn head(&self) -> Option<&RowsHead> {
        self.source.head()
    }

    /// Tells whether rows hold only near the weights that they were made at.
    pub fn is_linearised(&self) -> bool {
        self.source.keys().linearised
    }

    /// Reads all rows, on the threads of the current pool. `declared`: the weights of a spec, if
    /// the features of the file are these; `keeps_positions`: whether the text of each position is
    /// kept beside its row.
    ///
    /// *Numerics*: the same for any number of threads.
    /// *Cost*: one pass over the file, some parts of it in memory at a time; two
    /// passes where features have neither names nor a spec. Memory by the features that
    /// occur, whatever their numbers are.
    ///
    /// # Errors
    /// If the file cannot be read, is cut off, or anything in it is not as the format
    /// says, and if it has a head and `declared` no leaves. All problems are counted, the first ten
    /// returned.
    pub fn read(
        self,
        declared: Option<&DeclaredWeights<'_>>,
        keeps_positions: bool,
    ) -> Result<ImportedTraces, ImportError> {
        let (mut source, mut problems) = (self.source, self.problems);
        // Problems of a first reading that only finds out which features occur.
        let mut first = ImportError::new(&problems.file);
        let keys = source.keys().clone();
        let map = feature_map(&mut *source, declared, &mut first, &mut problems);
        problems.check()?;
        let mut all = RowBuilder::new(&map, keys.rounding, keeps_positions);
        each_part(
            &mut *source,
            &mut problems,
            &|| RowTools::new(&map),
            &|tools, part, problems| {
                let mut rows = RowBuilder::new(&map, keys.rounding, keeps_positions);
                let flow = part.rows(problems, &mut |row, problems| {
                    rows.push(tools, row, problems);
                });
                (rows, flow)
            },
            &mut |rows, problems| all.append(rows, problems),
        );
        // Where scores contradict their rows, one parameter may explain most of the differences.
        if let (Some(declared), false) = (declared, problems.count == 0) {
            let culprit = all.suspects.culprit(
                |weight| declared.parameter_of(weight).1.to_owned(),
                |weight| (declared.name)(weight),
            );
            problems.last(culprit.map(|found: Culprit| found.sentence("the score", "the row")));
        }
        if problems.count == 0 {
            // The second reading of standard input comes from memory, which is not truncated: only
            // the first reading can have seen that.
            problems = first;
        }
        problems.check()?;
        // Numbers from 1 are possible only if no row has feature 0.
        let may_count_from_1 = source.may_count_from_1() && !all.has_first;
        let has_games = all.named_games.is_some();
        if keeps_positions {
            all.traces.keep_numbers();
            // A position without a game got the number of a game of its own when the parts were
            // joined.
            for (row, position) in all.positions.iter_mut().enumerate() {
                position.info.game = all.traces.row(row).game();
            }
        }
        all.traces.finish();
        Ok(ImportedTraces {
            has_games: has_games || source.has("game"),
            linearised: keys.linearised,
            compared: all.compared,
            with_constant: all.with_constant,
            not_compared: all.not_compared,
            may_count_from_1,
            positions: all.positions,
            traces: all.traces,
            weights: map.weights,
        })
    }
}

/// Opens a file of traces and reads all its rows, on the threads of the current pool, without the
/// text of their positions. `declared`: the weights of a spec, if the features of the file are
/// these.
///
/// # Errors
/// If the file cannot be opened or read, is not as the format says, or has a head and `declared` no
/// leaves.
pub fn read(
    path: &Path,
    declared: Option<&DeclaredWeights<'_>>,
) -> Result<ImportedTraces, ImportError> {
    // `false`: positions are not kept.
    RowsFile::open(&Input::from_argument(path))?.read(declared, false)
}

/// Tells whether a number may name a feature: an integer from 0 to 2³² − 2. The largest of 32 bits
/// is left out, as a cast makes it of every number beyond.
fn is_feature(number: f64) -> bool {
    (0.0..f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0
}

/// A file of rows, of any format.
trait Source: Send {
    /// Returns the metadata of the file, the values of its keys `tuner.…`.
    fn keys(&self) -> &Keys;

    /// Tells whether rows have what a column of this name holds in the Arrow format (`phase`,
    /// `game`, …); always false of lines behind a head.
    fn has(&self, column: &str) -> bool;

    /// Tells whether the file leaves open if its features are counted from 0 or from 1. A row that
    /// has feature 0 shows later that they are counted from 0.
    fn may_count_from_1(&self) -> bool {
        false
    }

    /// Returns the head in front of lines of rows; `None` of other formats.
    fn head(&self) -> Option<&RowsHead> {
        None
    }

    /// Returns the next part of the file; `None` behind the last one, or where it cannot be read,
    /// which is reported.
    fn next(&mut self, problems: &mut ImportError) -> Option<Box<dyn Part>>;

    /// From now on the parts have only the features of rows, where that is less to read: for a
    /// first reading that finds out which features occur.
    fn features_alone(&mut self) {}

    /// Begins again at the first row, with all that a row has; reports if that is impossible.
    fn restart(&mut self, problems: &mut ImportError);
}

/// Opens a file as its first bytes say: Arrow, else a text. `None` if it is an Arrow stream, which
/// has no footer, or cannot be opened, or its head is wrong; each is reported.
fn open(input: &Input, problems: &mut ImportError) -> Option<Box<dyn Source>> {
    if input.begins_with(b"ARRO") {
        return open_arrow(input, problems);
    }
    if input.begins_with(&[0xff; 4]) {
        problems.file(
            "is an Arrow stream; expected the file format: in Python `pyarrow.ipc.new_file` in \
             place of `new_stream`",
        );
        return None;
    }
    TextSource::open(input, problems).map(|source| Box::new(source) as _)
}

/// Opens an Arrow file; `None` if it cannot be opened or its footer or columns are wrong, which is
/// reported.
#[cfg(feature = "arrow")]
fn open_arrow(input: &Input, problems: &mut ImportError) -> Option<Box<dyn Source>> {
    ArrowSource::open(input, problems).map(|source| Box::new(source) as _)
}

/// Reports that this program was built without Arrow files, and returns `None`.
#[cfg(not(feature = "arrow"))]
fn open_arrow(_: &Input, problems: &mut ImportError) -> Option<Box<dyn Source>> {
    problems.file(
        "is an Arrow file, and this program was built without them: build it with `--features \
         arrow`",
    );
    None
}

/// Finds out which weights the features of a source are. With a spec (`declared`) they are its
/// weights: by leaf number, if the file has a head that lists weights, else by the features' names
/// or numbers. A head is reported if `declared` has no leaves. Without a spec each feature that the
/// file names has weights of its own or, without names, each that occurs; for that the source is
/// read to its end and begun again. `first`: collects the problems of that reading; `problems`: all
/// others.
fn feature_map(
    source: &mut dyn Source,
    declared: Option<&DeclaredWeights<'_>>,
    first: &mut ImportError,
    problems: &mut ImportError,
) -> FeatureMap {
    // With a phase each feature has two weights.
    let tapered = source.has("phase");
    let names = source.keys().features.clone();
    match (declared, &names) {
        _ if source.head().is_some() => {
            let map = declared.and_then(FeatureMap::of_leaves);
            map.unwrap_or_else(|| {
                problems.file(
                    "has rows behind a head that lists the weights of an evaluation; read it with \
                     the weights of a spec and their numbers there (`DeclaredWeights::leaves`)",
                );
                FeatureMap::of_slots(0)
            })
        }
        (Some(declared), names) => {
            FeatureMap::declared(declared, names.as_deref(), tapered, problems)
        }
        (None, Some(names)) => FeatureMap::named(names, tapered, problems),
        (None, None) => {
            let occurring = occurring(source, first);
            source.restart(problems);
            FeatureMap::numbered(occurring, tapered, problems)
        }
    }
}

/// Features below this number are marked in a list when seen, larger ones in a set. Chosen.
const SEEN: usize = 1 << 20;

/// Reads the source to its end and returns the numbers of all features that occur, ascending.
/// Numbers that cannot be features are left out; the second reading reports them.
fn occurring(source: &mut dyn Source, problems: &mut ImportError) -> Vec<u32> {
    let mut all = BTreeSet::new();
    source.features_alone();
    each_part(
        source,
        problems,
        &|| (),
        &|(), part, problems| {
            // `occurring` has the features of this part. Nearly all features of a row were seen
            // before: a look into the list `seen` is quick.
            let (mut occurring, mut seen) = (BTreeSet::new(), Vec::new());
            let flow = part.rows(problems, &mut |row, _| {
                for &feature in row.features {
                    let number = feature as usize;
                    if seen.get(number) != Some(&true) && is_feature(feature) {
                        occurring.insert(feature as u32);
                        if number < SEEN {
                            seen.resize(seen.len().max(number + 1), false);
                            seen[number] = true;
                        }
                    }
                }
            });
            (occurring, flow)
        },
        &mut |occurring, _| all.extend(occurring),
    );
    all.into_iter().collect()
}

#[cfg(test)]
mod tests;
