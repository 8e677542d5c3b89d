//! The page on two runs.

use maud::{Markup, html};

use super::{Common, Comparison, by_table, differing, how_many};
use crate::digest::Digest;
use crate::html::head::{Facts, facts, name, prior, sentence};
use crate::html::{ROWS, bar, cell, left_out, table};
use crate::text;
use crate::words;
use tuner_judge::NoiseShare;

/// How many weights are listed.
const LISTED: usize = 40;

pub(super) fn page(comparison: &Comparison<'_>) -> String {
    let (common, alone) = comparison.common();
    let [first, second] = [&comparison.first, &comparison.second].map(|digest| digest.record);
    let header = html! {
        p.over { "Two runs: " (name(first)) " and " (name(second)) }
        h1 { "1: " (words::headline(first)) }
        h1 { "2: " (words::headline(second)) }
        @for warning in comparison.warnings(alone) { p.warn { b { "Caution: " } (warning) "." } }
        p { (how_many(&common)) "." }
    };
    let sections = [
        ("runs", "Runs", Some(runs(comparison))),
        ("weights", "Largest differences", weights(&common)),
        ("tables", "Tables", tables(comparison, &common)),
    ];
    crate::html::page("two runs", &header, sections)
}

/// Facts of both runs in one table.
fn runs(comparison: &Comparison<'_>) -> Markup {
    let (first, second) = (of(&comparison.first), of(&comparison.second));
    let rows: Vec<Vec<Markup>> = (first.into_iter().zip(second))
        .filter(|((_, first), (_, second))| first.is_some() || second.is_some())
        .map(|((name, first), (_, second))| {
            let value = |value: Option<String>| cell(value.unwrap_or_else(|| "–".to_owned()));
            vec![cell(name), value(first), value(second)]
        })
        .collect();
    html! { div.facts { (table(&["", "first", "second"], &rows)) } }
}

/// Facts of a run: of all runs the same, in the same order.
fn of(digest: &Digest<'_>) -> Facts<'static> {
    let (record, judgement) = (digest.record, &digest.record.judgement);
    let held_out = judgement.held_out.filter(|held_out| held_out.games >= 2);
    let noise = judgement.noise.as_ref().and_then(NoiseShare::sentence);
    let findings = words::findings(record);
    let mut all = vec![
        ("verdict", Some(record.verdict.to_string())),
        (
            "held-out E, before and after",
            held_out.map(|held_out| held_out.to_string()),
        ),
        ("held-out E", record.held_out_error.map(text::error)),
        ("E", Some(text::error(record.error))),
        ("noise", noise.map(|noise| sentence(&noise))),
        (
            "weights",
            Some(findings.join("; ")).filter(|all| !all.is_empty()),
        ),
        ("scaling constant K", Some(format!("{:.4}", record.k))),
        ("loss", Some(text::name(&record.loss))),
        ("prior", prior(record)),
        (
            "ended by",
            Some(text::sentence(&record.termination.to_string())),
        ),
    ];
    all.extend(facts(record));
    all
}

fn weights(common: &[Common<'_>]) -> Option<Markup> {
    let differing = differing(common);
    let have_errors = differing.iter().any(|common| common.in_errors.is_some());
    let shown = || differing.iter().take(LISTED);
    let most = shown().map(|c| c.size().abs()).fold(0.0, f64::max);
    let rows: Vec<Vec<Markup>> = shown()
        .map(|common| {
            vec![
                cell(common.label()),
                bar(common.size(), most),
                cell(text::or_dash(common.in_errors, text::in_errors)),
                cell(common.first.written()),
                cell(common.second.written()),
                cell(text::signed(common.difference)),
            ]
        })
        .collect();
    (!rows.is_empty()).then(|| {
        html! {
            p.note { (rows.len()) " of " (differing.len()) ", those alike counted once. "
                @if have_errors {
                    "In standard errors of both runs, added as if they had no games in common; each takes its prior as true."
                }
            }
            (table(&["weight", "lower | higher", "in s.e.", "first ± s.e.", "second ± s.e.", "difference"], &rows))
        }
    })
}

fn tables(comparison: &Comparison<'_>, common: &[Common<'_>]) -> Option<Markup> {
    let tables = by_table(&comparison.first, common);
    let rows: Vec<Vec<Markup>> = (tables.iter().take(ROWS))
        .map(|table| {
            let largest = table.largest.map_or_else(String::new, |common| {
                format!("{} {}", common.first.name, text::signed(common.difference))
            });
            vec![
                cell(&table.name),
                cell(table.weights.to_string()),
                cell(table.different.to_string()),
                cell(text::number(table.spread)),
                cell(largest),
            ]
        })
        .collect();
    let columns = [
        "table",
        "weights in both",
        "different",
        "root mean square of differences",
        "largest difference",
    ];
    (!rows.is_empty()).then(|| {
        html! {
            (table(&columns, &rows))
            (left_out(tables.len(), "tables", "in the order of the record"))
        }
    })
}
