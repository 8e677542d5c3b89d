//! Whether positions are won as often as their scores say.

use maud::{Markup, html};

use super::players::Players;
use super::plot::{Plot, Point};
use super::{List, folded};
use crate::text;
use tuner_judge::{Bin, BinTable, Calibration, Residual};
use tuner_record::RunRecord;

/// Most bins of a picture, and most pictures.
const BINS: usize = 40;
const TABLES: usize = 8;

/// Returns the section on calibration: the mean result by expectation as a curve, result minus
/// expectation by score and by features, and their numbers as tables. `None` where no position was
/// looked at.
pub(super) fn calibration(record: &RunRecord) -> Option<Markup> {
    let examined = &record.examined;
    let calibration = &examined.calibration;
    let tables: Vec<(&str, Vec<BothBins<'_>>)> = (calibration.after.tables.iter().take(TABLES))
        .map(|after| (&*after.by, both(calibration, after)))
        .filter(|(_, bins)| !bins.is_empty())
        .collect();
    if tables.is_empty() {
        return None;
    }
    let players = Players::of(record);
    Some(html! {
        (summary(calibration))
        p.note {
            "The curve: " span.good { "blue, the mean result" } " of positions of about the same expectation, with its 95 % interval by games, and "
            span.bad { "dashed orange, what their scores expect" } ". The others: result minus expectation, "
            span.good { "blue with the new weights" } ", " span.bad { "orange with the old ones" }
            "; above 0 " (players.said("the first player")) " scores more than expected."
        }
        div.plots {
            @if let Some((_, bins)) = tables.iter().find(|(by, _)| *by == "score") { (curve(bins)) }
            @for (by, bins) in &tables { (residuals(by, bins, players)) }
        }
        @if let Some(reason) = &examined.left_out {
            p.note { "Only by score, and no positions are shown: " (text::sentence(reason)) "." }
        }
    })
}

/// The expected calibration error, before and after, in expected points.
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

/// Returns the bins of a table at the new weights, `after`, each with the bin of the same label at
/// the old weights; then the bins that there are at the old weights alone.
fn both<'a>(calibration: &'a Calibration, after: &'a BinTable<Residual>) -> Vec<BothBins<'a>> {
    let mut before = calibration.before.tables.iter();
    let before = before.find(|table| table.by == after.by);
    let of = |table: &'a BinTable<Residual>, label: &str| {
        table.bins.iter().find(|bin| bin.label == label)
    };
    let old = before.into_iter().flat_map(|table| &table.bins);
    let gone = old.filter(|bin| of(after, &bin.label).is_none());
    let bins = after.bins.iter().take(BINS).chain(gone.take(BINS));
    let both = bins.map(|bin| BothBins {
        label: &bin.label,
        before: before.and_then(|table| of(table, &bin.label)),
        after: of(after, &bin.label),
    });
    both.collect()
}

/// The first word of a label: of `5 to 10 %` the 5.
pub(super) fn first_word(label: &str) -> String {
    let label = text::name(label);
    label.split(' ').next().unwrap_or_default().to_owned()
}

/// The picture of the mean result by the expectation, with the new weights.
fn curve(bins: &[BothBins<'_>]) -> Markup {
    // The blue line is the mean result, the dashed one, which `and_before` sets, the expectation.
    let points = bins.iter().filter_map(|bin| bin.after).map(|bin| {
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

/// The picture and the table of result minus expectation, old and new, by the property `by`. Bins
/// of scores and phases have an order, so lines join them.
fn residuals(by: &str, bins: &[BothBins<'_>], players: Players) -> Markup {
    let name = text::name(by);
    let joined = by == "score" || by == "phase";
    let label = |label: &str| {
        if joined {
            first_word(label)
        } else {
            players.said(&text::name(label))
        }
    };
    let residual = |bin: &Bin<Residual>| bin.means.residual;
    let points = bins.iter().map(|bin| {
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
            (numbers(&name, bins, players))
        }
    }
}

/// The mean result of a bin with its 95 % interval.
pub(super) fn result(bin: &Bin<Residual>) -> String {
    let reach = (bin.reach).map_or_else(String::new, |reach| format!(" ± {reach:.4}"));
    format!("{:.4}{reach}", bin.means.outcome)
}

/// The bins at both weights as a table.
fn numbers(name: &str, bins: &[BothBins<'_>], players: Players) -> Markup {
    let expected = |bin: &Bin<Residual>| format!("{:.4}", bin.means.expectation);
    let signed = |bin: &Bin<Residual>| format!("{:+.4}", bin.means.residual);
    let list = List::of(bins)
        .column("", |bin| players.said(&text::name(bin.label)))
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
