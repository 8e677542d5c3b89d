//! `trace`: positions into a file of traces, and such a file back into a fit.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::failure::AtPath as _;
use crate::positions::{compared, is_among, probe, same_program};
use crate::{Failure, Job, PositionsConfig, Project, Result, TraceSummary};
use tuner_base::{Ranks, available_memory, shell_word};
use tuner_data::Input;
use tuner_engine::{Collected, Evaluation, LinkedSpec, Resolve, Tracer, thinned};
use tuner_fit::run::{FixedRows, RowFacts, RowSource};
use tuner_rows::file::{Example, IndexedFile, TraceFile, TraceFileInfo, TraceIndex, TraceWriter};
use tuner_rows::{Blocks as _, RowInfo, TraceSet};

/// Positions that a file keeps, so that a fit finds out whether the evaluation is still the one
/// that was traced. Chosen: few against a file; a change that does not show in any of them is rare.
const EXAMPLES: usize = 256;

/// Traces positions, checks the traces against production, and writes them into the file `index`.
/// Where several ranks share the job, each writes a file of its own, and `index` lists these files.
///
/// # Errors
/// If traces are not those of production, the file cannot be written, or the job was interrupted.
pub fn trace(
    job: &Job,
    project: &Project,
    data: &PositionsConfig,
    index: &Path,
) -> Result<TraceSummary> {
    let linked = project.linked_for(&data.data)?;
    let evaluation = project.evaluation()?;
    job.observer.listen()?;
    let positions = data.positions(job, project)?;
    same_program(job, project, &linked, project.data(&data.data))?;
    replaceable(index, &positions.inputs)?;
    has_memory(job)?;
    let slots = linked.spec.layout().slots();
    let output = of_rank(job.ranks, index);
    let mut writer = TraceWriter::create(&output, slots)?;
    job.on_threads(|| {
        probe(job, evaluation, &linked, &positions)?;
        // An empty list of values means the weights of the source.
        let tracing = positions.tracing(evaluation, &linked.link, &[]);
        let sample = data.differences.max(EXAMPLES);
        // `None`: no notes on positions are taken.
        // `lost`: an error of writing; `here`: the positions that this rank wrote.
        let (mut lost, mut here) = (None, 0);
        let collected = tracing.collect_into(&positions.options, sample, None, |block| {
            here += block.len() as u64;
            match writer.append(block) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    lost = Some(error);
                    ControlFlow::Break(())
                }
            }
        });
        job.reading_ended();
        // An error of writing is why the reading ended, so it is returned before that of reading.
        if let Some(error) = lost {
            return Err(error.into());
        }
        let interrupted = |words: &str| Err(Failure::Interrupted(words.to_owned()));
        if job.is_interrupted_anywhere() {
            return interrupted("before all positions were traced; nothing was written");
        }
        let sample = data.differences;
        let checked = compared(job, &tracing, &linked, collected?, sample)?;
        checked.verdict(data.allow_constants)?;
        let collected = &checked.collected;
        if job.is_interrupted_anywhere() {
            return interrupted("nothing was written");
        }
        // A rank without positions writes no file.
        if here > 0 {
            writer.finish(about(evaluation, &linked, collected, here)?)?;
        }
        let files = files(job, (here > 0).then_some(&*output), index)?;
        Ok(told(job, collected, &files, index))
    })
}

/// Tells the user what was written, and returns it as the summary of the job. `collected`: what all
/// ranks traced; `files`: the files of traces that they wrote; `index`: the file that the user
/// named, which is the one file, or the list of several.
fn told(job: &Job, collected: &Collected, files: &[IndexedFile], index: &Path) -> TraceSummary {
    let found = &collected.agreement;
    let bytes: u64 = files.iter().map(|file| file.bytes).sum();
    let (path, word) = (index.display(), shell_word(index));
    let in_files = match files.len() {
        0 | 1 => String::new(),
        count => format!(" in {count} files"),
    };
    job.say(format_args!(
        "{path}: {} positions{in_files}, {:.1} MB; for `fit {word}`",
        found.positions,
        bytes as f64 / 1e6
    ));
    let fingerprints: Vec<&str> = files.iter().map(|file| &*file.fingerprint).collect();
    TraceSummary {
        positions: found.positions,
        rejected: collected.report.total().rejected,
        mismatches: found.mismatches,
        nonlinear: found.nonlinear,
        file: path.to_string(),
        bytes,
        fingerprint: fingerprints.join(" "),
    }
}

/// Returns the file of traces that this rank writes: `path` if it is alone, else `path` with the
/// number of the rank before its ending, such as `traces.2.arrow`.
fn of_rank(ranks: Ranks, path: &Path) -> PathBuf {
    if ranks.is_alone() {
        return path.to_owned();
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let ending = ending.map_or_else(String::new, |ending| format!(".{ending}"));
    path.with_extension(format!("{}{ending}", ranks.rank()))
}

/// Returns the files of traces that all ranks have written, in the order of ranks, with their sizes
/// and fingerprints. Where there are several ranks, the first one writes a list of these files into
/// `index`. `here`: the file of this rank, `None` if it had no positions.
fn files(job: &Job, here: Option<&Path>, index: &Path) -> Result<Vec<IndexedFile>> {
    let here = here.map(IndexedFile::of).transpose()?;
    if job.ranks.is_alone() {
        return Ok(here.into_iter().collect());
    }
    let mut all = Vec::new();
    for there in job.ranks.gather_bytes(&serde_json::to_vec(&here)?) {
        all.extend(serde_json::from_slice::<Option<IndexedFile>>(&there)?);
    }
    job.on_first(|| TraceIndex::new(all.clone()).write(index).at(index))?;
    Ok(all)
}

/// Memory that writing rows to a file takes, in bytes, beside what each thread takes; measured with
/// the chess example under `ulimit -v`, by which a thread counts 64 MB at once.
const TAKEN: u64 = 160 << 20;
const TAKEN_BY_THREAD: u64 = 64 << 20;

/// Fails if too little memory is left to write traces on the threads of the job: running out of it
/// would end the program. Where it is not known how much is left, does nothing.
fn has_memory(job: &Job) -> Result<()> {
    let threads = job.players() as u64;
    let needed = TAKEN + TAKEN_BY_THREAD * threads;
    if let Some(left) = available_memory().filter(|left| *left < needed) {
        fail!(
            "too little memory: to write rows to a file takes about {} MB with --threads {threads}, \
             and {} MB are left; free some, or take fewer threads (--threads)",
            needed >> 20,
            left >> 20
        );
    }
    Ok(())
}

/// Fails if the file of traces that is to be written, `output`, is one of the inputs, or exists and
/// is not a file of traces, which would be lost.
fn replaceable(output: &Path, inputs: &[Input]) -> Result<()> {
    let name = output.display();
    if is_among(inputs, output) {
        fail!("-o {name}: is one of the inputs; name another file");
    }
    if output.is_file() && !TraceFile::looks_like_one(output) {
        fail!("-o {name}: is there, and no file of traces; remove it, or name another file");
    }
    Ok(())
}

/// Fails if one of the files is a file of traces where files of positions are expected.
pub(crate) fn refuse(files: &[PathBuf]) -> Result<()> {
    if let Some(path) = files.iter().find(|path| TraceFile::looks_like_one(path)) {
        let words = "is an Arrow file; expected positions. A file of traces is for `fit FILE`";
        fail!("{}: {words}", path.display());
    }
    Ok(())
}

/// Returns the header of the file of traces of one rank. `collected`: what all ranks collected
/// together; `positions`: how many of these are in the file. The header has examples, positions and
/// texts that depend on their traces, by which a later fit finds out whether the evaluation
/// changed.
fn about(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    collected: &Collected,
    positions: u64,
) -> Result<TraceFileInfo> {
    let total = collected.report.total();
    let weights = linked.link.values().to_vec();
    let kept = thinned(collected.sample.clone(), EXAMPLES);
    let rows = rows(evaluation, linked, &weights, &kept)?;
    let examples = kept.into_iter().zip(rows);
    let examples = examples.map(|(position, row)| Example { position, row });
    Ok(TraceFileInfo {
        engine: evaluation.name().to_owned(),
        layout: layout(linked),
        data: collected.report.fingerprint(),
        // That is the number of all ranks; in a file there cannot be more than its positions.
        with_game: total.with_game.min(positions),
        rejected: total.rejected,
        nonlinear: collected.agreement.nonlinear,
        examples: examples.collect(),
        weights,
    })
}

/// Returns a fingerprint of names, order and lanes of the weights, 16 hexadecimal digits: traces
/// fit a spec only if it is the same.
fn layout(linked: &LinkedSpec) -> String {
    format!("{:016x}", linked.spec.layout().fingerprint())
}

/// Returns a text for each position that changes if its trace does: the fingerprint of its trace at
/// `weights`, which are by leaf number. If the evaluation gives scores and no traces, the text is
/// the score: the traces that the tuner makes of such scores depend on how far it moves weights for
/// them.
fn rows(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    weights: &[f64],
    positions: &[String],
) -> Result<Vec<String>> {
    if evaluation.only_scores() {
        let score = |position: &String| Ok(evaluation.score(weights, position)??.to_string());
        return positions.iter().map(score).collect();
    }
    let mut tracer = Tracer::new(evaluation, &linked.link, weights, Resolve::None);
    let mut rows: Vec<Result<String, String>> = Vec::with_capacity(positions.len());
    tracer.trace(positions, &mut |_, traced| {
        let mut set = TraceSet::new(linked.spec.layout().slots());
        let row = traced.map_err(|no_row| no_row.to_string());
        // A row needs an outcome and the number of a game, which do not enter its fingerprint.
        let any_game = RowInfo::new(0.5, 0);
        let pushed =
            row.and_then(|row| (set.push(row.draft, &any_game)).map_err(|error| error.to_string()));
        rows.push(pushed.map(|()| set.fingerprint()));
    })?;
    Ok(rows.into_iter().collect::<Result<_, _>>()?)
}

/// Returns the file of traces, if one is among the data of a fit; `None` if the data are positions.
/// `for_positions`: an option of the fit that is about positions, if one was given.
///
/// # Errors
/// If there is a file of traces, and other data with it, or an option that is about positions,
/// which such a file does not have.
pub(crate) fn named<'a>(
    data: &'a [PathBuf],
    for_positions: Option<&str>,
) -> Result<Option<&'a Path>> {
    let Some(path) = data.iter().find(|path| TraceFile::looks_like_one(path)) else {
        return Ok(None);
    };
    let name = path.display();
    if data.len() > 1 {
        fail!(
            "{name}: a file of traces is fitted alone; give one such file, or files of positions"
        );
    }
    if let Some(option) = for_positions {
        fail!(
            "{name}: a file of traces has no positions for {option} to be about; leave it out, or \
             give it to `trace`"
        );
    }
    Ok(Some(path))
}

/// Opens a file of traces, or the files that an index lists, as the rows of a fit of this engine.
/// Where there are several ranks, each gets some of the files or blocks.
///
/// # Errors
/// If it cannot be read, or was made for another spec or evaluation.
pub(crate) fn open(
    job: &Job,
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    path: &Path,
) -> Result<Box<dyn RowSource>> {
    let files = TraceFile::open_among(path, job.ranks)?;
    let all = files.all();
    let sum = |of: fn(&IndexedFile) -> u64| all.iter().map(of).sum::<u64>();
    let (slots, expected) = (files.slots(), linked.spec.layout().slots());
    if slots != expected {
        fail!(
            "{}: stale: it has {slots} slots, and the spec {expected}; trace the positions again",
            path.display()
        );
    }
    let mut rejected = 0;
    for (number, (file, about)) in files.abouts().enumerate() {
        if number == 0 {
            job.say(format_args!(
                "{}: {} positions of {}, traced before",
                path.display(),
                sum(|file| file.positions),
                about.engine
            ));
            // Each file says how many positions all ranks together rejected.
            rejected = about.rejected;
        }
        // What the index of the files says of this one; it lists all of them by their names.
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let positions = all.iter().find(|file| file.name == name);
        let positions = positions.map_or(0, |file| file.positions);
        up_to_date(evaluation, linked, file, path, about, positions)?;
    }
    let fingerprint = files.fingerprint();
    let facts = RowFacts {
        data: fingerprint.clone(),
        rows: fingerprint,
        with_game: sum(|file| file.with_game),
        rejected,
        files: Vec::new(),
        bytes: sum(|file| file.bytes),
        linearised: false,
    };
    Ok(Box::new(FixedRows::streamed(files, facts).among(job.ranks)))
}

/// Fails if a file of traces was made by another evaluation, or for another spec. Its header
/// `about` has some positions with fingerprints of their traces; these positions are traced again,
/// and the fingerprints compared. `command`: the file that the user named, for the cure;
/// `positions`: how many positions `file` has in all.
fn up_to_date(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    file: &Path,
    command: &Path,
    about: &TraceFileInfo,
    positions: u64,
) -> Result<()> {
    let stale = |words: String| -> Failure {
        let words = format!(
            "{}: stale: {words}; trace the positions again: `trace DATA -o {}`",
            file.display(),
            shell_word(command)
        );
        words.into()
    };
    if about.layout != layout(linked) {
        return Err(stale(format!(
            "it was traced for weights of other names, order or phases ({} then, {} now)",
            about.layout,
            layout(linked)
        )));
    }
    let (then, now) = (about.weights.len(), linked.link.values().len());
    if then != now {
        return Err(stale(format!(
            "the evaluation had {then} weights then and has {now} now"
        )));
    }
    if (about.examples.len() as u64) < positions.min(EXAMPLES as u64) {
        let found = about.examples.len();
        return Err(stale(format!(
            "it keeps {found} positions to find out whether the evaluation is the same; expected \
             {EXAMPLES}, or all"
        )));
    }
    let positions: Vec<String> = (about.examples.iter())
        .map(|example| example.position.clone())
        .collect();
    // The positions are traced at the weights of the header, as the source may have others now.
    let rows = rows(evaluation, linked, &about.weights, &positions);
    let rows = rows.map_err(|failure| {
        let words = "this engine does not read a position that it was traced from";
        stale(format!("{words}: {}", failure.words()))
    })?;
    let other = about.examples.iter().zip(rows);
    let mut other = other.filter(|(then, now)| then.row != *now);
    if let Some((first, _)) = other.next() {
        return Err(stale(format!(
            "the evaluation has changed: of {} positions that the file keeps {} are traced \
             otherwise now, first {}",
            about.examples.len(),
            1 + other.count(),
            first.position
        )));
    }
    Ok(())
}
