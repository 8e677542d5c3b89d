//! What `summary.json` says of a run.
//!
//! Every field may be missing and unknown ones are ignored, so the records of
//! older and newer versions are read. A number that is `null` is one that was not
//! finite. Where a word is not known it is [`Word::Other`], and nothing is said
//! of it.
//!
//! The fields are those of `FinishedRun::summary` in `tuner-fit`, `Judgement` in
//! `tuner-judge` and the command `fit`; a test writes a judgement and reads it.

mod examined;
mod named;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use examined::{
    CalibrationAtRecord, CalibrationBinRecord, CalibrationRecord, CalibrationTableRecord,
    DataProfileBinRecord, DataProfileRecord, ExaminedRecord, PositionsOfGameRecord,
    WorstPositionRecord,
};
pub use named::NamedValues;
use tuner_base::Location;

/// Why a record cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunRecordError {
    /// The file cannot be read.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no record, or a damaged one.
    #[error("{location}: no record of a run, or a damaged one: {why}")]
    Damaged {
        /// Where; the file is empty where a text was read.
        location: Location,
        /// What is wrong there.
        why: String,
    },
}

/// A run, as its `summary.json` tells it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RunRecord {
    /// E on the games fitted, with the weights as they are written.
    pub error: Option<f64>,
    /// E on the games held out.
    pub held_out_error: Option<f64>,
    /// The same before the fit.
    pub held_out_error_at_start: Option<f64>,
    /// The scaling constant K.
    pub k: Option<f64>,
    /// The loss.
    pub loss: Option<String>,
    /// Iterations of the solver.
    pub iterations: Option<u64>,
    /// Passes over the data.
    pub passes: Option<u64>,
    /// Seconds of the descent.
    pub seconds: Option<f64>,
    /// Why it ended: a word, or an object of one with the reason.
    pub termination: Value,
    /// Standard deviation of the prior, in the unit of the weights.
    pub prior: Option<f64>,
    /// Positions fitted.
    pub positions_fitted: Option<u64>,
    /// Positions held out.
    pub positions_held_out: Option<u64>,
    /// Games' worth of the data.
    pub effective_games: Option<f64>,
    /// By what positions are weighted.
    pub weigh: Option<String>,
    /// The target, where it is not the result alone.
    pub target: Option<TargetRecord>,
    /// The weight that sets the scale, if one does.
    pub anchor: Option<AnchorRecord>,
    /// What rounding cost.
    pub rounding: Option<RoundingRecord>,
    /// What the solver did.
    pub solver: SolverRecord,
    /// How the prior was chosen, if it was.
    pub prior_choice: Option<PriorChoiceRecord>,
    /// The weights as they are written, in their order.
    pub weights: NamedValues,
    /// The weights of the sources.
    pub initial: NamedValues,
    /// The spec.
    pub spec: Option<SpecRecord>,
    /// The data.
    pub data: Option<DataRecord>,
    /// What positions and rows say of the fit.
    pub examined: Option<ExaminedRecord>,
    /// Fits of parts of the games.
    pub learning_curve: Option<LearningCurveRecord>,
    /// Fits that each leave out a fold of the games.
    pub folds: Option<FoldsRecord>,
    /// Fits without a parameter.
    pub ablations: Vec<AblationRecord>,
    /// Games of the new weights against those before.
    pub fast_games: Option<FastGamesRecord>,
    /// Why the weights before were kept, if they were.
    pub refused: Option<String>,
    /// What is to be said of the fit; versions before it have none.
    pub judgement: Option<JudgementRecord>,
}

/// A word of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// The new weights are better.
    Better,
    /// Chance explains the difference.
    WithinNoise,
    /// The new weights are worse.
    Worse,
    /// No games to judge by.
    NotJudged,
    /// A weight is not 0.
    Keep,
    /// The data do not tell a weight from 0.
    Unclear,
    /// A weight is as good as 0.
    Drop,
    /// A weight was fitted.
    Fitted,
    /// A weight is fixed.
    Frozen,
    /// No position reads a weight.
    Unseen,
    /// Every position with a weight has the same result.
    Separated,
    /// A weight is at a bound.
    AtBound,
    /// Any other.
    #[default]
    #[serde(other)]
    Other,
}

/// Games of the new weights against those before.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FastGamesRecord {
    /// What they came to.
    pub words: String,
}

/// A target that is a blend of results and scores.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TargetRecord {
    /// The part of the result.
    pub lambda: Option<f64>,
    /// K of the scores.
    pub score_k: Option<f64>,
}

/// The weight that sets the scale.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AnchorRecord {
    /// Its name.
    pub weight: String,
    /// Its value.
    pub value: Option<f64>,
}

/// Objective before and after weights became integers.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RoundingRecord {
    /// With the weights of the solver.
    pub error_before: Option<f64>,
    /// With the integers.
    pub error: Option<f64>,
    /// How they were found.
    pub by: Option<String>,
}

/// What the solver did.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SolverRecord {
    /// Weights that no position reads.
    pub unseen: Vec<String>,
    /// Weights that the data separate.
    pub separated: Vec<String>,
    /// Weights at a bound.
    pub at_bound: Vec<String>,
    /// Directions of weights that the data do not determine.
    pub undetermined: Option<u64>,
    /// One record an iteration, the start first.
    pub records: Vec<IterationRecord>,
}

/// One iteration.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct IterationRecord {
    /// Its number; 0 is the start.
    pub iteration: Option<u64>,
    /// What made it.
    pub method: Option<String>,
    /// E on the games fitted.
    pub error: Option<f64>,
    /// E and the prior's part.
    pub objective: Option<f64>,
    /// E on the games held out.
    pub held_out_error: Option<f64>,
    /// Seconds since the start.
    pub seconds: Option<f64>,
}

/// How the prior was chosen.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PriorChoiceRecord {
    /// `evidence`; missing where it was by validation.
    pub by: Option<String>,
    /// The standard deviation chosen by validation.
    pub deviation: Option<f64>,
    /// What the deviations of the spec were multiplied by, by evidence.
    pub declared_scale: Option<f64>,
    /// One a parameter, by evidence.
    pub groups: Vec<PriorGroupRecord>,
    /// One a strength tried, by validation.
    pub tried: Vec<PriorTrialRecord>,
}

/// The prior of the weights of one parameter.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PriorGroupRecord {
    /// The parameter.
    pub name: String,
    /// The standard deviation, in the unit of the weights.
    pub deviation: Option<f64>,
    /// How many weights were fitted.
    pub weights: Option<u64>,
    /// How many of them the data determine, as opposed to the prior.
    pub determined: Option<f64>,
}

/// A strength of the prior that was tried.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct PriorTrialRecord {
    /// Its standard deviation.
    pub deviation: Option<f64>,
    /// E on the games that it was compared on.
    pub held_out_error: Option<f64>,
}

/// The spec of the weights.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct SpecRecord {
    /// Its name.
    pub name: String,
    /// Its hash.
    pub hash: String,
}

/// The data of the run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DataRecord {
    /// What the rows are known by.
    pub fingerprint: Option<String>,
    /// Positions.
    pub positions: Option<u64>,
    /// Games.
    pub games: Option<u64>,
    /// Positions that were left out.
    pub rejected: Option<u64>,
    /// Whether they were read again for every pass.
    pub streamed: Option<bool>,
}

/// What is to be said of the fit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct JudgementRecord {
    /// Whether the new weights are better.
    pub verdict: Word,
    /// What follows from it.
    pub advice: Option<String>,
    /// E on the held-out games.
    pub held_out: Option<DifferenceRecord>,
    /// E on the games fitted.
    pub fitted: Option<DifferenceRecord>,
    /// How much of the gain is noise.
    pub noise: Option<NoiseRecord>,
    /// Whether positions came with their games.
    pub games_known: Option<bool>,
    /// Whether positions come game by game without the ids of their games, so that
    /// those held out are of games that were fitted.
    pub game_by_game: bool,
    /// Games fitted.
    pub games: Option<u64>,
    /// Clusters of games that the standard errors rest on.
    pub clusters: Option<u64>,
    /// Why there are no standard errors, if there are none.
    pub without_errors: Option<String>,
    /// Whether the curvature is that of Gauss and Newton.
    pub approximate_curvature: Option<bool>,
    /// One statement a weight.
    pub weights: Vec<WeightRecord>,
    /// Tables of which the data tell the differences between entries better than the
    /// entries.
    pub tables: Vec<ContrastTableRecord>,
    /// One statement a parameter.
    pub groups: Vec<GroupRecord>,
    /// Combinations of weights that the data do not determine, in words.
    pub undetermined: Vec<String>,
    /// Pairs of weights that stand for each other, in words.
    pub correlated: Vec<String>,
}

/// Two errors on the same games.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct DifferenceRecord {
    /// E of the old weights.
    pub before: Option<f64>,
    /// E of the new weights.
    pub after: Option<f64>,
    /// The new minus the old.
    pub difference: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// The games compared.
    pub games: Option<u64>,
}

/// Fits of nested samples of the games.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LearningCurveRecord {
    /// The samples, the smallest first.
    pub points: Vec<LearningPointRecord>,
    /// The held-out error that twice the games would lead to.
    pub with_twice_the_games: Option<f64>,
}

/// A fit of a part of the games.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct LearningPointRecord {
    /// The part, from 0 to 1.
    pub part: Option<f64>,
    /// Its games.
    pub games: Option<u64>,
    /// E on the held-out games.
    pub held_out: Option<DifferenceRecord>,
}

/// Fits that each leave out a fold of the games.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct FoldsRecord {
    /// E on the games of each fold.
    pub folds: Vec<DifferenceRecord>,
    /// E on all games, each judged by the fit that left it out.
    pub all: Option<DifferenceRecord>,
}

/// Fits without a parameter, all others fitted again.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct AblationRecord {
    /// The parameter.
    pub group: String,
    /// Held-out E with it, then without it.
    pub without: Option<DifferenceRecord>,
    /// Held-out E with it, then with it as it was before.
    pub unchanged: Option<DifferenceRecord>,
}

/// How much of the gain on the games fitted is noise.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NoiseRecord {
    /// By the held-out games.
    pub observed: Option<f64>,
    /// Its standard error.
    pub observed_error: Option<f64>,
    /// By the curvature.
    pub predicted: Option<f64>,
}

/// What is said of one weight, in its unit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct WeightRecord {
    /// Its name.
    pub name: String,
    /// What became of it.
    pub status: Word,
    /// Its value before the fit.
    pub before: Option<f64>,
    /// Its value as it is written.
    pub value: Option<f64>,
    /// The standard error, with the prior taken as true.
    pub standard_error: Option<f64>,
    /// What the data say without any prior.
    pub data: Option<EstimateRecord>,
    /// Whether it changed, at most 5 % of such statements being wrong.
    pub changed: bool,
    /// Whether an engine would miss it.
    pub advice: Option<Word>,
    /// The games that read it.
    pub games: Option<u64>,
}

/// Entries of a table against their mean.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ContrastTableRecord {
    /// The table, or the row of one, and the phase.
    pub name: String,
    /// One statement an entry: all values are the entry minus the mean, and the advice
    /// is whether an engine would miss the difference.
    pub entries: Vec<WeightRecord>,
}

/// An estimate and how far it may be off.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct EstimateRecord {
    /// The estimate.
    pub value: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
}

/// What is said of the weights of one parameter together.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct GroupRecord {
    /// The parameter.
    pub name: String,
    /// How many of its weights were fitted.
    pub fitted: Option<u64>,
    /// How many weights it has.
    pub weights: Option<u64>,
    /// The probability of such data if all were 0.
    pub p_zero: Option<f64>,
    /// The probability of such data if none had changed.
    pub p_change: Option<f64>,
    /// Whether an engine would miss them.
    pub advice: Option<Word>,
    /// How much E rises if they go back to what they were.
    pub worth_of_change: Option<WorthRecord>,
    /// How much E rises without them.
    pub worth: Option<WorthRecord>,
}

/// What a group is worth, in units of E.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct WorthRecord {
    /// On the games fitted.
    pub fitted: Option<f64>,
    /// What is expected on other games.
    pub expected: Option<f64>,
    /// The standard error of both.
    pub standard_error: Option<f64>,
}

impl RunRecord {
    /// Reads a `summary.json`.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged: with the line and column.
    pub fn read(file: &Path) -> Result<Self, RunRecordError> {
        read_object(file)
    }

    /// Reads the text of a `summary.json`.
    ///
    /// # Errors
    /// If it is damaged: with the line and column.
    pub fn from_json(text: &str) -> Result<Self, RunRecordError> {
        parse_object(text.as_bytes(), Path::new(""))
    }

    /// Returns why the descent ended, as its word.
    pub fn termination(&self) -> Option<&str> {
        match &self.termination {
            Value::String(word) => Some(word),
            Value::Object(reason) => reason.keys().next().map(String::as_str),
            _ => None,
        }
    }
}

/// Reads a record from a file.
pub(crate) fn read_object<R: DeserializeOwned>(file: &Path) -> Result<R, RunRecordError> {
    let text = std::fs::read(file).map_err(|source| RunRecordError::Io {
        file: file.to_owned(),
        source,
    })?;
    parse_object(&text, file)
}

fn parse_object<R: DeserializeOwned>(text: &[u8], file: &Path) -> Result<R, RunRecordError> {
    let damaged = |line: usize, column: usize, why: &str| RunRecordError::Damaged {
        location: Location {
            file: file.to_owned(),
            line: line as u64,
            column: column as u64,
        },
        why: why.to_owned(),
    };
    // A list would be read as the fields in their order.
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace());
    if let Some(start) = start.filter(|&start| text[start] != b'{') {
        let before = &text[..start];
        let line = before.split(|byte| *byte == b'\n').count();
        let column = before
            .rsplit(|byte| *byte == b'\n')
            .next()
            .map_or(0, <[u8]>::len);
        return Err(damaged(line, column + 1, "expected `{`"));
    }
    serde_json::from_slice(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        // The place is in the location.
        let why = error.to_string();
        let place = format!(" at line {line} column {column}");
        damaged(line, column, why.strip_suffix(&place).unwrap_or(&why))
    })
}
