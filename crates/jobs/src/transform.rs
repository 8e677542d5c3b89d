//! Positions to other files: all or some, or parted.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::Serialize;

use crate::positions::is_among;
use crate::{Failure, Job, ReadingConfig, Result};
use tuner_data::tools::{
    Duplicates, Filter, Filters, KeyedPosition, LineLayout, QuietLook, SplitPart, TransformOptions,
    Transformed, Writer, transform,
};
use tuner_data::{AnyGame, AnyPosition, Input, InputError, ReadError, ReadOptions, RecordUnit};
use tuner_engine::Evaluation;
use tuner_tournament::Program;

/// Data by their files, and how they are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputsConfig {
    /// The files, each perhaps with options: `FILE:limit=1000`.
    pub data: Vec<PathBuf>,
    /// How they are read.
    pub reading: ReadingConfig,
}

/// A file of positions that is written.
pub struct LineOutput {
    /// The file; it has its name once it is whole.
    pub path: PathBuf,
    /// How positions are written.
    pub layout: LineLayout,
    /// Whether the file continues another one, so that a table has no line of heads.
    pub is_continued: bool,
    /// What is written to in place of the file `path`, such as standard output; `None` for the
    /// file.
    pub stream: Option<Box<dyn io::Write + Send>>,
}

tuner_base::impl_fmt! { Debug for LineOutput }

/// Positions that are written to another file, all or some.
#[derive(Debug)]
pub struct TransformConfig<'a> {
    /// The data that are read.
    pub inputs: InputsConfig,
    /// The file that is written.
    pub output: LineOutput,
    /// Which positions are left out; its seed is for all that is random. Its `look` is replaced by
    /// the evaluator's.
    pub options: TransformOptions<'a>,
    /// Whether they are written in random order.
    pub shuffle: bool,
}

/// Positions that are parted by whole games.
#[derive(Debug)]
pub struct SplitConfig {
    /// The data that are read.
    pub inputs: InputsConfig,
    /// The files, and the share of the games of each; shares are 1 together, or less.
    pub parts: Vec<(LineOutput, f64)>,
    /// Seed of the draw of games.
    pub seed: u64,
}

/// An evaluator at some weights, for commands on data that ask about positions.
#[derive(Clone, Debug)]
pub struct EvaluatorAt<'e> {
    /// The evaluator.
    pub evaluation: &'e Evaluation,
    /// The weights by leaf number; empty: those of the source.
    pub values: Vec<f64>,
    /// The fingerprint of the weights, also where `values` is empty.
    pub fingerprint: String,
    /// The engine itself at these weights, as a program, where the evaluator plays no games.
    pub program: Option<Program>,
}

/// What became of positions that were read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TransformSummary {
    /// Positions written.
    pub positions: u64,
    /// Positions read.
    pub read: u64,
    /// Lines, records, games and positions that could not be read.
    pub rejected: u64,
    /// Games without result.
    pub unfinished: u64,
    /// Positions left out by filters.
    pub filtered: u64,
    /// Positions left out, by the name of the filter; without filters that left out none.
    pub filters: BTreeMap<&'static str, u64>,
    /// Games.
    pub games: u64,
    /// The files that were written.
    pub files: Vec<String>,
    /// The name of the layout in which positions are written; the caller sets it, or leaves `None`.
    pub format: Option<String>,
}

/// Data that are read.
#[derive(Debug)]
pub struct InputSet {
    /// The inputs.
    pub inputs: Vec<Input>,
    /// How they are read.
    pub options: ReadOptions,
}

impl InputSet {
    /// Finds the inputs that `config` names, and how they are read. `is_shown`: whether the
    /// observer of the job is to show the progress of the reading, as nothing else shows how far
    /// the job got.
    ///
    /// # Errors
    /// If an option of a file is unknown, or is `weight`, which is for fits only.
    pub fn new(job: &Job, rules: &AnyGame, config: &InputsConfig, is_shown: bool) -> Result<Self> {
        let (inputs, options) = (config.reading).inputs(job, rules, &config.data, is_shown)?;
        let mut named = config.data.iter().zip(&options.inputs);
        if let Some((path, _)) = named.find(|(_, own)| own.weight.is_some()) {
            let words = "weights are for `fit`; lines of data have none";
            misuse!("{}: {words}", path.display());
        }
        Ok(Self { inputs, options })
    }

    /// Reads the data, and passes each position that `options` do not leave out to `give`, in the
    /// order of the data, until `give` returns `Break`. Returns counts of what was read and left
    /// out.
    ///
    /// # Errors
    /// If the data cannot be read, or the job was interrupted. If `give` ended the reading, the
    /// message is empty, as the caller knows why.
    pub(crate) fn transform(
        &self,
        job: &Job,
        rules: &AnyGame,
        options: &TransformOptions<'_>,
        give: &mut dyn FnMut(KeyedPosition) -> ControlFlow<()>,
    ) -> Result<Transformed> {
        let found = transform(rules, &self.inputs, &self.options, options, give);
        job.has_read("before everything was read; nothing was written")?;
        // Without an error of an input, lines or games could not be read.
        found.map_err(|error| match error.inputs.as_slice() {
            [InputError::Stopped] => Failure::Error(String::new()),
            [] => bad_lines(&error).into(),
            _ => error.into(),
        })
    }
}

/// Writes positions to another file, without those that `config` leaves out. `rules`: the game of
/// the positions. `evaluator` is asked for scores where one of the filters `quiet` and
/// `against_quiescence` is on; without an evaluator these are refused.
///
/// # Errors
/// If the data cannot be read, or the file not be written.
pub fn transform_positions(
    job: &Job,
    rules: &AnyGame,
    evaluator: Option<&EvaluatorAt<'_>>,
    config: TransformConfig<'_>,
) -> Result<TransformSummary> {
    let filters = config.options.filters;
    let looking = [
        ("--quiet", filters.quiet),
        ("--against-quiescence", filters.against_quiescence),
    ];
    let mut looking = looking.iter().filter(|(_, most)| most.is_some());
    if let (None, Some((option, _))) = (evaluator, looking.next()) {
        let words = "there is no evaluator to ask; run in the folder of a tuner.toml, or name it with -C DIR";
        misuse!("{option}: {words}");
    }
    let look = evaluator.map(|at| {
        |position: &AnyPosition| {
            // Where the evaluator cannot be asked about a position, it has no scores for the
            // filters.
            let found = (at.evaluation).look(&at.values, &rules.describe(position));
            found.ok().and_then(Result::ok).flatten()
        }
    });
    let look = look.as_ref().map(|look| look as &QuietLook<'_>);
    let options = TransformOptions {
        look,
        ..config.options
    };
    // `true`: the observer shows the progress of the reading.
    let given = InputSet::new(job, rules, &config.inputs, true)?;
    let mut outputs = Outputs::default();
    outputs.add(&given, rules, config.output)?;
    // Positions that are to be shuffled wait until all are read; others are written at once.
    let mut all: Vec<KeyedPosition> = Vec::new();
    let found = given.transform(job, rules, &options, &mut |kept| {
        if config.shuffle {
            all.push(kept);
            return ControlFlow::Continue(());
        }
        outputs.write(0, &kept)
    });
    if found.is_ok() {
        // The random order depends on the seed and the number of positions alone. A failed write
        // ends it, and is kept in `outputs`.
        let order = tuner_data::tools::permutation(all.len(), options.seed);
        let _ = (order.into_iter()).try_for_each(|number| outputs.write(0, &all[number]));
    }
    outputs.finish(job, found)
}

/// Returns options of a transformation by which no position is left out: no filters, duplicates
/// stay. `seed`: for all that is drawn at random.
pub fn nothing_out<'a>(seed: u64) -> TransformOptions<'a> {
    TransformOptions {
        filters: Filters::default(),
        look: None,
        duplicates: Duplicates::Keep,
        per_game: None,
        seed,
    }
}

/// Writes positions into several files, whole games into one of them. A file is drawn for each game
/// by the seed, with the share of the file as probability; where the shares are less than 1
/// together, some games are in no file.
///
/// # Errors
/// If the shares are not from 0 to 1, or more than 1 together; if the data cannot be read, or a
/// file not be written.
pub fn split_positions(job: &Job, game: &AnyGame, config: SplitConfig) -> Result<TransformSummary> {
    check_shares(config.parts.iter().map(|(_, share)| *share))?;
    // `true`: the observer shows the progress of the reading.
    let given = InputSet::new(job, game, &config.inputs, true)?;
    let mut outputs = Outputs::default();
    let mut files: Vec<PathBuf> = Vec::new();
    let mut parts = Vec::new();
    for (output, share) in config.parts {
        // Different paths may lead to one file. Where a path cannot be resolved, `add` says why it
        // cannot be written.
        let file = tuner_base::resolved_target(&output.path);
        let file = file.unwrap_or_else(|_| output.path.clone());
        if let Some(other) = files.iter().position(|other| *other == file) {
            misuse!(
                "--part: found {} twice, the first time as {}; name each file once",
                output.path.display(),
                outputs.names[other]
            );
        }
        files.push(file);
        let path = output.path.clone();
        parts.push(SplitPart { path, share });
        outputs.add(&given, game, output)?;
    }
    let options = nothing_out(config.seed);
    let found = given.transform(job, game, &options, &mut |kept| {
        if let Some(part) = SplitPart::of(&parts, config.seed, &kept) {
            return outputs.write(part, &kept);
        }
        outputs.leave("beyond all shares");
        ControlFlow::Continue(())
    });
    outputs.finish(job, found)
}

/// Fails unless each of these shares of games is from 0 to 1, and all are 1 together, or less.
fn check_shares(shares: impl Iterator<Item = f64> + Clone) -> Result<(), Failure> {
    if let Some(share) = shares.clone().find(|share| !(0.0..=1.0).contains(share)) {
        misuse!("--part: found the share {share}, expected one from 0 to 1");
    }
    // A sum of shares may be off by the rounding of floats.
    let all: f64 = shares.sum();
    if all > 1.0 + 1e-9 {
        misuse!("--part: the shares are {all} together, expected 1 or less");
    }
    Ok(())
}

impl LineOutput {
    /// Begins the file, or the stream in place of it, and returns its writer. Fails, with a cure,
    /// if the format holds whole games, which are not at hand, if it is not one of this game, or if
    /// the file cannot be written.
    fn writer(self, rules: &AnyGame) -> Result<Writer> {
        // Formats of records of bytes need a writer of the game; texts do not.
        let record = match self.layout.records() {
            None => None,
            Some(format) => match rules.record_writer(format) {
                None if self.layout == LineLayout::Viriformat => misuse!(
                    "--to {format}: it holds whole games, each with all of its moves, and what is \
                     written here is positions; take --to bulletformat, --to plain or a table"
                ),
                None => misuse!(
                    "--to {format}: is not written of positions in {}; write a table",
                    rules.name()
                ),
                record => record,
            },
        };
        let header = (!self.is_continued).then(|| rules.name());
        let opened = match self.stream {
            Some(stream) => Writer::stream(stream, self.layout, header),
            None => Writer::create(&self.path, self.layout, header),
        };
        let name = self.path.display();
        let opened = opened.map(|writer| writer.with_records(record));
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidInput => {
                Failure::Usage(format!("{name}: {error}; name the file otherwise"))
            }
            _ => format!("{name}: cannot be written: {error}; check the folder and the rights")
                .into(),
        })
    }
}

/// Returns the message where lines, records or games of the data cannot be read: the list of them,
/// and how to go on without them, as collections of real games have some.
fn bad_lines(error: &ReadError) -> String {
    let total = error.report.total();
    let of = match total.unit {
        Some(RecordUnit::Games) => format!("of {} games", total.units),
        Some(RecordUnit::Records | RecordUnit::Chains) => format!("of {} records", total.units),
        None => format!("of {} lines", total.lines),
    };
    format!(
        "{error}\n{} {of} cannot be read, and no file was written; --on-bad-line skip passes over \
         them, and counts and lists them",
        total.rejected
    )
}

/// Files that are written, one for each part.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    writers: Vec<Writer>,
    names: Vec<String>,
    counts: Vec<u64>,
    /// Positions that are in no file, by the reason.
    left_over: BTreeMap<&'static str, u64>,
    /// The message on what could not be written.
    pub(crate) lost: Option<String>,
}

impl Outputs {
    /// Begins another file, for the next part. `given`: the inputs, over which it must not write.
    pub(crate) fn add(&mut self, given: &InputSet, rules: &AnyGame, to: LineOutput) -> Result<()> {
        let name = to.path.display().to_string();
        if is_among(&given.inputs, &to.path) {
            fail!("{name}: is one of the inputs; name another file");
        }
        if to.path.is_dir() {
            fail!("{name}: is a folder; name a file");
        }
        self.names.push(name);
        self.counts.push(0);
        self.writers.push(to.writer(rules)?);
        Ok(())
    }

    /// Writes a position into the file of part `part`; parts count from 0, in the order in which
    /// they were added. If that fails, stores the message in `lost` and returns `Break`.
    pub(crate) fn write(&mut self, part: usize, kept: &KeyedPosition) -> ControlFlow<()> {
        if let Err(error) = self.writers[part].write(kept) {
            let name = &self.names[part];
            self.lost = Some(format!("{name}: cannot be written: {error}"));
            return ControlFlow::Break(());
        }
        self.counts[part] += 1;
        ControlFlow::Continue(())
    }

    /// Counts a position that is written to no file. `why`: what is said behind the count at the
    /// end, such as `beyond all shares`.
    pub(crate) fn leave(&mut self, why: &'static str) {
        *self.left_over.entry(why).or_default() += 1;
    }

    /// Completes the files, which get their names only now, and says what became of the positions.
    /// `found`: how the reading ended. Fails with an error of writing, if there was one, or else
    /// with that of the reading, or if the job was interrupted; then no file gets its name.
    pub(crate) fn finish(self, job: &Job, found: Result<Transformed>) -> Result<TransformSummary> {
        if let Some(lost) = self.lost {
            return Err(lost.into());
        }
        let found = found?;
        if job.is_interrupted() {
            return Err(Failure::Interrupted("nothing was written".to_owned()));
        }
        // Files are completed before anything is said: saying may fail where nobody reads it.
        for (writer, name) in self.writers.into_iter().zip(&self.names) {
            (writer.finish()).map_err(|error| format!("{name}: cannot be written: {error}"))?;
        }
        job.say_reading(&found.report);
        job.say_all(found.filtered.words());
        let total = found.report.total();
        for (name, count) in self.names.iter().zip(&self.counts) {
            job.say(format_args!("{name}: {count} positions"));
        }
        // `found.written` are those that the filters left; some of them may be in no file.
        let filtered = found.filtered.total();
        let positions = found.written - self.left_over.values().sum::<u64>();
        let rest = self.left_over.iter();
        let rest = rest.map(|(why, count)| format!(" + {count} {why}"));
        let rest: String = rest.collect();
        job.say(format_args!(
            "{} positions = {positions} written + {filtered} left out{rest}, {} games",
            total.positions, found.games
        ));
        job.say_all(nearly_nothing(&found));
        let reasons = Filter::ALL.into_iter();
        let reasons = reasons.map(|filter| (filter.name(), found.filtered.by(filter)));
        Ok(TransformSummary {
            positions,
            read: total.positions,
            rejected: total.rejected,
            unfinished: total.unfinished,
            filtered,
            filters: reasons.filter(|(_, count)| *count > 0).collect(),
            games: found.games,
            files: self.names,
            format: None,
        })
    }
}

/// Returns a warning if fewer than one in a hundred of the positions that were read are left, with
/// the filter that left out most; `None` if more are left, or no filter left out any.
fn nearly_nothing(found: &Transformed) -> Option<String> {
    let read = found.report.total().positions;
    let most = (Filter::ALL.into_iter()).max_by_key(|&filter| found.filtered.by(filter))?;
    let taken = found.filtered.by(most);
    (taken > 0 && found.written.saturating_mul(100) < read).then(|| {
        format!(
            "nearly nothing is left, {} of {read} positions: --{} left out the most, {taken}",
            found.written,
            most.name()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::check_shares;

    #[test]
    fn shares_are_parts_of_one() {
        for shares in [&[][..], &[0.0, 1.0], &[0.9, 0.05], &[0.1; 10]] {
            assert!(check_shares(shares.iter().copied()).is_ok(), "{shares:?}");
        }
        for shares in [
            [0.6, 0.6],
            [-0.5, 1.0],
            [f64::NAN, 0.1],
            [f64::INFINITY, 0.0],
        ] {
            assert!(check_shares(shares.into_iter()).is_err(), "{shares:?}");
        }
    }
}
