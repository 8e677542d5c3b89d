//! The page on two runs.

use maud::{Markup, Render, html};

use super::{Common, Comparison, by_table, differing, how_many};
use crate::digest::Digest;
use crate::html::head::{Facts, facts, name, prior, sentence};
use crate::html::{List, bar};
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
    let facts: Vec<_> = (first.into_iter().zip(second))
        .filter(|((_, first), (_, second))| first.is_some() || second.is_some())
        .collect();
    let facts = List::of(&facts)
        .column("", |((name, _), _)| *name)
        .column("first", |((_, first), _)| first.clone())
        .column("second", |(_, (_, second))| second.clone());
    html! { div.facts { (facts) } }
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
    let shown = &differing[..differing.len().min(LISTED)];
    let most = shown.iter().map(|c| c.size().abs()).fold(0.0, f64::max);
    let list = List::of(shown)
        .column("weight", |common| common.label())
        .column("lower | higher", |common| bar(common.size(), most))
        .column("in s.e.", |common| common.in_errors.map(text::in_errors))
        .column("first ± s.e.", |common| common.first.written())
        .column("second ± s.e.", |common| common.second.written())
        .column("difference", |common| text::signed(common.difference));
    (!shown.is_empty()).then(|| {
        html! {
            p.note { (shown.len()) " of " (differing.len()) ", those alike counted once. "
                @if have_errors {
                    "In standard errors of both runs, added as if they had no games in common; each takes its prior as true."
                }
            }
            (list)
        }
    })
}

fn tables(comparison: &Comparison<'_>, common: &[Common<'_>]) -> Option<Markup> {
    let tables = by_table(&comparison.first, common);
    let list = List::first_of(&tables, "tables")
        .column("table", |table| table.name.clone())
        .column("weights in both", |table| table.weights)
        .column("different", |table| table.different)
        .column("root mean square of differences", |table| {
            text::number(table.spread)
        })
        .column("largest difference", |table| {
            let words = |common: &Common<'_>| {
                format!("{} {}", common.first.name, text::signed(common.difference))
            };
            table.largest.map_or_else(String::new, words)
        });
    (!tables.is_empty()).then(|| list.render())
}
