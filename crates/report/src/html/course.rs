//! Errors by iteration.

use maud::{Markup, html};

use super::plot::{Plot, Point};
use super::{List, folded, thinned};
use crate::text;
use tuner_record::RunRecord;

/// E and held-out E by iteration, as a picture and as a table; `None` for fewer than two
/// iterations. Of more than 200 iterations each second, or third, and so on is shown, the last
/// among them.
pub(super) fn course(record: &RunRecord) -> Option<Markup> {
    let records = &record.solver.summary.records;
    if records.len() < 2 {
        return None;
    }
    let (shown, every) = thinned(records, super::ROWS);
    // The blue line is E on the games fitted, the dashed one, which `and_before` sets, held-out E.
    let points = shown.iter().map(|record| {
        Point::new(record.iteration.to_string(), Some(record.error), None)
            .and_before(record.held_out_error)
    });
    let title = "E on the games fitted and on those held out, by iteration";
    let plot = Plot::line(title, points);
    let numbers = List::of(&shown)
        .column("iteration", |record| record.iteration)
        .column("method", |record| record.method.to_string())
        .column("E", |record| text::error(record.error))
        .column("held-out E", |record| {
            record.held_out_error.map(text::error)
        })
        .column("objective", |record| text::error(record.objective))
        .column("seconds", |record| text::number(record.cost.seconds));
    let has_held_out = shown.iter().any(|record| record.held_out_error.is_some());
    Some(html! {
        p.note {
            span.good { "Blue: E on the games fitted" }
            @if has_held_out { ", " span.bad { "dashed orange: E on those held out" } }
            ", by iteration; before rounding."
            @if every > 1 { " Shown is each " (every) "th of " (records.len()) "." }
        }
        (plot.draw())
        (folded("the course as a table", numbers))
    })
}
