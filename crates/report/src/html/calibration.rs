//! Whether positions are won as often as their scores say.

use maud::{Markup, html};

use super::plot::{Plot, Point};
use super::{List, folded};
use crate::text;
use tuner_judge::{Bin, BinTable, Calibration, Residual};
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
struct BothBins<'a> {
    label: &'a str,
    before: Option<&'a Bin<Residual>>,
    after: Option<&'a Bin<Residual>>,
}

/// A table at both weights.
struct Both<'a> {
    name: &'a str,
    bins: Vec<BothBins<'a>>,
}

impl<'a> Both<'a> {
    /// The bins of the new weights, each with that of the old ones; then those of
    /// the old ones alone.
    fn new(calibration: &'a Calibration, after: &'a BinTable<Residual>) -> Self {
        let mut before = calibration.before.tables.iter();
        let before = before.find(|table| table.by == after.by);
        let of = |table: &'a BinTable<Residual>, label: &str| {
            table.bins.iter().find(|bin| bin.label == label)
        };
        let old = before.into_iter().flat_map(|table| &table.bins);
        let gone = old.filter(|bin| of(after, &bin.label).is_none());
        let bins = after.bins.iter().take(BINS).chain(gone.take(BINS));
        let bins = bins.map(|bin| BothBins {
            label: &bin.label,
            before: before.and_then(|table| of(table, &bin.label)),
            after: of(after, &bin.label),
        });
        Self {
            name: &after.by,
            bins: bins.collect(),
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
    let points = both.bins.iter().filter_map(|bin| bin.after).map(|bin| {
        let means = &bin.means;
        Point::new(first_word(&bin.label), Some(means.outcome), bin.reach)
            .and_before(Some(means.expectation))
    });
    let title = "Mean result and expectation by the expectation, with 95 % intervals";
    let plot = Plot::line(title, points);
    html! {
        figure {
            h4 { "Mean result by expectation in %, new weights" }
            (plot.draw())
        }
    }
}

/// Result minus expectation, old and new.
fn residuals(both: &Both<'_>) -> Markup {
    let name = text::name(both.name);
    let joined = both.name == "score" || both.name == "phase";
    let label = if joined { first_word } else { text::name };
    let residual = |bin: &Bin<Residual>| bin.means.residual;
    let points = both.bins.iter().map(|bin| {
        let reach = bin.after.and_then(|after| after.reach);
        Point::new(label(bin.label), bin.after.map(residual), reach)
            .and_before(bin.before.map(residual))
    });
    let title = format!("Result minus expectation by {name}, with 95 % intervals");
    let plot = Plot::line(title, points).joined(joined);
    html! {
        figure {
            h4 { "Result minus expectation by " (name) }
            (plot.draw())
            (numbers(&name, &both.bins))
        }
    }
}

fn numbers(name: &str, bins: &[BothBins<'_>]) -> Markup {
    let result = |bin: &Bin<Residual>| {
        let reach = (bin.reach).map_or_else(String::new, |reach| format!(" ± {reach:.4}"));
        format!("{:.4}{reach}", bin.means.outcome)
    };
    let expected = |bin: &Bin<Residual>| format!("{:.4}", bin.means.expectation);
    let signed = |bin: &Bin<Residual>| format!("{:+.4}", bin.means.residual);
    let list = List::of(bins)
        .column("", |bin| text::name(bin.label))
        .column("positions", |bin| Some(bin.after?.positions))
        .column("games", |bin| Some(bin.after?.games))
        .column("expected", |bin| bin.after.map(expected))
        .column("result ± 95 %", |bin| bin.after.map(result))
        .column("difference", |bin| bin.after.map(signed))
        .column("difference before", |bin| bin.before.map(signed))
        .column("", |bin| match bin.after {
            Some(after) if after.stands_out => "more than chance",
            _ => "",
        });
    folded(&format!("by {name} as a table"), list)
}
