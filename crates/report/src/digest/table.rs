//! Weights by parameter, and how a parameter's are drawn.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::Weight;
use super::path::WeightPath;
use crate::text;

/// Longest side of a grid, and most columns of a picture of cells. Chosen: cells
/// of 32 columns are still read on a screen.
const GRID_SIDE: usize = 32;

/// Most points of one line. Chosen: at more, points of a picture of 360 pixels
/// run into each other.
const LINE_POINTS: usize = 180;

/// How the weights of one slice are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// A single number, in a list of others.
    Single,
    /// Squares of a board of so many files and ranks; of a mirrored one half the
    /// files.
    Board(usize, usize),
    /// Rows and columns.
    Grid,
    /// One after another.
    Line,
    /// Not at all: too many, or their names do not form a table.
    None,
}

/// The weights of one parameter.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its name, fit to be shown.
    pub name: String,
    /// Names of indices by dimension.
    pub dims: Vec<Vec<String>>,
    pub view: View,
    pub members: Vec<Rc<Weight>>,
    /// The pictures that it is drawn as.
    pub slices: Vec<Slice>,
}

/// What is drawn as one: a board, a grid, or a line of one phase.
#[derive(Debug)]
pub(crate) struct Slice {
    /// Its name: `PST[knight] mg`.
    pub title: String,
    /// The names of rows; empty where there is one.
    pub rows: Vec<String>,
    /// The names of columns.
    pub columns: Vec<String>,
    /// Weights, row by row.
    pub cells: Vec<Option<Rc<Weight>>>,
}

impl Table {
    /// Returns the tables of some weights, one for each parameter, in the order of their first
    /// weights.
    pub(crate) fn all(weights: &[Rc<Weight>]) -> Vec<Self> {
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut members: Vec<(&str, Vec<Rc<Weight>>)> = Vec::new();
        for weight in weights {
            let parameter = &*weight.path.parameter;
            let number = *numbers.entry(parameter).or_insert_with(|| {
                members.push((parameter, Vec::new()));
                members.len() - 1
            });
            members[number].1.push(Rc::clone(weight));
        }
        let new = |(name, members): &(&str, Vec<Rc<Weight>>)| Self::new(name, members);
        members.iter().map(new).collect()
    }

    /// Returns the weights that are written with another value than before.
    pub(crate) fn moved(&self) -> impl Iterator<Item = &Weight> {
        let members = self.members.iter().map(|weight| &**weight);
        members.filter(|weight| weight.has_moved())
    }

    /// Returns the entry that changed by most as it is written, without the name of the table, and
    /// its change: `[3].mg +12`. Of several that changed by as much it is the first; `None` where
    /// no entry changed.
    pub(crate) fn largest_change(&self) -> Option<String> {
        let size = |weight: &Weight| weight.change().abs();
        // Of equal ones the first.
        let larger = |most, next| if size(next) > size(most) { next } else { most };
        let weight = self.moved().reduce(larger)?;
        // A long name is cut to be shown, and may be cut within that of the table.
        let entry = weight.name.strip_prefix(&self.name).unwrap_or(&weight.name);
        let change = text::signed(weight.change());
        let entry = format!("{} {change}", entry.trim_start_matches('.'));
        Some(entry.trim_start().to_owned())
    }

    /// Returns how significant the table's most significant change is, a number by which tables are
    /// ordered: 1 plus the size of the change in standard errors or, where these are not known, a
    /// number below 1 that grows with the change. 0 where nothing changed.
    pub(crate) fn rank(&self) -> f64 {
        self.moved().map(Weight::rank).fold(0.0, f64::max)
    }

    /// Makes the table that the weights of one parameter form by their indices and phases. It is
    /// not drawn, and has no slices, where names have different numbers of indices, or where an
    /// entry is missing or there twice.
    fn new(name: &str, members: &[Rc<Weight>]) -> Self {
        let mut table = Self {
            name: text::name(name),
            dims: Vec::new(),
            view: View::None,
            members: members.to_vec(),
            slices: Vec::new(),
        };
        let paths: Vec<&WeightPath> = members.iter().map(|weight| &weight.path).collect();
        // A parameter has a weight at least, as its weights make it.
        let depth = paths[0].indices.len();
        if paths.iter().any(|path| path.indices.len() != depth) {
            return table;
        }
        let (dims, places) = dimensions(&paths, depth);
        // Without phases there is one, without a name; else `mg` comes before `eg`.
        let mut phases: Vec<&str> = paths.iter().map(|path| path.phase).collect();
        phases.sort_unstable_by_key(|phase| (*phase == "eg", *phase));
        phases.dedup();
        // A table has an entry for each combination of names and phases.
        let size = (dims.iter()).try_fold(phases.len(), |size, dim| size.checked_mul(dim.len()));
        if size != Some(members.len()) {
            return table;
        }
        let shape = Shape::of(&dims);
        let place = |dim: usize, path: &WeightPath| places[dim][&*path.indices[dim]];
        let slices = shape.slices(&dims, &phases, members, place);
        if let Some(slices) = slices {
            table.view = shape.view;
            table.slices = slices;
        }
        let names = |dim: Vec<&str>| dim.into_iter().map(text::name).collect();
        table.dims = dims.into_iter().map(names).collect();
        table
    }
}

/// Returns, for each of the dimensions of a table, the names of its indices, and the number of each
/// name among them. `paths`: the names of the table's weights, all of which have `depth` indices.
/// Names are in the order of their first weights, those of the squares of a board in the order in
/// which it is drawn, whichever order the engine has.
fn dimensions<'p>(
    paths: &[&'p WeightPath],
    depth: usize,
) -> (Vec<Vec<&'p str>>, Vec<HashMap<&'p str, usize>>) {
    let mut dims: Vec<Vec<&'p str>> = vec![Vec::new(); depth];
    let mut places: Vec<HashMap<&'p str, usize>> = vec![HashMap::new(); depth];
    let paths = paths.iter().copied();
    for (dim, index) in paths.flat_map(|path| path.indices.iter().enumerate()) {
        let next = dims[dim].len();
        if *places[dim].entry(index).or_insert(next) == next {
            dims[dim].push(index);
        }
    }
    for (dim, places) in dims.iter_mut().zip(&mut places) {
        if is_named_board(dim) {
            dim.sort_unstable_by_key(|name| square(name));
            *places = dim.iter().copied().zip(0..).collect();
        }
    }
    (dims, places)
}

/// The number of a square by its name, rank by rank: of chess from a1 on, of shogi from 9a. `None`
/// for any other name.
fn square(name: &str) -> Option<usize> {
    match *name.as_bytes() {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            Some(usize::from(rank - b'1') * 8 + usize::from(file - b'a'))
        }
        [file @ b'1'..=b'9', rank @ b'a'..=b'i'] => {
            Some(usize::from(rank - b'a') * 9 + usize::from(b'9' - file))
        }
        _ => None,
    }
}

/// Tells whether names, which differ, are those of all squares of chess or of shogi.
fn is_named_board(names: &[&str]) -> bool {
    matches!(names.len(), 64 | 81) && names.iter().all(|name| square(name).is_some())
}

/// Which dimensions are rows and columns, and how they are drawn.
struct Shape {
    view: View,
    /// The numbers of the dimensions that are rows and columns; `None` where there are no rows, or
    /// no columns.
    rows: Option<usize>,
    columns: Option<usize>,
}

impl Shape {
    /// Chooses by the names of the indices along each dimension, `dims`: the last dimension that
    /// has the length and the names of a board is drawn as one (half a board where it is mirrored;
    /// its names are those of squares, or 0, 1 and so on), else the last two as a grid if they are
    /// short, else the last as a line, unless it is too long.
    fn of(dims: &[Vec<&str>]) -> Self {
        let counted = |dim: &[&str]| {
            let mut numbered = dim.iter().enumerate();
            numbered.all(|(n, name)| *name == n.to_string())
        };
        // Chess, shogi, and the halves of both, by files and ranks.
        let board = |dim: &[&str]| match dim.len() {
            64 => Some(View::Board(8, 8)),
            81 => Some(View::Board(9, 9)),
            32 => Some(View::Board(4, 8)),
            45 => Some(View::Board(5, 9)),
            _ => None,
        };
        let is_board = |dim: &[&str]| counted(dim) || is_named_board(dim);
        let mut boards = (0..dims.len()).filter_map(|dim| Some((dim, board(&dims[dim])?)));
        let last = dims.len().checked_sub(1);
        let (view, rows, columns) = match boards.rfind(|(dim, _)| is_board(&dims[*dim])) {
            Some((dim, view)) => (view, None, Some(dim)),
            None => match dims {
                [] => (View::Single, None, None),
                [.., rows, columns] if rows.len().max(columns.len()) <= GRID_SIDE => {
                    (View::Grid, last.map(|last| last - 1), last)
                }
                [.., columns] if columns.len() <= LINE_POINTS => (View::Line, None, last),
                _ => (View::None, None, last),
            },
        };
        Self {
            view,
            rows,
            columns,
        }
    }

    /// The pictures of a table: one for each phase and each choice of the indices that are neither
    /// rows nor columns, ordered by these and then by phase. `None` where a name is there twice.
    /// `place(dim, path)`: the number of the path's index among the names of a dimension.
    fn slices(
        &self,
        dims: &[Vec<&str>],
        phases: &[&str],
        members: &[Rc<Weight>],
        place: impl Fn(usize, &WeightPath) -> usize,
    ) -> Option<Vec<Slice>> {
        let names = |dim: Option<usize>| -> Vec<String> {
            let names = dim.into_iter().flat_map(|dim| &dims[dim]);
            names.map(|name| text::name(name)).collect()
        };
        let (rows, columns) = (names(self.rows), names(self.columns));
        // Without a dimension for rows, or for columns, there is one of them.
        let width = columns.len().max(1);
        let mut slices: BTreeMap<(Vec<usize>, usize), Slice> = BTreeMap::new();
        for weight in members {
            let path = &weight.path;
            // A weight's indices along rows and columns are its cell, all others and the phase its
            // slice.
            let drawn = [self.rows, self.columns];
            let [row, column] = drawn.map(|dim| dim.map_or(0, |dim| place(dim, path)));
            let others = (0..dims.len()).filter(|&dim| !drawn.contains(&Some(dim)));
            let key: Vec<usize> = others.clone().map(|dim| place(dim, path)).collect();
            let phase = phases.iter().position(|phase| *phase == path.phase)?;
            let slice = slices.entry((key, phase)).or_insert_with(|| {
                let indices = others.map(|dim| format!("[{}]", path.indices[dim]));
                let title = text::name(&(path.parameter.clone() + &indices.collect::<String>()));
                Slice {
                    title: format!("{title} {}", path.phase).trim_end().to_owned(),
                    rows: rows.clone(),
                    columns: columns.clone(),
                    cells: vec![None; rows.len().max(1) * width],
                }
            });
            let cell = slice.cells.get_mut(row * width + column)?;
            if cell.replace(Rc::clone(weight)).is_some() {
                return None;
            }
        }
        Some(slices.into_values().collect())
    }
}

impl Slice {
    /// Returns the weights of the slice, row by row; cells without a weight are left out.
    pub(crate) fn weights(&self) -> impl Iterator<Item = &Weight> {
        self.cells.iter().flatten().map(|weight| &**weight)
    }

    /// Tells whether no weight of the slice could move, and no weight did.
    pub(crate) fn is_fixed(&self) -> bool {
        self.weights()
            .all(|weight| weight.is_fixed() && !weight.has_moved())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use crate::digest::Digest;
    use tuner_judge::WeightStatement;

    fn tables(names: &[String]) -> Vec<Table> {
        let weights = names.iter().map(|name| {
            Weight::of(&WeightStatement {
                name: name.clone(),
                ..WeightStatement::default()
            })
        });
        Digest::new(weights.collect()).tables
    }

    #[test]
    fn tables_have_the_shape_of_their_names() {
        let board = |size: usize| {
            let squares =
                move |piece| (0..size).map(move |square| format!("PST[{piece}][{square}]"));
            ["knight", "king"].into_iter().flat_map(squares)
        };
        for (size, files, ranks) in [(64, 8, 8), (81, 9, 9), (32, 4, 8), (45, 5, 9)] {
            let phases = |name| [format!("{name}.mg"), format!("{name}.eg")];
            let names: Vec<String> = board(size).flat_map(phases).collect();
            let found = tables(&names);
            assert_eq!((found.len(), found[0].view), (1, View::Board(files, ranks)));
            let titles: Vec<&str> = found[0].slices.iter().map(|s| s.title.as_str()).collect();
            assert_eq!(
                titles,
                [
                    "PST[knight] mg",
                    "PST[knight] eg",
                    "PST[king] mg",
                    "PST[king] eg"
                ]
            );
            let cell = found[0].slices[3].cells[2].as_ref().unwrap();
            assert_eq!(cell.name, names[2 * size + 2 * 2 + 1]);
        }
        let grid: Vec<String> = (0..14)
            .map(|n| format!("S[{}][{}]", n / 7, n % 7))
            .collect();
        let found = tables(&grid);
        assert_eq!(
            (found[0].view, found[0].slices[0].rows.len()),
            (View::Grid, 2)
        );
        let cell = found[0].slices[0].cells[8].as_ref().unwrap();
        assert_eq!(cell.name, grid[8]);
        let line: Vec<String> = (0..9).map(|n| format!("M[{n}]")).collect();
        assert_eq!(tables(&line)[0].view, View::Line);
        let long: Vec<String> = (0..1000).map(|n| format!("M[{n}]")).collect();
        assert_eq!(tables(&long)[0].view, View::None);
    }

    #[test]
    fn what_is_no_table_is_not_drawn() {
        let of =
            |names: &[&str]| tables(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>());
        // One missing, one twice, of different depth.
        assert_eq!(of(&["A[0][0]", "A[0][1]", "A[1][0]"])[0].view, View::None);
        assert_eq!(of(&["A[0]", "A[1]", "A[0]"])[0].view, View::None);
        assert_eq!(
            of(&["A[0][0]", "A[0][1]", "A[1][0]", "A[0][0]"])[0].view,
            View::None
        );
        assert_eq!(of(&["A[0]", "A"])[0].view, View::None);
        assert_eq!(of(&["A", "B.mg"]).len(), 2);
        assert!(of(&[]).is_empty());
    }
}
