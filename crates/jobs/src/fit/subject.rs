//! What is fitted: the weights of an engine, or of rows that were made elsewhere.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{FitConfig, RowsConfig, nothing_yet};
use crate::games::{Arena, silent};
use crate::positions::same_program;
use crate::{Failure, Job, Project, trace};
use tuner_base::{LaneId, phase, phase_part};
use tuner_engine::{EngineRows, LinkedSpec, provenance, spec_variables};
use tuner_fit::run::{FinishedRun, FixedRows, RowSource, Variables};
use tuner_judge::Judgement;
use tuner_rows::TraceSet;
use tuner_rows::import::{self, DeclaredWeights, ImportedTraces};
use tuner_spec::codegen::{Language, Provenance, emit_as};
use tuner_spec::{FrozenChoice, Spec};

/// The weights that are fitted, and what tells of them.
#[derive(Clone, Copy, Debug)]
pub enum FitInput<'a> {
    /// Those of an engine, by positions.
    Engine(&'a Project),
    /// Those of rows that were made elsewhere.
    Rows(&'a RowsConfig),
}

impl FitInput<'_> {
    /// The spec of an engine, with the weights that were chosen.
    pub(super) fn linked(self, config: &FitConfig) -> Result<Option<LinkedSpec>, Failure> {
        let Self::Engine(project) = self else {
            return Ok(None);
        };
        let linked = project.linked_for(&config.data.data)?;
        let choice = config.choice(linked.spec.layout())?;
        let linked = linked.choose(choice);
        linked
            .map(Some)
            .map_err(|error| Failure::Usage(format!("--{error}")))
    }
}

/// What is fitted, ready for it.
pub(super) enum FitSubject<'a> {
    /// The weights of an engine.
    Engine(EngineSubject<'a>),
    /// Those of rows that were made elsewhere.
    Rows(Box<RowsSubject>),
}

/// The engine of a fit.
pub(super) struct EngineSubject<'a> {
    pub(super) project: &'a Project,
    pub(super) linked: &'a LinkedSpec,
    /// Where it plays.
    pub(super) arena: Option<Arena<'a>>,
}

/// Rows that were made elsewhere, and their spec.
pub(super) struct RowsSubject {
    file: PathBuf,
    spec: Option<Spec>,
    language: Language,
    /// Names and lanes of the weights, where there is no spec, and their slots.
    weights: Vec<(String, LaneId)>,
    slots: usize,
    has_games: bool,
    /// The time that reading took.
    reading: Duration,
}

/// Where the rows of a fit come from.
pub(super) enum FitRows<'a> {
    /// Positions that are traced and checked.
    Positions(Box<EngineRows<'a>>),
    /// Rows of which there are no positions.
    Traces(Box<dyn RowSource + 'a>),
}

impl FitRows<'_> {
    pub(super) fn source(&mut self) -> &mut dyn RowSource {
        match self {
            Self::Positions(rows) => &mut **rows,
            Self::Traces(rows) => &mut **rows,
        }
    }
}

impl<'a> FitSubject<'a> {
    /// Finds out whether it can be fitted, and returns rows that were made elsewhere; `linked` is
    /// that of an engine.
    pub(super) fn new(
        job: &Job,
        input: FitInput<'a>,
        linked: Option<&'a LinkedSpec>,
        config: &FitConfig,
    ) -> Result<(Self, Option<TraceSet>), Failure> {
        match (input, linked) {
            (FitInput::Engine(project), Some(linked)) => {
                let arena = Arena::found(project, linked)?;
                if arena.is_none() && config.fast_games.is_some_and(|games| games > 0) {
                    let words = silent(&project.file.file);
                    return Err(Failure::Usage(format!("--fast-games: {words}")));
                }
                same_program(job, project, linked, project.data(&config.data.data))?;
                let engine = EngineSubject {
                    project,
                    linked,
                    arena,
                };
                Ok((Self::Engine(engine), None))
            }
            (FitInput::Rows(rows), _) => {
                let (rows, traces) = RowsSubject::read(job, rows, config)?;
                Ok((Self::Rows(Box::new(rows)), Some(traces)))
            }
            (FitInput::Engine(_), None) => Err("an engine has a spec".into()),
        }
    }

    pub(super) fn engine(&self) -> Option<&EngineSubject<'a>> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Rows(_) => None,
        }
    }

    /// The spec; `None` where weights have none.
    pub(super) fn spec(&self) -> Option<&Spec> {
        match self {
            Self::Engine(engine) => Some(&engine.linked.spec),
            Self::Rows(rows) => rows.spec.as_ref(),
        }
    }

    pub(super) fn variables(&self) -> Result<Variables, Failure> {
        Ok(match self {
            Self::Rows(rows) if rows.spec.is_none() => {
                Variables::free(rows.weights.clone(), rows.slots)
            }
            _ => {
                let layout = self.spec().map(Spec::layout);
                let layout = layout.ok_or("weights without names have no variables of a spec")?;
                spec_variables(layout)?
            }
        })
    }

    /// The files of the data.
    pub(super) fn files<'f>(&'f self, config: &'f FitConfig) -> &'f [PathBuf] {
        match self {
            Self::Engine(engine) => engine.project.data(&config.data.data),
            Self::Rows(rows) => std::slice::from_ref(&rows.file),
        }
    }

    /// The rows of the data; `traces`: those that were made elsewhere.
    pub(super) fn rows(
        &self,
        job: &Job,
        config: &FitConfig,
        traces: Option<TraceSet>,
    ) -> Result<FitRows<'_>, Failure> {
        let engine = match self {
            Self::Engine(engine) => engine,
            Self::Rows(rows) => {
                phase_part("rows", rows.reading);
                let traces = traces.unwrap_or_else(|| TraceSet::new(rows.slots));
                let rows = FixedRows::in_memory(traces, rows.has_games);
                return Ok(FitRows::Traces(Box::new(rows)));
            }
        };
        let _phase = phase("rows");
        let (project, linked) = (engine.project, engine.linked);
        let resumes = config.run.files.as_ref().is_some_and(|files| files.resume);
        let early = || nothing_yet(&config.out, resumes);
        let data = project.data(&config.data.data);
        if let Some(path) = trace::named(data, config.for_positions)? {
            let rows = trace::open(job, project.evaluation()?, linked, path)?;
            return if job.is_interrupted_anywhere() {
                Err(early())
            } else {
                Ok(FitRows::Traces(rows))
            };
        }
        let found = config.data.checked(job, project, linked, 0);
        if job.is_interrupted_anywhere() {
            return Err(early());
        }
        let (positions, found) = found?;
        found.verdict(config.data.allow_constants)?;
        let rows = EngineRows::new(project.evaluation()?, linked, positions, found.collected);
        Ok(FitRows::Positions(Box::new(rows)))
    }

    /// Makes the file of fitted weights, with its name; `None` where there is no spec.
    pub(super) fn code(
        &self,
        run: &FinishedRun<'_>,
        judgement: &Judgement,
        config: &FitConfig,
    ) -> Result<Option<(String, String)>, Failure> {
        let (code, extension) = match self {
            Self::Engine(engine) => {
                let errors = config.errors_in_code.then_some(judgement);
                let code = engine.linked.emit(run, config.date.as_deref(), errors)?;
                (code, "rs")
            }
            Self::Rows(rows) => {
                let Some(spec) = &rows.spec else {
                    return Ok(None);
                };
                let counts = spec.layout().counts(&run.fit.written)?;
                let provenance = provenance(run, None, None);
                let code = emit_as(rows.language, spec, &counts, &provenance)?;
                (code, rows.language.extension())
            }
        };
        Ok(Some((format!("tuned_weights.{extension}"), code)))
    }
}

impl RowsSubject {
    /// Reads rows that were made elsewhere; says what was read.
    fn read(job: &Job, rows: &RowsConfig, config: &FitConfig) -> Result<(Self, TraceSet), Failure> {
        let whole = rows.spec.as_deref().map(Spec::load).transpose()?;
        if whole.is_none() && config.choice != FrozenChoice::default() {
            return Err(Failure::usage(
                "--only, --freeze, --free: without --spec weights have no names; give it",
            ));
        }
        // What is frozen is fixed where the fit starts; the traces know the whole spec.
        let chosen = whole.as_ref().map(|whole| {
            let chosen = whole.choose(&config.choice(whole.layout())?);
            chosen.map_err(|error| Failure::Usage(format!("--{error}")))
        });
        let spec = chosen.transpose()?;
        if let Some(spec) = &spec {
            // What the language cannot name is refused now and not after the fit.
            let initial = spec.layout().initial_counts();
            emit_as(rows.language, spec, initial, &Provenance::default())?;
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
                import::read(&rows.file, Some(&declared))?
            }
            None => import::read(&rows.file, None)?,
        };
        let reading = begun.elapsed();
        rows.tell(job, config, &read);
        let subject = Self {
            file: rows.file.clone(),
            spec,
            language: rows.language,
            weights: read.weights,
            slots: read.traces.slots(),
            has_games: read.has_games,
            reading,
        };
        Ok((subject, read.traces))
    }
}

impl RowsConfig {
    /// Says what was read, and what of it the user should know.
    fn tell(&self, job: &Job, config: &FitConfig, read: &ImportedTraces) {
        let path = self.file.display();
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
        let count = read.traces.len();
        job.say(format_args!("{path}: {count} positions{games}{scores}"));
        if !read.has_games && config.run.settings.held_out > 0.0 {
            job.say(format_args!("{path}: no games (column `game`): held-out positions may be of games that are fitted, \
                 and the held-out error too good"));
        }
        if read.not_compared > 0 {
            job.say(format_args!("{path}: column `score` is not compared: without --spec there are no initial weights"));
        }
        if self.spec.is_some() && compared == 0 {
            job.say(format_args!(
                "{path}: no column `score`: nothing tells whether these rows are those of the \
                 evaluation (docs/traces.md)"
            ));
        }
        if read.may_count_from_1 {
            job.say(format_args!(
                "{path}: no row has index 0; if indices count from 1, put the lines \
                 `# tuner.version: 1` and `# tuner.first: 1` at the top"
            ));
        }
    }
}
