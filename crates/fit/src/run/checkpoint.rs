//! `checkpoint.json`: a fit on its way, written after every iteration.
//!
//! It holds what a run needs to resume to the same bits, and what tells whether
//! it may: see `resume`. Its `weights` are those of the iteration, by
//! name, so that `--init checkpoint.json` starts from them.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::resume::Identity;
use super::{Retracing, RunError};
use crate::{ChosenPrior, Fit, SavedFit};
use tuner_base::{Ranks, shell_word};
use tuner_solve::Termination;

/// The name of the checkpoint in the folder of a run.
pub const CHECKPOINT_FILE: &str = "checkpoint.json";

/// Version of the format; one higher whenever an older program would
/// misunderstand it, or an older file be misunderstood.
///
/// It is looked at before anything else. Names of fields and variants in the
/// file, here and in all that is part of it, are those of the structures, or
/// what `serde(rename)` says: a field that gets another name keeps its old one
/// by that. `format-1.json` is a file that must be read and written as it is.
const FORMAT: u64 = 1;

/// A fit on its way: what a run has come to, and its file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunCheckpoint {
    pub(super) format: u64,
    /// The version of tuner that wrote it.
    pub(super) tuner: String,
    /// The last iteration, counted over all descents of this round; for people who read the file.
    pub(super) iteration: usize,
    pub(super) identity: Identity,
    /// The weights that the descent started from, in the order of `weights`.
    pub(super) start: Vec<f64>,
    /// Most iterations of a descent.
    pub(super) limit: usize,
    /// How the strength of the prior was chosen; `None` if it was not.
    pub(super) prior: Option<ChosenPrior>,
    /// The factor of the weights before this fit, for an anchor.
    pub(super) scale: Option<f64>,
    pub(super) retracing: Retracing,
    /// The fit before this round of tracing again.
    pub(super) previous_fit: Option<Fit>,
    /// The fit of this round, after an iteration; in a file there always is one.
    pub(super) fit: Option<SavedFit>,
    /// The weights of that iteration.
    pub(super) weights: Map<String, Value>,
}

/// Makes a JSON object of weights by their names.
pub(super) fn by_name(names: &[String], weights: &[f64]) -> Map<String, Value> {
    let pairs = names.iter().zip(weights);
    let named = pairs.map(|(name, weight)| (name.clone(), json!(weight)));
    named.collect()
}

/// Reads the text of a checkpoint file. `Err`, in words for the user: why it cannot be read, or,
/// where there is no file, which fits leave one and what to give instead.
fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| {
        if error.kind() == io::ErrorKind::NotFound {
            format!(
                "--resume: found no {}; expected the checkpoint of an interrupted fit: name its \
                 folder with --out. A fit that has ended leaves none; --init {} would start from \
                 its weights",
                path.display(),
                shell_word(&path.with_file_name("summary.json"))
            )
        } else {
            let name = path.display();
            format!("--resume: {name}: {error}; expected a readable file")
        }
    })
}

impl RunCheckpoint {
    /// Makes the state of a run that begins, without a fit yet. `start`: the weights that it starts
    /// from; `limit`: most iterations of a descent.
    pub(super) fn new(
        identity: Identity,
        start: Vec<f64>,
        limit: usize,
        retracing: Retracing,
    ) -> Self {
        Self {
            format: FORMAT,
            tuner: env!("CARGO_PKG_VERSION").to_owned(),
            iteration: 0,
            identity,
            start,
            limit,
            prior: None,
            scale: None,
            retracing,
            previous_fit: None,
            fit: None,
            weights: Map::new(),
        }
    }

    /// Reads the checkpoint in a folder on the first rank and sends it to the others, so that only
    /// that rank needs to see the file; all ranks return it, or all fail.
    pub(super) fn read_among(ranks: Ranks, folder: &Path) -> Result<Self, RunError> {
        let path = folder.join(CHECKPOINT_FILE);
        let text = if ranks.is_first() {
            text(&path)
        } else {
            Ok(String::new())
        };
        // Where the first rank cannot read the file it sends an empty text, so that all of them
        // fail.
        let sent = text.as_deref().unwrap_or_default().as_bytes().to_vec();
        let sent = ranks.broadcast(sent);
        if sent.is_empty() && !ranks.is_first() {
            return Err("rank 0 could not read its checkpoint".into());
        }
        let text = text.map(|_| String::from_utf8_lossy(&sent).into_owned())?;
        Ok(Self::parse(&path, &text)?)
    }

    /// Reads a checkpoint from its text: first the version of the format, which must be the one of
    /// this program, then all else, and checks that its parts fit together. `Err` is words for the
    /// user, which name `path`.
    fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let name = path.display();
        let damaged = |error: serde_json::Error| {
            let (line, column) = (error.line(), error.column());
            format!(
                "--resume: {name}:{line}:{column}: {error}; the checkpoint is damaged, or none: fit \
                 without --resume"
            )
        };
        let any: Value = serde_json::from_str(text).map_err(damaged)?;
        let format = any.get("format");
        if format.and_then(Value::as_u64) != Some(FORMAT) {
            return Err(format!(
                "--resume: {name}: found format {}, written by tuner {:?}; expected format \
                 {FORMAT}: use the tuner that wrote it, or start from its weights with --init {}",
                format.map_or_else(|| "none".to_owned(), Value::to_string),
                any["tuner"].as_str().unwrap_or("something else"),
                shell_word(path)
            ));
        }
        let read: Self = serde_json::from_str(text).map_err(damaged)?;
        let checked = read.check();
        checked.map_err(|what| format!("--resume: {name}: {what}; fit without --resume"))?;
        Ok(read)
    }

    /// Checks that a checkpoint has an iteration, as many finite weights in all places, a possible
    /// prior, and positive scales and K, as the file may be damaged; `Err` says what is wrong.
    fn check(&self) -> Result<(), String> {
        let Some(fit) = &self.fit else {
            return Err("found no iteration of the fit".to_owned());
        };
        let count = self.weights.len();
        let found = self.previous_fit.as_ref();
        let of_found = (found.into_iter()).flat_map(|fit| [&fit.weights, &fit.written]);
        for vector in of_found.chain([&self.start]) {
            if vector.len() != count || vector.iter().any(|weight| !weight.is_finite()) {
                let here = vector.len();
                return Err(format!(
                    "found {here} weights in one place and {count} in another"
                ));
            }
        }
        if let Some((name, value)) = self.weights.iter().find(|(_, value)| !value.is_number()) {
            return Err(format!("{name:?} is {value}, expected a number"));
        }
        let prior = self.prior.as_ref();
        if prior.is_some_and(|prior| !prior.is_possible()) {
            return Err("the strength of the prior is none that can be chosen".to_owned());
        }
        let anchored = found.and_then(|fit| fit.anchored);
        let factors = [self.scale, fit.factor(), anchored.map(|a| a.factor)];
        if let Some(factor) = factors.into_iter().flatten().find(|&f| !positive(f)) {
            return Err(format!("a scale is {factor}, expected a positive number"));
        }
        let wrong = || format!("K is {}, expected a positive number", fit.k);
        positive(fit.k).then_some(()).ok_or_else(wrong)
    }

    /// Returns the factor by which all weights had been multiplied when the checkpoint was written,
    /// to give an anchored weight its value: in this round, in the round before, or before the fit.
    /// `None` if they had not been multiplied.
    pub(super) fn factor(&self) -> Option<f64> {
        let anchored = self.previous_fit.as_ref().and_then(|fit| fit.anchored);
        let before = anchored.map(|anchored| anchored.factor).or(self.scale);
        let fit = self.fit.as_ref();
        fit.and_then(SavedFit::factor).or(before)
    }

    /// Tells whether a descent before the one that was interrupted ended at the limit of
    /// iterations: in an earlier round, or in the scale before an anchor.
    pub(super) fn was_limited(&self) -> bool {
        let scaled = self.fit.as_ref().and_then(|fit| fit.scaled.as_ref());
        let first = scaled.map(|scaled| &*scaled.first);
        let earlier = [self.previous_fit.as_ref(), first];
        let mut earlier = earlier.into_iter().flatten();
        earlier.any(|fit| fit.summary.termination == Termination::IterationLimit)
    }
}

/// Tells whether a number is finite and above 0.
fn positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

#[cfg(test)]
mod tests;
