//! What is written of a fit: the summary, and the header of the weights.

use serde_json::{Map, Value, json};

use super::args::EngineFitArgs;
use crate::codegen::{FitRecord, Provenance};
use crate::fit::{Fit, Settings};

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
        ("unseen", &fit.summary.unseen),
        ("runaway", &fit.summary.runaway),
        ("at_bound", &fit.summary.at_bound),
    ] {
        solver[field] = variables.iter().map(|&variable| name(variable)).collect();
    }
    json!({
        "error": fit.error,
        "held_out_error": fit.held_out_error,
        "k": fit.k,
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
        "held": fit.held.len(),
        "flipped": fit.flipped,
        "solver": solver,
        "weights": weights,
    })
}

/// Where the written weights come from.
pub(super) fn provenance(
    found: &Fit,
    data: &str,
    settings: &Settings,
    args: &EngineFitArgs,
) -> Provenance {
    Provenance {
        fit: Some(FitRecord {
            data: data.to_owned(),
            positions: found.rows.0,
            games: found.games as u64,
            scaling: found.k,
            prior: settings.prior,
            loss: settings.loss.name().to_owned(),
            training_error: found.error,
            held_out_error: found.held_out_error,
        }),
        date: args.date.clone(),
    }
}
