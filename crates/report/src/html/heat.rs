//! Boards and grids: the same cells as they were, as they are, and their change.

use maud::{Markup, PreEscaped, html};

use super::picture::{class_of, difference_cell};
use super::{List, folded};
use crate::digest::{Slice, Weight, alike_named};
use crate::text;
use tuner_judge::WeightEstimate;

/// The names of rows and columns, and where the cells are from.
struct Frame {
    columns: Vec<String>,
    rows: Vec<String>,
    /// Cells by their numbers, row by row as they are drawn.
    order: Vec<usize>,
    /// The name of each cell, by its number.
    names: Vec<String>,
}

impl Frame {
    /// A board of so many files and ranks, or a grid.
    fn of(slice: &Slice, board: Option<(usize, usize)>) -> Self {
        let grid = || Self::grid(slice);
        board.map_or_else(grid, |(files, ranks)| Self::board(files, ranks))
    }

    /// A board of so many files and ranks: of 8 ranks as in chess, with the first
    /// square at the lower left; of 9 in the order of the squares. Only whole boards
    /// of chess have files of known names.
    fn board(files: usize, ranks: usize) -> Self {
        let size = files * ranks;
        let chess = ranks == 8;
        let file = |file: usize| match files {
            8 => char::from(b'a' + file as u8).to_string(),
            _ => format!("+{file}"),
        };
        let rank = |rank: usize| match files {
            8 => (rank + 1).to_string(),
            _ => (rank * files).to_string(),
        };
        let name = |square: usize| match files {
            8 => file(square % 8) + &rank(square / 8),
            _ => square.to_string(),
        };
        // Ranks from the top of the picture.
        let from_top = |row: usize| if chess { ranks - 1 - row } else { row };
        Self {
            columns: (0..files).map(file).collect(),
            rows: (0..ranks).map(|row| rank(from_top(row))).collect(),
            order: (0..size)
                .map(|n| files * from_top(n / files) + n % files)
                .collect(),
            names: (0..size).map(name).collect(),
        }
    }

    fn grid(slice: &Slice) -> Self {
        let columns = &slice.columns;
        let cells = slice.rows.iter().flat_map(|row| {
            let name = move |column| format!("{row}, {column}");
            columns.iter().map(name)
        });
        Self {
            columns: columns.clone(),
            rows: slice.rows.clone(),
            order: (0..slice.cells.len()).collect(),
            names: cells.collect(),
        }
    }
}

/// One cell as it is drawn: its class and its text.
type Look<'a> = &'a dyn Fn(&Weight) -> (String, String);

/// The largest numbers of a picture: of values, old and new, and of changes.
#[derive(Clone, Copy)]
struct Scale {
    values: f64,
    changes: f64,
}

impl Scale {
    fn of<'a>(weights: impl Iterator<Item = &'a Weight> + Clone) -> Self {
        let values = weights.clone().map(|weight| &weight.stated);
        let values = values.flat_map(|stated| [stated.before, stated.value]);
        Self {
            values: values.map(f64::abs).fold(0.0, f64::max),
            changes: weights.map(|w| w.change().abs()).fold(0.0, f64::max),
        }
    }
}

/// The pictures of a board, its files and ranks given, or of a grid.
pub(super) fn heat(slice: &Slice, board: Option<(usize, usize)>, all: &[Weight]) -> Markup {
    let scale = Scale::of(slice.weights(all));
    let frame = Frame::of(slice, board);
    let value = |weight: &Weight, value: f64| {
        let class = if weight.is_fixed() {
            "f".to_owned()
        } else {
            class_of(value, scale.values)
        };
        (class, text::number(value))
    };
    let change = |weight: &Weight| match weight.change() {
        change if !weight.is_fixed() || weight.has_moved() => {
            (class_of(change, scale.changes), text::signed(change))
        }
        _ => nothing(),
    };
    let errors = |weight: &Weight| match weight.written_in_errors() {
        Some(errors) => (difference_cell(errors), text::in_errors(errors)),
        None => nothing(),
    };
    let mut cells = slice.weights(all);
    let have_errors = (cells.clone()).any(|weight| weight.written_in_errors().is_some());
    let what = if cells.any(|weight| weight.contrast.is_some()) {
        "change from the mean, in s.e."
    } else {
        "change in standard errors"
    };
    let old = |weight: &Weight| value(weight, weight.stated.before);
    let new = |weight: &Weight| value(weight, weight.stated.value);
    let looks: [(&str, Look<'_>); 4] = [
        ("old", &old),
        ("new", &new),
        ("change", &change),
        (what, &errors),
    ];
    let shown = &looks[..if have_errors { 4 } else { 3 }];
    let pictures = (shown.iter()).map(|(what, look)| picture(what, slice, &frame, all, look));
    html! {
        h4 { (slice.title) }
        (views(slice.columns.len(), board, pictures))
        (numbers(&frame.order, &frame.names, slice, all))
    }
}

/// The values of boards or grids next to each other, without a fit.
pub(crate) fn values(slices: &[Slice], board: Option<(usize, usize)>, all: &[Weight]) -> Markup {
    let columns = slices.iter().map(|slice| slice.columns.len()).max();
    let pictures = slices.iter().map(|slice| {
        let scale = Scale::of(slice.weights(all));
        let value = |weight: &Weight| {
            let value = weight.stated.value;
            (class_of(value, scale.values), text::number(value))
        };
        picture(&slice.title, slice, &Frame::of(slice, board), all, &value)
    });
    views(columns.unwrap_or(0), board, pictures)
}

/// Pictures next to each other.
fn views(
    columns: usize,
    board: Option<(usize, usize)>,
    pictures: impl Iterator<Item = Markup>,
) -> Markup {
    let wide = columns > 9 && board.is_none();
    let half = board.is_some_and(|(files, ranks)| files < ranks);
    html! {
        div.views.wide[wide].half[half] {
            @for picture in pictures { (picture) }
        }
    }
}

fn nothing() -> (String, String) {
    ("f".to_owned(), "·".to_owned())
}

fn picture(what: &str, slice: &Slice, frame: &Frame, all: &[Weight], look: Look<'_>) -> Markup {
    let width = frame.columns.len().max(1);
    let named = frame.rows.iter().any(|name| text::columns(name) > 2);
    html! {
        div.scroll {
            table.heat.named[named] aria-label=(format!("{}, {what}", slice.title)) {
                caption { (what) }
                tr { th {} @for column in &frame.columns { th { (column) } } }
                @for (row, cells) in frame.rows.iter().zip(frame.order.chunks(width)) {
                    tr {
                        th { (row) }
                        @for &number in cells {
                            @let (class, words) = slice.cells[number].map_or_else(nothing, |n| look(&all[n]));
                            (start(&class)) (words)
                        }
                    }
                }
            }
        }
    }
}

/// The start of a cell, whose class is one of ours; HTML implies its end.
fn start(class: &str) -> PreEscaped<String> {
    PreEscaped(match class {
        "" => "<td>".to_owned(),
        class => format!("<td class={class}>"),
    })
}

/// The numbers of a picture, a row a weight that could move; of those that are
/// alike the first.
pub(super) fn numbers(order: &[usize], names: &[String], slice: &Slice, all: &[Weight]) -> Markup {
    let cells = order.iter().filter_map(|&number| {
        let weight = &all[slice.cells[number]?];
        let is_told = !weight.is_fixed() && !weight.is_repeated;
        is_told.then(|| (alike_named(&names[number], weight.alike), weight))
    });
    let cells: Vec<_> = cells.collect();
    if cells.is_empty() {
        return html! {};
    }
    let mut list = weights(&cells);
    if cells.iter().any(|(_, weight)| weight.contrast.is_some()) {
        list = list.column(
            "from the mean of the table, data alone ± s.e.",
            |(_, weight)| {
                let contrast = weight.contrast.as_ref();
                contrast.map(|contrast| estimate(contrast.data))
            },
        );
    }
    folded(&format!("{} as a table", slice.title), list)
}

/// An estimate with its standard error.
pub(super) fn estimate(of: WeightEstimate) -> String {
    text::with_error(of.value, Some(of.standard_error))
}

/// A list of weights under their names.
pub(super) fn weights<'a>(named: &'a [(String, &'a Weight)]) -> List<'a, (String, &'a Weight)> {
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
