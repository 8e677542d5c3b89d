//! Errors by iteration.

use maud::{Markup, html};

use super::plot::{Plot, Point};
use super::{cell, folded, thinned};
use crate::text;
use tuner_record::RunRecord;

/// E and held-out E by iteration, for two iterations or more. Of long courses
/// some are shown, evenly, the last among them.
pub(super) fn course(record: &RunRecord) -> Option<Markup> {
    let records = &record.solver.summary.records;
    if records.len() < 2 {
        return None;
    }
    let (shown, every) = thinned(records, super::ROWS);
    let points: Vec<Point> = (shown.iter())
        .map(|record| Point {
            new: Some(record.error),
            old: record.held_out_error,
            reach: None,
        })
        .collect();
    let labels: Vec<String> = (shown.iter())
        .map(|record| record.iteration.to_string())
        .collect();
    let rows: Vec<Vec<Markup>> = (shown.iter().zip(&labels))
        .map(|(record, label)| {
            vec![
                cell(label),
                cell(record.method.to_string()),
                cell(text::error(record.error)),
                cell(text::or_dash(record.held_out_error, text::error)),
                cell(text::error(record.objective)),
                cell(text::number(record.cost.seconds)),
            ]
        })
        .collect();
    let plot = Plot {
        title: "E on the games fitted and on those held out, by iteration",
        labels: &labels,
        points: &points,
        joined: true,
        levels: &[],
    };
    let has_held_out = points.iter().any(|point| point.old.is_some());
    Some(html! {
        p.note {
            span.good { "Blue: E on the games fitted" }
            @if has_held_out { ", " span.bad { "dashed orange: E on those held out" } }
            ", by iteration; before rounding."
            @if every > 1 { " Shown is each " (every) "th of " (records.len()) "." }
        }
        (plot.draw())
        (folded("the course as a table", &["iteration", "method", "E", "held-out E", "objective", "seconds"], &rows))
    })
}
