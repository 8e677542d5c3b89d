//! Two runs next to each other: the second is to the first as new weights are to old ones.

use std::collections::HashMap;
use std::rc::Rc;

use anstyle::Style;
use maud::{Markup, Render, html};

use crate::digest::{Digest, Table, Weight};
use crate::html::head::{facts, name, prior};
use crate::html::{Facts, List, bar, page};
use crate::terminal::{LINES, Lines, TerminalStyles, list_bars};
use crate::text::{self, left};
use crate::words;
use tuner_judge::{NoiseShare, WeightEstimate, WeightStatement};
use tuner_record::RunRecord;

/// Most weights that the lines of a terminal list, and most that a page lists.
const BARS: usize = 10;
const LISTED: usize = 40;

/// Two runs, weight by weight.
struct Comparison<'a> {
    runs: [&'a RunRecord; 2],
    /// The weights that both runs have, with the first run's values as old ones and the second
    /// run's as new ones. Standard errors are those of both runs, added as if these had no games in
    /// common.
    common: Digest,
    /// The weights of the first run by their names.
    first: HashMap<String, Rc<Weight>>,
    /// Sentences on what makes the comparison say less than it seems to.
    warnings: Vec<String>,
}

impl<'a> Comparison<'a> {
    /// Compares the weights of two runs by their names. Those of one run alone are only counted, in
    /// a warning.
    fn new(runs: [&'a RunRecord; 2]) -> Self {
        let [first, second] = runs.map(|run| Digest::of(&run.judgement).weights);
        let by_name: HashMap<&str, &Rc<Weight>> = (second.iter())
            .map(|weight| (&*weight.stated.name, weight))
            .collect();
        let common: Vec<Weight> = (first.iter())
            .filter_map(|weight| Some(difference(weight, by_name.get(&*weight.stated.name)?)))
            .collect();
        // How many weights the first run has alone, and the second.
        let [alone, others] = [&first, &second].map(|all| all.len().saturating_sub(common.len()));
        let data = runs.map(|run| (&run.data.fingerprint, run.positions_held_out));
        let mut warnings = Vec::new();
        if data[0] != data[1] {
            warnings.push(
                "the runs are of different data: their errors are not of the same games".to_owned(),
            );
        }
        if alone + others > 0 {
            let alone = text::counted(alone, "weight");
            warnings.push(format!(
                "{alone} in the first run alone, {others} in the second"
            ));
        }
        let named = first.into_iter();
        let named = named.map(|weight| (weight.stated.name.clone(), weight));
        Self {
            runs,
            first: named.collect(),
            common: Digest::new(common),
            warnings,
        }
    }

    /// Says how many of the weights that both runs have differ.
    fn how_many(&self) -> String {
        let weights = &self.common.weights;
        let different = weights.iter().filter(|weight| weight.has_moved()).count();
        let of = text::counted(weights.len(), "weight");
        format!("{different} of {of} of both runs differ")
    }
}

/// Returns the root mean square of the differences, new minus old value, of the weights of a table,
/// which has one weight at least.
fn spread(table: &Table) -> f64 {
    let changes = table.members.iter().map(|weight| weight.change());
    let squares: f64 = changes.map(|change| change * change).sum();
    (squares / table.members.len() as f64).sqrt()
}

/// A weight of both runs as if the fit had led from the first run to the second: its old value is
/// what the first wrote, its new one what the second wrote. The data say of it the second value,
/// with the root of the sum of squares of both standard errors, or nothing where one of these is
/// not known.
fn difference(first: &Weight, second: &Weight) -> Weight {
    let errors = first.standard_error().zip(second.standard_error());
    let data = errors.map(|(a, b)| WeightEstimate {
        value: second.stated.value,
        standard_error: a.hypot(b),
    });
    let mut weight = Weight::of(&WeightStatement {
        before: first.stated.value,
        data,
        ..second.stated.clone()
    });
    // At most so many later weights are equal to it in both runs.
    weight.alike = first.alike.min(second.alike);
    weight.is_repeated = first.is_repeated && second.is_repeated;
    weight
}

/// Returns at most 25 lines on two runs: both verdicts, the largest differences, and the tables
/// that differ most. `width`: columns of the terminal, 60 to 200 (others count as the nearest); no
/// line is longer.
pub fn compare_terminal(
    first: &RunRecord,
    second: &RunRecord,
    width: usize,
    styles: &TerminalStyles,
) -> String {
    let comparison = Comparison::new([first, second]);
    let common = &comparison.common;
    let mut lines = Lines::new(width, *styles);
    for (number, record) in [("1: ", first), ("2: ", second)] {
        let style = styles.verdict(record.verdict);
        lines.wrapped(number, &words::headline(record), style);
    }
    for warning in &comparison.warnings {
        lines.wrapped("  ", warning, styles.warning);
    }
    lines.wrapped("  ", &comparison.how_many(), Style::new());
    list(&common.changes(), &mut lines);
    // Root mean square, number of weights that differ, and table.
    let mut tables: Vec<(f64, usize, &Table)> = (common.tables.iter())
        .map(|table| (spread(table), table.moved().count(), table))
        .filter(|(_, moved, _)| *moved > 0)
        .collect();
    tables.sort_by(|a, b| b.0.total_cmp(&a.0));
    if !tables.is_empty() {
        let heading = format!("  {} differ  root mean square", left("tables", 24));
        lines.heading(&heading);
    }
    for (spread, moved, table) in tables {
        let (name, spread) = (left(&table.name, 24), text::number(spread));
        let line = format!("  {name} {moved:>6}  {spread:>16}");
        lines.cut(&line, Style::new());
    }
    lines.end(LINES)
}

/// Adds to `lines` the weights that differ most, at most 10 (`BARS`), a line each with a bar, below
/// a heading; nothing where no weight differs. `differing`: the weights that differ, the largest
/// difference first.
fn list(differing: &[&Weight], lines: &mut Lines) {
    let shown = &differing[..differing.len().min(BARS)];
    if shown.is_empty() {
        return;
    }
    let have_errors = shown.iter().any(|weight| weight.in_errors().is_some());
    let unit = if have_errors {
        "difference in standard errors"
    } else {
        "difference"
    };
    lines.heading(&format!("largest differences, first | second: {unit}"));
    let value = |weight: &Weight| text::number(weight.stated.value);
    list_bars(shown, " | ", value, lines);
}

/// Returns a page on two runs: their verdicts, their errors, and the weights that
/// differ most, by standard errors and by table.
///
/// Differences are in standard errors of both runs added as if they had no games
/// in common, each with its prior taken as true.
pub fn compare(first: &RunRecord, second: &RunRecord) -> String {
    let comparison = Comparison::new([first, second]);
    let header = html! {
        p.over { "Two runs: " (name(first)) " and " (name(second)) }
        h1 { "1: " (words::headline(first)) }
        h1 { "2: " (words::headline(second)) }
        @for warning in &comparison.warnings { p.warn { b { "Caution: " } (warning) "." } }
        p { (comparison.how_many()) "." }
    };
    let sections = [
        ("runs", "Runs", Some(runs(comparison.runs))),
        ("weights", "Largest differences", weights(&comparison)),
        ("tables", "Tables", tables(&comparison)),
    ];
    page("two runs", &header, sections)
}

/// Facts of both runs in one table; those that neither has are left out.
fn runs(runs: [&RunRecord; 2]) -> Markup {
    let [first, second] = runs.map(|run| about(run).0);
    let facts: Vec<_> = (first.into_iter().zip(second))
        .filter(|((_, first), (_, second))| first.is_some() || second.is_some())
        .collect();
    let facts = List::of(&facts)
        .column("", |((name, _), _)| *name)
        .column("first", |((_, first), _)| first.clone())
        .column("second", |(_, (_, second))| second.clone());
    html! { div.facts { (facts) } }
}

/// Facts of a run. All runs have the same ones in the same order, so that two stand side by side.
fn about(run: &RunRecord) -> Facts<'static> {
    let judgement = &run.judgement;
    // Of fewer than two games no standard error follows.
    let held_out = judgement.held_out.filter(|held_out| held_out.games >= 2);
    let noise = judgement.noise.as_ref().and_then(NoiseShare::sentence);
    let findings = words::findings(run);
    // The sentence is `noise in the gain: SO MUCH`; only what follows the colon is shown.
    let noise = noise.and_then(|words| Some(words.split_once(": ")?.1.to_owned()));
    let held_out = held_out.map(|held_out| held_out.to_string());
    let findings = Some(findings.join("; ")).filter(|all| !all.is_empty());
    let ended = Facts::default()
        .fact("verdict", run.verdict.to_string())
        .fact("held-out E, before and after", held_out)
        .fact("noise in the gain", noise)
        .fact("weights", findings)
        .fact("scaling constant K", format!("{:.4}", run.k))
        .fact("loss", text::name(&run.loss))
        .fact("prior", prior(run))
        .fact("ended by", text::sentence(&run.termination.to_string()));
    ended.and(facts(run))
}

/// The weights that differ most, with bars and both values; `None` where nothing differs.
fn weights(comparison: &Comparison<'_>) -> Option<Markup> {
    let differing = comparison.common.changes();
    let have_errors = differing.iter().any(|weight| weight.in_errors().is_some());
    let shown = &differing[..differing.len().min(LISTED)];
    let most = shown.iter().map(|w| w.size().abs()).fold(0.0, f64::max);
    let first = |weight: &Weight| comparison.first.get(&weight.stated.name);
    let list = List::of(shown)
        .column("weight", |weight| weight.label())
        .column("lower | higher", |weight| bar(weight.size(), most))
        .column("in s.e.", |weight| weight.in_errors().map(text::in_errors))
        .column("first ± s.e.", |weight| {
            first(weight).map(|weight| weight.written())
        })
        .column("second ± s.e.", |weight| weight.written())
        .column("difference", |weight| text::signed(weight.change()));
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

/// The tables of both runs, and how much they differ; `None` where no name is in both.
fn tables(comparison: &Comparison<'_>) -> Option<Markup> {
    let tables = &comparison.common.tables;
    let list = List::first_of(tables, "tables")
        .column("table", |table| table.name.clone())
        .column("weights in both", |table| table.members.len())
        .column("different", |table| table.moved().count())
        .column("root mean square of differences", |table| {
            text::number(spread(table))
        })
        .column("largest difference", |table| {
            // By standard errors where these are known, else by size.
            let largest = table.moved().max_by(|a, b| a.rank().total_cmp(&b.rank()));
            largest.map_or_else(String::new, |weight| {
                format!("{} {}", weight.name, text::signed(weight.change()))
            })
        });
    (!tables.is_empty()).then(|| list.render())
}
