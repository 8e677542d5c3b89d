//! Whether positions are won as often as their scores say.

use maud::{Markup, html};

use super::plot::{Plot, Point, axis};
use super::{cell, folded};
use crate::digest::{Digest, finite};
use crate::record::{CalibrationBinRecord, CalibrationRecord, CalibrationTableRecord};
use crate::text;

/// Most bins of a picture, and most pictures.
const BINS: usize = 40;
const TABLES: usize = 8;

/// The curve by score, residuals by features, and their tables.
pub(super) fn calibration(digest: &Digest<'_>) -> Option<Markup> {
    let examined = digest.record.examined.as_ref()?;
    let calibration = examined.calibration.as_ref()?;
    let tables: Vec<Both<'_>> = (calibration.after.tables.iter().take(TABLES))
        .map(|after| Both::new(calibration, after))
        .filter(|both| !both.bins.is_empty())
        .collect();
    if tables.is_empty() {
        return None;
    }
    Some(html! {
        (summary(calibration))
        p.note {
            "The curve: " span.good { "blue, the mean result" } " of positions of about the same expectation, with its 95 % interval by games, and "
            span.bad { "dashed orange, what their scores expect" } ". The others: result minus expectation, "
            span.good { "blue with the new weights" } ", " span.bad { "orange with the old ones" }
            "; above 0 the first player scores more than expected."
        }
        div.plots {
            @if let Some(score) = tables.iter().find(|both| both.name == "score") { (curve(score)) }
            @for both in &tables { (residuals(both)) }
        }
        @if let Some(reason) = &examined.left_out {
            p.note { "Only by score, and no positions are shown: " (text::sentence(reason)) "." }
        }
    })
}

/// The one number.
fn summary(calibration: &CalibrationRecord) -> Markup {
    let number = |error: Option<f64>| finite(error).map(|error| format!("{error:.4}"));
    let (before, after) = (&calibration.before, &calibration.after);
    html! {
        @if let (Some(old), Some(new)) = (number(before.expected_error), number(after.expected_error)) {
            p {
                "Expected calibration error " (old) " → " (new)
                @if let Some(chance) = number(after.by_chance) { ", of which chance alone explains about " (chance) }
                @if let Some(positions) = calibration.positions {
                    ", on " (positions) (if calibration.held_out == Some(true) { " held-out" } else { "" }) " positions"
                }
                ": by so much the mean result of positions differs from what their scores say."
                @if calibration.held_out == Some(false) {
                    " They were fitted, so others are calibrated worse."
                }
            }
        }
    }
}

/// A bin at both weights.
struct Bin<'a> {
    label: &'a str,
    before: Option<&'a CalibrationBinRecord>,
    after: Option<&'a CalibrationBinRecord>,
}

/// A table at both weights.
struct Both<'a> {
    name: &'a str,
    bins: Vec<Bin<'a>>,
}

impl<'a> Both<'a> {
    /// The bins of the new weights, each with that of the old ones; then those of
    /// the old ones alone.
    fn new(calibration: &'a CalibrationRecord, after: &'a CalibrationTableRecord) -> Self {
        let same = |table: &&CalibrationTableRecord| table.by == after.by;
        let before = calibration.before.tables.iter().find(same);
        let old = || before.iter().flat_map(|table| &table.bins);
        let of = |label: &str| old().find(|bin| bin.label == label);
        let mut bins: Vec<Bin<'_>> = (after.bins.iter().take(BINS))
            .map(|bin| Bin {
                label: &bin.label,
                before: of(&bin.label),
                after: Some(bin),
            })
            .collect();
        let gone = old().filter(|bin| !after.bins.iter().any(|new| new.label == bin.label));
        bins.extend(gone.take(BINS).map(|bin| Bin {
            label: &bin.label,
            before: Some(bin),
            after: None,
        }));
        Self {
            name: &after.by,
            bins,
        }
    }

    fn labels(&self) -> Vec<String> {
        self.bins.iter().map(|bin| text::name(bin.label)).collect()
    }
}

/// The mean result by the expectation.
fn curve(both: &Both<'_>) -> Markup {
    let bins: Vec<&CalibrationBinRecord> = both.bins.iter().filter_map(|bin| bin.after).collect();
    let points: Vec<Point> = (bins.iter())
        .map(|bin| Point {
            old: finite(bin.expectation),
            new: finite(bin.outcome),
            reach: finite(bin.reach),
        })
        .collect();
    let labels: Vec<String> = (bins.iter())
        .map(|bin| {
            let label = text::name(&bin.label);
            label.split(' ').next().unwrap_or_default().to_owned()
        })
        .collect();
    let plot = Plot {
        title: "Mean result and expectation by the expectation, with 95 % intervals",
        labels: &labels,
        points: &points,
        joined: true,
        levels: &[],
        axis,
    };
    html! {
        figure {
            h4 { "Mean result by expectation in %, new weights" }
            (plot.draw())
        }
    }
}

/// Result minus expectation, old and new.
fn residuals(both: &Both<'_>) -> Markup {
    let points: Vec<Point> = (both.bins.iter())
        .map(|bin| Point {
            old: finite(bin.before.and_then(|b| b.residual)),
            new: finite(bin.after.and_then(|b| b.residual)),
            reach: finite(bin.after.and_then(|b| b.reach)),
        })
        .collect();
    let name = text::name(both.name);
    let joined = both.name == "score" || both.name == "phase";
    let short = |label: String| {
        if joined {
            label.split(' ').next().unwrap_or_default().to_owned()
        } else {
            label
        }
    };
    let labels: Vec<String> = both.labels().into_iter().map(short).collect();
    let title = format!("Result minus expectation by {name}, with 95 % intervals");
    let plot = Plot {
        title: &title,
        labels: &labels,
        points: &points,
        joined,
        levels: &[],
        axis,
    };
    let rows: Vec<Vec<Markup>> = both.bins.iter().map(row).collect();
    let columns = [
        "",
        "positions",
        "games",
        "expected",
        "result ± 95 %",
        "difference",
        "difference before",
        "",
    ];
    html! {
        figure {
            h4 { "Result minus expectation by " (name) }
            (plot.draw())
            (folded(&format!("by {name} as a table"), &columns, &rows))
        }
    }
}

fn row(bin: &Bin<'_>) -> Vec<Markup> {
    let after = bin.after;
    let count = |count: Option<u64>| count.map_or_else(|| "–".to_owned(), |n| n.to_string());
    let part = |part: Option<f64>| {
        finite(part).map_or_else(|| "–".to_owned(), |part| format!("{part:.4}"))
    };
    let signed = |part: Option<f64>| {
        finite(part).map_or_else(|| "–".to_owned(), |part| format!("{part:+.4}"))
    };
    let reach = after.and_then(|bin| finite(bin.reach));
    let reach = reach.map_or_else(String::new, |reach| format!(" ± {reach:.4}"));
    vec![
        cell(text::name(bin.label)),
        cell(count(after.and_then(|bin| bin.positions))),
        cell(count(after.and_then(|bin| bin.games))),
        cell(part(after.and_then(|bin| bin.expectation))),
        cell(part(after.and_then(|bin| bin.outcome)) + &reach),
        cell(signed(after.and_then(|bin| bin.residual))),
        cell(signed(bin.before.and_then(|bin| bin.residual))),
        cell(if after.is_some_and(|bin| bin.stands_out) {
            "more than chance"
        } else {
            ""
        }),
    ]
}
