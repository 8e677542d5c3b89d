//! Rows that share their factors, added up together.
//!
//! Of rows with the factors f the curvature is Σ h·(c·f)(c·f)ᵀ = S ⊗ ffᵀ with
//! S = Σ h·c·cᵀ: one number per pair of columns instead of four, and the
//! factors come in once for all rows. S of a hundred rows is a product of two
//! matrices, one of which is sparse: for each column the list of rows that have
//! it, each with h·c, and for each row all columns side by side. So a line of S
//! stays in registers while its list is read.

use super::active::{Active, Term};
use crate::linalg::Symmetric;
use crate::model::Reduction;
use crate::trace::rows::TraceSet;
use crate::trace::rows::stream::{Code, GROUP};

/// Columns that are read side by side: four registers of AVX-512, eight of AVX2.
const WIDTH: usize = 32;

/// Rows at a time: a tile of them takes 32 kB, two thirds of a nearest cache.
const ROWS: usize = 128;

/// Some columns of a row, where loading them is quickest.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct Line([f64; WIDTH]);

const EMPTY: Line = Line([0.0; WIDTH]);

/// What the rows of a chunk add up to: Σ f₀²·S, Σ f₀f₁·S, Σ f₁²·S, upper
/// triangles over columns. Empty until there is something to add.
#[derive(Debug, Default)]
pub(super) struct Planes {
    all: [Vec<f64>; 3],
}

/// Rows that wait, and sums of those that share their factors.
#[derive(Debug)]
pub(super) struct Dense {
    /// Columns.
    count: usize,
    tiles: usize,
    /// Offset and curvature of rows that wait.
    waiting: Vec<(usize, f64)>,
    /// The number of their factors.
    factors: u32,
    /// Tile by tile the columns of the rows.
    rows: Vec<Line>,
    /// Where the list of each column starts, and that of no column.
    starts: Vec<u32>,
    /// Row and h·c.
    list: Vec<(u32, f64)>,
    /// S, line by line.
    sums: Vec<Line>,
    /// Whether S is not zero.
    any: bool,
}

impl Dense {
    /// Buffers for the columns of `active`; none if there are none.
    pub(super) fn new(active: &Active) -> Self {
        let count = active.columns.as_ref().map_or(0, Vec::len);
        // One more, for what takes no part.
        let tiles = if count == 0 {
            0
        } else {
            (count + 1).div_ceil(WIDTH)
        };
        Self {
            count,
            tiles,
            waiting: Vec::with_capacity(ROWS),
            factors: 0,
            rows: vec![EMPTY; tiles * ROWS],
            starts: vec![0; count + 2],
            list: Vec::new(),
            sums: vec![EMPTY; count * tiles],
            any: false,
        }
    }

    /// Adds the first segment of a row.
    #[inline(always)] // into kernels
    pub(super) fn push<C: Code>(
        &mut self,
        (terms, set): (&[Term], &TraceSet),
        groups: &[[C; GROUP]],
        offset: usize,
        curvature: f64,
        planes: &mut Planes,
    ) {
        let factors = C::header(groups[offset]).factors;
        if factors != self.factors {
            self.flush((terms, set), groups, planes);
            self.factors = factors;
        } else if self.waiting.len() == ROWS {
            self.multiply(terms, groups);
        }
        self.waiting.push((offset, curvature));
    }

    /// Adds what waits to the planes.
    #[inline(always)] // into kernels
    pub(super) fn flush<C: Code>(
        &mut self,
        (terms, set): (&[Term], &TraceSet),
        groups: &[[C; GROUP]],
        planes: &mut Planes,
    ) {
        if !self.waiting.is_empty() {
            self.multiply(terms, groups);
        }
        if !self.any {
            return;
        }
        self.any = false;
        let [first, second] = set.factors(self.factors);
        let factors = [first * first, first * second, second * second];
        let width = self.tiles * WIDTH;
        for (plane, factor) in planes.all.iter_mut().zip(factors) {
            plane.resize(self.count * width, 0.0);
            for (column, lines) in self.sums.chunks_exact(self.tiles).enumerate() {
                let tile = column / WIDTH;
                let to = &mut plane[column * width + tile * WIDTH..(column + 1) * width];
                let (to, _) = to.as_chunks_mut::<WIDTH>();
                for (to, from) in to.iter_mut().zip(&lines[tile..]) {
                    for (to, from) in to.iter_mut().zip(&from.0) {
                        *to = factor.mul_add(*from, *to);
                    }
                }
            }
        }
        self.sums.fill(EMPTY);
    }

    /// Adds the waiting rows to S.
    #[inline(always)] // into kernels
    fn multiply<C: Code>(&mut self, terms: &[Term], groups: &[[C; GROUP]]) {
        self.any = true;
        self.spread(terms, groups);
        for (tile, rows) in self.rows.chunks_exact(ROWS).enumerate() {
            let (rows, _) = rows.as_chunks::<ROWS>();
            let rows = &rows[0];
            // A line of the upper triangle ends with the last column, so a tile
            // takes part in the lines up to its own last column.
            let lines = ((tile + 1) * WIDTH).min(self.count);
            for (column, ends) in self.starts.windows(2).take(lines).enumerate() {
                if ends[0] == ends[1] {
                    continue;
                }
                let line = &mut self.sums[column * self.tiles + tile];
                let mut sums = line.0;
                for &(row, amount) in &self.list[ends[0] as usize..ends[1] as usize] {
                    let row = &rows[row as usize % ROWS].0;
                    for (sum, value) in sums.iter_mut().zip(row) {
                        *sum = amount.mul_add(*value, *sum);
                    }
                }
                line.0 = sums;
            }
        }
        self.waiting.clear();
    }

    /// Spreads the waiting rows out over columns, and lists them by column.
    #[inline(always)] // into kernels
    fn spread<C: Code>(&mut self, terms: &[Term], groups: &[[C; GROUP]]) {
        for tile in self.rows.chunks_exact_mut(ROWS) {
            tile[..self.waiting.len()].fill(EMPTY);
        }
        self.starts.fill(0);
        let mut total = 0;
        for (number, &(offset, _)) in self.waiting.iter().enumerate() {
            let count = C::header(groups[offset]).groups;
            for group in &groups[offset + 1..offset + 1 + count] {
                for code in group {
                    let term = &terms[code.number()];
                    let shares = term.columns.iter().zip(&term.coefficients);
                    for (&column, &coefficient) in
                        shares.take(1 + usize::from(term.coefficients[1] != 0.0))
                    {
                        let column = column as usize;
                        self.rows[column / WIDTH * ROWS + number].0[column % WIDTH] += coefficient;
                        self.starts[column] += 1;
                        total += 1;
                    }
                }
            }
        }
        // From counts to where each list ends; filling moves them to the starts.
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        if self.list.len() < total {
            self.list.resize(total, (0, 0.0));
        }
        for (number, &(offset, curvature)) in self.waiting.iter().enumerate().rev() {
            let count = C::header(groups[offset]).groups;
            for group in &groups[offset + 1..offset + 1 + count] {
                for code in group {
                    let term = &terms[code.number()];
                    let shares = term.columns.iter().zip(&term.coefficients);
                    for (&column, &coefficient) in
                        shares.take(1 + usize::from(term.coefficients[1] != 0.0))
                    {
                        let start = &mut self.starts[column as usize];
                        *start -= 1;
                        self.list[*start as usize] = (number as u32, curvature * coefficient);
                    }
                }
            }
        }
    }
}

impl Planes {
    /// Adds those of other rows.
    pub(super) fn add(&mut self, other: &Self) {
        for (plane, other) in self.all.iter_mut().zip(&other.all) {
            if plane.is_empty() {
                plane.clone_from(other);
            } else {
                plane.iter_mut().zip(other).for_each(|(a, b)| *a += b);
            }
        }
    }

    /// Adds the planes to the matrix over variables.
    pub(super) fn reduce(&self, active: &Active, reduction: &Reduction, matrix: &mut Symmetric) {
        let Some(columns) = active.columns.as_ref().filter(|_| !self.all[0].is_empty()) else {
            return;
        };
        let terms = reduction.lane_terms();
        let count = columns.len();
        let width = self.all[0].len() / count;
        for (i, left) in columns.iter().enumerate() {
            for (j, right) in columns.iter().enumerate().skip(i) {
                for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    // Of a column's own square each pair of lanes once.
                    if !left.lanes[a] || !right.lanes[b] || (i == j && a > b) {
                        continue;
                    }
                    let (from, to) = (2 * left.slot + a, 2 * right.slot + b);
                    let (Some(row), Some(column)) = (terms[from].variable, terms[to].variable)
                    else {
                        continue;
                    };
                    let value = self.all[a + b][i * width + j];
                    let value = value * terms[from].factor * terms[to].factor;
                    // Both orders of two different entries meet on the diagonal.
                    let twice = row == column && (i != j || a != b);
                    matrix.add(row, column, if twice { 2.0 * value } else { value });
                }
            }
        }
    }
}
