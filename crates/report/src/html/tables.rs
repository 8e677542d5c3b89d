//! The tables of weights, each as it is read best.

use std::rc::Rc;

use maud::{Markup, Render, html};

use super::heat::{heat, numbers, weights};
use super::plot::{Plot, Point};
use super::{List, ROWS, folded, left_out, legend};
use crate::digest::{Digest, Slice, Table, View, counts, ranked};
use crate::text;
use tuner_judge::StatementCounts;

/// Most bytes of all pictures together, so that the page stays below 2 MB.
const MOST_BYTES: usize = 1_200_000;

/// How many changes are listed of a table that is not drawn.
const LISTED: usize = 10;

/// The tables, in the order of the record, those of which a weight moved first, and the others
/// behind a line that opens them; `None` without weights. Where there are too many pictures, those
/// are drawn whose weights changed most.
pub(super) fn all(digest: &Digest) -> Option<Markup> {
    if digest.weights.is_empty() {
        return None;
    }
    // Tables are drawn by their changes, while there is room, and shown in their order.
    let mut order: Vec<(usize, &Table)> = digest.tables.iter().enumerate().collect();
    order.sort_by(|a, b| b.1.rank().total_cmp(&a.1.rank()));
    let mut room = MOST_BYTES;
    let drawn = order.into_iter();
    let drawn = drawn.map(|(number, table)| (number, DrawnTable::new(table, &mut room)));
    let mut drawn: Vec<(usize, DrawnTable<'_>)> = drawn.collect();
    drawn.sort_by_key(|(number, _)| *number);
    let drawn: Vec<DrawnTable<'_>> = drawn.into_iter().map(|(_, drawn)| drawn).collect();
    let missing: usize = drawn.iter().map(|table| table.missing).sum();
    let fixed: usize = drawn.iter().map(|table| table.fixed).sum();
    Some(html! {
        @if drawn.iter().any(DrawnTable::is_drawn) { (how_to_read(digest)) }
        @if missing > 0 {
            p.note { (text::counted(missing, "weight")) " are not drawn, as a page cannot hold more: "
                "those in tables that changed least, of over-long tables, or whose names form no table. Their numbers are in summary.json." }
        }
        @if fixed > 0 {
            p.note { (text::counted(fixed, "picture")) " left out, of weights that could not move: frozen, unseen or separated." }
        }
        // `true`: of tables of which a weight moved.
        (pictures(&drawn, true))
        (single(digest))
        @let unmoved = drawn.iter().filter(|table| !table.has_moved && table.is_drawn()).count();
        @if unmoved > 0 {
            details {
                summary { (text::counted(unmoved, "table")) " that are written as they were" }
                // `false`: of all other tables.
                (pictures(&drawn, false))
            }
        }
    })
}

/// What the colours and lines of pictures mean.
fn how_to_read(digest: &Digest) -> Markup {
    html! {
        @if digest.has_errors() { (legend()) }
        p.note {
            @if digest.has_errors() {
                "Changes in standard errors are here those of what is written, with the prior taken as true; "
            "the tables below each picture have what the data say alone. "
            @if digest.weights.iter().any(|weight| weight.contrast.is_some()) {
                "Against the mean: where a table and something else stand for each other, such as the value of its piece, the data tell how entries differ better than what they are. "
            }
            }
            "Boards: blue above 0, orange below, the darkest the largest of the picture, or in dark pages the brightest; with 8 ranks the first square is at the lower left, as a1; with 9 at the upper left. Half the files: a mirrored board. Numbers in place of files and ranks: nothing says which square is the first; `[names]` of the spec does, `square = \"a8\"` or \"a1\", with \"square\" for 64 in each shape (`tuner spec init -o engine.toml` writes the spec of an evaluator). "
            "Lines: " span.good { "blue as it is written" } ", with the band of its 95 % interval, "
            span.bad { "dashed orange as it was" } ". Grey: not fitted."
        }
    }
}

/// Returns the pictures of all tables of which a weight moved if `moved`, else of those of which no
/// weight did. Lines are small, so they are shown together behind boards and grids.
fn pictures(drawn: &[DrawnTable<'_>], moved: bool) -> Markup {
    let drawn = || drawn.iter().filter(|table| table.has_moved == moved);
    let lines: Vec<&Markup> = drawn().flat_map(|table| &table.lines).collect();
    html! {
        @for of in drawn().filter(|of| !of.pictures.is_empty()) {
            details.fold {
                summary { h3 { (heading(of.table)) } " " (changed(of.table)) }
                @for picture in &of.pictures { (picture) }
            }
        }
        @if !lines.is_empty() {
            details.fold {
                summary { h3 { "Lines" } " " (text::counted(lines.len(), "table")) " of one dimension" }
                div.plots { @for line in lines { (line) } }
            }
        }
    }
}

/// A table as it is drawn.
struct DrawnTable<'a> {
    table: &'a Table,
    /// Whether any of its weights is written as something else than before.
    has_moved: bool,
    /// Boards, grids, or the list of a table of another form.
    pictures: Vec<Markup>,
    lines: Vec<Markup>,
    /// Weights that are not drawn.
    missing: usize,
    /// Pictures of weights that could not move.
    fixed: usize,
}

impl<'a> DrawnTable<'a> {
    /// Draws the pictures for which there is room. `room`: bytes that are left on the page, of
    /// which each picture takes its own; weights of a picture that does not fit count as missing.
    fn new(table: &'a Table, room: &mut usize) -> Self {
        let mut drawn = Self {
            table,
            has_moved: table.moved().next().is_some(),
            pictures: Vec::new(),
            lines: Vec::new(),
            missing: 0,
            fixed: 0,
        };
        // Whether there is room for a picture, which then takes it.
        let mut fits = |picture: &Markup| {
            let left = room.checked_sub(picture.0.len());
            *room = left.unwrap_or(*room);
            left.is_some()
        };
        // A table that is not drawn has the list of its largest changes instead.
        if table.view == View::None {
            drawn.missing = table.members.len();
            drawn.pictures.extend(listed(table).filter(&mut fits));
        }
        // Single weights are in a list of their own on the page.
        let is_picture = !matches!(table.view, View::Single | View::None);
        for slice in table.slices.iter().filter(|_| is_picture) {
            if slice.is_fixed() {
                drawn.fixed += 1;
                continue;
            }
            let (to, picture) = match table.view {
                View::Line => (&mut drawn.lines, line(slice)),
                view => (&mut drawn.pictures, heat(slice, view)),
            };
            if fits(&picture) {
                to.push(picture);
            } else {
                drawn.missing += slice.cells.len();
            }
        }
        drawn
    }

    /// Tells whether there is a picture or a list of the table.
    fn is_drawn(&self) -> bool {
        !self.pictures.is_empty() || !self.lines.is_empty()
    }
}

/// The name of a table with the lengths of its dimensions: `PST[6][64]`.
fn heading(table: &Table) -> String {
    let dims = table.dims.iter().map(|dim| format!("[{}]", dim.len()));
    format!("{}{}", table.name, dims.collect::<String>())
}

/// How many weights of a table are written differently, and the largest change.
fn changed(table: &Table) -> Markup {
    let (moved, largest) = (table.moved().count(), table.largest_change());
    html! {
        (moved) " of " (table.members.len()) " changed"
        @if let Some(largest) = largest { ", most " (largest) }
    }
}

/// The largest changes of a table that is not drawn, behind a line that opens them; `None` where
/// nothing changed.
fn listed(table: &Table) -> Option<Markup> {
    let changes = ranked(table.moved()).into_iter().take(LISTED);
    let named: Vec<_> = changes.map(|weight| (weight.label(), weight)).collect();
    let title = format!("its {} most significant changes", named.len());
    (!named.is_empty()).then(|| folded(&title, weights(&named)))
}

/// The picture and the table of the weights of one dimension. Lines join its points where the
/// indices are numbers.
fn line(slice: &Slice) -> Markup {
    let cells = slice.cells.iter().zip(&slice.columns);
    let points = cells.map(|(weight, label)| {
        let weight = weight.as_ref();
        let value = weight.map(|weight| weight.stated.value);
        let reach = weight.and_then(|weight| weight.reach);
        let before = weight.map(|weight| weight.stated.before);
        Point::new(label.clone(), value, reach).and_before(before)
    });
    let title = &slice.title;
    let shown = format!("{title}: old and new values by index, with 95 % intervals");
    let joined = slice.columns.iter().all(|name| name.parse::<u32>().is_ok());
    let plot = Plot::line(shown, points).joined(joined);
    let names = slice.columns.iter().cloned();
    html! {
        figure {
            h4 { (title) }
            (plot.draw())
            (numbers(names.zip(slice.cells.iter().cloned())))
        }
    }
}

/// The weights that are not tables, in one list.
fn single(digest: &Digest) -> Markup {
    let singles = (digest.tables.iter()).filter(|table| table.view == View::Single);
    let weights_of = singles.flat_map(|table| &table.members);
    let named = weights_of.map(|weight| (weight.name.clone(), Rc::clone(weight)));
    let named: Vec<_> = named.collect();
    html! {
        @if !named.is_empty() {
            h3 id="single" { "Single weights" }
            (weights(&named[..named.len().min(ROWS)]))
            (left_out(named.len(), "weights"))
        }
    }
}

/// All tables at a glance: how many of their weights changed, and, where the judge advises, how
/// many to keep or to drop.
pub(super) fn overview(digest: &Digest) -> Markup {
    let tables: Vec<(&Table, StatementCounts)> = (digest.tables.iter())
        .map(|table| (table, counts(&table.members)))
        .collect();
    let mut list = List::first_of(&tables, "tables")
        .column("table", |(table, _)| heading(table))
        .column("weights", |(table, _)| table.members.len())
        .column("written differently", |(table, _)| table.moved().count());
    if counts(&digest.weights).are_advised() {
        list = list
            .column("changed for sure", |(_, counts)| counts.changed)
            .column("keep", |(_, counts)| counts.keep)
            .column("unclear", |(_, counts)| counts.unclear)
            .column("drop", |(_, counts)| counts.drop);
    }
    let list = list.column("largest change", |(table, _)| {
        table.largest_change().unwrap_or_default()
    });
    list.render()
}
