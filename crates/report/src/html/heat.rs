//! Boards and grids: the same cells as they were, as they are, and their change.

use maud::{Markup, PreEscaped, html};

use super::picture::{class_of, difference_cell};
use super::{cell, folded};
use crate::digest::{Slice, Weight};
use crate::text;

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
    fn of<'a>(weights: impl Iterator<Item = &'a Weight>) -> Self {
        let mut scale = Self {
            values: 0.0,
            changes: 0.0,
        };
        for weight in weights {
            let values = [weight.before, weight.value].into_iter().flatten();
            scale.values = values.map(f64::abs).fold(scale.values, f64::max);
            let change = weight.change().map_or(0.0, f64::abs);
            scale.changes = scale.changes.max(change);
        }
        scale
    }
}

/// The pictures of a board, its files and ranks given, or of a grid.
pub(super) fn heat(slice: &Slice, board: Option<(usize, usize)>, all: &[Weight]) -> Markup {
    let scale = Scale::of(slice.cells.iter().flatten().map(|&number| &all[number]));
    let grid = || Frame::grid(slice);
    let frame = board.map_or_else(grid, |(files, ranks)| Frame::board(files, ranks));
    let value = |weight: &Weight, value: Option<f64>| {
        let class = match value {
            Some(value) if !weight.is_fixed() => class_of(value, scale.values),
            _ => "f".to_owned(),
        };
        (class, text::maybe(value))
    };
    let change = |weight: &Weight| match weight.change() {
        Some(change) if !weight.is_fixed() || change.abs() > 0.0 => {
            (class_of(change, scale.changes), text::signed(change))
        }
        _ => nothing(),
    };
    let errors = |weight: &Weight| match weight.written_in_errors() {
        Some(errors) => (difference_cell(errors), text::in_errors(errors)),
        None => nothing(),
    };
    let cells = || slice.cells.iter().flatten().map(|&number| &all[number]);
    let have_before = cells().any(|weight| weight.before.is_some());
    let have_errors = cells().any(|weight| weight.written_in_errors().is_some());
    let have_contrasts = cells().any(|weight| weight.contrast.is_some());
    let wide = slice.columns.len() > 9 && board.is_none();
    let half = board.is_some_and(|(files, ranks)| files < ranks);
    html! {
        h4 { (slice.title) }
        div.views.wide[wide].half[half] {
            @if have_before {
                (picture("old", slice, &frame, all, &|weight| value(weight, weight.before)))
            }
            (picture("new", slice, &frame, all, &|weight| value(weight, weight.value)))
            @if have_before { (picture("change", slice, &frame, all, &change)) }
            @if have_errors {
                @let what = if have_contrasts {
                    "change from the mean, in s.e."
                } else {
                    "change in standard errors"
                };
                (picture(what, slice, &frame, all, &errors))
            }
        }
        (numbers(&frame.order, &frame.names, slice, all))
    }
}

/// The values of boards or grids next to each other, without a fit.
pub(crate) fn values(slices: &[Slice], board: Option<(usize, usize)>, all: &[Weight]) -> Markup {
    let columns = slices.iter().map(|slice| slice.columns.len()).max();
    let wide = columns.is_some_and(|columns| columns > 9) && board.is_none();
    let half = board.is_some_and(|(files, ranks)| files < ranks);
    html! {
        div.views.wide[wide].half[half] {
            @for slice in slices { (values_of(slice, board, all)) }
        }
    }
}

fn values_of(slice: &Slice, board: Option<(usize, usize)>, all: &[Weight]) -> Markup {
    let scale = Scale::of(slice.cells.iter().flatten().map(|&number| &all[number]));
    let grid = || Frame::grid(slice);
    let frame = board.map_or_else(grid, |(files, ranks)| Frame::board(files, ranks));
    let value = |weight: &Weight| {
        let class = weight
            .value
            .map_or_else(|| "f".to_owned(), |v| class_of(v, scale.values));
        (class, text::maybe(weight.value))
    };
    picture(&slice.title, slice, &frame, all, &value)
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
        Some((names[number].as_str(), weight))
    });
    let told = |weight: &Weight| !weight.is_fixed() && !weight.is_repeated;
    let cells: Vec<_> = cells.filter(|(_, weight)| told(weight)).collect();
    if cells.is_empty() {
        return html! {};
    }
    let mut columns = COLUMNS.to_vec();
    let have_contrasts = cells.iter().any(|(_, weight)| weight.contrast.is_some());
    if have_contrasts {
        columns.push("from the mean of the table, data alone ± s.e.");
    }
    let rows: Vec<_> = (cells.iter())
        .map(|(name, weight)| {
            let mut row = match weight.alike {
                0 => row(name, weight),
                alike => row(&format!("{name} (+{alike} alike)"), weight),
            };
            if have_contrasts {
                let data = weight.contrast.as_ref().and_then(|contrast| contrast.data);
                let words = data.map(|(value, error)| with_error(Some(value), Some(error)));
                row.push(cell(words.unwrap_or_else(|| "–".to_owned())));
            }
            row
        })
        .collect();
    folded(&format!("{} as a table", slice.title), &columns, &rows)
}

fn with_error(value: Option<f64>, error: Option<f64>) -> String {
    match error {
        Some(error) => format!("{} ± {}", text::maybe(value), text::number(error)),
        None => text::maybe(value),
    }
}

/// The columns of [`row`].
pub(super) const COLUMNS: [&str; 6] = [
    "weight",
    "old",
    "new ± s.e.",
    "data alone ± s.e.",
    "change in s.e.",
    "games",
];

/// A weight in a table.
pub(super) fn row(name: &str, weight: &Weight) -> Vec<Markup> {
    let (data, data_error) = weight.data.unzip();
    let errors = weight.in_errors().map_or_else(
        || crate::words::word(weight.status).to_owned(),
        text::in_errors,
    );
    let games = weight.games;
    vec![
        cell(name),
        cell(text::maybe(weight.before)),
        cell(with_error(weight.value, weight.standard_error)),
        cell(with_error(data, data_error)),
        cell(errors),
        cell(games.map_or_else(|| "–".to_owned(), |games| games.to_string())),
    ]
}
