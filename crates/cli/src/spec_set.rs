//! `spec set`: fitted values become the initial values of a spec.

use std::path::Path;

use serde_json::Value;

use crate::output;
use crate::spec_args::SpecSetArgs;
use crate::weights::{counts, read_summary, refusal};
use tuner_jobs::{JobFailure as Failure, JobResult as Result, fail, summary_of};
use tuner_report::clean;
use tuner_spec::SpecDocument;

/// Runs `spec set`: writes the weights of a fit, or of a file of weights, into a spec as its
/// initial values. Fails if the fit refused them or is of another spec. Where nothing would change,
/// nothing is written.
pub(crate) fn run(args: &SpecSetArgs) -> Result<()> {
    let file = summary_of(&args.run);
    let is_summary = file.extension().is_some_and(|ending| ending == "json");
    let summary = if is_summary {
        read_summary(&file)?
    } else {
        Value::Null
    };
    if let Some(refused) = refusal(&summary).filter(|_| !args.write_worse) {
        return Err(Failure::NotPassed(format!(
            "{}: {refused}; nothing was written (--write-worse writes them)",
            file.display()
        )));
    }
    let document = SpecDocument::load(&args.output)?;
    let own = document.spec().name();
    if let Some(other) = summary["spec"]["name"].as_str().filter(|name| *name != own) {
        fail!(
            "{}: it is a fit of the spec `{other}`, and {} is `{own}`; give the spec of this fit",
            file.display(),
            args.output.display()
        );
    }
    let layout = document.spec().layout();
    let (values, k) = counts(layout, &file)?;
    let both = values.iter().zip(layout.initial_counts());
    let changed = both.filter(|(new, old)| new != old).count();
    // K is written with nine digits behind the point.
    let has_k = |k: f64| (document.spec().k()).is_some_and(|own| (own - k).abs() < 1e-9);
    let new_k = k.filter(|&k| !has_k(k));
    if changed == 0 && new_k.is_none() {
        say!("{}: it has these values already", args.output.display());
        return Ok(());
    }
    let text = document
        .with_values(&values, Some(&origin(&file, &summary)), k)
        .map_err(|error| {
            format!("{error}\nlines are those of the spec with the new values; nothing was written")
        })?;
    let of_k = new_k.map_or_else(String::new, |k| format!("; K becomes {k:.6}"));
    say!("{changed} of {} weights change{of_k}", values.len());
    output::file(&args.output, &text, "; nothing was written")
}

/// Returns a line on where the weights of `file` come from: for a fit its data and its held-out
/// error. `summary`: the summary of the fit; null where the file is none, and then the line only
/// names the file.
pub(crate) fn origin(file: &Path, summary: &Value) -> String {
    let name = clean(&file.display().to_string());
    let (Some(positions), Some(games)) = (
        summary["data"]["positions"].as_u64(),
        summary["data"]["games"].as_u64(),
    ) else {
        return format!("those of {name}");
    };
    let fingerprint = summary["data"]["fingerprint"].as_str();
    let data = fingerprint.map_or_else(String::new, |data| format!(" (data {data})"));
    let held_out = &summary["judgement"]["held_out"];
    let error = match (held_out["before"].as_f64(), held_out["after"].as_f64()) {
        (Some(before), Some(after)) => {
            format!(", held-out error {before:.6} before, {after:.6} after")
        }
        _ => String::new(),
    };
    format!("fitted to {positions} positions of {games} games{data}{error}; {name}")
}
