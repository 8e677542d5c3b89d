//! `fit`: from positions, or from traces made elsewhere, to weights.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::Failure;
#[cfg(feature = "arrow")]
use super::args::TraceFitArgs;
use super::args::{EngineFitArgs, FitArgs, PriorArg};
use super::choices::Choices;
use super::course::{Basis, Course, Weights, interrupted, nothing_yet};
use super::folder::Folder;
use super::init::{self, Init};
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::report::{self, Context};
use super::resolve::ResolveArg;
use super::resume::Identity;
use super::retrace::Rounds;
use super::rows::Rows;
use super::run::{Declared, checked, on_threads, traced_again};
use super::summary::{add_sources, hand_over, provenance, summary};
use super::targets::Chosen;
#[cfg(feature = "arrow")]
use super::trace;
use super::typed::Typed;
use super::{memory, resume, scale, variables};
use tuner_base::WeightId;
use tuner_data::Input;
use tuner_engine::Engine;
use tuner_fit::{Anchor, BASE, Fit, FitError, Search, Settings};
#[cfg(feature = "arrow")]
use tuner_solve::PriorSpec;
use tuner_solve::Reduction;
use tuner_solve::Termination;
use tuner_spec::Layout;
use tuner_spec::codegen::emit;

/// Fits the weights of an engine.
pub(super) fn of_engine<E: Engine>(
    engine: &E,
    args: &EngineFitArgs,
    typed: Typed,
) -> Result<(), Failure> {
    let declared = Declared::of(engine)?;
    let layout = declared.spec.layout();
    let reduction = variables::reduction(layout)?;
    let beliefs = variables::beliefs(layout);
    let names: Vec<String> = layout
        .weight_ids()
        .map(|weight| layout.name(weight))
        .collect();
    let checkpoint = interrupted(&args.fit)?;
    let weights = weights(&args.fit, &names, layout.initial())?;
    let mut settings = settings(&args.fit, true, PriorArg::Deviation(BASE));
    settings.anchor = scale_of(&args.fit, &names, Some(layout))?;
    let folder = Folder::new(&args.fit.out)?;
    let interrupt = Interrupt::watch()?;
    on_threads(args.fit.threads, || {
        let progress = Progress::with(!args.fit.json, &interrupt);
        let mut rows = rows(engine, &declared, args, &interrupt, &progress)?;
        let positions = rows.traces().len() as u64;
        let identity = Identity {
            data: rows.data.clone(),
            positions,
            traces: rows.fingerprint.clone(),
            variables: resume::variables(&reduction, &weights.believed, &beliefs),
            init: args.fit.init.clone(),
            settings: typed,
        };
        let once = rows.traces().are_streamed() || once(engine, &args.data.data);
        let most = if once { 0 } else { args.retrace };
        let every = resolved_again(args, most)?;
        let basis = Basis {
            args: &args.fit,
            reduction: &reduction,
            names: &names,
            beliefs,
            settings,
            folder: &folder,
            interrupt: &interrupt,
            every,
        };
        let rounds = Rounds::new(positions, most);
        let mut course = Course::new(basis, weights, identity, rounds, checkpoint)?;
        let games = rows.with_game > 0;
        let targets = Chosen::new(&args.fit.targets, rows.traces(), args.fit.held_out, games)?;
        let again = |at: &[f64]| traced_again(engine, &declared, &args.data, at, &progress);
        let named = |error| named(error, layout, &reduction);
        let found = course.run(rows.traces_mut(), &targets.targets, again, named)?;
        let summary = Ended {
            declared: &declared,
            rows: &rows,
            reduction: &reduction,
            names: &names,
            course: &course,
            targets: &targets,
        }
        .write(&found, args, &folder)?;
        hand_over(&folder, &args.fit, &summary)?;
        course.end(&found)
    })
}

/// After how many iterations positions are resolved again.
fn resolved_again(args: &EngineFitArgs, most: usize) -> Result<Option<usize>, Failure> {
    let Some(every) = args.resolve_every else {
        return Ok(None);
    };
    if args.data.resolve == ResolveArg::None {
        return Err("--resolve-every: nothing is resolved; add --resolve qsearch".into());
    }
    if most == 0 {
        return Err(
            "--resolve-every: positions are not traced again here (--retrace 0, or an input that \
             can be read only once); leave it out, or give files"
                .into(),
        );
    }
    Ok(Some(every as usize))
}

/// Tells whether an input can be read only once: standard input, a pipe.
fn once<E: Engine>(engine: &E, data: &[PathBuf]) -> bool {
    let file = |path: &PathBuf| match Input::with_options(engine.notation(), path) {
        Ok((Input::File(path), _)) => std::fs::metadata(path).is_ok_and(|found| found.is_file()),
        _ => false,
    };
    data.iter().any(|path| !file(path))
}

/// The rows of the data: of positions that are traced and checked, or of a
/// file.
fn rows<E: Engine>(
    engine: &E,
    declared: &Declared,
    args: &EngineFitArgs,
    interrupt: &Interrupt,
    progress: &Progress,
) -> Result<Rows, Failure> {
    let early = || nothing_yet(&args.fit.out, args.fit.resume);
    #[cfg(feature = "arrow")]
    if let Some(path) = trace::named(args)? {
        let file = trace::open(engine, declared, path)?;
        return if interrupt.asked() {
            Err(early())
        } else {
            Ok(Rows::in_file(file))
        };
    }
    let found = checked(engine, declared, &args.data, args.differences, progress);
    if interrupt.asked() {
        return Err(early());
    }
    let found = found?;
    found.checked().verdict(args.data.allow_constants)?;
    Ok(Rows::traced(found.collected))
}

/// The fit of an engine that has ended.
struct Ended<'a> {
    declared: &'a Declared,
    rows: &'a Rows,
    reduction: &'a Reduction,
    names: &'a [String],
    course: &'a Course<'a>,
    targets: &'a Chosen,
}

impl Ended<'_> {
    /// Tells how it went, writes the weights, returns the summary.
    fn write(&self, found: &Fit, args: &EngineFitArgs, folder: &Folder) -> Result<Value, Failure> {
        let (names, course) = (self.names, self.course);
        let anchor = match Init::parse(course.init()) {
            Init::File(_) => "the weights it starts from",
            Init::Spec | Init::Zero => "the initial weights",
        };
        let context = Context::new(anchor, self.rows.all_with_game());
        let name = |weight: usize| names[weight].clone();
        report::fit(found, context, name, self.reduction.roots());
        usable(found)?;
        if found.flipped > 0 {
            say!("  {}", course.rounds().sentence(found.flipped));
        }
        let values: Vec<i64> = found
            .written
            .iter()
            .map(|&value| value.round() as i64)
            .collect();
        let choices = Choices {
            targets: self.targets,
            strength: course.strength(),
        };
        let (settings, words) = (course.settings(), choices.words(found, &name));
        let provenance = provenance(found, &self.rows.fingerprint, settings, words, args);
        let spec = &self.declared.spec;
        let code = emit(spec, &values, &provenance)?;
        let weights = names
            .iter()
            .zip(&values)
            .map(|(name, value)| (name.clone(), json!(value)));
        let root = |variable: usize| names[self.reduction.roots()[variable].index()].clone();
        let mut summary = summary(found, settings, &weights.collect(), root);
        choices.add_to(&mut summary, found, &name);
        add_sources(&mut summary, self.declared, names, self.rows);
        // Games have been counted just now.
        if let Some(words) = self.rows.traces().failure() {
            return Err(words.into());
        }
        folder.write("tuned_weights.rs", &code)?;
        Ok(summary)
    }
}

/// The weights that the options name; those of a fit that goes on are in its
/// checkpoint.
fn weights(args: &FitArgs, names: &[String], initial: Vec<f64>) -> Result<Weights, Failure> {
    let start = match Init::parse(&args.init) {
        _ if args.resume => initial.clone(),
        Init::Spec => initial.clone(),
        Init::Zero => vec![0.0; initial.len()],
        Init::File(file) => init::read(&file, names, &initial)?,
    };
    // K is anchored where the scores have their meaning, also for a start at zero.
    let anchor = if args.init == "zero" {
        initial.clone()
    } else {
        start.clone()
    };
    Ok(Weights {
        anchor,
        start,
        believed: initial,
    })
}

/// Fits the weights of traces made elsewhere.
#[cfg(feature = "arrow")]
pub(super) fn of_traces(args: &TraceFitArgs, typed: Typed) -> Result<(), Failure> {
    let checkpoint = interrupted(&args.fit)?;
    let mut read = tuner_rows::arrow::read(&args.traces)?;
    if !read.has_games && args.fit.held_out > 0.0 {
        say!(
            "{}: no column `game`: held-out positions may be of games that are fitted, and the \
             held-out error too good",
            args.traces.display()
        );
    }
    let traces = &mut read.traces;
    let count = 2 * traces.slots();
    let reduction = Reduction::of_lanes(count);
    let name = |weight: usize| format!("feature[{}].{}", weight / 2, ["mg", "eg"][weight % 2]);
    let names: Vec<String> = (0..count).map(name).collect();
    // Without a spec there is nothing but zero to start from.
    let mut weights = weights(&args.fit, &names, vec![0.0; count])?;
    // Nor anything to believe in but the start.
    weights.believed.clone_from(match &checkpoint {
        Some(checkpoint) if checkpoint.start.len() == count => &checkpoint.start,
        _ => &weights.start,
    });
    let blank = weights.start.iter().all(|&weight| weight == 0.0);
    if args.fit.k.is_none() && blank && checkpoint.is_none() {
        return Err(
            "found neither K nor weights, so the scores have no scale to fit K to; expected \
             --k VALUE, or --init FILE with weights in centipawns"
                .into(),
        );
    }
    let beliefs = PriorSpec::default();
    let mut settings = settings(&args.fit, args.round, PriorArg::None);
    settings.anchor = scale_of(&args.fit, &names, None)?;
    let folder = Folder::new(&args.fit.out)?;
    let interrupt = Interrupt::watch()?;
    let fingerprint = traces.fingerprint();
    let identity = Identity {
        data: fingerprint.clone(),
        positions: traces.len() as u64,
        traces: fingerprint.clone(),
        variables: resume::variables(&reduction, &weights.believed, &beliefs),
        init: args.fit.init.clone(),
        settings: typed,
    };
    on_threads(args.fit.threads, || {
        let basis = Basis {
            args: &args.fit,
            reduction: &reduction,
            names: &names,
            beliefs,
            settings,
            folder: &folder,
            interrupt: &interrupt,
            every: None,
        };
        // There are no positions to trace again.
        let rounds = Rounds::new(traces.len() as u64, 0);
        let mut course = Course::new(basis, weights, identity, rounds, checkpoint)?;
        let held_out = args.fit.held_out;
        let games = read.has_games;
        let targets = Chosen::new(&args.fit.targets, (&*traces).into(), held_out, games)?;
        let again = |_: &[f64]| Err("no positions".into());
        let named = |error| named_by(error, &names);
        let found = course.run((&mut *traces).into(), &targets.targets, again, named)?;
        let context = Context::new("the weights it starts from", read.has_games);
        report::fit(&found, context, name, reduction.roots());
        usable(&found)?;
        let weights: Map<_, _> = names
            .iter()
            .zip(&found.written)
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        let mut summary = summary(&found, course.settings(), &weights, name);
        let choices = Choices {
            targets: &targets,
            strength: course.strength(),
        };
        choices.add_to(&mut summary, &found, &name);
        summary["data"] = json!({ "fingerprint": fingerprint, "positions": traces.len() });
        hand_over(&folder, &args.fit, &summary)?;
        course.end(&found)
    })
}

/// The error, with the parameters that it is about.
fn named(error: FitError, layout: &Layout, reduction: &Reduction) -> Failure {
    match error {
        FitError::TooLarge(error) => memory::largest(&error, layout, reduction).into(),
        FitError::Anchor(error) => {
            scale::refused(&error, &layout.name(WeightId(error.weight))).into()
        }
        other => other.into(),
    }
}

/// The same for weights that no spec names.
#[cfg(feature = "arrow")]
fn named_by(error: FitError, names: &[String]) -> Failure {
    match error {
        FitError::Anchor(error) => scale::refused(&error, &names[error.weight]).into(),
        other => other.into(),
    }
}

/// The weight that is to keep a value.
fn scale_of(
    args: &FitArgs,
    names: &[String],
    layout: Option<&Layout>,
) -> Result<Option<Anchor>, Failure> {
    let Some(anchor) = &args.anchor else {
        return Ok(None);
    };
    if args.solver.search() == Search::Alone {
        return Err(
            "--anchor: the integers of --solver local-search have no scale to change; take \
             --solver hybrid, which searches after a fit, or leave --anchor out"
                .into(),
        );
    }
    let (weight, value) = anchor.resolve(names, layout)?;
    Ok(Some(Anchor {
        weight,
        value,
        factor: None,
    }))
}

/// Fails where there are no weights worth writing.
fn usable(found: &Fit) -> Result<(), Failure> {
    let failed = matches!(
        found.summary.termination,
        Termination::NotFinite | Termination::NumericalFailure
    );
    if failed || !found.error.is_finite() {
        return Err("the fit failed (see above); nothing was written".into());
    }
    Ok(())
}

fn settings(args: &FitArgs, integers: bool, prior: PriorArg) -> Settings {
    let search = args.solver.search();
    Settings {
        k: args.k,
        loss: args.loss,
        held_out: args.held_out,
        prior: args.prior.unwrap_or(prior).deviation(),
        anchor: None,
        solver: args.options(),
        integers: integers || search != Search::Promising,
        search,
        few: None, // told round by round
        memory: memory::available(),
    }
}
