//! What all commands on data share: the spec and its link to the source, the
//! inputs, reading with checks, threads.

use super::Failure;
use super::args::DataArgs;
use super::progress::Progress;
use super::report;
use tuner_data::{Format, Input, ReadOptions};
use tuner_engine::{
    Agreement, Collected, Differences, Engine, EngineRowsError, LinkedSpec, PositionOf, Positions,
    check, differences,
};
#[cfg(feature = "arrow")]
use tuner_rows::file::TraceFile;

/// The engine's spec, tied to its source; tells the user where their values
/// differ.
pub(super) fn linked<E: Engine>(engine: &E) -> Result<LinkedSpec, Failure> {
    let linked = LinkedSpec::of(engine)?;
    report::other_values(&linked.link, linked.spec.layout());
    Ok(linked)
}

/// What the check found.
pub(super) struct Checked<'a> {
    pub(super) agreement: &'a Agreement,
    /// Trace and twin at other weights.
    pub(super) differences: &'a Differences,
}

/// Traces and what the check of derivatives found.
pub(super) struct CheckedTraces<P> {
    pub(super) collected: Collected<P>,
    pub(super) differences: Differences,
}

/// Reads, traces and checks; tells the user what it found.
pub(super) fn checked<E: Engine>(
    engine: &E,
    linked: &LinkedSpec,
    positions: &Positions,
    sample: usize,
    progress: &Progress,
) -> Result<CheckedTraces<PositionOf<E>>, Failure> {
    let collected = positions.trace(engine, linked, &[], sample);
    progress.done();
    let collected = collected?;
    report::reading(&collected.report);
    let sample: Vec<_> = collected.sample.iter().collect();
    let differences = differences(engine, &linked.link, &sample);
    let found = CheckedTraces {
        collected,
        differences,
    };
    report::agreement(&found.checked(), linked);
    Ok(found)
}

impl<P> CheckedTraces<P> {
    /// The check alone.
    pub(super) fn checked(&self) -> Checked<'_> {
        Checked {
            agreement: &self.collected.agreement,
            differences: &self.differences,
        }
    }
}

impl Checked<'_> {
    /// Fails if a fit on these traces would be one of something else.
    pub(super) fn verdict(&self, allow_constants: bool) -> Result<(), Failure> {
        check(self.agreement, self.differences, allow_constants)?;
        Ok(())
    }
}

/// The positions that were named, or those that come with the engine, and how
/// they are read.
pub(super) fn positions<E: Engine>(
    engine: &E,
    args: &DataArgs,
    progress: &Progress,
) -> Result<Positions, Failure> {
    #[cfg(feature = "arrow")]
    if let Some(path) = (args.data.iter()).find(|path| TraceFile::looks_like_one(path)) {
        return Err(format!(
            "{}: is an Arrow file; expected positions. A file of traces is for `fit FILE`",
            path.display()
        )
        .into());
    }
    let positions = Positions::of(engine, &args.data).map_err(|error| match error {
        EngineRowsError::Input(words) => Failure::Usage(words),
        other => other.into(),
    })?;
    let Positions {
        inputs, options, ..
    } = positions;
    let size = inputs.iter().map(Input::size).sum::<Option<u64>>();
    let named = |name: &String| Format::named(engine.notation(), name);
    let format = args.format.as_ref().map(named).transpose();
    let options = ReadOptions {
        format: format.map_err(|error| Failure::Usage(format!("--format: {error}")))?,
        perspective: args.perspective.into(),
        score_perspective: args.score_perspective.map(Into::into),
        on_bad_line: args.on_bad_line.into(),
        observer: Some(progress.reading(size)),
        ..options
    };
    Ok(Positions {
        inputs,
        options,
        resolve: args.resolve.into(),
    })
}

/// Runs `f` on as many threads as asked for.
pub(super) fn on_threads<R: Send>(
    threads: Option<u16>,
    f: impl FnOnce() -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    let count = threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build()?;
    pool.install(f)
}
