//! Boards and grids: the same cells as they were, as they are, and their change.

use std::ops::Deref;
use std::rc::Rc;

use maud::{Markup, PreEscaped, html};

use super::picture::{class_of, difference_cell};
use super::{List, folded};
use crate::digest::{Slice, View, Weight, alike_named};
use crate::text;
use tuner_judge::WeightEstimate;

/// The names of rows and columns, and the cells as they are drawn.
struct Frame {
    columns: Vec<String>,
    rows: Vec<String>,
    /// The name and the weight of each cell, row by row.
    cells: Vec<(String, Option<Rc<Weight>>)>,
}

impl Frame {
    /// The frame of a slice by how it is drawn: a board, or else a grid.
    fn of(slice: &Slice, view: View) -> Self {
        match view {
            View::Board(files, ranks) => Self::board(slice, files, ranks),
            _ => Self::grid(slice),
        }
    }

    /// A board of so many files and ranks: of 8 ranks as in chess, with the first square at the
    /// lower left; of 9 in the order of the squares. Where the spec names the squares, files and
    /// ranks have their names; else a rank is called by the number of its first square, and a file
    /// by what is added to that.
    fn board(slice: &Slice, files: usize, ranks: usize) -> Self {
        let letter = |n: usize| char::from(b'a' + n as u8).to_string();
        let file = |file: usize| match &*slice.columns[0] {
            "a1" => letter(file),
            "9a" => (9 - file).to_string(),
            _ => format!("+{file}"),
        };
        let rank = |rank: usize| match &*slice.columns[0] {
            "a1" => (rank + 1).to_string(),
            "9a" => letter(rank),
            _ => (rank * files).to_string(),
        };
        // Ranks from the top of the picture.
        let from_top = |row: usize| if ranks == 8 { 7 - row } else { row };
        let squares = (0..files * ranks).map(|n| files * from_top(n / files) + n % files);
        Self {
            columns: (0..files).map(file).collect(),
            rows: (0..ranks).map(|row| rank(from_top(row))).collect(),
            cells: squares
                .map(|n| (slice.columns[n].clone(), slice.cells[n].clone()))
                .collect(),
        }
    }

    /// A grid under the names of its rows and columns.
    fn grid(slice: &Slice) -> Self {
        let (rows, columns) = (&slice.rows, &slice.columns);
        let names = rows.iter().flat_map(|row| {
            let name = move |column| format!("{row}, {column}");
            columns.iter().map(name)
        });
        Self {
            columns: columns.clone(),
            rows: rows.clone(),
            cells: names.zip(slice.cells.iter().cloned()).collect(),
        }
    }

    /// Draws the cells as a table under the heading `what`, each with the class, for its colour,
    /// and the text that `look` has for its weight. In the picture `new` cells also tell old and
    /// new value when they are pointed at; in the others of a slice they would only say it again.
    fn draw(&self, title: &str, what: &str, look: impl Fn(&Weight) -> (String, String)) -> Markup {
        // Rows whose names are longer than those of ranks have a wider first column.
        let named = self.rows.iter().any(|name| text::columns(name) > 2);
        html! {
            div.scroll {
                table.heat.named[named] aria-label=(format!("{title}, {what}")) {
                    caption { (what) }
                    tr { th {} @for column in &self.columns { th { (column) } } }
                    @for (row, cells) in self.rows.iter().zip(self.cells.chunks(self.columns.len().max(1))) {
                        tr {
                            th { (row) }
                            @for (_, weight) in cells {
                                @let (class, text) = weight.as_deref().map_or_else(nothing, &look);
                                @let told = weight.as_deref().filter(|_| what == "new").and_then(told);
                                (start(&class, told)) (text)
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The largest of some numbers by size, without its sign; 0 of none.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(f64::abs).fold(0.0, f64::max)
}

/// Returns the pictures of a board or a grid: old values, new values, the changes, and the changes
/// in standard errors where some are known; below them the numbers as a table. The darkest colour
/// is that of the largest number: of old and new values together, of changes, and of standard
/// errors from 4 on.
pub(super) fn heat(slice: &Slice, view: View) -> Markup {
    let frame = Frame::of(slice, view);
    let weights = || slice.weights();
    let values = weights().flat_map(|weight| [weight.stated.before, weight.stated.value]);
    let (most, most_change) = (largest(values), largest(weights().map(Weight::change)));
    let value = |weight: &Weight, value: f64| {
        // `f` is the class of a grey cell: of a weight that could not move.
        let class = if weight.is_fixed() {
            "f".to_owned()
        } else {
            class_of(value, most)
        };
        (class, text::number(value))
    };
    // A weight that could not move, and did not, has a grey cell.
    let change = |weight: &Weight| match weight.change() {
        change if !weight.is_fixed() || weight.has_moved() => {
            (class_of(change, most_change), text::signed(change))
        }
        _ => nothing(),
    };
    let errors = |weight: &Weight| match weight.written_in_errors() {
        Some(errors) => (difference_cell(errors), text::in_errors(errors)),
        None => nothing(),
    };
    let title = &slice.title;
    let mut pictures = vec![
        frame.draw(title, "old", |weight| value(weight, weight.stated.before)),
        frame.draw(title, "new", |weight| value(weight, weight.stated.value)),
        frame.draw(title, "change", change),
    ];
    if weights().any(|weight| weight.written_in_errors().is_some()) {
        let what = if weights().any(|weight| weight.contrast.is_some()) {
            "change from the mean, in s.e."
        } else {
            "change in standard errors"
        };
        pictures.push(frame.draw(title, what, errors));
    }
    html! {
        div.picture {
            h4 { (title) }
            (views(slice.columns.len(), view, pictures))
            (numbers(frame.cells))
        }
    }
}

/// Pictures next to each other, in the room that they need: `columns` is how many a grid has, of
/// which more than nine are wide; half a board is narrow.
fn views(columns: usize, view: View, pictures: impl IntoIterator<Item = Markup>) -> Markup {
    let wide = columns > 9 && view == View::Grid;
    let half = matches!(view, View::Board(files, ranks) if files < ranks);
    html! {
        div.views.wide[wide].half[half] {
            @for picture in pictures { (picture) }
        }
    }
}

/// Class and text of a cell without a number, which is grey and has a dot.
fn nothing() -> (String, String) {
    ("f".to_owned(), "·".to_owned())
}

/// What a cell tells on being pointed at: old and new with the 95 % interval, and the games; `None`
/// of a weight that could not move and did not.
fn told(weight: &Weight) -> Option<String> {
    let stated = &weight.stated;
    let is_told = !weight.is_fixed() || weight.has_moved();
    is_told.then(|| {
        let old = text::number(stated.before);
        let new = text::with_error(stated.value, weight.reach);
        format!("{old} → {new}, {} games", stated.games)
    })
}

/// The start of a cell, whose class is one of ours and whose title has no markup; HTML
/// implies its end.
fn start(class: &str, title: Option<String>) -> PreEscaped<String> {
    let class = match class {
        "" => String::new(),
        class => format!(" class={class}"),
    };
    let title = title.map_or_else(String::new, |title| format!(" title=\"{title}\""));
    PreEscaped(format!("<td{class}{title}>"))
}

/// Returns the numbers of a picture as a table behind a line that opens it, a row for each weight
/// that could move. Of weights with the same numbers only the first is there; nothing where no
/// weight could move. `cells`: the name and the weight of each cell.
pub(super) fn numbers(cells: impl IntoIterator<Item = (String, Option<Rc<Weight>>)>) -> Markup {
    let cells = cells.into_iter().filter_map(|(name, weight)| {
        let weight = weight?;
        let is_told = !weight.is_fixed() && !weight.is_repeated;
        is_told.then(|| (alike_named(&name, weight.alike), weight))
    });
    let cells: Vec<_> = cells.collect();
    if cells.is_empty() {
        return html! {};
    }
    let mut list = weights(&cells);
    if cells.iter().any(|(_, weight)| weight.contrast.is_some()) {
        let heading = "from the mean of the table, data alone ± s.e.";
        list = list.column(heading, |(_, weight)| {
            let contrast = weight.contrast.as_ref();
            contrast.map(|contrast| estimate(contrast.data))
        });
    }
    folded("as a table", list)
}

/// An estimate with its standard error.
pub(super) fn estimate(of: WeightEstimate) -> String {
    text::with_error(of.value, Some(of.standard_error))
}

/// A table of weights under their names: old, new, what the data say alone, and the change.
pub(super) fn weights<W: Deref<Target = Weight>>(named: &[(String, W)]) -> List<'_, (String, W)> {
    List::of(named)
        .column("weight", |(name, _)| name.clone())
        .column("old", |(_, weight)| text::number(weight.stated.before))
        .column("new ± s.e.", |(_, weight)| weight.written())
        .column("data alone ± s.e.", |(_, weight)| {
            weight.stated.data.map(estimate)
        })
        .column("change in s.e.", |(_, weight)| {
            let errors = weight.in_errors().map(text::in_errors);
            errors.unwrap_or_else(|| weight.stated.status.to_string())
        })
        .column("games", |(_, weight)| weight.stated.games)
}
