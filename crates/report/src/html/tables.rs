//! The tables of weights, each as it is read best.

use maud::{Markup, Render, html};

use super::heat::{heat, numbers, weights};
use super::plot::{Plot, Point};
use super::{List, ROWS, folded, left_out, legend};
use crate::digest::{Counts, Digest, Slice, Table, View, Weight};
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
        @if digest.has_errors() { (legend()) }
        p.note {
            @if digest.has_errors() {
                "Changes in standard errors are here those of what is written, with the prior taken as true; "
            "the tables below each picture have what the data say alone. "
            @if digest.weights.iter().any(|weight| weight.contrast.is_some()) {
                "Against the mean: where a table and something else stand for each other, such as the value of its piece, the data tell how entries differ better than what they are. "
            }
            }
            "Boards: blue above 0, orange below, the darkest the largest of the picture, or in dark pages the brightest; with 8 ranks the first square is at the lower left, as a1; with 9 at the upper left. Half the files: a mirrored board. "
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
        @for table in drawn.iter().filter(|table| table.has_moved) { (table.markup) }
        (lines(&drawn, true))
        (single(digest))
        @let unmoved = drawn.iter().filter(|table| !table.has_moved && table.is_drawn()).count();
        @if unmoved > 0 {
            details {
                summary { (text::counted(unmoved, "table")) " that are written as they were" }
                @for table in drawn.iter().filter(|table| !table.has_moved) { (table.markup) }
                (lines(&drawn, false))
            }
        }
    })
}

/// The lines of all tables that moved, or of those that did not: they are small,
/// so one follows another.
fn lines(drawn: &[Drawn], moved: bool) -> Markup {
    let lines = drawn.iter().filter(|table| table.has_moved == moved);
    let lines: Vec<&Markup> = lines.flat_map(|table| &table.lines).collect();
    html! {
        @if !lines.is_empty() {
            h3 { "Lines" }
            div.plots { @for line in lines { (line) } }
        }
    }
}

/// A table as it is drawn.
struct Drawn {
    /// Whether any of its weights is written as something else than before.
    has_moved: bool,
    /// Boards and grids under a heading.
    markup: Markup,
    lines: Vec<Markup>,
    /// Weights that are not drawn.
    missing: usize,
    /// Pictures of weights that could not move.
    fixed: usize,
}

impl Drawn {
    fn is_drawn(&self) -> bool {
        !self.markup.0.is_empty() || !self.lines.is_empty()
    }
}

fn drawn(digest: &Digest<'_>) -> Vec<Drawn> {
    let mut order: Vec<(f64, usize)> = (digest.tables.iter().enumerate())
        .map(|(number, table)| (table.rank(&digest.weights), number))
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut room = MOST_BYTES;
    let mut drawn: Vec<(usize, Drawn)> = order
        .into_iter()
        .map(|(_, number)| (number, draw(&digest.tables[number], digest, &mut room)))
        .collect();
    drawn.sort_by_key(|(number, _)| *number);
    drawn.into_iter().map(|(_, drawn)| drawn).collect()
}

/// Draws the pictures of a table for which there is room.
fn draw(table: &Table, digest: &Digest<'_>, room: &mut usize) -> Drawn {
    let mut drawn = Drawn {
        has_moved: table.largest(&digest.weights).is_some(),
        markup: html! {},
        lines: Vec::new(),
        missing: 0,
        fixed: 0,
    };
    let mut fits = |picture: &Markup| {
        let left = room.checked_sub(picture.0.len());
        *room = left.unwrap_or(*room);
        left.is_some()
    };
    if table.view == View::None {
        drawn.missing = table.members.len();
        let listed = listed(table, digest).filter(&mut fits);
        if let Some(listed) = listed {
            drawn.markup = html! { h3 { (heading(table)) } (listed) };
        }
    }
    let mut pictures = Vec::new();
    for slice in &table.slices {
        let (to, picture) = match table.view {
            View::Single | View::None => continue,
            _ if slice.is_fixed(&digest.weights) => {
                drawn.fixed += 1;
                continue;
            }
            View::Board(files, ranks) => {
                let board = Some((files, ranks));
                (&mut pictures, heat(slice, board, &digest.weights))
            }
            View::Grid => (&mut pictures, heat(slice, None, &digest.weights)),
            View::Line => (&mut drawn.lines, line(slice, digest)),
        };
        if fits(&picture) {
            to.push(picture);
        } else {
            drawn.missing += slice.cells.len();
        }
    }
    if !pictures.is_empty() {
        drawn.markup = html! { h3 { (heading(table)) } @for picture in &pictures { (picture) } };
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
    let mut changes: Vec<&Weight> = (table.weights(&digest.weights))
        .filter(|weight| weight.has_moved() && !weight.is_repeated)
        .collect();
    changes.sort_by(|a, b| b.rank().total_cmp(&a.rank()));
    let changes = changes.into_iter().take(LISTED);
    let named: Vec<_> = changes.map(|weight| (weight.label(), weight)).collect();
    let title = format!("its {} most significant changes", named.len());
    (!named.is_empty()).then(|| folded(&title, weights(&named)))
}

/// The weights of one dimension.
fn line(slice: &Slice, digest: &Digest<'_>) -> Markup {
    let cells = slice.cells.iter().zip(&slice.columns);
    let points = cells.map(|(cell, label)| {
        let weight = cell.map(|number| &digest.weights[number]);
        let value = weight.map(|weight| weight.stated.value);
        Point::new(label.clone(), value, weight.and_then(Weight::reach))
            .and_before(weight.map(|weight| weight.stated.before))
    });
    let order: Vec<usize> = (0..slice.cells.len()).collect();
    let title = format!(
        "{}: old and new values by index, with 95 % intervals",
        slice.title
    );
    let joined = slice.columns.iter().all(|name| name.parse::<u32>().is_ok());
    let plot = Plot::line(title, points).joined(joined);
    html! {
        figure {
            h4 { (slice.title) }
            (plot.draw())
            (numbers(&order, &slice.columns, slice, &digest.weights))
        }
    }
}

/// The weights that are not tables, in one list.
fn single(digest: &Digest<'_>) -> Markup {
    let singles = digest
        .tables
        .iter()
        .filter(|table| table.view == View::Single);
    let named: Vec<_> = singles
        .flat_map(|table| table.weights(&digest.weights))
        .map(|weight| (weight.name.clone(), weight))
        .collect();
    html! {
        @if !named.is_empty() {
            h3 id="single" { "Single weights" }
            (weights(&named[..named.len().min(ROWS)]))
            (left_out(named.len(), "weights"))
        }
    }
}

/// All tables at a glance.
pub(super) fn overview(digest: &Digest<'_>) -> Markup {
    let advised = Counts::of(&digest.weights).is_advised();
    let tables: Vec<(&Table, Counts)> = (digest.tables.iter())
        .map(|table| (table, table.counts(&digest.weights)))
        .collect();
    let mut list = List::first_of(&tables, "tables")
        .column("table", |(table, _)| heading(table))
        .column("weights", |(_, counts)| counts.weights)
        .column("written differently", |(_, counts)| counts.moved);
    if advised {
        list = list
            .column("changed for sure", |(_, counts)| counts.changed)
            .column("keep", |(_, counts)| counts.keep)
            .column("unclear", |(_, counts)| counts.unclear)
            .column("drop", |(_, counts)| counts.drop);
    }
    let list = list.column("largest change", |(table, _)| {
        let largest = table.largest_in_words(&digest.weights);
        largest.unwrap_or_default()
    });
    list.render()
}
