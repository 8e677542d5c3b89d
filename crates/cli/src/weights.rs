//! Weights of files, and what is said of them.

use std::fs;
use std::path::Path;

use serde::Deserialize as _;
use serde_json::Value;

use crate::output;
use tuner_jobs::{JobFailure as Failure, weights_of_file};
use tuner_judge::FitVerdict;
use tuner_spec::Layout;

/// Reads the summary of a fit as JSON: of any format, as few of its fields are needed.
pub(crate) fn read_summary(path: &Path) -> Result<Value, Failure> {
    let file = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| format!("{file}: {error}; expected the summary.json of a fit"))?;
    serde_json::from_str(&text)
        .map_err(|error| format!("{file}:{}:{}: {error}", error.line(), error.column()).into())
}

/// Returns the verdict on the weights of a summary; `None` of weights that no fit has found.
pub(crate) fn verdict(summary: &Value) -> Option<FitVerdict> {
    FitVerdict::deserialize(&summary["verdict"]).ok()
}

/// Says why the weights of a summary are not to replace others: the fit refused them, or held-out
/// games find them worse. `None` if neither is so, or there is no summary.
pub(crate) fn refusal(summary: &Value) -> Option<&str> {
    let is_worse = verdict(summary) == Some(FitVerdict::Worse);
    summary["refused"].as_str().or(is_worse.then_some(
        "worse than before: held-out games find these weights worse than those that the fit was to \
         improve",
    ))
}

/// Reads the weights of a file as counts of their steps, in the order of the spec; says which of
/// its names are not weights and how many weights have no name there, which get their initial
/// values. Also returns K, if the file has one.
pub(crate) fn counts(layout: &Layout, file: &Path) -> Result<(Vec<i64>, Option<f64>), Failure> {
    let read = weights_of_file(layout, file)?;
    output::say_all(read.notes());
    let counts = layout.counts(&read.weights);
    let counts = counts.map_err(|error| format!("{}: {error}", file.display()))?;
    Ok((counts, read.k))
}
