//! What the commands say, on standard error.

use super::scale;
use tuner_base::WeightId;
use tuner_data::ReadReport;
use tuner_engine::{Agreement, Differences, Link, LinkedSpec};
use tuner_fit::Fit;
use tuner_fit::integers::RoundedBy;
use tuner_fit::run::FinishedRun;
use tuner_spec::Layout;

const LISTED: usize = 10;

/// Below, a queen ahead wins hardly more often than not: at K = 0.1 a score of 900 is worth
/// 0.64.
const SMALL_K: f64 = 0.1;

pub(super) fn reading(report: &ReadReport) {
    for words in report.words() {
        say!("{words}");
    }
    for words in report.bad_line_words() {
        say!("{words}");
    }
}

pub(super) fn agreement(found: &Agreement, differences: &Differences, linked: &LinkedSpec) {
    for words in super::resolve::words(&found.resolved) {
        say!("{words}");
    }
    let layout = linked.spec.layout();
    say!(
        "check: {} positions, {} mismatches, {} derivatives compared, {} wrong, {:.0} nodes a position",
        found.positions,
        found.mismatches,
        differences.compared,
        differences.wrong.len(),
        found.nodes as f64 / found.positions.max(1) as f64
    );
    if found.nonlinear > 0 {
        say!("  {} scores are not linear in the weights", found.nonlinear);
    }
    mismatches(found, layout);
    self::differences(differences, layout);
    if let Some((position, residual, bound)) = &found.residual_example {
        say!(
            "  {} traces miss the score by more than truncation explains, first by {residual:.3e} \
             (bound {bound:.1e}): {position}",
            found.residuals
        );
    }
    if let Some(position) = &found.wrapped_example {
        say!(
            "  an operation of the score's type overflowed on {} positions, first: {position}; \
             use a wider type",
            found.wrapped
        );
    }
    constants(found);
    let (moving, fixed) = never_read(found, layout);
    if !moving.is_empty() {
        say!(
            "  {} weights are never read in the data: {}",
            moving.len(),
            names(layout, &moving)
        );
    }
    if fixed > 0 {
        say!("  {fixed} weights that are frozen, or tied to others, are never read either");
    }
}

fn differences(found: &Differences, layout: &Layout) {
    for wrong in found.wrong.iter().take(LISTED) {
        say!(
            "  derivative of {} is {} by the trace, {} by differences (± {:.1e}): {}",
            layout.name(wrong.weight),
            wrong.traced,
            wrong.differenced,
            wrong.tolerance,
            wrong.position
        );
    }
    for wrong in found.changes_wrong.iter().take(LISTED) {
        say!(
            "  at random weights the score is {} by the trace, {} by the evaluation (± {:.1e}): {}",
            wrong.traced,
            wrong.evaluated,
            wrong.tolerance,
            wrong.position
        );
    }
    let (skipped, all) = (found.skipped, found.skipped + found.compared);
    if skipped > 0 {
        say!(
            "  {skipped} of {all} derivatives could not be compared: every step leads past a branch of the evaluation, or to an overflow"
        );
    }
}

/// Weights never read: those that a fit moves by themselves, and how many more.
fn never_read(found: &Agreement, layout: &Layout) -> (Vec<WeightId>, usize) {
    let all = found.never_read();
    let count = all.len();
    let tied: Vec<WeightId> = layout.ties().iter().map(|tie| tie.weight).collect();
    let moves = |weight: &WeightId| !layout.frozen(*weight) && !tied.contains(weight);
    let moving: Vec<WeightId> = all.into_iter().filter(moves).collect();
    let fixed = count - moving.len();
    (moving, fixed)
}

fn mismatches(found: &Agreement, layout: &Layout) {
    for example in &found.examples {
        let terms: Vec<String> = example
            .terms
            .iter()
            .take(LISTED)
            .map(|&(weight, share)| format!("{} {share:+.1}", layout.parameter_of(weight).name()))
            .collect();
        say!(
            "  production {} ≠ trace {}: {} (terms: {})",
            example.production,
            example.twin,
            example.position,
            terms.join(", ")
        );
    }
    if let Some(culprit) = found.culprit(layout) {
        say!("  {}", culprit.sentence());
    }
}

fn constants(found: &Agreement) {
    let constants = &found.constants;
    if let Some(position) = &found.unexplained_example {
        say!(
            "  on {} positions the score depends on no weight at all, first: {position}",
            found.unexplained
        );
    }
    let Some((position, value)) = &constants.worst else {
        return;
    };
    say!(
        "  no weight explains a part of the score on {} positions, {:.1} on average, most on {position}: {value:+}",
        constants.positions,
        constants.total / constants.positions as f64
    );
    let mut sites: Vec<_> = constants.sites.iter().collect();
    sites.sort_by(|a, b| b.1.1.total_cmp(&a.1.1));
    for (place, (positions, total)) in sites.into_iter().take(LISTED) {
        let kind = if constants.suspicious.contains(place) {
            "a plain number"
        } else {
            "a literal"
        };
        say!(
            "    {place}: {kind} joins the score on {positions} positions, {:.1} on average",
            total / *positions as f64
        );
    }
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
            names(layout, &other)
        );
    }
}

fn names(layout: &Layout, weights: &[WeightId]) -> String {
    some(weights.iter().map(|&weight| layout.name(weight)))
}

/// Some names, and how many more there are.
fn some(names: impl ExactSizeIterator<Item = String>) -> String {
    let more = names.len().saturating_sub(LISTED);
    let mut words: Vec<String> = names.take(LISTED).collect();
    if more > 0 {
        words.push(format!("… and {more} more"));
    }
    words.join(", ")
}

/// How the fit went, of the weights that are written.
pub(super) fn fit(run: &FinishedRun<'_>) {
    let fit = &run.fit;
    let summary = &fit.summary;
    let roots = run.variables.reduction.roots();
    let source = if fit.anchored.is_some() {
        "in the scale of the anchor".to_owned()
    } else if fit.k_fit.is_some() {
        let at_initial = run.variables.initial.is_some() && run.init.fits_k_at_initial();
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
    say!(
        "K = {:.9} ({source}), slope {slope:.9} per centipawn",
        fit.k
    );
    say!("  {}", scale::equivalents(fit.k));
    if let Some(anchored) = &fit.anchored {
        say!("{}", anchored.sentence(&run.name(anchored.weight), fit.k));
    }
    say!(
        "E {:.10} → {:.10} on {} positions, {} iterations, {} curvature matrices, {} passes, {:.2} s",
        summary.initial_error,
        fit.error,
        fit.rows.0,
        summary.iterations,
        summary.curvature_evaluations,
        summary.passes,
        summary.seconds
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
    if let Some(errors) = &fit.against_results {
        say!(
            "E and held out are of the targets and weights asked for; against results, each \
             position as the data weigh it: E {:.10}",
            errors.error
        );
        if let (Some(start), Some(end)) = (errors.held_out_start, errors.held_out_error) {
            say!("  held out {start:.10} → {end:.10}");
        }
    }
    integers(fit);
    if let Some(fallback) = &fit.fallback {
        say!("{fallback}");
    }
    say!("{}", summary.termination);
    for fallback in &summary.fallbacks {
        say!("  {fallback}");
    }
    for (variables, what) in [
        (
            &summary.unseen,
            "weights are not seen in the data and keep their initial value",
        ),
        (
            &fit.followed,
            "weights are not seen in the data and follow their neighbours",
        ),
        (
            &fit.pinned,
            "weights are separated by the data (every position with them has the same result) and were pinned at their start; bound them or take more games",
        ),
        (
            &summary.at_bound,
            "weights are at a bound that the error pushes against",
        ),
    ] {
        if !variables.is_empty() {
            let names = some(variables.iter().map(|&v| run.name(roots[v].index())));
            say!("  {} {what}: {names}", variables.len());
        }
    }
    if let Some(undetermined) = summary.undetermined.filter(|&count| count > 0) {
        say!(
            "  {undetermined} combinations of weights are not determined by the data; the fit left them as near to the initial values as it could"
        );
    }
}

fn integers(fit: &Fit) {
    if let Some(rounding) = &fit.rounding {
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
    } else if let Some(searched) = &fit.searched {
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
