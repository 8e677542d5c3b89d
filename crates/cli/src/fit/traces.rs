//! `fit` of traces made elsewhere, with a spec or without.

use std::path::Path;
use std::time::Instant;

use super::{NO_POSITIONS, by_rows, end, hand_over, more, named, record, refusal, report};
use crate::args::{PriorArg, TraceFitArgs};
use crate::events::EventWriter;
use crate::folder::Folder;
use crate::interrupt::Interrupt;
use crate::run::on_threads;
use crate::watch::Watch;
use crate::{Failure, config};
use tuner_base::{phase, phase_part, shell_word};
use tuner_engine::{provenance, spec_variables};
use tuner_fit::run::{FitRun, FixedRows, OptionsSnapshot, Variables};
use tuner_rows::import::{self, DeclaredWeights, ImportedTraces};
use tuner_spec::codegen::{Provenance, emit_as};
use tuner_spec::{Layout, Spec};

pub(crate) fn of_traces(
    args: &TraceFitArgs,
    options: OptionsSnapshot,
    events: &EventWriter,
) -> Result<(), Failure> {
    let whole = args.spec.as_deref().map(Spec::load).transpose()?;
    if whole.is_none() && !args.choice.is_empty() {
        let words = "--only, --freeze, --free: without --spec weights have no names; give it";
        return Err(Failure::Usage(words.to_owned()));
    }
    // What is frozen is fixed where the fit starts; the traces know the whole spec.
    let chosen = whole.as_ref().map(|whole| {
        let choice = args.choice.choice(whole.layout(), &args.fit.init)?;
        let chosen = whole.choose(&choice);
        chosen.map_err(|error| Failure::Usage(format!("--{error}")))
    });
    let spec = chosen.transpose()?;
    if let Some(spec) = &spec {
        // What the language cannot name is refused now and not after the fit.
        let language = args.to.unwrap_or_default().into();
        let initial = spec.layout().initial_counts();
        emit_as(language, spec, initial, &Provenance::default())?;
    }
    let layout = spec.as_ref().map(Spec::layout);
    let begun = Instant::now();
    let read = match whole.as_ref().map(Spec::layout) {
        Some(layout) => import::read(&args.traces, Some(&declared(layout, &find(layout))))?,
        None => import::read(&args.traces, None)?,
    };
    let reading = begun.elapsed();
    tell(args, &read);
    let variables = match layout {
        Some(layout) => spec_variables(layout).map_err(|mistakes| {
            let words: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
            words.join("\n")
        })?,
        None => Variables::free(read.weights, read.traces.slots()),
    };
    let config = config::of_traces(args, &variables, layout, options)?;
    let prior = prior(args);
    let run = FitRun::new(&variables, config, &mut Watch::beforehand(events))?;
    let folder = Folder::new(&args.fit.out)?;
    let interrupt = Interrupt::watch()?;
    on_threads(args.fit.threads, || {
        phase_part("rows", reading);
        let shown = !args.fit.json && !args.fit.quiet;
        let mut rows = FixedRows::in_memory(read.traces, read.has_games);
        let mut watch = Watch::new(shown, &interrupt, None, events);
        let run = {
            let _phase = phase("fit");
            run.run(&mut rows, &mut watch)
        };
        let mut run = run.map_err(|error| named(error, &variables, layout))?;
        let unit = spec.as_ref().map_or("centipawn", Spec::unit);
        let judgement = report(&mut run, &mut rows, unit, args.fit.details)?;
        let refusal = refusal(&judgement, None, &args.fit, false);
        let examined = by_rows(&mut run, &mut rows, &NO_POSITIONS, args.fit.details)?;
        let files = std::slice::from_ref(&args.traces);
        let mut record = record(&run, spec.as_ref(), files, (judgement, examined));
        record.refused.clone_from(&refusal);
        more(&mut record, &run, &mut rows, &args.fit, prior, &interrupt)?;
        if let Some(spec) = &spec {
            let language = args.to.unwrap_or_default().into();
            let origin = provenance(&run, None, None);
            let counts = spec.layout().counts(&run.fit.written)?;
            let code = emit_as(language, spec, &counts, &origin)?;
            let name = format!("tuned_weights.{}", language.extension());
            folder.write(&name, &code, refusal.is_none())?;
        }
        hand_over(&folder, &args.fit, record, begun, events)?;
        end(
            &run,
            refusal.map(Failure::NotPassed),
            &folder,
            (!args.fit.quiet).then(|| next(&args.fit.out)),
        )
    })
}

/// What to do now.
fn next(folder: &Path) -> String {
    let file = |name: &str| shell_word(&folder.join(name));
    format!(
        "look at {}; the weights are in {}, and with --spec in tuned_weights.*; games tell whether \
         they win: `tuner match ./new ./old`",
        file("report.html"),
        file("weights.txt")
    )
}

/// The prior that is meant where none was typed: that of an engine where there is a
/// spec, whose initial values it is around.
pub(crate) fn prior(args: &TraceFitArgs) -> PriorArg {
    if args.spec.is_some() {
        PriorArg::Evidence
    } else {
        PriorArg::None
    }
}

/// The weights of a spec, for the reader.
fn declared<'a>(layout: &Layout, find: &'a dyn Fn(&str) -> PathWeights) -> DeclaredWeights<'a> {
    DeclaredWeights {
        lanes: (layout.weight_ids())
            .map(|weight| layout.lane(weight))
            .collect(),
        slots: layout.slots(),
        initial: layout.initial(),
        find,
    }
}

/// The weights below a path, or why there are none.
type PathWeights = Result<Vec<tuner_spec::WeightId>, String>;

fn find(layout: &Layout) -> impl Fn(&str) -> PathWeights {
    |path| layout.find(path).map_err(|error| error.to_string())
}

/// Tells what was read, and what of it the user should know.
fn tell(args: &TraceFitArgs, read: &ImportedTraces) {
    let path = args.traces.display();
    let (compared, largest) = read.compared;
    let scores = if compared > 0 {
        format!(", {compared} scores compared, largest difference {largest:.3}")
    } else {
        String::new()
    };
    let games = if read.has_games {
        format!(" of {} games", read.traces.games())
    } else {
        String::new()
    };
    say!("{path}: {} positions{games}{scores}", read.traces.len());
    if !read.has_games && args.fit.held_out > 0.0 {
        say!(
            "{path}: no games (column `game`): held-out positions may be of games that are fitted, \
             and the held-out error too good"
        );
    }
    if read.not_compared > 0 {
        say!("{path}: column `score` is not compared: without --spec there are no initial weights");
    }
    if args.spec.is_some() && compared == 0 {
        say!(
            "{path}: no column `score`: nothing tells whether these rows are those of the \
             evaluation (docs/traces.md)"
        );
    }
    if read.may_count_from_1 {
        say!(
            "{path}: no row has index 0; if indices count from 1, put the lines \
             `# tuner.version: 1` and `# tuner.first: 1` at the top"
        );
    }
}
