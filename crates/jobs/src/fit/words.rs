//! How a fit went, in words.

use std::collections::HashMap;

use crate::Job;
use tuner_base::joined;
use tuner_engine::some_names;
use tuner_fit::integers::RoundedBy;
use tuner_fit::model::Sigmoid;
use tuner_fit::run::{FinishedRun, Init};
use tuner_fit::{Fit, Search, TooLarge};
use tuner_judge::Calibration;
use tuner_record::SolverRecord;
use tuner_solve::Reduction;
use tuner_spec::Layout;

/// Below this K, a queen ahead wins hardly more often than not: at K = 0.1 a score of 900 is worth
/// 0.64.
const SMALL_K: f64 = 0.1;

/// How many of the iterations that needed damping are named.
const FALLBACKS: usize = 3;

/// Tells the user how the fit went: the scaling constant K, errors, integers, the end of the
/// solver, weights that could not move. `unit` is that of scores. Lines that ask the user to do
/// something are said to everyone, the others to those who want to know all.
pub(super) fn say_fit(job: &Job, run: &FinishedRun<'_>, unit: &str) {
    let fit = &run.fit;
    let summary = &fit.summary;
    scaling(job, run, unit);
    // Rows that are linearised predict the error of the weights, and do not measure it.
    let by = if run.facts.linearised {
        ", predicted,"
    } else {
        ""
    };
    job.say_detail(format_args!(
        "E {:.10} → {:.10}{by} on {} positions, {}, {} curvature matrices, {} passes, {:.2} s",
        summary.initial_error,
        fit.error,
        // Rows that were fitted; `rows.1` are those held out.
        fit.rows.0,
        tuner_base::counted(summary.iterations, "iteration"),
        summary.cost.curvature_evaluations,
        summary.cost.passes,
        summary.cost.seconds
    ));
    // Errors on positions that were held out, at the start and at the end.
    if let (Some(start), Some(end)) = (fit.held_out_start, fit.held_out_error) {
        let games = if run.all_with_game() {
            "positions of other games"
        } else {
            "other positions, perhaps of the same games"
        };
        let positions = fit.rows.1;
        job.say_detail(format_args!(
            "held out {start:.10} → {end:.10}{by} on {positions} {games}"
        ));
    }
    // Where targets were not the results alone, or positions were weighed.
    if let Some(errors) = fit.against_results.as_ref() {
        job.say_detail(format_args!(
            "E and held out are of the targets and weights asked for; against results, each \
             position as the data weigh it: E {:.10}",
            errors.error
        ));
        if let (Some(start), Some(end)) = (errors.held_out_start, errors.held_out_error) {
            job.say_detail(format_args!("  held out {start:.10} → {end:.10}"));
        }
    }
    // Whether the local search of integers scored each step of a weight, not the promising ones
    // alone.
    let by_step = run.settings.search != Search::Promising;
    integers(job, fit, by_step);
    if let Some(fallback) = &fit.fallback {
        job.say(fallback);
    }
    job.say_detail(&summary.termination);
    // Iterations that needed more damping than they asked for: the first 3 are named, and any
    // others counted.
    for fallback in summary.fallbacks.iter().take(FALLBACKS) {
        job.say_detail(format_args!("  {fallback}"));
    }
    if let Some(more) = summary.fallbacks.len().checked_sub(FALLBACKS + 1) {
        job.say_detail(format_args!("  and so in {} more iterations", more + 1));
    }
    let solver = SolverRecord::new(run);
    // Weights that no position reads ("unseen") are left out: the check before the fit named them.
    let open = solver.open().into_iter().filter(|of| of.reason != "unseen");
    for weights in open {
        let names = some_names(weights.names.iter().cloned());
        job.say_detail(format_args!("  {}: {names}", weights.sentence()));
    }
    constraints(job, run);
    if let Some(words) = solver.undetermined() {
        job.say_detail(format_args!("  {words}"));
    }
}

/// Tells the user the scaling constant K of σ(s) = 1/(1 + 10^(−K·s/400)), where it comes from, and
/// what it is in other tools; warns where it is below `SMALL_K` (0.1). `unit`: that of scores.
fn scaling(job: &Job, run: &FinishedRun<'_>, unit: &str) {
    let fit = &run.fit;
    let source = if fit.anchored.is_some() {
        "in the scale of the anchor".to_owned()
    } else if fit.k_fit.is_some() {
        // A spec has initial weights; with `--init FILE` the fit starts from those of the file.
        let at_initial = run.variables.initial.is_some() && !matches!(run.init, Init::File(_));
        let anchor = if at_initial {
            "the initial weights"
        } else {
            "the weights it starts from"
        };
        format!("fitted at {anchor}")
    } else if run.k_handed_on {
        "handed on by weights or spec; `--k fitted` fits it anew".to_owned()
    } else {
        "given".to_owned()
    };
    if fit.k < SMALL_K {
        job.say(
            "K is so small that scores hardly tell who wins: are results and positions of the \
             same games, and is --perspective right?",
        );
    }
    let slope = Sigmoid::new(fit.k).beta();
    job.say_detail(format_args!(
        "K = {:.9} ({source}), slope {slope:.9} per {unit}",
        fit.k
    ));
    job.say_detail(format_args!("  {}", equivalents(fit.k)));
    if let Some(anchored) = &fit.anchored {
        job.say_detail(format_args!(
            "{}",
            anchored.sentence(&run.name(anchored.weight), fit.k)
        ));
    }
}

/// Tells the user which orders and sums of weights, which the spec demands, are at their limit, and
/// which hold for the solution of the solver, but not for the integers near it.
fn constraints(job: &Job, run: &FinishedRun<'_>) {
    let (fit, summary) = (&run.fit, &run.fit.summary);
    let roots = run.variables.reduction.roots();
    let reduction = &run.variables.reduction;
    let sum_in_words = |number: &usize| {
        let weight = |variable: usize| run.name(roots[variable].index());
        reduction.constraints()[*number].in_words(&weight)
    };
    // How many constraints there are, by their numbers, and some of them in words.
    let names = |constraints: &[usize]| {
        let names = some_names(constraints.iter().map(sum_in_words));
        (constraints.len(), names)
    };
    if !summary.binding.is_empty() {
        let (count, names) = names(&summary.binding);
        job.say_detail(format_args!(
            "  {count} orders or sums are at their limit: {names}"
        ));
    }
    if !fit.broken.is_empty() {
        let (count, names) = names(&fit.broken);
        job.say(format_args!(
            "{count} orders or sums do not hold for the integers near by; write wider limits: {names}"
        ));
    }
}

/// Tells the user how the integers were found: by rounding and what that costs, and by a local
/// search. Everyone is told of a local search that did nothing, or that scored each step
/// (`by_step`), the rest those who want to know all.
fn integers(job: &Job, fit: &Fit, by_step: bool) {
    if let Some(rounding) = fit.rounding.as_ref() {
        job.say_detail(format_args!("rounding to integers{} costs {:.3e} in the objective ({:.3e} if each weight were rounded alone)",
            match rounding.by {
                RoundedBy::Curvature => "",
                RoundedBy::Diagonal => ", informed by gradients only,",
            },
            rounding.error - rounding.error_before,
            rounding.error_plain - rounding.error_before));
    }
    if let Some(searched) = fit.searched.as_ref().filter(|s| s.rounds.is_empty()) {
        job.say(format_args!("local search: {}", searched.end));
    } else if let Some(searched) = fit.searched.as_ref() {
        let scorings = if by_step {
            format!(", {} scorings", searched.scorings)
        } else {
            String::new()
        };
        let words = format!(
            "local search: objective {:.10} → {:.10} by {} steps in {} rounds{scorings}; {}",
            searched.error_before,
            searched.error,
            searched.taken(),
            searched.rounds.len(),
            searched.end
        );
        if by_step {
            job.say(words);
        } else {
            job.say_detail(words);
        }
    }
}

/// Returns a line that says what K is in the parameters of other tools: `a` and `K′` of two
/// formulas of the same curve. In them `s` is a score in centipawns, or in another unit of the
/// evaluation.
pub fn equivalents(k: f64) -> String {
    let beta = Sigmoid::new(k).beta();
    format!(
        "the same curve is (1 + tanh(a·s))/2 with a = {:.9}, 1/(1 + e^(−K′·s/400)) with K′ = {:.9}",
        0.5 * beta,
        400.0 * beta
    )
}

/// Tells the user how far the expected results are from the results (the expected calibration
/// error), before and after the fit, and how far they would be by chance.
pub(super) fn say_calibration(job: &Job, calibration: &Calibration) {
    let (before, after) = (&calibration.before, &calibration.after);
    let chance = (after.by_chance).map_or_else(String::new, |c| format!(", {c:.4} by chance"));
    job.say_detail(format_args!(
        "calibration: expected error {:.4} → {:.4}{chance}, on {} {} positions",
        before.expected_error,
        after.expected_error,
        calibration.positions,
        if calibration.held_out {
            "held-out"
        } else {
            "fitted"
        }
    ));
}

/// How many parameters are named where matrices need too much memory.
const NAMED: usize = 3;

/// Returns the message of a fit whose matrices need more memory than there is, with the `NAMED`
/// (3) parameters that most of the variables belong to.
pub(super) fn largest(error: &TooLarge, layout: &Layout, reduction: &Reduction) -> String {
    // How many variables belong to each parameter; then the largest counts first, and equal ones by
    // name.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for &variable in &error.variables {
        let parameter = layout.parameter_of(reduction.roots()[variable]);
        *counts.entry(parameter.name()).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let first = counts.iter().take(NAMED);
    let names = joined(first.map(|(name, count)| format!("{name} ({count})")), ", ");
    format!("{error}\n  most of them are of: {names}")
}
