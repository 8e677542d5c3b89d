//! The page on two runs.

use maud::{Markup, html};

use super::{Common, Comparison, by_table, differing, how_many};
use crate::digest::Digest;
use crate::html::head::{facts, name, prior, sentence};
use crate::html::{ROWS, bar, cell, contents, headed, left_out, table};
use crate::text;
use crate::words;

/// How many weights are listed.
const LISTED: usize = 40;

pub(super) fn body(comparison: &Comparison<'_>) -> Markup {
    let (common, alone) = comparison.common();
    let sections: Vec<(&str, &str, Markup)> = [
        ("runs", "Runs", Some(runs(comparison))),
        ("weights", "Largest differences", weights(&common)),
        ("tables", "Tables", tables(comparison, &common)),
    ]
    .into_iter()
    .filter_map(|(id, title, section)| Some((id, title, section?)))
    .collect();
    html! {
        header {
            p.over { "Two runs: " (name(comparison.first.record)) " and " (name(comparison.second.record)) }
            h1 { "1: " (words::headline(comparison.first.record)) }
            h1 { "2: " (words::headline(comparison.second.record)) }
            @for warning in comparison.warnings(alone) { p.warn { b { "Caution: " } (warning) "." } }
            p { (how_many(&common)) "." }
        }
        (contents(&sections))
        (headed(&sections))
    }
}

/// Facts of both runs in one table.
fn runs(comparison: &Comparison<'_>) -> Markup {
    let of = |digest: &Digest<'_>| -> Vec<(&'static str, String)> {
        let record = digest.record;
        let mut all = vec![
            (
                "verdict",
                record
                    .judgement
                    .as_ref()
                    .map(|j| words::verdict(j.verdict).to_owned()),
            ),
            (
                "held-out E, before and after",
                record
                    .judgement
                    .as_ref()
                    .and_then(|j| words::numbers(j.held_out.as_ref()?)),
            ),
            (
                "held-out E",
                record.held_out_error.map(|error| text::error(Some(error))),
            ),
            ("E", record.error.map(|error| text::error(Some(error)))),
            (
                "noise",
                record
                    .judgement
                    .as_ref()
                    .and_then(words::noise)
                    .map(|noise| sentence(&noise)),
            ),
            ("weights", words::counts(digest)),
            ("scaling constant K", record.k.map(|k| format!("{k:.4}"))),
            ("loss", record.loss.as_deref().map(text::name)),
            ("prior", prior(record)),
            ("ended by", record.termination().map(text::name)),
        ];
        let facts = facts(record).into_iter();
        all.extend(facts.map(|(what, fact)| (what, Some(fact))));
        all.into_iter()
            .filter_map(|(what, fact)| Some((what, fact?)))
            .collect()
    };
    let (first, second) = (of(&comparison.first), of(&comparison.second));
    let mut names: Vec<&str> = first.iter().map(|(name, _)| *name).collect();
    names.extend(
        second
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| !first.iter().any(|(n, _)| n == name)),
    );
    let value = |all: &[(&str, String)], name: &str| {
        let found = all.iter().find(|(other, _)| *other == name);
        cell(found.map_or("–", |(_, value)| value))
    };
    let rows: Vec<Vec<Markup>> = (names.into_iter())
        .map(|name| vec![cell(name), value(&first, name), value(&second, name)])
        .collect();
    html! { div.facts { (table(&["", "first", "second"], &rows)) } }
}

fn weights(common: &[Common<'_>]) -> Option<Markup> {
    let differing = differing(common);
    let value = |common: &Common<'_>| common.in_errors.unwrap_or(common.difference);
    let have_errors = differing.iter().any(|common| common.in_errors.is_some());
    let shown = || differing.iter().take(LISTED);
    let most = shown()
        .map(|common| value(common).abs())
        .fold(0.0, f64::max);
    let rows: Vec<Vec<Markup>> = shown()
        .map(|common| {
            let with_error = |weight: &crate::digest::Weight| {
                let error = weight
                    .standard_error
                    .map(|e| format!(" ± {}", text::number(e)));
                cell(text::maybe(weight.value) + &error.unwrap_or_default())
            };
            vec![
                cell(common.label()),
                bar(value(common), most),
                cell(
                    common
                        .in_errors
                        .map_or_else(|| "–".to_owned(), text::in_errors),
                ),
                with_error(common.first),
                with_error(common.second),
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
