//! Whether positions are won as often as their scores say.

use maud::{Markup, html};

use super::plot::{Plot, Point};
use super::{cell, folded};
use crate::text;
use tuner_judge::{Calibration, CalibrationBin, CalibrationTable};
use tuner_record::RunRecord;

/// Most bins of a picture, and most pictures.
const BINS: usize = 40;
const TABLES: usize = 8;

/// The curve by score, residuals by features, and their tables.
pub(super) fn calibration(record: &RunRecord) -> Option<Markup> {
    let examined = &record.examined;
    let calibration = &examined.calibration;
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
fn summary(calibration: &Calibration) -> Markup {
    let (before, after) = (&calibration.before, &calibration.after);
    let number = |error: f64| format!("{error:.4}");
    html! {
        p {
            "Expected calibration error " (number(before.expected_error)) " → " (number(after.expected_error))
            @if let Some(chance) = after.by_chance { ", of which chance alone explains about " (number(chance)) }
            ", on " (calibration.positions) (if calibration.held_out { " held-out" } else { "" }) " positions"
            ": by so much the mean result of positions differs from what their scores say."
            @if !calibration.held_out {
                " They were fitted, so others are calibrated worse."
            }
        }
    }
}

/// A bin at both weights.
struct Bin<'a> {
    label: &'a str,
    before: Option<&'a CalibrationBin>,
    after: Option<&'a CalibrationBin>,
}

/// A table at both weights.
struct Both<'a> {
    name: &'a str,
    bins: Vec<Bin<'a>>,
}

impl<'a> Both<'a> {
    /// The bins of the new weights, each with that of the old ones; then those of
    /// the old ones alone.
    fn new(calibration: &'a Calibration, after: &'a CalibrationTable) -> Self {
        let same = |table: &&CalibrationTable| table.by == after.by;
        let before = calibration.before.tables.iter().find(same);
        let old = || before.iter().flat_map(|table| &table.bins);
        let of = |label: &str| old().find(|bin| bin.bin.label == label);
        let mut bins: Vec<Bin<'_>> = (after.bins.iter().take(BINS))
            .map(|bin| Bin {
                label: &bin.bin.label,
                before: of(&bin.bin.label),
                after: Some(bin),
            })
            .collect();
        let is_new = |bin: &CalibrationBin| {
            let mut new = after.bins.iter();
            new.any(|new| new.bin.label == bin.bin.label)
        };
        let gone = old().filter(|bin| !is_new(bin));
        bins.extend(gone.take(BINS).map(|bin| Bin {
            label: &bin.bin.label,
            before: Some(bin),
            after: None,
        }));
        Self {
            name: &after.by,
            bins,
        }
    }
}

/// The first word of a label: of `5 to 10 %` the 5.
fn first_word(label: &str) -> String {
    let label = text::name(label);
    label.split(' ').next().unwrap_or_default().to_owned()
}

/// The mean result by the expectation.
fn curve(both: &Both<'_>) -> Markup {
    let bins: Vec<&CalibrationBin> = both.bins.iter().filter_map(|bin| bin.after).collect();
    let points: Vec<Point> = (bins.iter())
        .map(|bin| Point {
            old: Some(bin.bin.means.expectation),
            new: Some(bin.bin.means.outcome),
            reach: bin.reach,
        })
        .collect();
    let labels: Vec<String> = bins.iter().map(|bin| first_word(&bin.bin.label)).collect();
    let plot = Plot {
        title: "Mean result and expectation by the expectation, with 95 % intervals",
        labels: &labels,
        points: &points,
        joined: true,
        levels: &[],
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
            old: bin.before.map(|before| before.bin.means.residual),
            new: bin.after.map(|after| after.bin.means.residual),
            reach: bin.after.and_then(|after| after.reach),
        })
        .collect();
    let name = text::name(both.name);
    let joined = both.name == "score" || both.name == "phase";
    let label = if joined { first_word } else { text::name };
    let labels: Vec<String> = both.bins.iter().map(|bin| label(bin.label)).collect();
    let title = format!("Result minus expectation by {name}, with 95 % intervals");
    let plot = Plot {
        title: &title,
        labels: &labels,
        points: &points,
        joined,
        levels: &[],
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
    let after = bin.after.map(|after| &after.bin);
    let reach = bin.after.and_then(|after| after.reach);
    let reach = reach.map_or_else(String::new, |reach| format!(" ± {reach:.4}"));
    let signed = |residual: f64| format!("{residual:+.4}");
    [
        text::name(bin.label),
        text::or_dash(after, |bin| bin.positions.to_string()),
        text::or_dash(after, |bin| bin.games.to_string()),
        text::or_dash(after, |bin| format!("{:.4}", bin.means.expectation)),
        text::or_dash(after, |bin| format!("{:.4}{reach}", bin.means.outcome)),
        text::or_dash(after, |bin| signed(bin.means.residual)),
        text::or_dash(bin.before, |before| signed(before.bin.means.residual)),
        match after {
            Some(bin) if bin.stands_out => "more than chance".to_owned(),
            _ => String::new(),
        },
    ]
    .map(cell)
    .to_vec()
}
