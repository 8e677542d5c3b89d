//! What is fitted: the weights of an engine, or of rows that were made elsewhere.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::{FitConfig, RowsConfig, nothing_yet};
use crate::failure::AtPath as _;
use crate::games::{Arena, silent};
use crate::kept::compare_kept;
use crate::positions::same_program;
use crate::project::spec_of;
use crate::weights::other_weights;
use crate::{Failure, Job, Project, Result, trace};
use tuner_base::{LaneId, phase, phase_part};
use tuner_data::Input;
use tuner_engine::{
    EngineRows, EvaluatedRows, Link, LinkedSpec, provenance, some_names, spec_variables,
};
use tuner_fit::run::{FinishedRun, FixedRows, Init, RowSource, Variables};
use tuner_judge::Judgement;
use tuner_rows::TraceSet;
use tuner_rows::import::{DeclaredWeights, ImportedTraces, RowPosition, RowsFile};
use tuner_spec::codegen::{Language, Provenance, emit_as};
use tuner_spec::{FrozenChoice, Layout, Spec};

/// The weights that are fitted, and what tells of them.
#[derive(Clone, Copy, Debug)]
pub enum FitInput<'a> {
    /// The weights of an engine, fitted to positions.
    Engine(&'a Project),
    /// The weights of rows that were made elsewhere, and an engine whose evaluator is asked about
    /// their positions, if there is one.
    Rows(&'a RowsConfig, Option<&'a Project>),
}

impl FitInput<'_> {
    /// Returns the spec of an engine, tied to its evaluator, in which the weights that options do
    /// not choose are frozen; `None` for rows that were made elsewhere, whose spec is read with
    /// them.
    pub(super) fn linked(self, config: &FitConfig) -> Result<Option<LinkedSpec>> {
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

/// What is fitted: the engine or rows, with all that a fit needs of them.
pub(super) enum FitSubject<'a> {
    /// The weights of an engine.
    Engine(EngineSubject<'a>),
    /// The weights of rows that were made elsewhere.
    Rows(Box<RowsSubject<'a>>),
}

/// The engine of a fit.
pub(super) struct EngineSubject<'a> {
    pub(super) project: &'a Project,
    pub(super) linked: &'a LinkedSpec,
    /// Who plays its games; `None` where nobody does, or none are asked for.
    pub(super) arena: Option<Arena<'a>>,
}

/// Rows that were made elsewhere, and their spec.
pub(super) struct RowsSubject<'a> {
    file: PathBuf,
    /// The evaluator that can trace the rows' positions again; `None` without an engine.
    asked: Option<AskedEvaluator<'a>>,
    spec: Option<Spec>,
    language: Language,
    /// Names and lanes (indices into a row's values) of the weights, where there is no spec, and
    /// how many slots of lanes a row has.
    weights: Vec<(String, LaneId)>,
    slots: usize,
    has_games: bool,
    linearised: bool,
    /// The time that reading took.
    reading: Duration,
}

/// An evaluator that is asked about the positions of rows.
struct AskedEvaluator<'a> {
    project: &'a Project,
    linked: LinkedSpec,
    /// The weights that rows were made at, by leaf number.
    values: Vec<f64>,
}

/// Rows that were made elsewhere, and their positions, empty where no evaluator is asked about
/// them.
pub(super) type ReadRows = (TraceSet, Vec<RowPosition>);

/// Where the rows of a fit come from.
pub(super) enum FitRows<'a> {
    /// Positions that are traced and checked.
    Positions(Box<EngineRows<'a>>),
    /// Rows of which there are no positions.
    Traces(Box<dyn RowSource + 'a>),
}

impl FitRows<'_> {
    /// Returns the rows as a fit reads them, traced from positions or read from traces.
    pub(super) fn source(&mut self) -> &mut dyn RowSource {
        match self {
            Self::Positions(rows) => &mut **rows,
            Self::Traces(rows) => &mut **rows,
        }
    }
}

impl<'a> FitSubject<'a> {
    /// Makes what is fitted. For an engine it checks that all ranks run the same program, and needs
    /// `linked`, its spec; its positions are read later, and `None` is returned beside. Rows that
    /// were made elsewhere are read now, and returned beside.
    pub(super) fn new(
        job: &Job,
        input: FitInput<'a>,
        linked: Option<&'a LinkedSpec>,
        config: &FitConfig,
    ) -> Result<(Self, Option<ReadRows>)> {
        match (input, linked) {
            (FitInput::Engine(project), Some(linked)) => {
                same_program(job, project, linked, project.data(&config.data.data))?;
                let engine = EngineSubject {
                    project,
                    linked,
                    arena: None,
                };
                Ok((Self::Engine(engine), None))
            }
            (FitInput::Rows(rows, project), _) => {
                let (rows, traces) = RowsSubject::read(job, rows, project, config)?;
                Ok((Self::Rows(Box::new(rows)), Some(traces)))
            }
            (FitInput::Engine(_), None) => Err("an engine has a spec".into()),
        }
    }

    /// Finds out who plays the games of an engine, where the fit is to end with games. Mistakes in
    /// the options behind names of files are said first. Does nothing for rows that were made
    /// elsewhere.
    ///
    /// # Errors
    /// If nothing says how the engine gets other weights, or games are asked for that nobody plays.
    pub(super) fn find_arena(&mut self, config: &FitConfig) -> Result<()> {
        let Self::Engine(engine) = self else {
            return Ok(());
        };
        // No games are wanted: neither fast games nor those of fits without a parameter.
        if config.fast_games == Some(0) && config.ablate_games.is_none() {
            return Ok(());
        }
        let project = engine.project;
        let notation = project.game()?;
        for file in project.data(&config.data.data) {
            Input::with_options(notation, file).map_err(Failure::Usage)?;
        }
        engine.arena = Arena::found(project, engine.linked)?;
        if engine.arena.is_none() && config.fast_games.is_some_and(|games| games > 0) {
            misuse!("--fast-games: {}", silent(project));
        }
        Ok(())
    }

    /// Returns the engine that is fitted; `None` where the weights of rows that were made elsewhere
    /// are.
    pub(super) fn engine(&self) -> Option<&EngineSubject<'a>> {
        match self {
            Self::Engine(engine) => Some(engine),
            Self::Rows(_) => None,
        }
    }

    /// Returns the spec of the weights; `None` for rows that were made elsewhere without one.
    pub(super) fn spec(&self) -> Option<&Spec> {
        match self {
            Self::Engine(engine) => Some(&engine.linked.spec),
            Self::Rows(rows) => rows.spec.as_ref(),
        }
    }

    /// Returns what the solver moves: by the spec, or where there is none each weight for itself,
    /// by the names in the file of the rows.
    pub(super) fn variables(&self) -> Result<Variables> {
        match self {
            Self::Engine(engine) => Ok(spec_variables(engine.linked.spec.layout())?),
            Self::Rows(rows) => match &rows.spec {
                Some(spec) => Ok(spec_variables(spec.layout())?),
                None => Ok(Variables::free(rows.weights.clone(), rows.slots)),
            },
        }
    }

    /// Returns the names of the files that are fitted: of positions or traces, or the one file of
    /// rows that were made elsewhere.
    pub(super) fn files<'f>(&'f self, config: &'f FitConfig) -> &'f [PathBuf] {
        match self {
            Self::Engine(engine) => engine.project.data(&config.data.data),
            Self::Rows(rows) => std::slice::from_ref(&rows.file),
        }
    }

    /// Returns the rows of the data: of an engine its positions, traced and checked, or a file of
    /// its traces; otherwise `read`, the rows that were made elsewhere.
    ///
    /// # Errors
    /// If the data cannot be read or are not those of the evaluation, or the job was interrupted.
    pub(super) fn rows(
        &self,
        job: &Job,
        config: &FitConfig,
        read: Option<ReadRows>,
    ) -> Result<FitRows<'_>> {
        let engine = match self {
            Self::Engine(engine) => engine,
            Self::Rows(rows) => return rows.source(read),
        };
        let _phase = phase("rows");
        let (project, linked) = (engine.project, engine.linked);
        let resumes = config.run.files.as_ref().is_some_and(|files| files.resume);
        let early = || nothing_yet(&config.out, resumes);
        let data = project.data(&config.data.data);
        if let Some(path) = trace::named(data, config.for_positions)? {
            let rows = trace::open(job, project.evaluation()?, linked, path)?;
            if job.is_interrupted_anywhere() {
                return Err(early());
            }
            return Ok(FitRows::Traces(rows));
        }
        // `found` has the rows and how well traces agreed with the engine's own scores. `0`: no
        // more positions are kept as texts than the comparison of derivatives keeps.
        let found = config.data.checked(job, project, linked, 0);
        if job.is_interrupted_anywhere() {
            return Err(early());
        }
        let (positions, found) = found?;
        found.verdict(config.data.allow_constants)?;
        if job.ranks.is_alone() {
            // Also refused is an evaluation that keeps results computed at other weights. An
            // evaluator whose program cannot be started once more (`None`) is not tested.
            let kept = compare_kept(job, project, linked, &found.collected.sample)?;
            kept.unwrap_or_default().verdict()?;
        }
        let rows = EngineRows::new(project.evaluation()?, linked, positions, found.collected);
        Ok(FitRows::Positions(Box::new(rows)))
    }

    /// Returns the file of fitted weights in the language of the engine or of the rows: its name
    /// and its text. `None` where the weights have no spec.
    pub(super) fn code(
        &self,
        run: &FinishedRun<'_>,
        judgement: &Judgement,
        config: &FitConfig,
    ) -> Result<Option<(String, String)>> {
        let (code, extension) = match self {
            Self::Engine(engine) => {
                let errors = config.errors_in_code.then_some(judgement);
                let code = engine.linked.emit(run, config.date.as_deref(), errors)?;
                (code, engine.linked.language.extension())
            }
            Self::Rows(rows) => {
                let Some(spec) = &rows.spec else {
                    return Ok(None);
                };
                let counts = spec.layout().counts(&run.fit.written)?;
                // The file has no date, and no standard errors.
                let provenance = provenance(run, None, None);
                let code = emit_as(rows.language, spec, &counts, &provenance)?;
                (code, rows.language.extension())
            }
        };
        Ok(Some((format!("tuned_weights.{extension}"), code)))
    }
}

impl<'a> RowsSubject<'a> {
    /// Returns rows that were made elsewhere as a fit takes them: with the evaluator that traces
    /// their positions again, or, where no evaluator is asked, as they are. `read`: the rows and
    /// their positions; without it there are no rows.
    fn source(&self, read: Option<ReadRows>) -> Result<FitRows<'_>> {
        // The time that the earlier reading took counts for the phase "rows" of the record.
        phase_part("rows", self.reading);
        let none = || (TraceSet::new(self.slots), Vec::new());
        let (traces, positions) = read.unwrap_or_else(none);
        let Some(asked) = &self.asked else {
            let fixed = FixedRows::in_memory(traces, self.has_games);
            let rows = fixed.linearised(self.linearised);
            return Ok(FitRows::Traces(Box::new(rows)));
        };
        let found = EvaluatedRows::new(
            asked.project.evaluation()?,
            &asked.linked,
            &asked.values,
            traces,
            positions,
            self.has_games,
        );
        Ok(FitRows::Traces(Box::new(found.at(&self.file)?)))
    }

    /// Reads rows that were made elsewhere, and returns what is fitted, and the rows with their
    /// positions; tells the user what was read.
    ///
    /// Their weights have names by the spec of an engine (`project`, whose evaluator is asked about
    /// their positions), else by the spec that is given, else by the head of the file.
    fn read(
        job: &Job,
        rows: &RowsConfig,
        project: Option<&'a Project>,
        config: &FitConfig,
    ) -> Result<(Self, ReadRows)> {
        let begun = Instant::now();
        let file = RowsFile::open(&Input::from_argument(&rows.file))?;
        let linked = project.map(Project::linked).transpose()?;
        let whole = rows.whole_spec(linked.as_ref(), &file)?;
        if whole.is_none() && config.choice != FrozenChoice::default() {
            misuse!("--only, --freeze, --free: without --spec weights have no names; give it");
        }
        // `whole` frees all weights that its author frees; `chosen` freezes those that options do
        // not choose. The rows are read by `whole`.
        let chosen = whole.as_ref().map(|whole| {
            let chosen = whole.choose(&config.choice(whole.layout())?);
            chosen.map_err(|error| Failure::Usage(format!("--{error}")))
        });
        let spec = chosen.transpose()?;
        if let Some(spec) = &spec {
            // Weights that the language cannot name are refused now, not after the fit.
            let initial = spec.layout().initial_counts();
            emit_as(rows.language, spec, initial, &Provenance::default())?;
        }
        let link = (file.head().zip(whole.as_ref()))
            .map(|(head, whole)| Link::new(&head.weights, whole.layout()))
            .transpose()?;
        // The weights that the rows were made at; a file without a head does not say them.
        let values = link
            .as_ref()
            .map_or(Vec::new(), |link| link.values().to_vec());
        // Linearised rows hold only near the weights they were made at, unless an evaluator traces
        // them again.
        let linearised = file.is_linearised();
        if linearised && linked.is_none() {
            refuse_linearised(rows, config, link.as_ref(), whole.as_ref())?;
        }
        let layout = whole.as_ref().map(Spec::layout);
        let read = read_rows(job, file, layout, link.as_ref(), linked.is_some())?;
        let asked = project.zip(linked).map(|(project, linked)| AskedEvaluator {
            project,
            linked,
            values,
        });
        let reading = begun.elapsed();
        rows.tell(job, config, &read);
        let subject = Self {
            file: rows.file.clone(),
            asked,
            spec,
            language: rows.language,
            weights: read.weights,
            slots: read.traces.slots(),
            has_games: read.has_games,
            linearised,
            reading,
        };
        Ok((subject, (read.traces, read.positions)))
    }
}

/// Reads the rows of a file on the threads of the job. `layout`: the weights of the spec, which the
/// reader is told; `None`: without a spec it takes the columns of the file for the weights. `link`:
/// which weight of the spec each weight of the file's head is, if it has a head. `keeps_positions`:
/// whether the positions of the rows are kept; without a spec they never are.
fn read_rows(
    job: &Job,
    file: RowsFile,
    layout: Option<&Layout>,
    link: Option<&Link>,
    keeps_positions: bool,
) -> Result<ImportedTraces> {
    let Some(layout) = layout else {
        return job.on_threads(|| Ok(file.read(None, false)?));
    };
    let lanes = layout.weight_ids().map(|weight| layout.lane(weight));
    let parameters = layout.parameters().iter();
    let parameters = parameters.map(|one| (one.first_weight(), one.name().to_owned()));
    let declared = DeclaredWeights {
        lanes: lanes.collect(),
        slots: layout.slots(),
        initial: layout.initial(),
        parameters: parameters.collect(),
        leaves: link.map(|link| (link.weights().to_vec(), link.values().to_vec())),
        find: &|path| layout.find(path).map_err(|error| error.to_string()),
        name: &|weight| layout.name(weight),
    };
    job.on_threads(|| Ok(file.read(Some(&declared), keeps_positions)?))
}

/// Fails where rows that are linearised, so that they hold only near the weights they were made at,
/// would be fitted from other weights: by an anchor, by `--init`, or because the spec has other
/// values than the head of the file. `link` has the values of the head, if the file has one; `spec`
/// is that of the fit.
fn refuse_linearised(
    rows: &RowsConfig,
    config: &FitConfig,
    link: Option<&Link>,
    spec: Option<&Spec>,
) -> Result<()> {
    let file = rows.file.display();
    let why = if config.anchor.is_some() {
        "--anchor: changes all weights at once; leave it out".to_owned()
    } else if let (Some(_), Init::File(_) | Init::Zero) = (spec, &config.run.init) {
        format!(
            "--init {}: the fit starts where they were made, at the weights of the spec; leave it \
             out, or put these weights into the spec and write the rows again",
            config.run.init
        )
    } else if let (Some(spec), Some(link)) = (spec, link) {
        let layout = spec.layout();
        let other = other_weights(layout, &layout.initial(), &link.source_weights());
        if other.is_empty() {
            return Ok(());
        }
        format!(
            "other values in the head than in the spec, where the fit starts: {}; write the rows again at \
             the spec's",
            some_names(other.into_iter())
        )
    } else {
        // Without a spec, or without a head, there are no two sets of weights to compare.
        return Ok(());
    };
    fail!("{file}: rows are linearised, and hold only near their weights: {why}")
}

impl RowsConfig {
    /// Returns the spec that names the weights of the rows: that of the engine (`linked`) if there
    /// is one, else the one that `--spec` names, else one that is made of the weights which the
    /// head of the file lists. `None` where there is no head either: the weights have no names.
    fn whole_spec(&self, linked: Option<&LinkedSpec>, file: &RowsFile) -> Result<Option<Spec>> {
        if let Some(linked) = linked {
            return Ok(Some(linked.spec.clone()));
        }
        Ok(match (&self.spec, file.head()) {
            (Some(path), _) => Some(Spec::load(path)?),
            (None, Some(head)) => {
                let text = spec_of(&head.weights, &head.about.name)?;
                Some(Spec::parse(&self.file, &text)?)
            }
            (None, None) => None,
        })
    }

    /// Tells the user what was read from the file of rows, and what about it needs attention: no
    /// games, parts of scores that no weight explains, scores that were not compared, indices that
    /// seem to count from 1.
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
            job.say(format_args!(
                "{path}: no games (`game`): held-out positions may be of games that are fitted, \
                 and the held-out error too good"
            ));
        }
        if read.with_constant > 0 && !read.linearised {
            job.say(format_args!(
                "{path}: {} rows have a part that no weight explains; where it makes up for \
                 coefficients that are derivatives of a score that is not linear, say so \
                 (`linearised`, docs/traces.md): their error is not a true one",
                read.with_constant
            ));
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
