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

/// Steps of inverse iteration, at most. Each divides the part of an eigenvector by its eigenvalue,
/// so that a part along an eigenvalue twice as large halves against the smallest.
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
    /// Scales a curvature matrix of positive diagonal to ones on the diagonal, and fills up its
    /// null space, of which `null` is a basis, so that it can be factorised: with Q an orthonormal
    /// basis of that space QQᵀ is added, which makes the eigenvalues there 1. `in_play`: the
    /// variable of each row of the matrix, ascending; `tables`: the tables of all variables, of
    /// which the rows of the matrix are kept.
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
            // QQᵀ: the products of the basis vectors with themselves, with no mean taken off.
            filled = filled.plus(&Symmetric::gram(&basis.concat(), &vec![0.0; size]));
        }
        let factor = Cholesky::new(&filled).or_else(|_| {
            // The smallest number to add to the diagonal that is above the rounding of sums over a
            // million rows.
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

    /// Returns the directions along which scores change least for their size, at most
    /// [`MOST_NEAR_NULL`]: a coefficient for each variable of the matrix, in the unit of the
    /// weights. The inflation of a direction is how many times the variance along it is what it
    /// would be were the weights uncorrelated; the most inflated comes first, and all have at least
    /// [`INFLATED`]. Each is an eigenvector of the scaled matrix, cut down to few weights and
    /// tables; one that few weights cannot replace is passed over.
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
            // Further eigenvectors are at right angles to the sparse direction, or else to this
            // one.
            let sparse = self.sparse(&vector, eigenvalue);
            let sparse = sparse.filter(|direction| inflation(self.matrix, direction) >= INFLATED);
            let vector = (sparse.as_ref()).map_or(vector, |direction| self.scaled(direction));
            // There is a factor, as there is an eigenvector.
            let solved = self.factor.as_ref().map(|factor| factor.solve(&vector));
            let solved = solved.unwrap_or_default();
            taken.push(TakenVector { vector, solved });
            directions.extend(sparse);
        }
        let inflated = |direction: &Vec<f64>| inflation(self.matrix, direction);
        directions.sort_by(|a, b| inflated(b).total_cmp(&inflated(a)));
        directions
    }

    /// Turns a direction over the weights into one of length 1 over the scaled variables: each
    /// coefficient is multiplied by the square root of its diagonal entry of the matrix.
    fn scaled(&self, direction: &[f64]) -> Vec<f64> {
        let pairs = direction.iter().zip(&self.scale);
        let mut vector: Vec<f64> = pairs.map(|(d, s)| d * s).collect();
        normalise(&mut vector);
        vector
    }

    /// Returns an eigenvector of the smallest eigenvalue of the scaled matrix A at right angles to
    /// the vectors t of `taken`, and the eigenvalue, by inverse iteration: each step computes A⁻¹v,
    /// and subtracts the combination of all A⁻¹t that leaves it at right angles to all t. `None`
    /// where A, or the matrix of all tᵀA⁻¹t, cannot be factorised.
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
        // A start that no direction an evaluation is likely to have is at right angles to.
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
            // The matrix times `next` is `vector`, but for parts along those taken, at right angles
            // to `next`: so this is Rayleigh's quotient of `next`.
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

    /// Returns a direction of few weights and tables that is nearly as flat as the eigenvector
    /// `vector`, in the unit of the weights. An atom is a weight, or a table moved as a whole; the
    /// direction is the flattest combination of the largest atoms of the eigenvector: of as few as
    /// reach at most [`SPARSE`] times its eigenvalue, or else of ten. `None` where it cannot be
    /// computed.
    fn sparse(&self, vector: &[f64], eigenvalue: f64) -> Option<Vec<f64>> {
        let atoms = self.atoms(vector);
        let size = self.scale.len();
        let products: Vec<Vec<f64>> = (atoms.iter())
            .map(|atom| self.filled.multiply(&spread(atom, size)))
            .collect();
        // The scaled matrix between each two atoms.
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
        // What an atom's part moves each of its weights by: all of them by one amount.
        let of_atom = |(part, atom): (&f64, &Atom)| {
            let (first, part_of_first) = atom.members[0];
            part * part_of_first / self.scale[first]
        };
        let parts: Vec<f64> = few.iter().zip(&atoms).map(of_atom).collect();
        Some(oriented(self.rounded(&parts, &atoms)))
    }

    /// Returns the largest [`ATOMS`] parts of an eigenvector over the scaled variables: tables of
    /// three variables or more that it moves nearly as a whole, each weight of them by one amount,
    /// and single weights.
    fn atoms(&self, vector: &[f64]) -> Vec<Atom> {
        // Variables that are in no table taken so far.
        let mut open = vec![true; vector.len()];
        let mut atoms = Vec::new();
        for table in &self.tables {
            if table.len() < 3 || table.iter().any(|&member| !open[member]) {
                continue;
            }
            let share: f64 = table.iter().map(|&m| vector[m] * vector[m]).sum();
            let weight: f64 = table.iter().map(|&m| self.scale[m] * self.scale[m]).sum();
            let sum: f64 = table.iter().map(|&m| self.scale[m] * vector[m]).sum();
            // The amount by which to move all weights of the table that is nearest to the vector;
            // such a move has the squared length mean²·`weight` over the scaled variables.
            let mean = sum / weight;
            // Four fifths of the table's share are one amount for all, and it is a hundredth of the
            // whole or more; both chosen.
            if mean * mean * weight >= 0.8 * share && share >= 0.01 {
                for &member in table {
                    open[member] = false;
                }
                // A vector of length 1 that moves all weights of the table by one amount.
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

    /// Returns the direction in which all weights of an atom, a weight or a table, have the
    /// coefficient that `parts` has for it, rounded. The largest becomes 1, 2, 3 or 4 and all are
    /// whole, or it becomes 1 and all are tenths, where the variance along the rounded direction is
    /// inflated at least half as much; else the largest is 1 and nothing is rounded.
    fn rounded(&self, parts: &[f64], atoms: &[Atom]) -> Vec<f64> {
        let largest = parts.iter().fold(0.0, |max: f64, part| max.max(part.abs()));
        // The direction in which all weights of each atom have its part.
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
        // With whole parts of which the largest is `scale`, if that is nearly as flat.
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

/// Returns the eigenvector of length 1 of the smallest eigenvalue of a small matrix, and this
/// eigenvalue, by inverse iteration from `start`. `None` where the matrix cannot be factorised, or
/// the eigenvalue is not finite.
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

/// Writes an atom, a weight or a table of weights, as a vector of `size` numbers, 0 outside its
/// members.
fn spread(atom: &Atom, size: usize) -> Vec<f64> {
    let mut vector = vec![0.0; size];
    (atom.members.iter()).for_each(|&(member, part)| vector[member] = part);
    vector
}

/// Returns the inner product of a vector and an atom, a weight or a table of weights.
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
