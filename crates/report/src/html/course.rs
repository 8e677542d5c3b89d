//! Errors by iteration.

use maud::{Markup, html};

use super::plot::{Plot, Point, axis};
use super::{ROWS, cell, folded};
use crate::digest::{Digest, finite};
use crate::record::IterationRecord;
use crate::text;

/// E and held-out E by iteration, for two iterations or more. Of long courses
/// some are shown, evenly, the last among them.
pub(super) fn course(digest: &Digest<'_>) -> Option<Markup> {
    let records = &digest.record.solver.records;
    if records.len() < 2 {
        return None;
    }
    let every = records.len().div_ceil(ROWS);
    let last = records.len() - 1;
    let shown: Vec<&IterationRecord> = (records.iter().enumerate())
        .filter(|(number, _)| (last - number).is_multiple_of(every))
        .map(|(_, record)| record)
        .collect();
    let points: Vec<Point> = (shown.iter())
        .map(|record| Point {
            new: finite(record.error),
            old: finite(record.held_out_error),
            reach: None,
        })
        .collect();
    let labels: Vec<String> = (shown.iter())
        .map(|record| record.iteration.map_or_else(String::new, |n| n.to_string()))
        .collect();
    let rows: Vec<Vec<Markup>> = (shown.iter().zip(&labels))
        .map(|(record, label)| {
            vec![
                cell(label),
                cell(text::name(record.method.as_deref().unwrap_or("–"))),
                cell(text::error(record.error)),
                cell(text::error(record.held_out_error)),
                cell(text::error(record.objective)),
                cell(text::maybe(record.seconds)),
            ]
        })
        .collect();
    let plot = Plot {
        title: "E on the games fitted and on those held out, by iteration",
        labels: &labels,
        points: &points,
        joined: true,
        levels: &[],
        axis,
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
