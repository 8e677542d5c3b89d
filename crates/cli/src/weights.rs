//! Weights of files, and what is said of them.

use std::fs;
use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value;

use crate::output;
use tuner_jobs::{JobResult as Result, weights_of_file};
use tuner_judge::FitVerdict;
use tuner_spec::Layout;

/// Reads the summary of a fit as JSON. Its format may be an older one, as few of its fields are
/// needed.
pub(crate) fn read_summary(path: &Path) -> Result<Value> {
    let file = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| format!("{file}: {error}; expected the summary.json of a fit"))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("{file}:{}:{}: {error}", error.line(), error.column()).into())
}

/// Returns the verdict of held-out games on the weights of a summary; `None` if it has no verdict,
/// as where no fit has found the weights.
pub(crate) fn verdict(summary: &Value) -> Option<FitVerdict> {
    FitVerdict::deserialize(&summary["verdict"]).ok()
}

/// Returns why the weights of a summary should not replace others: the fit refused them, or
/// held-out games find them worse. `None` if neither is so, or `summary` is null, for none.
pub(crate) fn refusal(summary: &Value) -> Option<&str> {
    let is_worse = verdict(summary) == Some(FitVerdict::Worse);
    summary["refused"].as_str().or(is_worse.then_some(
        "worse than before: held-out games find these weights worse than those that the fit was to \
         improve",
    ))
}

/// Reads the weights of a file as counts of their steps, in the order of the spec, and K, if the
/// file has one. Tells the user which names of the file are not weights, and how many weights have
/// no name in it; these get their initial values.
pub(crate) fn counts(layout: &Layout, file: &Path) -> Result<(Vec<i64>, Option<f64>)> {
    let read = weights_of_file(layout, file)?;
    output::say_all(read.notes());
    let counts = layout.counts(&read.weights);
    let counts = counts.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((counts, read.k))
}
