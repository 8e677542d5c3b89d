//! Lists of weights and parameters.

use maud::{Markup, html};

use super::heat::{COLUMNS, estimate, row};
use super::{ROWS, bar, cell, folded, left_out, table};
use crate::digest::{Digest, LONGEST_BAR, Weight};
use crate::text;
use crate::words;
use tuner_judge::{Advice, Worth};
use tuner_record::RunRecord;

/// How many changes have a bar, and how many weights a list has. Chosen: a
/// screen, and a page.
const BARS: usize = 15;
const LISTED: usize = 40;

/// The most significant changes with bars.
pub(super) fn bars(digest: &Digest<'_>) -> Option<Markup> {
    let changes = digest.changes();
    let have_errors = digest.has_errors();
    let shown: Vec<&&Weight> = changes.iter().take(BARS).collect();
    let most = shown.iter().map(|w| w.size().abs()).fold(0.0, f64::max);
    let most = if have_errors {
        most.min(LONGEST_BAR)
    } else {
        most
    };
    let rows: Vec<Vec<Markup>> = shown
        .iter()
        .map(|weight| {
            let size = weight.size();
            let words = if have_errors { text::in_errors(size) } else { text::signed(size) };
            let before = text::number(weight.stated.before);
            let mut row = vec![
                html! { (weight.label()) @if weight.changed_for_sure() { " " abbr title="changed for sure" { "✓" } } },
                bar(size, most),
                cell(words),
                cell(format!("{before} → {}", weight.written())),
            ];
            if have_errors {
                let against = weight.contrast.as_ref().map(|contrast| contrast.data);
                row.push(cell(match against {
                    Some(data) => format!("{} from the mean", estimate(data)),
                    None => text::or_dash(weight.stated.data, estimate),
                }));
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
            row.push(cell(weight.stated.advice.map_or("–", Advice::word)));
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
        @for finding in words::findings(digest.record) { p { (super::head::sentence(&finding)) } }
        @if !rows.is_empty() {
            (folded(&format!("The {} most significant changes", rows.len()), &columns, &rows))
        }
        @if rest > 0 { p.note { "The other " (rest) " are with their tables." } }
        (super::tables::overview(digest))
    })
}

/// What an engine would miss, parameter by parameter.
pub(super) fn groups(record: &RunRecord) -> Option<Markup> {
    let groups = &record.judgement.groups;
    let rows: Vec<Vec<Markup>> = (groups.iter().take(ROWS))
        .map(|group| {
            vec![
                cell(text::name(&group.name)),
                html! { b { (group.advice.map_or("–", Advice::word)) } },
                cell(format!("{} of {}", group.fitted, group.weights)),
                cell(text::or_dash(group.p_zero, text::probability)),
                cell(text::or_dash(group.worth, worth)),
                cell(text::or_dash(group.p_change, text::probability)),
                cell(text::or_dash(group.worth_of_change, worth)),
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

/// What a group is worth, in millionths of E.
fn worth(worth: Worth) -> String {
    let error = text::number(1e6 * worth.standard_error);
    format!("{} ± {error}", text::signed(1e6 * worth.expected))
}
