//! Lists of weights and parameters.

use maud::{Markup, html};

use super::heat::{COLUMNS, row};
use super::{ROWS, bar, cell, folded, left_out, table};
use crate::digest::{Digest, LONGEST_BAR, Weight};
use crate::record::WorthRecord;
use crate::text;
use crate::words;

/// How many changes have a bar, and how many weights a list has. Chosen: a
/// screen, and a page.
const BARS: usize = 15;
const LISTED: usize = 40;

/// The most significant changes with bars.
pub(super) fn bars(digest: &Digest<'_>) -> Option<Markup> {
    let changes = digest.changes();
    let have_errors = digest.has_errors();
    let shown: Vec<&&Weight> = changes.iter().take(BARS).collect();
    let value = |weight: &Weight| weight.in_errors().or(weight.change()).unwrap_or(0.0);
    let most = shown.iter().map(|w| value(w).abs()).fold(0.0, f64::max);
    let most = if have_errors {
        most.min(LONGEST_BAR)
    } else {
        most
    };
    let rows: Vec<Vec<Markup>> = shown
        .iter()
        .map(|weight| {
            let value = value(weight);
            let error = weight.standard_error.map(|e| format!(" ± {}", text::number(e)));
            let (before, written) = (text::maybe(weight.before), text::maybe(weight.value));
            let words = if have_errors { text::in_errors(value) } else { text::signed(value) };
            let mut row = vec![
                html! { (weight.label()) @if weight.changed_for_sure() { " " abbr title="changed for sure" { "✓" } } },
                bar(value, most),
                cell(words),
                cell(format!("{before} → {written}{}", error.unwrap_or_default())),
            ];
            if have_errors {
                let against = weight.contrast.as_ref().and_then(|contrast| contrast.data);
                let data = against.or(weight.data).map(|(value, error)| {
                    let to = if against.is_some() { " from the mean" } else { "" };
                    format!("{} ± {}{to}", text::number(value), text::number(error))
                });
                row.push(cell(data.unwrap_or_else(|| "–".to_owned())));
            }
            row
        })
        .collect();
    let columns: &[&str] = if have_errors {
        &[
            "weight",
            "fell | rose",
            "change in s.e.",
            "old → new ± s.e.",
            "data alone ± s.e.",
        ]
    } else {
        &["weight", "fell | rose", "change", "old → new"]
    };
    let kept = digest.kept_by_prior();
    if rows.is_empty() && kept.is_empty() {
        return None;
    }
    Some(html! {
        @if !rows.is_empty() {
            p.note {
                (shown.len()) " of " (text::counted(changes.len(), "weight")) " that are written differently, those with the same numbers counted once. "
                @if have_errors {
                    "The change in standard errors compares what the data say alone, without the prior, with the old value; "
                    "bars end at 8. Old → new is what is written, and its standard error takes the prior as true. "
                    "✓: changed for sure, at most 5 % of such statements being wrong. "
                    @if shown.iter().any(|weight| weight.contrast.is_some()) {
                        "In its table: against the mean of its table, which the data tell better than the weight."
                    }
                }
            }
            (table(columns, &rows))
        }
        @if !kept.is_empty() {
            h3 { "Kept by the prior" }
            p.note { "The data tell " (text::counted(kept.len(), "weight")) " from the old value, and the prior left the value as it was. "
                "A wider prior for the parameter lets it move." }
            (table(&COLUMNS, &kept.iter().take(LISTED).map(|w| row(&w.label(), w)).collect::<Vec<_>>()))
        }
    })
}

/// The weights by their changes.
pub(super) fn weights(digest: &Digest<'_>) -> Option<Markup> {
    let changes = digest.changes();
    let rows: Vec<Vec<Markup>> = (changes.iter().take(LISTED))
        .map(|weight| {
            let mut row = row(&weight.label(), weight);
            row.push(cell(words::word(weight.advice.unwrap_or_default())));
            row
        })
        .collect();
    let mut columns = COLUMNS.to_vec();
    columns.push("advice");
    let rest = changes.len().saturating_sub(LISTED);
    if digest.weights.is_empty() {
        return None;
    }
    Some(html! {
        @if let Some(counts) = words::counts(digest) { p { (counts) "." } }
        @if !rows.is_empty() {
            (folded(&format!("The {} most significant changes", rows.len()), &columns, &rows))
        }
        @if rest > 0 { p.note { "The other " (rest) " are with their tables." } }
        (super::tables::overview(digest))
    })
}

/// What an engine would miss, parameter by parameter.
pub(super) fn groups(digest: &Digest<'_>) -> Option<Markup> {
    let groups = &digest.judgement()?.groups;
    let rows: Vec<Vec<Markup>> = (groups.iter().take(ROWS))
        .map(|group| {
            let count =
                |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |n| n.to_string());
            vec![
                cell(text::name(&group.name)),
                html! { b { (words::word(group.advice.unwrap_or_default())) } },
                cell(format!(
                    "{} of {}",
                    count(group.fitted),
                    count(group.weights)
                )),
                cell(text::probability(group.p_zero)),
                cell(worth(group.worth.as_ref())),
                cell(text::probability(group.p_change)),
                cell(worth(group.worth_of_change.as_ref())),
            ]
        })
        .collect();
    let columns = [
        "parameter",
        "advice",
        "fitted",
        "p, all 0",
        "worth, ppm of E",
        "p, no change",
        "worth of change, ppm of E",
    ];
    (!rows.is_empty()).then(|| {
        html! {
            p.note { "Keep: the data tell the weights of the parameter from 0. Drop: all are as good as 0. Unclear: neither. "
                "p: the probability of such data if all its weights were 0, or what they were before. "
                "Worth: by how many millionths E is expected to rise on other games without them, or with the old ones; negative where it would fall." }
            (table(&columns, &rows))
            (left_out(groups.len(), "parameters", "in the order of the record"))
        }
    })
}

fn worth(worth: Option<&WorthRecord>) -> String {
    let Some(worth) = worth else {
        return "–".to_owned();
    };
    let error = worth
        .standard_error
        .map(|error| format!(" ± {}", text::number(1e6 * error)));
    text::millionths(worth.expected) + &error.unwrap_or_default()
}
