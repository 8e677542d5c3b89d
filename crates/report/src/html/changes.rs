//! Lists of weights and parameters.

use maud::{Markup, html};

use super::heat::{estimate, weights as listed};
use super::{List, bar, breakable, folded};
use crate::digest::{Digest, Weight, counts, longest_bar};
use crate::text;
use tuner_judge::Worth;
use tuner_record::RunRecord;

/// How many changes have a bar, and how many weights a list has. Chosen: a
/// screen, and what can be searched.
const BARS: usize = 15;
const LISTED: usize = 1000;

/// The most significant changes with bars, and the weights that the prior kept; `None` where there
/// are neither.
pub(super) fn bars(digest: &Digest) -> Option<Markup> {
    let changes = digest.changes();
    let have_errors = digest.has_errors();
    let shown = &changes[..changes.len().min(BARS)];
    // The change in standard errors, which some weights do not have; where none has, in its unit.
    let size = move |weight: &Weight| {
        if have_errors {
            weight.in_errors()
        } else {
            Some(weight.change())
        }
    };
    let sized = shown.iter().copied();
    let sized: Vec<&Weight> = sized.filter(|weight| size(weight).is_some()).collect();
    let most = longest_bar(&sized);
    let (change, written) = if have_errors {
        ("change in s.e.", "old → new ± 95 %")
    } else {
        ("change", "old → new")
    };
    let mut list = List::of(shown)
        .column("weight", |weight| {
            html! { (breakable(html! { (weight.label()) })) @if weight.changed_for_sure() { " " abbr title="changed for sure" { "✓" } } }
        })
        .column("fell | rose", move |weight| size(weight).map(|size| bar(size, most)))
        .column(change, move |weight| size(weight).map(|_| weight.size_text()))
        .column(written, |weight| {
            let before = text::number(weight.stated.before);
            let new = text::with_error(weight.stated.value, weight.reach);
            format!("{before} → {new}")
        });
    if have_errors {
        list = list.column("data alone ± s.e.", |weight| match weight.in_table() {
            Some(contrast) => Some(format!("{} from the mean", estimate(contrast.data))),
            None => weight.stated.data.map(estimate),
        });
    }
    // Weights that the data tell from their old values, and that are written with these all the
    // same: the prior kept them.
    let kept = digest.ranked(|weight| weight.stated.changed && !weight.has_moved());
    if shown.is_empty() && kept.is_empty() {
        return None;
    }
    Some(html! {
        @if !shown.is_empty() {
            p.note {
                (shown.len()) " of " (text::counted(changes.len(), "weight")) " that are written differently, those with the same numbers counted once. "
                @if have_errors {
                    "The change in standard errors compares what the data say alone, without the prior, with the old value; "
                    "bars end at three times their median. Old → new is what is written, and its interval takes the prior as true. "
                    "✓: changed for sure, at most 5 % of such statements being wrong. "
                    @if shown.iter().any(|weight| weight.in_table().is_some()) {
                        "In its table: against the mean of its table, which the data tell better than the weight."
                    }
                }
            }
            (list)
        }
        @if !kept.is_empty() {
            h3 { "Kept by the prior" }
            p.note { "The data tell " (text::counted(kept.len(), "weight")) " from the old value, and the prior left the value as it was. "
                "A wider prior for the parameter lets it move." }
            (listed(&named(&kept)))
        }
    })
}

/// The first of some weights, as many as a list has, each with its name.
fn named<'a>(weights: &[&'a Weight]) -> Vec<(String, &'a Weight)> {
    let first = weights.iter().take(LISTED);
    first.map(|&weight| (weight.label(), weight)).collect()
}

/// The list of weights that changed, and all tables at a glance; `None` of a record without
/// weights.
pub(super) fn weights(digest: &Digest) -> Option<Markup> {
    let changes = digest.changes();
    let first = named(&changes);
    let with_advice = listed(&first).column("advice", |(_, weight)| {
        weight.stated.advice.map(|advice| advice.to_string())
    });
    let rest = changes.len() - first.len();
    if digest.weights.is_empty() {
        return None;
    }
    Some(html! {
        @if !first.is_empty() {
            (folded(&format!("{} weights that changed, the most significant first", first.len()), with_advice))
        }
        @if rest > 0 { p.note { "The other " (rest) " are with their tables." } }
        @if counts(&digest.weights).are_advised() {
            p.note { "Changed for sure: each weight by itself, at most 5 % of such statements being wrong. A table can change by much and no weight of it for sure, "
                "where something else could have taken up its change: a piece-square table that of its piece's value." }
        }
        (super::tables::overview(digest))
    })
}

/// A table of the parameters: for each, whether to keep or drop it, and what its weights and
/// their change are worth. `None` where the judge says nothing of parameters.
pub(super) fn groups(record: &RunRecord) -> Option<Markup> {
    let groups = &record.judgement.groups;
    let list = List::first_of(groups, "parameters")
        .column("parameter", |group| text::name(&group.name))
        .column("advice", |group| {
            html! { b { @if let Some(advice) = group.advice { (advice) } @else { "–" } } }
        })
        .column("fitted", |group| {
            format!("{} of {}", group.fitted, group.weights)
        })
        .column("p, all 0", |group| group.p_zero.map(text::probability))
        .column("worth, ppm of E", |group| group.worth.map(worth))
        .column("p, no change", |group| {
            group.p_change.map(text::probability)
        })
        .column("worth of change, ppm of E", |group| {
            group.worth_of_change.map(worth)
        });
    (!groups.is_empty()).then(|| {
        html! {
            p.note { "Keep: the data tell the weights of the parameter from 0. Drop: all are as good as 0. Unclear: neither. "
                "p: the probability of such data if all its weights were 0, or what they were before. "
                "Worth: by how many millionths E is expected to rise on other games without them, or with the old ones; negative where it would fall." }
            (list)
        }
    })
}

/// Writes by how much E of other games is expected to rise without a parameter, or with its old
/// weights, with the standard error, in millionths.
fn worth(worth: Worth) -> String {
    let error = text::number(1e6 * worth.standard_error);
    format!("{} ± {error}", text::signed(1e6 * worth.expected))
}
