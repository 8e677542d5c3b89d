//! The tables of weights, each as it is read best.

use maud::{Markup, html};

use super::heat::{COLUMNS, Scale, heat, numbers, row};
use super::plot::{Plot, Point, axis};
use super::{ROWS, cell, folded, left_out, legend, table};
use crate::digest::{Counts, Digest, Slice, Table, View};
use crate::text;

/// Most bytes of all pictures together, so that the page stays below 2 MB.
const MOST_BYTES: usize = 1_200_000;

/// How many changes are listed of a table that is not drawn.
const LISTED: usize = 10;

/// The tables, in the order of the record. Where there are too many pictures,
/// those are drawn whose weights changed most.
pub(super) fn all(digest: &Digest<'_>) -> Option<Markup> {
    if digest.weights.is_empty() {
        return None;
    }
    let drawn = drawn(digest);
    let missing: usize = drawn.iter().map(|table| table.missing).sum();
    let fixed: usize = drawn.iter().map(|table| table.fixed).sum();
    Some(html! {
        (overview(digest))
        @if digest.has_errors() { (legend()) }
        p.note {
            "Boards: blue above 0, orange below; 8 × 8 with a1 at the lower left, 9 × 9 in the order of the squares. "
            "Lines: " span.good { "blue as it is written" } ", with the band of its 95 % interval, "
            span.bad { "dashed orange as it was" } ". Grey: not fitted."
        }
        @if missing > 0 {
            p.note { (text::counted(missing, "weight")) " are not drawn, as a page cannot hold more: "
                "those in tables that changed least, of over-long tables, or whose names form no table. Their numbers are in summary.json." }
        }
        @if fixed > 0 {
            p.note { (text::counted(fixed, "picture")) " left out, of weights that could not move: frozen, unseen or separated." }
        }
        @for table in &drawn { (table.markup) }
        (single(digest))
    })
}

/// A table as it is drawn.
struct Drawn {
    markup: Markup,
    /// Weights that are not drawn.
    missing: usize,
    /// Pictures of weights that could not move.
    fixed: usize,
}

fn drawn(digest: &Digest<'_>) -> Vec<Drawn> {
    let mut order: Vec<usize> = (0..digest.tables.len()).collect();
    let size = |number: &usize| {
        let largest = digest.tables[*number].largest(&digest.weights);
        let size = largest.and_then(|weight| weight.in_errors().or(weight.change()));
        -size.map_or(-1.0, f64::abs)
    };
    order.sort_by(|a, b| size(a).total_cmp(&size(b)));
    let mut room = MOST_BYTES;
    let mut drawn: Vec<(usize, Drawn)> = order
        .into_iter()
        .map(|number| (number, draw(number, digest, &mut room)))
        .collect();
    drawn.sort_by_key(|(number, _)| *number);
    drawn.into_iter().map(|(_, drawn)| drawn).collect()
}

/// Draws the pictures of a table for which there is room.
fn draw(number: usize, digest: &Digest<'_>, room: &mut usize) -> Drawn {
    let table = &digest.tables[number];
    let mut drawn = Drawn {
        markup: html! {},
        missing: 0,
        fixed: 0,
    };
    let mut pictures = Vec::new();
    let scale = Scale::of(table.weights(&digest.weights));
    for slice in &table.slices {
        if table.view == View::Single {
            continue;
        }
        if slice.is_fixed(&digest.weights) {
            drawn.fixed += 1;
            continue;
        }
        let picture = match table.view {
            View::Board(files) => heat(slice, Some(files), &digest.weights, scale),
            View::Grid => heat(slice, None, &digest.weights, scale),
            _ => line(slice, digest),
        };
        match room.checked_sub(picture.0.len()) {
            Some(left) => {
                *room = left;
                pictures.push(picture);
            }
            None => drawn.missing += slice.cells.len(),
        }
    }
    let listed = (table.view == View::None)
        .then(|| listed(table, digest))
        .flatten();
    if table.view == View::None {
        drawn.missing += table.members.len();
    }
    let listed = listed.filter(|listed| {
        let left = room.checked_sub(listed.0.len());
        *room = left.unwrap_or(*room);
        left.is_some()
    });
    let plots = table.view == View::Line;
    if !pictures.is_empty() || listed.is_some() {
        drawn.markup = html! {
            h3 id=(format!("table-{number}")) { (heading(table)) }
            @if let Some(listed) = listed { (listed) }
            div.plots[plots] { @for picture in &pictures { (picture) } }
        };
    }
    drawn
}

/// The name of a table with its dimensions.
fn heading(table: &Table) -> String {
    let dims = table.dims.iter().map(|dim| format!("[{}]", dim.len()));
    format!("{}{}", table.name, dims.collect::<String>())
}

/// The largest changes of a table that is not drawn.
fn listed(table: &Table, digest: &Digest<'_>) -> Option<Markup> {
    let changes = digest.changes().into_iter();
    let members: std::collections::HashSet<&str> = (table.weights(&digest.weights))
        .map(|weight| weight.raw_name.as_str())
        .collect();
    let rows: Vec<_> = changes
        .filter(|weight| members.contains(weight.raw_name.as_str()))
        .take(LISTED)
        .map(|weight| row(&weight.name, weight))
        .collect();
    let count = rows.len();
    (count > 0).then(|| folded(&format!("its {count} largest changes"), &COLUMNS, &rows))
}

/// The weights of one dimension.
fn line(slice: &Slice, digest: &Digest<'_>) -> Markup {
    let point = |cell: &Option<usize>| {
        let weight = cell.map(|number| &digest.weights[number]);
        weight.map_or_else(Point::default, |weight| Point {
            old: weight.before,
            new: weight.value,
            reach: weight.reach(),
        })
    };
    let points: Vec<Point> = slice.cells.iter().map(point).collect();
    let joined = slice.columns.iter().all(|name| name.parse::<u32>().is_ok());
    let order: Vec<usize> = (0..slice.cells.len()).collect();
    let plot = Plot {
        title: &format!(
            "{}: old and new values by index, with 95 % intervals",
            slice.title
        ),
        labels: &slice.columns,
        points: &points,
        joined,
        axis,
    };
    html! {
        figure {
            h4 { (slice.title) }
            (plot.draw())
            (numbers(&order, &slice.columns, slice, &digest.weights))
        }
    }
}

/// The weights that are no tables, in one list.
fn single(digest: &Digest<'_>) -> Markup {
    let singles = digest
        .tables
        .iter()
        .filter(|table| table.view == View::Single);
    let weights: Vec<_> = singles
        .flat_map(|table| table.weights(&digest.weights))
        .collect();
    let rows: Vec<Vec<Markup>> = (weights.iter().take(ROWS))
        .map(|weight| row(&weight.name, weight))
        .collect();
    html! {
        @if !rows.is_empty() {
            h3 id="single" { "Single weights" }
            (table(&COLUMNS, &rows))
            (left_out(weights.len(), "weights", "in the order of the record"))
        }
    }
}

/// All tables at a glance.
fn overview(digest: &Digest<'_>) -> Markup {
    let advised = Counts::of(&digest.weights).is_advised();
    let mut columns = vec!["table", "weights", "written differently"];
    if advised {
        columns.extend(["changed for sure", "keep", "unclear", "drop"]);
    }
    columns.push("largest change");
    let rows: Vec<Vec<Markup>> = (digest.tables.iter().take(ROWS))
        .map(|table| {
            let counts = table.counts(&digest.weights);
            let mut numbers = vec![counts.weights, counts.moved];
            if advised {
                numbers.extend([counts.changed, counts.keep, counts.unclear, counts.drop]);
            }
            let largest = table
                .largest(&digest.weights)
                .map_or_else(String::new, |weight| {
                    let change = weight.change().map_or_else(String::new, text::signed);
                    let rest = weight
                        .name
                        .strip_prefix(&table.name)
                        .unwrap_or(&weight.name);
                    format!("{rest} {change}")
                });
            let mut row = vec![cell(heading(table))];
            row.extend(numbers.iter().map(|number| cell(number.to_string())));
            row.push(cell(largest.trim()));
            row
        })
        .collect();
    html! {
        (table(&columns, &rows))
        (left_out(digest.tables.len(), "tables", "in the order of the record"))
    }
}
