//! `summary.json`: what a fit came to.

use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::{RunRecordError, parse};
use crate::games::{FastGamesRecord, TermRecord};
use crate::named::NamedValues;
use crate::solver::SolverRecord;
use tuner_base::{cloned_fields, joined, phase_times, utc};
use tuner_engine::examine::FittedPositions;
use tuner_fit::integers::{Round, Rounding, SearchEnd};
use tuner_fit::run::{BlendedTargets, FinishedRun, OptionsSnapshot};
use tuner_fit::{AgainstResults, Anchored, ChosenPrior, NoMatrix};
use tuner_judge::{
    Ablation, CrossValidation, ErrorDifference, FitVerdict, Judgement, LearningCurve,
};
use tuner_solve::Termination;

/// The version of the format of `summary.json`. It rises where a field changes its meaning or
/// goes; `docs/summary.schema.json` has all fields.
pub const RUN_FORMAT: u64 = 1;

/// A fit, as its `summary.json` tells it; fields that scripts rely on come first.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct RunRecord {
    /// The version of the format, [`RUN_FORMAT`].
    pub format: u64,
    /// The version of the program that wrote it.
    pub tuner: String,
    /// The arguments of the command; empty where a fit was made from Rust.
    pub command: String,
    /// When it was written, in UTC: `2026-11-28 17:05`.
    pub date: String,
    /// E on the games fitted, with the weights as they are written.
    pub error: f64,
    /// E on the games held out.
    pub held_out_error: Option<f64>,
    /// The scaling constant K.
    pub k: f64,
    /// The loss.
    pub loss: String,
    /// Iterations of the solver.
    pub iterations: usize,
    /// Passes over the data.
    pub passes: usize,
    /// Seconds of the descent.
    pub seconds: f64,
    /// Why the descent ended.
    pub termination: Termination,
    /// E on the games held out, before the fit.
    pub held_out_error_at_start: Option<f64>,
    /// Standard deviation of the prior, in the unit of the weights.
    pub prior: Option<f64>,
    /// Positions fitted.
    pub positions_fitted: u64,
    /// Positions held out.
    pub positions_held_out: u64,
    /// The cost of rounding.
    pub rounding: Option<Rounding>,
    /// The result of the search around the rounded weights.
    pub search: Option<SearchRecord>,
    /// How many games of equal weight the data are worth.
    pub effective_games: f64,
    /// Pairs of neighbours that are alike by the prior.
    pub links: usize,
    /// How many weights were pinned at their start, as the data separate them.
    pub held: usize,
    /// Rows that take another branch at the written weights.
    pub flipped: u64,
    /// Why no matrix was formed, if none was.
    pub fallback: Option<NoMatrix>,
    /// The summary of the solver.
    pub solver: SolverRecord,
    /// The weights as they are written, in their order.
    pub weights: NamedValues,
    /// The target, where it is not the result alone.
    pub target: Option<BlendedTargets>,
    /// By what positions are weighted.
    pub weigh: String,
    /// The errors against results alone, where targets or weights are others.
    pub against_results: Option<AgainstResults>,
    /// The weight that sets the scale, if one does.
    pub anchor: Option<Anchored<String>>,
    /// How the prior was chosen, if it was.
    pub prior_choice: Option<ChosenPrior>,
    /// The weights of the sources, where there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<NamedValues>,
    /// The spec, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<SpecRecord>,
    /// The data.
    pub data: DataRecord,
    /// The options that decide on the result.
    pub options: OptionsSnapshot,
    /// How much each file counted, where that was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sources: Option<SourcesRecord>,
    /// The verdict of the judgement.
    pub verdict: FitVerdict,
    /// Fits of parts of the games.
    pub learning_curve: Option<LearningCurve>,
    /// Fits that each leave out a fold of the games.
    pub folds: Option<CrossValidation>,
    /// Fits without a parameter.
    pub ablations: Vec<Ablation>,
    /// Games without a parameter.
    pub terms: Vec<TermRecord>,
    /// The judgement of the fit.
    pub judgement: Judgement,
    /// The fit as its positions and rows show it.
    pub examined: FittedPositions,
    /// Games of the new weights against those before.
    pub fast_games: Option<FastGamesRecord>,
    /// Why the weights before were kept, if they were.
    pub refused: Option<String>,
    /// How long each phase took, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timings: Option<Vec<PhaseRecord>>,
}

/// A search among integers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SearchRecord {
    /// The objective before it.
    pub error_before: f64,
    /// The objective after it.
    pub error: f64,
    /// Steps taken.
    pub steps: u64,
    /// Rows scored for steps.
    pub scorings: u64,
    /// Why the search ended.
    pub end: SearchEnd,
    /// All rounds of the search.
    pub rounds: Vec<Round>,
}

/// The spec of the weights.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct SpecRecord {
    /// Its name.
    pub name: String,
    /// Its hash.
    pub hash: String,
}

/// The data of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct DataRecord {
    /// Fingerprint of the rows.
    pub fingerprint: String,
    /// Fingerprint of the bytes of the files.
    pub files_fingerprint: String,
    /// Positions.
    pub positions: usize,
    /// Games as the fit takes them: two whose ids share a number of 32 bits are one.
    pub games: usize,
    /// Positions that were left out.
    pub rejected: u64,
    /// Bytes that the rows take, by positions.
    pub bytes_per_position: f64,
    /// Whether the rows were read again for every pass.
    pub streamed: bool,
    /// The files as they were named, each time; empty where they came with the engine.
    pub files: Vec<DataFileRecord>,
}

/// A file of the data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct DataFileRecord {
    /// The file as it was named.
    pub name: String,
    /// Positions read from it; `None` where only those of all files are known.
    pub positions: Option<u64>,
    /// Lines, records, games and positions of it that were left out.
    pub rejected: Option<u64>,
}

/// How much the files of the data counted, as games of one of them decided.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SourcesRecord {
    /// The files as they were named.
    pub files: Vec<String>,
    /// The number of the file whose games decided.
    pub trusted: usize,
    /// The factor of each file; 1 of the trusted one.
    pub factors: Vec<f64>,
    /// E of the games that decided, where all files count alike and by the factors.
    pub change: ErrorDifference,
}

tuner_base::impl_fmt! { Display for SourcesRecord, |self, f| {
    let terms = self.files.iter().zip(&self.factors);
    // Three decimals, and two digits of what is smaller.
    let digits = |factor: f64| (1.0 - factor.log10().floor()).clamp(3.0, 9.0) as usize;
    let terms = terms.map(|(file, factor)| format!("{file} {factor:.*}", digits(*factor)));
    let trusted = self.files.get(self.trusted).map_or("", String::as_str);
    write!(
        f,
        "sources: by games of {trusted} positions count so many times as much: {}; E of these games {}",
        joined(terms, ", "),
        self.change
    )
} }

/// A phase of a run, and how long it took.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PhaseRecord {
    /// Its name, after those of the phases that it is part of.
    pub phase: String,
    /// How many times it was entered.
    pub count: u64,
    /// Seconds in it.
    pub seconds: f64,
}

impl RunRecord {
    /// Makes the record of a run that has ended, from what the run knows. `files`: those of its
    /// data; `weights`: as they are written. Left empty, for the caller to fill in, is what the run
    /// does not know: the command, the weights before, the spec, how much each file counted, fits
    /// of parts of the data or without a parameter, games, why the weights were refused, and times.
    pub fn new(
        run: &FinishedRun<'_>,
        weights: NamedValues,
        files: Vec<DataFileRecord>,
        judgement: Judgement,
        examined: FittedPositions,
    ) -> Self {
        let (fit, summary) = (&run.fit, &run.fit.summary);
        Self {
            format: RUN_FORMAT,
            tuner: env!("CARGO_PKG_VERSION").to_owned(),
            command: String::new(),
            date: utc(SystemTime::now()),
            error: fit.error,
            held_out_error: fit.held_out_error,
            k: fit.k,
            loss: run.settings.loss.to_string(),
            iterations: summary.iterations,
            passes: summary.cost.passes,
            seconds: summary.cost.seconds,
            termination: summary.termination.clone(),
            held_out_error_at_start: fit.held_out_start,
            prior: run.settings.prior,
            positions_fitted: fit.rows.0,
            positions_held_out: fit.rows.1,
            rounding: fit.rounding.clone(),
            search: fit.searched.as_ref().map(|searched| {
                cloned_fields! {
                    SearchRecord { error_before, error, scorings, end, rounds } of searched,
                    steps: searched.taken(),
                }
            }),
            effective_games: fit.effective_games,
            links: fit.links,
            held: fit.pinned.len(),
            flipped: fit.changed_branches,
            fallback: fit.fallback,
            solver: SolverRecord::new(run),
            weights,
            target: run.targets.blend(),
            weigh: run.targets.targets.weighing.to_string(),
            against_results: fit.against_results,
            anchor: fit.anchored.map(|anchored| {
                let weight = run.name(anchored.weight);
                cloned_fields! { Anchored { value, factor, k_before } of anchored, weight }
            }),
            prior_choice: run.chosen_prior.clone().map(ChosenPrior::of_fitted),
            initial: None,
            spec: None,
            data: DataRecord {
                fingerprint: run.facts.rows.clone(),
                files_fingerprint: run.facts.data.clone(),
                positions: run.positions,
                games: run.games,
                rejected: run.facts.rejected,
                bytes_per_position: run.facts.bytes as f64 / run.positions as f64,
                streamed: run.streamed,
                files,
            },
            options: run.options.clone(),
            sources: None,
            verdict: judgement.verdict,
            learning_curve: None,
            folds: None,
            ablations: Vec::new(),
            terms: Vec::new(),
            judgement,
            examined,
            fast_games: None,
            refused: None,
            timings: None,
        }
    }

    /// Reads a `summary.json`.
    ///
    /// # Errors
    /// If it cannot be read, is damaged (with the line and column), or is of a later format.
    pub fn read(file: &Path) -> Result<Self, RunRecordError> {
        let text = std::fs::read(file).map_err(|source| RunRecordError::Io {
            file: file.to_owned(),
            source,
        })?;
        parse(&text, file)
    }

    /// Reads the text of a `summary.json`.
    ///
    /// # Errors
    /// If it is damaged (with the line and column), or of a later format.
    pub fn from_json(text: &str) -> Result<Self, RunRecordError> {
        parse(text.as_bytes(), Path::new(""))
    }
}

impl PhaseRecord {
    /// Returns the times of the phases of this thread that have ended, in the order in which they
    /// first began, each followed by its parts.
    pub fn all() -> Vec<Self> {
        let times = phase_times();
        let record = times.iter().map(|of| Self {
            phase: of.path.join("/"),
            count: of.count,
            seconds: of.time.as_secs_f64(),
        });
        record.collect()
    }
}
