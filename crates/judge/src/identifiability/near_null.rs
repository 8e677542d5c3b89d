//! Directions along which scores change least for their size.
//!
//! On the curvature scaled to a diagonal of ones an eigenvector of a small
//! eigenvalue λ is a combination whose variance is 1/λ times what it would be were
//! its weights uncorrelated. Eigenvectors have a part of every weight, so each is
//! cut down to the few weights and tables that do nearly as well; the next is then
//! looked for at right angles to these.
//!
//! *Source*: D. A. Belsley, E. Kuh, R. E. Welsch, Regression Diagnostics, 1980,
//! chapter 3.

use super::tables::Tables;
use tuner_solve::linalg::{Cholesky, Symmetric, add_scaled, dot, inflation, oriented};

/// From here on the variance along a direction counts as inflated: two weights
/// that stand for each other have it along their difference where their variance
/// inflation factors are 10, the usual limit.
///
/// *Source*: D. W. Marquardt, Generalized inverses, ridge regression, biased linear
/// estimation, and nonlinear estimation, Technometrics 12, 1970.
const INFLATED: f64 = 20.0;

/// Most near-null directions that are looked for. Chosen: what one reads.
const MOST_NEAR_NULL: usize = 10;

/// Eigenvectors that are tried for them; some are of too many weights to be named.
const TRIES: usize = 15;

/// Steps of inverse iteration, at most. Each divides the part of an eigenvector by its eigenvalue, so
/// that a part along an eigenvalue twice as large halves against the smallest.
const STEPS: usize = 12;

/// Weights and tables of a direction, at most. Chosen: what one reads.
const ATOMS: usize = 10;

/// How many times the smallest eigenvalue a direction of few weights may have.
/// Chosen: a standard error of 1.4 times less.
const SPARSE: f64 = 2.0;

/// A weight, or a table moved as a whole: parts of a vector over the scaled
/// variables, of length 1.
struct Atom {
    /// Variables and the parts of the vector along them.
    members: Vec<(usize, f64)>,
    /// Its share of the eigenvector.
    share: f64,
}

/// A vector to which further ones are at right angles, and the inverse of the matrix times it.
struct TakenVector {
    vector: Vec<f64>,
    solved: Vec<f64>,
}

/// The scaled curvature, with its null space filled up.
pub(super) struct NearNull<'a> {
    matrix: &'a Symmetric,
    /// The square roots of the diagonal.
    scale: Vec<f64>,
    /// S + QQᵀ, with S the matrix scaled to a diagonal of ones and Q an orthonormal basis of its
    /// null space.
    filled: Symmetric,
    /// The factor of `filled`; `None` if it has none within rounding.
    factor: Option<Cholesky>,
    /// By table, the places of its variables among the rows of the matrix.
    tables: Vec<Vec<usize>>,
}

impl<'a> NearNull<'a> {
    /// Scales a matrix of positive diagonal to ones there, fills up its null space, of which `null`
    /// is a basis, and factorises it. `in_play`: the variable of each of its rows, ascending;
    /// `tables`: of all variables.
    pub(super) fn new(
        matrix: &'a Symmetric,
        null: &[Vec<f64>],
        tables: &Tables,
        in_play: &[usize],
    ) -> Self {
        let size = matrix.size();
        let scale: Vec<f64> = matrix.diagonal().iter().map(|d| d.sqrt()).collect();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for direction in null {
            let mut vector: Vec<f64> = direction.iter().zip(&scale).map(|(d, s)| d * s).collect();
            // Gram-Schmidt twice is enough (Higham §19.8).
            for _ in 0..2 {
                for other in &basis {
                    let along = dot(other, &vector);
                    add_scaled(&mut vector, -along, other);
                }
                normalise(&mut vector);
            }
            basis.push(vector);
        }
        let inverse: Vec<f64> = scale.iter().map(|scale| scale.recip()).collect();
        let mut filled = matrix.clone().scaled(&inverse);
        if !basis.is_empty() {
            filled = filled.plus(&Symmetric::gram(&basis.concat(), &vec![0.0; size]));
        }
        let factor = Cholesky::new(&filled).or_else(|_| {
            // The smallest that is above the rounding of sums over a million rows.
            Cholesky::new(&filled.damped(1e-10, &vec![1.0; size]))
        });
        let place = |variable: usize| in_play.binary_search(&variable).ok();
        let places = |variables: Vec<usize>| variables.into_iter().filter_map(place).collect();
        let tables = tables.variables().map(places).collect();
        Self {
            matrix,
            scale,
            filled,
            factor: factor.ok(),
            tables,
        }
    }

    /// Returns the directions, the most inflated first, at most [`MOST_NEAR_NULL`]: each a
    /// coefficient for each variable of the matrix, in the unit of the weights. An eigenvector that
    /// few weights cannot replace is passed over; it ends where the variance along the next one is
    /// less than [`INFLATED`] times what it would be were weights uncorrelated.
    ///
    /// *Cost*: some 15 multiplications with the matrix and its inverse each.
    pub(super) fn directions(&self) -> Vec<Vec<f64>> {
        let mut directions = Vec::new();
        let mut taken: Vec<TakenVector> = Vec::new();
        for _ in 0..TRIES.min(self.scale.len()) {
            let Some((vector, eigenvalue)) = self.smallest(&taken) else {
                break;
            };
            if eigenvalue * INFLATED > 1.0 || directions.len() == MOST_NEAR_NULL {
                break;
            }
            let sparse = self.sparse(&vector, eigenvalue);
            let sparse = sparse.filter(|direction| inflation(self.matrix, direction) >= INFLATED);
            let vector = (sparse.as_ref()).map_or(vector, |direction| self.scaled(direction));
            let solved = self.factor.as_ref().map(|factor| factor.solve(&vector));
            let solved = solved.unwrap_or_default();
            taken.push(TakenVector { vector, solved });
            directions.extend(sparse);
        }
        let inflated = |direction: &Vec<f64>| inflation(self.matrix, direction);
        directions.sort_by(|a, b| inflated(b).total_cmp(&inflated(a)));
        directions
    }

    /// Turns a direction over the weights into one over the scaled variables, where each number is
    /// times the root of the diagonal, and of length 1.
    fn scaled(&self, direction: &[f64]) -> Vec<f64> {
        let pairs = direction.iter().zip(&self.scale);
        let mut vector: Vec<f64> = pairs.map(|(d, s)| d * s).collect();
        normalise(&mut vector);
        vector
    }

    /// Returns an eigenvector of the smallest eigenvalue at right angles to `taken`, and the
    /// eigenvalue, by inverse iteration: each step takes from A⁻¹v the combination of the A⁻¹t of
    /// these vectors t that leaves it at right angles to all t. `None` where the matrix, or what is
    /// between the vectors, cannot be factorised.
    fn smallest(&self, taken: &[TakenVector]) -> Option<(Vec<f64>, f64)> {
        let factor = self.factor.as_ref()?;
        let size = self.scale.len();
        let mut between = Symmetric::zeros(taken.len());
        for (row, of_row) in taken.iter().enumerate() {
            for (column, other) in taken.iter().enumerate().take(row + 1) {
                between.add(row, column, dot(&of_row.solved, &other.vector));
            }
        }
        let between = (!taken.is_empty()).then(|| Cholesky::new(&between));
        let between = between.transpose().ok()?;
        // No direction that an evaluation is likely to have is at right angles to it.
        let mut vector: Vec<f64> = (0..size).map(|i| (1.0 + 2.0 * i as f64).sin()).collect();
        normalise(&mut vector);
        let mut eigenvalue = f64::INFINITY;
        for _ in 0..STEPS {
            let mut next = factor.solve(&vector);
            if let Some(between) = &between {
                let parts: Vec<f64> = taken.iter().map(|of| dot(&of.vector, &next)).collect();
                for (of, along) in taken.iter().zip(between.solve(&parts)) {
                    add_scaled(&mut next, -along, &of.solved);
                }
            }
            // The matrix times `next` is `vector`, but for parts along those taken, at right angles to
            // `next`: so this is Rayleigh's quotient of `next`.
            let last = eigenvalue;
            eigenvalue = dot(&vector, &next) / dot(&next, &next);
            normalise(&mut next);
            vector = next;
            if eigenvalue > 0.99 * last {
                break;
            }
        }
        eigenvalue.is_finite().then_some((vector, eigenvalue))
    }

    /// Returns a direction of few weights and tables that is nearly as flat as an eigenvector, in
    /// the unit of the weights: the flattest combination of as few of its largest atoms as have at
    /// most [`SPARSE`] times its eigenvalue, or of all of these. `None` where that cannot be
    /// computed.
    fn sparse(&self, vector: &[f64], eigenvalue: f64) -> Option<Vec<f64>> {
        let atoms = self.atoms(vector);
        let size = self.scale.len();
        let products: Vec<Vec<f64>> = (atoms.iter())
            .map(|atom| self.filled.multiply(&spread(atom, size)))
            .collect();
        let mut between = Symmetric::zeros(atoms.len());
        for (row, atom) in atoms.iter().enumerate() {
            for (column, product) in products.iter().enumerate().take(row + 1) {
                between.add(row, column, along(atom, product));
            }
        }
        let start: Vec<f64> = atoms.iter().map(|atom| along(atom, vector)).collect();
        let few = (1..=atoms.len()).find_map(|count| {
            let few = between.select(&(0..count).collect::<Vec<_>>());
            let (parts, value) = smallest_of_few(&few, &start[..count])?;
            (value <= SPARSE * eigenvalue || count == atoms.len()).then_some(parts)
        })?;
        let of_atom = |(part, atom): (&f64, &Atom)| {
            let (first, share) = atom.members[0];
            part * share / self.scale[first]
        };
        let parts: Vec<f64> = few.iter().zip(&atoms).map(of_atom).collect();
        Some(oriented(self.rounded(&parts, &atoms)))
    }

    /// Returns the largest [`ATOMS`] parts of an eigenvector: tables of three variables or more
    /// that it moves nearly as a whole, each weight of them by one amount, and single weights.
    fn atoms(&self, vector: &[f64]) -> Vec<Atom> {
        let mut open = vec![true; vector.len()];
        let mut atoms = Vec::new();
        for table in &self.tables {
            if table.len() < 3 || table.iter().any(|&member| !open[member]) {
                continue;
            }
            let share: f64 = table.iter().map(|&m| vector[m] * vector[m]).sum();
            let weight: f64 = table.iter().map(|&m| self.scale[m] * self.scale[m]).sum();
            let sum: f64 = table.iter().map(|&m| self.scale[m] * vector[m]).sum();
            let mean = sum / weight;
            // Mostly a constant, and a part of the whole that counts: chosen.
            if mean * mean * weight >= 0.8 * share && share >= 0.01 {
                for &member in table {
                    open[member] = false;
                }
                let length = weight.sqrt();
                let members = table.iter().map(|&m| (m, self.scale[m] / length));
                atoms.push(Atom {
                    members: members.collect(),
                    share,
                });
            }
        }
        for (index, value) in vector.iter().enumerate().filter(|(index, _)| open[*index]) {
            atoms.push(Atom {
                members: vec![(index, 1.0)],
                share: value * value,
            });
        }
        atoms.sort_by(|a, b| b.share.total_cmp(&a.share));
        atoms.truncate(ATOMS);
        atoms
    }

    /// Returns the direction in which the weights of each atom have its part, in the unit of the
    /// weights. Parts are rounded so that the largest is 1, 2, 3 or 4 and all are whole, or so that
    /// all are tenths of the largest, where it is nearly as flat so.
    fn rounded(&self, parts: &[f64], atoms: &[Atom]) -> Vec<f64> {
        let largest = parts.iter().fold(0.0, |max: f64, part| max.max(part.abs()));
        let of = |parts: &[f64]| {
            let mut direction = vec![0.0; self.scale.len()];
            for (part, atom) in parts.iter().zip(atoms) {
                (atom.members.iter()).for_each(|&(member, _)| direction[member] = *part);
            }
            direction
        };
        let exact: Vec<f64> = parts.iter().map(|part| part / largest).collect();
        let exact = of(&exact);
        let enough = inflation(self.matrix, &exact) / SPARSE;
        let rounded = |scale: f64| {
            let parts = parts.iter().map(|part| (scale * part / largest).round());
            let direction = of(&parts.collect::<Vec<_>>());
            (inflation(self.matrix, &direction) >= enough).then_some(direction)
        };
        let tenths = || {
            let mut direction = rounded(10.0)?;
            for value in &mut direction {
                *value /= 10.0;
            }
            Some(direction)
        };
        let whole = [1.0, 2.0, 3.0, 4.0].into_iter().find_map(rounded);
        whole.or_else(tenths).unwrap_or(exact)
    }
}

/// Returns the eigenvector of length 1 of the smallest eigenvalue of a small matrix and the
/// eigenvalue, by inverse iteration from `start`; `None` where it cannot be factorised.
fn smallest_of_few(matrix: &Symmetric, start: &[f64]) -> Option<(Vec<f64>, f64)> {
    let factor = Cholesky::new(matrix).ok()?;
    let mut vector = start.to_vec();
    normalise(&mut vector);
    for _ in 0..4 * STEPS {
        vector = factor.solve(&vector);
        normalise(&mut vector);
    }
    let value = dot(&vector, &matrix.multiply(&vector));
    value.is_finite().then_some((vector, value))
}

/// Writes an atom as a vector of so many numbers.
fn spread(atom: &Atom, size: usize) -> Vec<f64> {
    let mut vector = vec![0.0; size];
    (atom.members.iter()).for_each(|&(member, part)| vector[member] = part);
    vector
}

/// Returns the inner product of an atom and a vector.
fn along(atom: &Atom, vector: &[f64]) -> f64 {
    let members = atom.members.iter();
    members.map(|&(member, part)| part * vector[member]).sum()
}

/// Divides a vector by its length.
fn normalise(vector: &mut [f64]) {
    let length = dot(vector, vector).sqrt();
    for value in vector {
        *value /= length;
    }
}
