//! `checkpoint.json`: a fit on its way, written after every iteration.
//!
//! It holds what `--resume` needs to go on with the same bits, and what tells
//! whether it may: see `resume`. Its `weights` are those of the iteration, by
//! name, so that `--init checkpoint.json` starts from them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Failure;
use super::resume::Identity;
use super::retrace::Rounds;
use tuner_base::write_atomically;
use tuner_fit as fit;
use tuner_fit::{Fit, Strength};
use tuner_solve::Termination;

/// Its name in the folder of `--out`.
pub(super) const FILE: &str = "checkpoint.json";

/// Version of the format; one higher whenever an older program would
/// misunderstand it, or an older file be misunderstood.
///
/// It is looked at before anything else. Names of fields and variants in the
/// file, here and in all that is part of it, are those of the structures, or
/// what `serde(rename)` says: a field that gets another name keeps its old one
/// by that. `format-3.json` is a file that must be read and written as it is.
///
/// 2: fingerprints by another hash, of names in the source. 3: explicit ones.
const FORMAT: u64 = 3;

/// A fit on its way.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    format: u64,
    /// The version of tuner that wrote it.
    pub(super) tuner: String,
    /// Of all descents of this round; for people.
    iteration: usize,
    pub(super) identity: Identity,
    /// The weights that the descent started from, in the order of `weights`.
    pub(super) start: Vec<f64>,
    /// Those where K was fitted.
    pub(super) anchor: Vec<f64>,
    /// Most iterations of a descent.
    pub(super) limit: usize,
    /// The strength of the prior, where it was chosen by trials.
    pub(super) strength: Option<Strength>,
    /// What weights had been multiplied by before this fit, for an anchor.
    pub(super) scale: Option<f64>,
    /// The rounds of tracing again.
    pub(super) rounds: Rounds,
    /// The fit before this round.
    #[serde(rename = "previous_fit")]
    pub(super) found: Option<Fit>,
    /// The fit of this round.
    pub(super) fit: fit::Saved,
    pub(super) weights: Map<String, Value>,
}

/// What of a checkpoint stays the same within a round.
#[derive(Debug)]
pub(super) struct Constant<'a> {
    pub(super) identity: &'a Identity,
    pub(super) names: &'a [String],
    pub(super) start: &'a [f64],
    pub(super) anchor: &'a [f64],
    pub(super) limit: usize,
    pub(super) strength: Option<&'a Strength>,
    pub(super) scale: Option<f64>,
    pub(super) rounds: &'a Rounds,
    pub(super) found: Option<&'a Fit>,
}

impl Checkpoint {
    pub(super) fn new(constant: &Constant<'_>, at: &fit::Progress<'_>) -> Self {
        let fit = at.save();
        let weights = constant.names.iter().zip(at.weights());
        Self {
            format: FORMAT,
            tuner: env!("CARGO_PKG_VERSION").to_owned(),
            iteration: fit.iteration(),
            identity: constant.identity.clone(),
            start: constant.start.to_vec(),
            anchor: constant.anchor.to_vec(),
            limit: constant.limit,
            strength: constant.strength.cloned(),
            scale: constant.scale,
            rounds: constant.rounds.clone(),
            found: constant.found.cloned(),
            fit,
            weights: weights
                .map(|(name, weight)| (name.clone(), json!(weight)))
                .collect(),
        }
    }

    /// Reads the one of a folder.
    ///
    /// # Errors
    /// If there is none, or it is damaged or of another format.
    pub(super) fn read(folder: &Path) -> Result<Self, Failure> {
        let path = folder.join(FILE);
        let name = path.display();
        let text = fs::read_to_string(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!(
                "--resume: found no {name}; expected the checkpoint of an interrupted fit: name \
                 its folder with --out. A fit that has ended leaves none; --init {} would start \
                 from its weights",
                folder.join("summary.json").display()
            ),
            _ => format!("--resume: {name}: {error}; expected a readable file"),
        })?;
        let damaged = |error: &serde_json::Error| {
            format!(
                "--resume: {name}:{}:{}: {error}; the checkpoint is damaged, or none: fit \
                 without --resume",
                error.line(),
                error.column()
            )
        };
        let any: Value = serde_json::from_str(&text).map_err(|error| damaged(&error))?;
        let format = any.get("format");
        if format.and_then(Value::as_u64) != Some(FORMAT) {
            let by = any["tuner"].as_str().unwrap_or("something else");
            let found = format.map_or_else(|| "none".to_owned(), Value::to_string);
            return Err(format!(
                "--resume: {name}: found format {found}, written by tuner {by:?}; expected format \
                 {FORMAT}: use the tuner that wrote it, or start from its weights with --init {name}"
            )
            .into());
        }
        let read: Self = serde_json::from_str(&text).map_err(|error| damaged(&error))?;
        read.check()
            .map_err(|what| format!("--resume: {name}: {what}; fit without --resume"))?;
        Ok(read)
    }

    /// Finds out whether its parts belong together.
    fn check(&self) -> Result<(), String> {
        let count = self.weights.len();
        let found = self.found.as_ref();
        let vectors = [Some(&self.start), Some(&self.anchor)]
            .into_iter()
            .chain([found.map(|fit| &fit.weights), found.map(|fit| &fit.written)]);
        for vector in vectors.flatten() {
            if vector.len() != count || vector.iter().any(|weight| !weight.is_finite()) {
                return Err(format!(
                    "found {} weights in one place and {count} in another",
                    vector.len()
                ));
            }
        }
        if let Some((name, value)) = self.weights.iter().find(|(_, value)| !value.is_number()) {
            return Err(format!("{name:?} is {value}, expected a number"));
        }
        if let Some(strength) = &self.strength {
            let chosen = strength.trials.get(strength.chosen);
            if chosen.is_none_or(|trial| !positive(trial.factor)) {
                return Err("the strength of the prior is none that was tried".to_owned());
            }
        }
        let anchored = found.and_then(|fit| fit.anchored);
        let factors = [self.scale, self.fit.factor(), anchored.map(|a| a.factor)];
        if let Some(factor) = factors.into_iter().flatten().find(|&f| !positive(f)) {
            return Err(format!("a scale is {factor}, expected a positive number"));
        }
        let k = self.fit.k();
        if positive(k) {
            Ok(())
        } else {
            Err(format!("K is {k}, expected a positive number"))
        }
    }

    /// What weights had been multiplied by when it was written, for an anchor.
    pub(super) fn factor(&self) -> Option<f64> {
        let anchored = self.found.as_ref().and_then(|fit| fit.anchored);
        let before = anchored.map(|anchored| anchored.factor).or(self.scale);
        self.fit.factor().or(before)
    }

    /// Tells whether a descent before the one on its way ended at its limit.
    pub(super) fn was_limited(&self) -> bool {
        let earlier = [self.found.as_ref(), self.fit.first()];
        let mut earlier = earlier.into_iter().flatten();
        earlier.any(|fit| fit.summary.termination == Termination::IterationLimit)
    }
}

/// Tells whether it is a number above 0.
fn positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// Writes checkpoints, and complains no more than once.
#[derive(Debug)]
pub(super) struct Keeper {
    path: PathBuf,
    complained: bool,
}

impl Keeper {
    pub(super) fn new(path: PathBuf) -> Self {
        Self {
            path,
            complained: false,
        }
    }

    /// Writes a checkpoint in place of the one before: at any moment there is
    /// a whole one. A fit goes on without, as it costs nothing but safety.
    pub(super) fn keep(&mut self, constant: &Constant<'_>, at: &fit::Progress<'_>) {
        // Nothing can be gone on from here, and JSON does not hold it.
        if !at.record.objective.is_finite() || !at.record.gradient.is_finite() {
            return;
        }
        let written = serde_json::to_string(&Checkpoint::new(constant, at))
            .map_err(std::io::Error::from)
            .and_then(|text| write_atomically(&self.path, &text));
        if let Err(error) = written
            && !self.complained
        {
            self.complained = true;
            say!(
                "{}: {error}; the fit goes on, but what is not written cannot be resumed",
                self.path.display()
            );
        }
    }

    /// Tells whether there is a checkpoint, and a new one.
    pub(super) fn has_kept(&self) -> bool {
        !self.complained && self.path.exists()
    }

    /// Removes the last one: the fit has ended.
    pub(super) fn done(&self) -> Result<(), Failure> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(format!("{}: {error}; remove it", self.path.display()).into())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
