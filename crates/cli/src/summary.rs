//! What is written of a fit: the summary, and the header of the weights.

use serde_json::{Map, Value, json};

use super::Failure;
use super::args::{EngineFitArgs, FitArgs};
use super::folder::Folder;
use super::init::as_lines;
use super::output;
use super::rows::Rows;
use super::run::Declared;
use tuner_fit::{Fit, Settings};
use tuner_spec::codegen::{FitRecord, Provenance};

/// The fields that scripts rely on come first.
///
/// `name` names the weight of a variable.
pub(super) fn summary(
    fit: &Fit,
    settings: &Settings,
    weights: &Map<String, Value>,
    name: impl Fn(usize) -> String,
) -> Value {
    let rounding = fit.rounding.as_ref().map(|rounding| {
        json!({
            "error_before": rounding.error_before,
            "error_plain": rounding.error_plain,
            "error": rounding.error,
            "by": rounding.by,
        })
    });
    let search = fit.searched.as_ref().map(|searched| {
        json!({
            "error_before": searched.error_before,
            "error": searched.error,
            "steps": searched.taken(),
            "scorings": searched.scorings,
            "end": searched.end,
            "rounds": searched.rounds,
        })
    });
    let mut solver = json!(fit.summary);
    for (field, variables) in [
        ("followed", &fit.followed),
        ("unseen", &fit.summary.unseen),
        ("runaway", &fit.summary.separated),
        ("at_bound", &fit.summary.at_bound),
    ] {
        solver[field] = variables.iter().map(|&variable| name(variable)).collect();
    }
    json!({
        "error": fit.error,
        "held_out_error": fit.held_out_error,
        "k": fit.k,
        "loss": settings.loss.to_string(),
        "iterations": fit.summary.iterations,
        "passes": fit.summary.passes,
        "seconds": fit.summary.seconds,
        "termination": fit.summary.termination,
        "held_out_error_at_start": fit.held_out_start,
        "prior": settings.prior,
        "positions_fitted": fit.rows.0,
        "positions_held_out": fit.rows.1,
        "rounding": rounding,
        "search": search,
        "effective_games": fit.effective_games,
        "links": fit.links,
        "held": fit.held.len(),
        "flipped": fit.flipped,
        "fallback": fit.fallback,
        "solver": solver,
        "weights": weights,
    })
}

/// Where the written weights come from.
pub(super) fn provenance(
    found: &Fit,
    data: &str,
    settings: &Settings,
    choices: Vec<String>,
    args: &EngineFitArgs,
) -> Provenance {
    Provenance {
        fit: Some(FitRecord {
            data: data.to_owned(),
            positions: found.rows.0,
            games: found.games as u64,
            scaling: found.k,
            prior: settings.prior,
            loss: settings.loss.to_string(),
            choices,
            training_error: found.error,
            held_out_error: found.held_out_error,
        }),
        date: args.date.clone(),
    }
}

/// Adds to a summary what the sources held, the spec and the data.
pub(super) fn add_sources(summary: &mut Value, declared: &Declared, names: &[String], rows: &Rows) {
    // What the patch of the sources compares with.
    let held = names.iter().zip(declared.link.source_weights());
    summary["initial"] = held
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect::<Map<_, _>>()
        .into();
    summary["spec"] = json!({ "name": declared.spec.name(), "hash": declared.spec.hash() });
    summary["data"] = rows.json();
}

/// Writes the weights as lines and the summary, and prints it if asked for.
pub(super) fn hand_over(folder: &Folder, args: &FitArgs, summary: &Value) -> Result<(), Failure> {
    if let Some(weights) = summary["weights"].as_object() {
        let values = weights
            .iter()
            .map(|(name, value)| (name, value.as_f64().unwrap_or(0.0)));
        folder.write("weights.txt", &as_lines(values))?;
    }
    folder.write("summary.json", &format!("{summary:#}\n"))?;
    if args.json {
        output::line(&summary.to_string())?;
    }
    Ok(())
}
