//! The messages of the commands on standard error.

use super::{output, scale};
use tuner_base::WeightId;
use tuner_data::ReadReport;
use tuner_engine::{Link, some_names};
use tuner_fit::Fit;
use tuner_fit::integers::RoundedBy;
use tuner_fit::run::{FinishedRun, Init};
use tuner_record::SolverRecord;
use tuner_spec::Layout;

/// Below, a queen ahead wins hardly more often than not: at K = 0.1 a score of 900 is worth
/// 0.64.
const SMALL_K: f64 = 0.1;

pub(super) fn reading(report: &ReadReport) {
    output::say_all(report.words());
    output::say_all(report.bad_line_words());
}

/// Tells of weights that are something else in the source than in the spec:
/// a check is one of the source, a fit starts from the spec.
pub(super) fn other_values(link: &Link, layout: &Layout) {
    let initial = layout.initial();
    let mut other: Vec<WeightId> = link
        .weights()
        .iter()
        .zip(link.values())
        .filter(|&(&weight, &value)| (initial[weight.index()] - value).abs() > 0.0)
        .map(|(&weight, _)| weight)
        .collect();
    other.sort_unstable();
    other.dedup();
    if !other.is_empty() {
        say!(
            "{} weights have other values in the source than in the spec, where a fit starts: {}",
            other.len(),
            some_names(other.iter().map(|&weight| layout.name(weight)))
        );
    }
}

/// How the fit went, of the weights that are written; `unit` is that of scores, `details`
/// what few ask for.
pub(super) fn fit(run: &FinishedRun<'_>, unit: &str, details: bool) {
    let fit = &run.fit;
    let summary = &fit.summary;
    scaling(run, unit, details);
    say!(
        "E {:.10} → {:.10} on {} positions, {} iterations, {} curvature matrices, {} passes, {:.2} s",
        summary.initial_error,
        fit.error,
        fit.rows.0,
        summary.iterations,
        summary.cost.curvature_evaluations,
        summary.cost.passes,
        summary.cost.seconds
    );
    if let (Some(start), Some(end)) = (fit.held_out_start, fit.held_out_error) {
        let games = if run.all_with_game() {
            "positions of other games"
        } else {
            "other positions, perhaps of the same games"
        };
        let positions = fit.rows.1;
        say!("held out {start:.10} → {end:.10} on {positions} {games}");
    }
    if let Some(errors) = fit.against_results.as_ref().filter(|_| details) {
        say!(
            "E and held out are of the targets and weights asked for; against results, each \
             position as the data weigh it: E {:.10}",
            errors.error
        );
        if let (Some(start), Some(end)) = (errors.held_out_start, errors.held_out_error) {
            say!("  held out {start:.10} → {end:.10}");
        }
    }
    integers(fit, details);
    if let Some(fallback) = &fit.fallback {
        say!("{fallback}");
    }
    say!("{}", summary.termination);
    for fallback in &summary.fallbacks {
        say!("  {fallback}");
    }
    let solver = SolverRecord::new(run);
    for weights in solver.open() {
        let names = some_names(weights.names.iter().cloned());
        say!("  {}: {names}", weights.sentence());
    }
    constraints(run);
    if let Some(words) = solver.undetermined() {
        say!("  {words}");
    }
}

/// K, and where it comes from.
fn scaling(run: &FinishedRun<'_>, unit: &str, details: bool) {
    let fit = &run.fit;
    let source = if fit.anchored.is_some() {
        "in the scale of the anchor".to_owned()
    } else if fit.k_fit.is_some() {
        let at_initial = run.variables.initial.is_some() && !matches!(run.init, Init::File(_));
        let anchor = if at_initial {
            "the initial weights"
        } else {
            "the weights it starts from"
        };
        format!("fitted at {anchor}")
    } else {
        "given".to_owned()
    };
    if fit.k < SMALL_K {
        say!(
            "K is so small that scores hardly tell who wins: are results and positions of the \
             same games, and is --perspective right?"
        );
    }
    let slope = tuner_fit::model::Sigmoid::new(fit.k).beta();
    say!("K = {:.9} ({source}), slope {slope:.9} per {unit}", fit.k);
    if details {
        say!("  {}", scale::equivalents(fit.k));
    }
    if let Some(anchored) = &fit.anchored {
        say!("{}", anchored.sentence(&run.name(anchored.weight), fit.k));
    }
}

/// Orders and sums that bind, and those that integers leave.
fn constraints(run: &FinishedRun<'_>) {
    let (fit, summary) = (&run.fit, &run.fit.summary);
    let roots = run.variables.reduction.roots();
    let reduction = &run.variables.reduction;
    let sum_in_words = |number: &usize| {
        let weight = |variable: usize| run.name(roots[variable].index());
        reduction.constraints()[*number].in_words(&weight)
    };
    for (constraints, what) in [
        (&summary.binding, "orders or sums are at their limit"),
        (
            &fit.broken,
            "orders or sums do not hold for the integers near by; write wider limits",
        ),
    ] {
        if !constraints.is_empty() {
            let words = some_names(constraints.iter().map(sum_in_words));
            say!("  {} {what}: {words}", constraints.len());
        }
    }
}

/// How the integers were found; that they were not searched for is always said.
fn integers(fit: &Fit, details: bool) {
    if let Some(rounding) = fit.rounding.as_ref().filter(|_| details) {
        say!(
            "rounding to integers{} costs {:.3e} in the objective ({:.3e} if each weight were rounded alone)",
            match rounding.by {
                RoundedBy::Curvature => "",
                RoundedBy::Diagonal => ", informed by gradients only,",
            },
            rounding.error - rounding.error_before,
            rounding.error_plain - rounding.error_before
        );
    }
    if let Some(searched) = fit.searched.as_ref().filter(|s| s.rounds.is_empty()) {
        say!("local search: {}", searched.end);
    } else if let Some(searched) = fit.searched.as_ref().filter(|_| details) {
        say!(
            "local search: objective {:.10} → {:.10} by {} steps in {} rounds; {}",
            searched.error_before,
            searched.error,
            searched.taken(),
            searched.rounds.len(),
            searched.end
        );
    }
}
