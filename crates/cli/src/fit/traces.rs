//! `fit` of traces made elsewhere, with a spec or without.

use std::path::Path;
use std::time::Instant;

use super::{FitJob, FitRows};
use crate::Failure;
use crate::args::{FitArgs, PriorArg};
use crate::config::config;
use crate::events::EventWriter;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use tuner_base::phase_part;
use tuner_engine::{provenance, spec_variables};
use tuner_fit::run::{FinishedRun, FixedRows, OptionsSnapshot, Variables};
use tuner_judge::Judgement;
use tuner_rows::import::{self, DeclaredWeights, ImportedTraces};
use tuner_spec::Spec;
use tuner_spec::codegen::{Language, Provenance, emit_as};

/// Fits rows that were made elsewhere.
pub(crate) fn of_traces(
    args: &FitArgs,
    options: OptionsSnapshot,
    events: &EventWriter,
) -> Result<(), Failure> {
    let traces = args.rows()?;
    let choice = &args.choice;
    let whole = args.spec.as_deref().map(Spec::load).transpose()?;
    if whole.is_none() && !choice.is_empty() {
        let words = "--only, --freeze, --free: without --spec weights have no names; give it";
        return Err(Failure::Usage(words.to_owned()));
    }
    // What is frozen is fixed where the fit starts; the traces know the whole spec.
    let chosen = whole.as_ref().map(|whole| {
        let chosen = whole.choose(&choice.choice(whole.layout(), &args.init)?);
        chosen.map_err(|error| Failure::Usage(format!("--{error}")))
    });
    let spec = chosen.transpose()?;
    let language: Language = args.to.unwrap_or_default().into();
    if let Some(spec) = &spec {
        // What the language cannot name is refused now and not after the fit.
        let initial = spec.layout().initial_counts();
        emit_as(language, spec, initial, &Provenance::default())?;
    }
    let begun = Instant::now();
    let read = match whole.as_ref().map(Spec::layout) {
        Some(layout) => {
            let lanes = layout.weight_ids().map(|weight| layout.lane(weight));
            let declared = DeclaredWeights {
                lanes: lanes.collect(),
                slots: layout.slots(),
                initial: layout.initial(),
                find: &|path| layout.find(path).map_err(|error| error.to_string()),
            };
            import::read(traces, Some(&declared))?
        }
        None => import::read(traces, None)?,
    };
    let reading = begun.elapsed();
    tell(args, traces, &read);
    let variables = match &spec {
        Some(spec) => spec_variables(spec.layout())?,
        None => Variables::free(read.weights, read.traces.slots()),
    };
    let default = match spec {
        Some(_) => PriorArg::Evidence,
        None => PriorArg::None,
    };
    let job = FitJob {
        args,
        variables: &variables,
        spec: spec.as_ref(),
        prior: args.prior.unwrap_or(default),
        engine: None,
        events,
        begun,
    };
    let rows = |_: &Interrupt, _: &Progress| {
        phase_part("rows", reading);
        let rows = FixedRows::in_memory(read.traces, read.has_games);
        Ok(FitRows::Traces(Box::new(rows)))
    };
    let code = |run: &FinishedRun<'_>, _: &Judgement| {
        let Some(spec) = &spec else { return Ok(None) };
        let counts = spec.layout().counts(&run.fit.written)?;
        let code = emit_as(language, spec, &counts, &provenance(run, None, None))?;
        let name = format!("tuned_weights.{}", language.extension());
        Ok(Some((name, code)))
    };
    let integers = args.round || spec.is_some();
    let config = config(args, &variables, job.spec, job.prior, integers, options)?;
    job.run(config, rows, &code)
}

/// Tells what was read, and what of it the user should know.
fn tell(args: &FitArgs, traces: &Path, read: &ImportedTraces) {
    let path = traces.display();
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
    if !read.has_games && args.held_out > 0.0 {
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
