//! What all commands on data share: the spec and its link to the source, the
//! inputs, reading with checks, threads.

use std::path::Path;

use super::Failure;
use super::args::DataArgs;
use super::progress::Progress;
use super::report;
use tuner_data::{Format, Input, InputOptions, PositionNotation, ReadOptions};
use tuner_engine::{
    Agreement, Collected, Differences, Engine, Link, PositionOf, Tracing, collect, differences,
};
use tuner_rows::TraceSet;
#[cfg(feature = "arrow")]
use tuner_rows::file::TraceFile;
use tuner_spec::Spec;

/// The engine's spec, tied to its source.
pub(super) struct Declared {
    pub(super) spec: Spec,
    pub(super) link: Link,
}

impl Declared {
    pub(super) fn of<E: Engine>(engine: &E) -> Result<Self, Failure> {
        let (file, text) = engine.spec();
        let spec = Spec::parse(Path::new(file), text)?;
        let link = Link::new(engine.registry(), spec.layout())?;
        report::other_values(&link, spec.layout());
        Ok(Self { spec, link })
    }
}

/// What the check found.
pub(super) struct Checked<'a> {
    pub(super) agreement: &'a Agreement,
    /// Trace and twin at other weights.
    pub(super) differences: &'a Differences,
}

/// Traces and what the check of derivatives found.
pub(super) struct Found<P> {
    pub(super) collected: Collected<P>,
    pub(super) differences: Differences,
}

/// Reads, traces and checks; tells the user what it found.
pub(super) fn checked<E: Engine>(
    engine: &E,
    declared: &Declared,
    args: &DataArgs,
    sample: usize,
    progress: &Progress,
) -> Result<Found<PositionOf<E>>, Failure> {
    let Given { inputs, options } = given(engine, args, progress)?;
    let tracing = Tracing {
        engine,
        link: &declared.link,
        slots: declared.spec.layout().slots(),
        values: &[],
        resolve: args.resolve.into(),
    };
    let collected = collect(&tracing, &inputs, &options, sample);
    progress.done();
    let collected = collected?;
    report::reading(&collected.report);
    let positions: Vec<_> = collected.sample.iter().collect();
    let differences = differences(engine, &declared.link, &positions);
    let found = Found {
        collected,
        differences,
    };
    report::agreement(&found.checked(), declared);
    Ok(found)
}

/// Traces the same positions at other weights, those of the spec in its order.
pub(super) fn traced_again<E: Engine>(
    engine: &E,
    declared: &Declared,
    args: &DataArgs,
    weights: &[f64],
    progress: &Progress,
) -> Result<TraceSet, Failure> {
    let Given { inputs, options } = given(engine, args, progress)?;
    let values: Vec<f64> = declared
        .link
        .weights()
        .iter()
        .map(|w| weights[w.index()])
        .collect();
    let tracing = Tracing {
        engine,
        link: &declared.link,
        slots: declared.spec.layout().slots(),
        values: &values,
        resolve: args.resolve.into(),
    };
    let collected = collect(&tracing, &inputs, &options, 0);
    progress.done();
    Ok(collected?.traces)
}

impl<P> Found<P> {
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
        let agreement = self.agreement;
        if agreement.positions == 0 {
            return Err("no position was read; give a file with labelled positions".into());
        }
        let differences = self.differences;
        let differs = !differences.wrong.is_empty() || !differences.changes_wrong.is_empty();
        if agreement.is_wrong() || differs {
            return Err("production and trace do not agree (see above); nothing was fitted".into());
        }
        if agreement.has_foreign_constants() && !allow_constants {
            return Err(
                "a part of the score comes from where no weight is (see above): annotate \
                        that code, or accept the part as fixed with --allow-constants"
                    .into(),
            );
        }
        Ok(())
    }
}

/// Inputs, and how they are read.
pub(super) struct Given {
    pub(super) inputs: Vec<Input>,
    pub(super) options: ReadOptions,
}

pub(super) fn given<E: Engine>(
    engine: &E,
    args: &DataArgs,
    progress: &Progress,
) -> Result<Given, Failure> {
    #[cfg(feature = "arrow")]
    if let Some(path) = (args.data.iter()).find(|path| TraceFile::looks_like_one(path)) {
        return Err(format!(
            "{}: is an Arrow file; expected positions. A file of traces is for `fit FILE`",
            path.display()
        )
        .into());
    }
    if !args.data.is_empty() {
        return named(engine.notation(), args, progress);
    }
    let embedded = engine
        .embedded()
        .ok_or("this engine comes without positions; name a file")?;
    let inputs = vec![Input::Embedded {
        name: embedded.name,
        bytes: embedded.bytes,
    }];
    let options = options(engine.notation(), &inputs, Vec::new(), args, progress)?;
    Ok(Given { inputs, options })
}

/// The inputs that were named.
fn named<N: PositionNotation>(
    notation: &N,
    args: &DataArgs,
    progress: &Progress,
) -> Result<Given, Failure> {
    let given: Vec<(Input, InputOptions)> = (args.data.iter())
        .map(|path| Input::with_options(notation, path))
        .collect::<Result<_, _>>()
        .map_err(Failure::Usage)?;
    let (inputs, own): (Vec<_>, Vec<_>) = given.into_iter().unzip();
    let options = options(notation, &inputs, own, args, progress)?;
    Ok(Given { inputs, options })
}

fn options<N: PositionNotation>(
    notation: &N,
    inputs: &[Input],
    own: Vec<InputOptions>,
    args: &DataArgs,
    progress: &Progress,
) -> Result<ReadOptions, Failure> {
    let size = inputs.iter().map(Input::size).sum::<Option<u64>>();
    let named = |name: &String| Format::named(notation, name);
    let format = args.format.as_ref().map(named).transpose();
    Ok(ReadOptions {
        format: format.map_err(|error| Failure::Usage(format!("--format: {error}")))?,
        perspective: args.perspective.into(),
        score_perspective: args.score_perspective.map(Into::into),
        on_bad_line: args.on_bad_line.into(),
        inputs: own,
        observer: Some(progress.reading(size)),
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
