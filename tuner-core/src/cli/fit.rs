//! `fit`: from positions, or from traces made elsewhere, to weights.

use serde_json::{Map, Value, json};

use super::Failure;
#[cfg(feature = "arrow")]
use super::args::TraceFitArgs;
use super::args::{EngineFitArgs, FitArgs, PriorArg};
use super::choices::Choices;
use super::init::{self, Init};
use super::memory;
use super::output::{hand_over, writable, write};
use super::progress::Progress;
use super::report::{self, Context};
use super::retrace::Rounds;
use super::run::{Declared, checked, on_threads, traced_again};
use super::targets::Chosen;
use super::{scale, strength, variables};
use crate::codegen::{FitRecord, Provenance, emit};
use crate::fit::{Anchor, BASE, Fit, FitError, Given, Settings, Strength, Targets, choose};
use crate::game::{Collected, Engine};
#[cfg(feature = "arrow")]
use crate::model::Beliefs;
use crate::model::Reduction;
use crate::param::Layout;
use crate::solve::{Flow, Termination};
use crate::trace::rows::TraceSet;

/// Fits the weights of an engine.
pub(super) fn of_engine<E: Engine>(engine: &E, args: &EngineFitArgs) -> Result<(), Failure> {
    let declared = Declared::of(engine)?;
    let layout = declared.spec.layout();
    let reduction = variables::reduction(layout)?;
    let beliefs = variables::beliefs(layout);
    let names: Vec<String> = (0..layout.weights())
        .map(|weight| layout.name(weight))
        .collect();
    let initial = layout.initial();
    let start = start(&args.fit, &names, &initial)?;
    // K is anchored where the scores have their meaning, also for a start at zero.
    let anchor = if args.fit.init == "zero" {
        &initial
    } else {
        &start
    };
    let given = Given {
        anchor,
        start: &start,
        believed: &initial,
        beliefs: &beliefs,
        held: &[],
    };
    let mut settings = settings(&args.fit, true, PriorArg::Deviation(BASE));
    settings.anchor = scale_of(&args.fit, &names, Some(layout))?;
    writable(&args.fit.out)?;
    on_threads(args.fit.threads, || {
        let progress = Progress::new(!args.fit.json);
        let mut checked = checked(engine, &declared, &args.data, args.differences, &progress)?;
        checked.verdict(args.data.allow_constants)?;
        let traces = &mut checked.collected.traces;
        let games = checked.collected.report.total().with_game > 0;
        let targets = Chosen::new(&args.fit.targets, traces, args.fit.held_out, games)?;
        let named = |error| named(error, layout, &reduction);
        let problem = (&reduction, &args.fit, &targets.targets);
        let strength = strength(problem, traces, &given, &settings).map_err(named)?;
        let factor = strength.as_ref().map_or(1.0, |s| s.best().factor);
        settings.prior = settings.prior.map(|deviation| deviation * factor);
        let beliefs = beliefs.scaled(factor);
        let given = Given {
            beliefs: &beliefs,
            ..given
        };
        let descend = |traces: &mut TraceSet, given: &Given<'_>, settings: &Settings| {
            descend(problem, traces, given, settings).map_err(named)
        };
        let mut found = descend(traces, &given, &settings)?;
        let once = args.data.data.iter().any(|path| path.as_os_str() == "-");
        let most = if once { 0 } else { args.retrace };
        let mut rounds = Rounds::new(traces.len() as u64, most);
        while rounds.go_on(found.flipped) {
            let flipped = found.flipped;
            eprintln!("{flipped} positions take another branch: all are traced again");
            let weights = &found.written;
            let mut traces = traced_again(engine, &declared, &args.data, weights, &progress)?;
            let given = Given {
                start: &found.weights,
                held: &found.held,
                ..given
            };
            // K is fitted once, where the scores have their meaning.
            let next = descend(&mut traces, &given, &after(&found, &settings))?;
            found = rounds.choose(found, next);
        }
        let total = checked.collected.report.total();
        let anchor_name = match Init::parse(&args.fit.init) {
            Init::File(_) => "the weights it starts from",
            Init::Spec | Init::Zero => "the initial weights",
        };
        let context = Context::new(anchor_name, total.with_game == total.positions);
        let name = |weight: usize| names[weight].clone();
        report::fit(&found, context, name, reduction.roots());
        usable(&found)?;
        if found.flipped > 0 {
            eprintln!("  {}", rounds.sentence(found.flipped));
        }
        let values: Vec<i64> = found
            .written
            .iter()
            .map(|&value| value.round() as i64)
            .collect();
        let choices = Choices {
            targets: &targets,
            strength: strength.as_ref(),
        };
        let fingerprint = &checked.collected.fingerprint;
        let words = choices.words(&found, &name);
        let provenance = provenance(&found, fingerprint, &settings, words, args);
        let code = emit(&declared.spec, &values, &provenance)?;
        let weights = names
            .iter()
            .zip(&values)
            .map(|(name, value)| (name.clone(), json!(value)));
        let root = |variable: usize| names[reduction.roots()[variable]].clone();
        let mut summary = summary(&found, &settings, &weights.collect(), root);
        choices.add_to(&mut summary, &found, &name);
        source_fields(&mut summary, &declared, &names, &checked.collected);
        write(&args.fit.out, "tuned_weights.rs", &code)?;
        hand_over(&args.fit, &summary)
    })
}

/// The weights that a fit of an engine starts from.
fn start(args: &FitArgs, names: &[String], initial: &[f64]) -> Result<Vec<f64>, Failure> {
    match Init::parse(&args.init) {
        Init::Spec => Ok(initial.to_vec()),
        Init::Zero => Ok(vec![0.0; initial.len()]),
        Init::File(file) => init::read(&file, names, initial),
    }
}

/// The settings of a fit that goes on from another: K and scale are settled.
fn after(found: &Fit, settings: &Settings) -> Settings {
    Settings {
        k: Some(found.k),
        anchor: settings.anchor.map(|anchor| Anchor {
            factor: found.anchored.map(|anchored| anchored.factor),
            ..anchor
        }),
        ..settings.clone()
    }
}

/// Adds to a summary what the sources held, the spec and the data.
fn source_fields<P>(
    summary: &mut Value,
    declared: &Declared,
    names: &[String],
    collected: &Collected<P>,
) {
    let traces = &collected.traces;
    // What the patch of the sources compares with.
    let held = names.iter().zip(declared.link.source_weights());
    summary["initial"] = held
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect::<Map<_, _>>()
        .into();
    summary["spec"] = json!({ "name": declared.spec.name(), "hash": declared.spec.hash() });
    summary["data"] = json!({
        "fingerprint": collected.fingerprint,
        "positions": traces.len(),
        "games": traces.games(),
        "rejected": collected.report.total().rejected,
        "bytes_per_position": traces.bytes() as f64 / traces.len() as f64,
    });
}

/// Fits the weights of traces made elsewhere.
#[cfg(feature = "arrow")]
pub(super) fn of_traces(args: &TraceFitArgs) -> Result<(), Failure> {
    let mut read = crate::trace::arrow::read(&args.traces)?;
    if !read.has_games && args.fit.held_out > 0.0 {
        eprintln!(
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
    let zero = vec![0.0; count];
    let start = match Init::parse(&args.fit.init) {
        // Without a spec there is nothing but zero to start from.
        Init::Spec | Init::Zero => zero,
        Init::File(file) => init::read(&file, &names, &zero)?,
    };
    if args.fit.k.is_none() && start.iter().all(|&weight| weight == 0.0) {
        return Err(
            "found neither K nor weights, so the scores have no scale to fit K to; expected \
             --k VALUE, or --init FILE with weights in centipawns"
                .into(),
        );
    }
    let given = Given {
        anchor: &start,
        start: &start,
        believed: &start,
        beliefs: &Beliefs::default(),
        held: &[],
    };
    let mut settings = settings(&args.fit, args.round, PriorArg::None);
    settings.anchor = scale_of(&args.fit, &names, None)?;
    writable(&args.fit.out)?;
    on_threads(args.fit.threads, || {
        let targets = Chosen::new(&args.fit.targets, traces, args.fit.held_out, read.has_games)?;
        let named = |error| named_by(error, &names);
        let problem = (&reduction, &args.fit, &targets.targets);
        let strength = strength(problem, traces, &given, &settings).map_err(named)?;
        let factor = strength.as_ref().map_or(1.0, |s| s.best().factor);
        settings.prior = settings.prior.map(|deviation| deviation * factor);
        let found = descend(problem, traces, &given, &settings).map_err(named)?;
        let context = Context::new("the weights it starts from", read.has_games);
        report::fit(&found, context, name, reduction.roots());
        usable(&found)?;
        let weights = names
            .iter()
            .zip(&found.written)
            .map(|(name, value)| (name.clone(), json!(value)));
        let mut summary = summary(&found, &settings, &weights.collect(), name);
        let choices = Choices {
            targets: &targets,
            strength: strength.as_ref(),
        };
        choices.add_to(&mut summary, &found, &name);
        summary["data"] = json!({ "fingerprint": traces.fingerprint(), "positions": traces.len() });
        hand_over(&args.fit, &summary)
    })
}

/// The error, with the parameters that it is about.
fn named(error: FitError, layout: &Layout, reduction: &Reduction) -> Failure {
    match error {
        FitError::TooLarge(error) => memory::largest(&error, layout, reduction).into(),
        FitError::Anchor(error) => scale::refused(&error, &layout.name(error.weight)).into(),
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
    let (weight, value) = anchor.resolve(names, layout)?;
    Ok(Some(Anchor {
        weight,
        value,
        factor: None,
    }))
}

/// Where the written weights come from.
fn provenance(
    found: &Fit,
    data: &str,
    settings: &Settings,
    choices: Vec<String>,
    args: &EngineFitArgs,
) -> Provenance {
    Provenance {
        fit: Some(FitRecord {
            data: data.to_owned(),
            positions: found.rows.0,
            games: found.games as u64,
            scaling: found.k,
            prior: settings.prior,
            loss: settings.loss.to_string(),
            choices,
            training_error: found.error,
            held_out_error: found.held_out_error,
        }),
        date: args.date.clone(),
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

/// What is fitted: the variables, how, to which targets.
type Wanted<'a> = (&'a Reduction, &'a FitArgs, &'a Targets);

fn descend(
    (reduction, args, targets): Wanted<'_>,
    traces: &mut TraceSet,
    given: &Given<'_>,
    settings: &Settings,
) -> Result<Fit, FitError> {
    let progress = Progress::new(!args.json);
    let found = targets.fit(traces, reduction, given, settings, &mut |at| {
        progress.iteration(at.record, settings.solver.iterations);
        Flow::Continue
    });
    progress.done();
    found
}

/// Tries strengths of the prior, if they are to be tried.
fn strength(
    (reduction, args, targets): Wanted<'_>,
    traces: &mut TraceSet,
    given: &Given<'_>,
    settings: &Settings,
) -> Result<Option<Strength>, FitError> {
    if args.prior != Some(PriorArg::Auto) {
        return Ok(None);
    }
    let progress = Progress::new(!args.json);
    let strength = targets.with(traces, |traces| {
        choose(traces, reduction, given, settings, &mut |at| {
            progress.iteration(at.record, settings.solver.iterations);
            Flow::Continue
        })
    });
    progress.done();
    let strength = strength?;
    strength::tell(&strength);
    Ok(Some(strength))
}

fn settings(args: &FitArgs, integers: bool, prior: PriorArg) -> Settings {
    Settings {
        k: args.k,
        loss: args.loss,
        held_out: args.held_out,
        prior: args.prior.unwrap_or(prior).deviation(),
        anchor: None,
        solver: args.options(),
        integers,
        memory: memory::available(),
    }
}

/// The fields that scripts rely on come first.
///
/// `name` names the weight of a variable.
fn summary(
    fit: &Fit,
    settings: &Settings,
    weights: &Map<String, Value>,
    name: impl Fn(usize) -> String,
) -> Value {
    let rounding = fit.rounding.as_ref().map(|rounding| {
        json!({
            "error_before": rounding.error_before,
            "error_plain": rounding.error_plain,
            "error": rounding.error,
            "by": rounding.by,
        })
    });
    let mut solver = json!(fit.summary);
    for (field, variables) in [
        ("followed", &fit.followed),
        ("unseen", &fit.summary.unseen),
        ("runaway", &fit.summary.runaway),
        ("at_bound", &fit.summary.at_bound),
    ] {
        solver[field] = variables.iter().map(|&variable| name(variable)).collect();
    }
    json!({
        "error": fit.error,
        "held_out_error": fit.held_out_error,
        "k": fit.k,
        "loss": settings.loss.to_string(),
        "iterations": fit.summary.iterations,
        "passes": fit.summary.passes,
        "seconds": fit.summary.seconds,
        "termination": fit.summary.termination,
        "held_out_error_at_start": fit.held_out_start,
        "prior": settings.prior,
        "positions_fitted": fit.rows.0,
        "positions_held_out": fit.rows.1,
        "rounding": rounding,
        "effective_games": fit.effective_games,
        "links": fit.links,
        "held": fit.held.len(),
        "flipped": fit.flipped,
        "fallback": fit.fallback,
        "solver": solver,
        "weights": weights,
    })
}
