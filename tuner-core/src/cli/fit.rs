//! `fit`: from positions, or from traces made elsewhere, to weights.

use serde_json::{Map, json};

use super::Failure;
#[cfg(feature = "arrow")]
use super::args::TraceFitArgs;
use super::args::{EngineFitArgs, FitArgs, PriorArg};
use super::course::{Basis, Course, Weights, interrupted, nothing_yet};
use super::folder::Folder;
use super::init::{self, Init};
use super::interrupt::Interrupt;
use super::memory;
use super::progress::Progress;
use super::report::{self, Context};
use super::resume::{Identity, variables};
use super::retrace::Rounds;
use super::run::{Declared, checked, on_threads, traced_again};
use super::summary::{provenance, summary};
use super::typed::Typed;
use crate::codegen::emit;
use crate::fit::{Fit, FitError, Search, Settings};
use crate::game::Engine;
use crate::model::{Parts, Reduction, Tie};
use crate::param::Layout;
use crate::solve::{Options, Termination};

/// How far the author's values are believed to be off unless told otherwise.
/// Of 10, 20 and 40 the one with the smallest held-out error of the chess
/// example (`chess-tuner fit --prior N`: 0.12396, 0.12390, 0.12396).
const PRIOR: f64 = 20.0;

/// Fits the weights of an engine.
pub(super) fn of_engine<E: Engine>(
    engine: &E,
    args: &EngineFitArgs,
    typed: Typed,
) -> Result<(), Failure> {
    let declared = Declared::of(engine)?;
    let layout = declared.spec.layout();
    let reduction = reduction(layout)?;
    let names: Vec<String> = (0..layout.weights())
        .map(|weight| layout.name(weight))
        .collect();
    let checkpoint = interrupted(&args.fit)?;
    let weights = weights(&args.fit, &names, layout.initial())?;
    let folder = Folder::new(&args.fit.out)?;
    let interrupt = Interrupt::watch()?;
    on_threads(args.fit.threads, || {
        let progress = Progress::with(!args.fit.json, &interrupt);
        let checked = checked(engine, &declared, &args.data, args.differences, &progress);
        if interrupt.asked() {
            return Err(nothing_yet(&args.fit.out, args.fit.resume));
        }
        let checked = checked?;
        checked.verdict(args.data.allow_constants)?;
        let traces = &checked.collected.traces;
        let identity = Identity {
            data: checked.collected.report.fingerprint(),
            positions: traces.len() as u64,
            traces: checked.collected.fingerprint.clone(),
            variables: variables(&reduction, &weights.believed),
            init: args.fit.init.clone(),
            settings: typed,
        };
        let once = args.data.data.iter().any(|path| path.as_os_str() == "-");
        let most = if once { 0 } else { args.retrace };
        let basis = Basis {
            args: &args.fit,
            reduction: &reduction,
            names: &names,
            settings: settings(&args.fit, true, PriorArg::Deviation(PRIOR)),
            folder: &folder,
            interrupt: &interrupt,
        };
        let rounds = Rounds::new(traces.len() as u64, most);
        let mut course = Course::new(basis, weights, identity, rounds, checkpoint)?;
        let again = |at: &[f64]| traced_again(engine, &declared, &args.data, at, &progress);
        let named = |error| named(error, layout, &reduction);
        let found = course.run(traces, again, named)?;
        let total = checked.collected.report.total();
        let anchor = match Init::parse(course.init()) {
            Init::File(_) => "the weights it starts from",
            Init::Spec | Init::Zero => "the initial weights",
        };
        let context = Context::new(anchor, total.with_game == total.positions);
        let name = |weight: usize| names[weight].clone();
        report::fit(&found, context, name, reduction.roots());
        usable(&found)?;
        if found.flipped > 0 {
            eprintln!("  {}", course.rounds().sentence(found.flipped));
        }
        let values: Vec<i64> = found
            .written
            .iter()
            .map(|&value| value.round() as i64)
            .collect();
        let settings = course.settings();
        let provenance = provenance(&found, &checked.collected.fingerprint, settings, args);
        let code = emit(&declared.spec, &values, &provenance)?;
        let weights = names
            .iter()
            .zip(&values)
            .map(|(name, value)| (name.clone(), json!(value)));
        let root = |variable: usize| names[reduction.roots()[variable]].clone();
        let mut summary = summary(&found, settings, &weights.collect(), root);
        // What the patch of the sources compares with.
        let held = names.iter().zip(declared.link.source_weights());
        summary["initial"] = held
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect::<Map<_, _>>()
            .into();
        summary["spec"] = json!({ "name": declared.spec.name(), "hash": declared.spec.hash() });
        summary["data"] = json!({
            "fingerprint": checked.collected.fingerprint,
            "positions": traces.len(),
            "games": traces.games(),
            "rejected": checked.collected.report.total().rejected,
            "bytes_per_position": traces.bytes() as f64 / traces.len() as f64,
        });
        folder.write("tuned_weights.rs", &code)?;
        folder.write("summary.json", &format!("{summary:#}\n"))?;
        if args.fit.json {
            println!("{summary}");
        }
        course.end(&found)
    })
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
    let read = crate::trace::arrow::read(&args.traces)?;
    if !read.has_games && args.fit.held_out > 0.0 {
        eprintln!(
            "{}: no column `game`: held-out positions may be of games that are fitted, and the \
             held-out error too good",
            args.traces.display()
        );
    }
    let traces = &read.traces;
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
    let folder = Folder::new(&args.fit.out)?;
    let interrupt = Interrupt::watch()?;
    let fingerprint = traces.fingerprint();
    let identity = Identity {
        data: fingerprint.clone(),
        positions: traces.len() as u64,
        traces: fingerprint.clone(),
        variables: variables(&reduction, &weights.believed),
        init: args.fit.init.clone(),
        settings: typed,
    };
    on_threads(args.fit.threads, || {
        let basis = Basis {
            args: &args.fit,
            reduction: &reduction,
            names: &names,
            settings: settings(&args.fit, args.round, PriorArg::None),
            folder: &folder,
            interrupt: &interrupt,
        };
        // There are no positions to trace again.
        let rounds = Rounds::new(traces.len() as u64, 0);
        let mut course = Course::new(basis, weights, identity, rounds, checkpoint)?;
        let found = course.run(traces, |_| Err("no positions".into()), Failure::from)?;
        let context = Context::new("the weights it starts from", read.has_games);
        report::fit(&found, context, name, reduction.roots());
        usable(&found)?;
        let weights = names
            .iter()
            .zip(&found.written)
            .map(|(name, value)| (name.clone(), json!(value)));
        let mut summary = summary(&found, course.settings(), &weights.collect(), name);
        summary["data"] = json!({ "fingerprint": fingerprint, "positions": traces.len() });
        folder.write("summary.json", &format!("{summary:#}\n"))?;
        if args.fit.json {
            println!("{summary}");
        }
        course.end(&found)
    })
}

/// The error, with the parameters that it is about.
fn named(error: FitError, layout: &Layout, reduction: &Reduction) -> Failure {
    match error {
        FitError::TooLarge(error) => memory::largest(&error, layout, reduction).into(),
        other => other.into(),
    }
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
    let iterations = args.max_iterations;
    Settings {
        k: args.k,
        loss: args.loss.into(),
        held_out: args.held_out,
        prior: args.prior.unwrap_or(prior).deviation(),
        solver: Options {
            solver: args.solver.into(),
            iterations,
            ..Options::default()
        },
        integers: integers || args.solver.search() != Search::Promising,
        search: args.solver.search(),
        memory: memory::available(),
    }
}

/// The variables of a spec.
fn reduction(layout: &Layout) -> Result<Reduction, Failure> {
    let all = 0..layout.weights();
    let ties: Vec<Tie> = layout
        .ties()
        .iter()
        .map(|tie| Tie {
            weight: tie.weight,
            root: tie.to,
            factor: tie.factor,
            difference: tie.difference,
        })
        .collect();
    // A weight tied to a frozen one is fixed by its root; it has no variable to freeze.
    let mut frozen: Vec<bool> = all.clone().map(|weight| layout.frozen(weight)).collect();
    for tie in &ties {
        frozen[tie.weight] = false;
    }
    let parts = Parts {
        lane_count: 2 * layout.slots(),
        lanes: &all
            .clone()
            .map(|weight| layout.lane(weight))
            .collect::<Vec<_>>(),
        frozen: &frozen,
        ties: &ties,
        bounds: &all.map(|weight| layout.bounds(weight)).collect::<Vec<_>>(),
        initial: &layout.initial(),
    };
    Reduction::new(&parts).map_err(|errors| {
        errors
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join("\n")
            .into()
    })
}
