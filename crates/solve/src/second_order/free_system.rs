//! Systems of the free variables, of which a few become others from one to the next.
//!
//! With M₀ the part of the matrix that is factorised, R the variables that have left it since
//! and A those that have joined, y of the new set solves
//!
//! ```text
//! M₀·y + M₀ₐ·yₐ + λ = r,   Mₐ₀·y + Mₐₐ·yₐ = rₐ,   y = 0 on R, λ = 0 elsewhere
//! ```
//!
//! where M₀⁻¹ times a column for each of R and A leaves a system of as many numbers.
//!
//! *Source*: P. Gill, W. Murray, M. Saunders, M. Wright, A Schur-complement method for sparse
//! quadratic programming, in Reliable Numerical Computation, 1990.

use std::collections::BTreeMap;

use super::box_qp::Factored;
use crate::Subset;
use crate::linalg::{
    Cholesky, Failure, Symmetric, add_scaled, difference, dot, max_abs, unit_vector,
};

/// Of n variables n/16 may have changed, now or in between, before a set is factorised anew:
/// a column takes n² multiplications and is kept, a factor takes n³/6.
const MOST_CHANGED: usize = 16;

/// A variable joins by the factor of others only where its pivot is at least this part of its
/// diagonal element: with less, a factor of all must tell what is rounding. Chosen between that
/// and what [`Cholesky`] takes for singular, 1e-12.
const LEAST_PIVOT: f64 = 1e-8;

/// The step of refinement changes a solution by no more than this part of its largest value;
/// else too many digits are lost.
const MOST_REFINED: f64 = 1e-6;

/// Systems of sets of variables of one matrix.
pub(super) struct FreeSystem<'a> {
    matrix: &'a Symmetric,
    pub(super) factored: Option<Factored>,
    /// M₀⁻¹ times the column of each variable that has left (R) or joined (A) the factorised set.
    columns: BTreeMap<usize, Vec<f64>>,
}

impl<'a> FreeSystem<'a> {
    /// Makes the systems of a matrix, and factorises the part between the variables of `first`.
    /// `last`: a factor from before, used in place of a new one only if it is of this very set, so
    /// that it does not change the bits of any result.
    ///
    /// # Errors
    /// If the part of the first set has no factor.
    pub(super) fn new(
        matrix: &'a Symmetric,
        first: &Subset,
        last: Option<Factored>,
    ) -> Result<Self, Failure> {
        let mut system = Self {
            matrix,
            factored: last.filter(|(set, _)| set == first),
            columns: BTreeMap::new(),
        };
        if system.factored.is_none() {
            system.factorise(first)?;
        }
        Ok(system)
    }

    /// Returns the solution y of M·y = r, with M the part of the matrix between the variables of
    /// `free`: by the factor at hand where few variables differ from its set, else by a new one.
    /// *Shapes*: `right`, r, has a number for each variable, the solution one for each of `free`.
    ///
    /// # Errors
    /// If the part of the matrix has no factor.
    pub(super) fn solve(&mut self, free: &Subset, right: &[f64]) -> Result<Vec<f64>, Failure> {
        if let Some(solution) = self.solve_changed(free, right) {
            return Ok(solution);
        }
        let factor = self.factorise(free)?;
        Ok(factor.solve(&free.gather(right)))
    }

    /// Factorises the part of the matrix between the variables of `free`, in place of the part that
    /// was factorised before, whose columns are forgotten.
    fn factorise(&mut self, free: &Subset) -> Result<&Cholesky, Failure> {
        self.factored = None; // its memory is needed
        self.columns.clear();
        let factor = if free.len() == self.matrix.size() {
            Cholesky::new(self.matrix)?
        } else {
            Cholesky::new(&self.matrix.select(free.indices()))?
        };
        Ok(&self.factored.insert((free.clone(), factor)).1)
    }

    /// Solves the system of the variables of `free` by the factor at hand: at once if that is of
    /// this very set; else with a column for each variable that has left the factorised set or
    /// joined it since, and one step of refinement. *Shapes*: `right` has a number for each
    /// variable, the solution one for each of `free`. `None` where too many have left or joined, or
    /// too many digits would be lost: then the part between the variables of `free` is to be
    /// factorised.
    fn solve_changed(&mut self, free: &Subset, right: &[f64]) -> Option<Vec<f64>> {
        let (from, factor) = self.factored.as_ref()?;
        if from == free {
            return Some(factor.solve(&free.gather(right)));
        }
        let only_in = |one: &Subset, other: &Subset| -> Vec<usize> {
            (one.indices().iter().copied())
                .filter(|&i| !other.contains(i))
                .collect()
        };
        let (left, joined) = (only_in(from, free), only_in(free, from));
        let new: Vec<usize> = (left.iter().chain(&joined).copied())
            .filter(|variable| !self.columns.contains_key(variable))
            .collect();
        if (self.columns.len() + new.len()) * MOST_CHANGED > self.matrix.size() {
            return None;
        }
        // The factor's inverse times a unit vector for one that left, a row of M for one that
        // joined.
        let column = |&variable: &usize| match from.index_in_part(variable) {
            None => from.gather(self.matrix.row(variable)),
            Some(place) => unit_vector(from.len(), place),
        };
        let rights: Vec<Vec<f64>> = new.iter().map(column).collect();
        self.columns
            .extend(new.into_iter().zip(factor.solve_all(&rights)));
        let changes = Changes::new(self, left, joined)?;
        let mut solution = changes.solve(right);
        // One step of iterative refinement.
        let product = self.matrix.multiply(&solution);
        let refined = changes.solve(&difference(right, &product));
        // False also where a value is not a number.
        let is_small = max_abs(&refined) <= MOST_REFINED * max_abs(&solution);
        if !is_small {
            return None;
        }
        add_scaled(&mut solution, 1.0, &refined);
        Some(free.gather(&solution))
    }
}

/// The variables that left and joined, and the factors of their systems.
struct Changes<'a> {
    system: &'a FreeSystem<'a>,
    left: Vec<usize>,
    joined: Vec<usize>,
    /// The factor of C, the part of M₀⁻¹ between those that left.
    of_left: Cholesky,
    /// Mₐ₀·M₀⁻¹ of those that left, a row for each that joined: W.
    between: Vec<Vec<f64>>,
    /// The factor of Mₐₐ − Mₐ₀·M₀⁻¹·M₀ₐ + W·C⁻¹·Wᵀ, which is positive definite where the
    /// matrix is.
    of_joined: Cholesky,
}

impl<'a> Changes<'a> {
    /// Factorises two small systems: that of the variables that have left the factorised set, and
    /// that of those that have joined it. With M₀ the factorised part of the matrix M, the first is
    /// C, the part of M₀⁻¹ between those that left; the second is what the other variables leave of
    /// M between those that joined. The columns of all of them must be in `system` already. `None`
    /// where a system is too near singular.
    fn new(system: &'a FreeSystem<'a>, left: Vec<usize>, joined: Vec<usize>) -> Option<Self> {
        let (from, _) = system.factored.as_ref()?;
        let at = |column: usize, variable: usize| {
            let place = from.index_in_part(variable)?;
            Some(system.columns[&column][place])
        };
        // C, the part of M₀⁻¹ between those that left.
        let mut of_left = Symmetric::zeros(left.len());
        for (i, &row) in left.iter().enumerate() {
            for (j, &column) in left[..=i].iter().enumerate() {
                of_left.add(i, j, at(column, row)?);
            }
        }
        let of_left = Cholesky::new(&of_left).ok()?;
        // W, the elements of M₀⁻¹ times the columns of those that joined, at those that left.
        let row_between = |&joined: &usize| -> Option<Vec<f64>> {
            left.iter().map(|&left| at(joined, left)).collect()
        };
        let between: Vec<Vec<f64>> = joined.iter().map(row_between).collect::<Option<_>>()?;
        // The matrix between those that joined, less what the factorised set explains, plus
        // W·C⁻¹·Wᵀ for those of the set that have left.
        let mut of_joined = Symmetric::zeros(joined.len());
        for (i, &row) in joined.iter().enumerate() {
            let of_row = from.gather(system.matrix.row(row));
            let solved = of_left.solve(&between[i]);
            for (j, &column) in joined[..=i].iter().enumerate() {
                let by_others = dot(&of_row, &system.columns[&column]);
                let by_left = dot(&solved, &between[j]);
                of_joined.add(i, j, system.matrix.get(row, column) - by_others + by_left);
            }
        }
        let of_joined = Cholesky::new(&of_joined).ok()?;
        // Whether a pivot is large enough not to be rounding.
        let is_clear = |(i, &variable): (usize, &usize)| {
            of_joined.lower(i, i).powi(2) >= LEAST_PIVOT * system.matrix.get(variable, variable)
        };
        if !joined.iter().enumerate().all(is_clear) {
            return None;
        }
        Some(Self {
            system,
            left,
            joined,
            of_left,
            between,
            of_joined,
        })
    }

    /// Returns the solution y of M·y = r for the set of variables after some, R, have left the
    /// factorised set and others, A, have joined it. With M₀ the factorised part of M, y₀ the
    /// solution of the factorised set and yₐ that of those in A, it solves
    ///
    /// ```text
    /// M₀·y₀ + M₀ₐ·yₐ + λ = r₀,   Mₐ₀·y₀ + Mₐₐ·yₐ = rₐ,   y₀ = 0 on R,   λ = 0 elsewhere
    /// ```
    ///
    /// where the multipliers λ keep those in R at 0. C is the part of M₀⁻¹ between the variables of
    /// R. *Shapes*: `right` and the solution have a number for each variable of the matrix; the
    /// solution is 0 for those not in the set.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution = vec![0.0; right.len()];
        let Some((from, factor)) = &self.system.factored else {
            return solution;
        };
        // M₀⁻¹·r₀, with 0 for r₀ on R, as λ is free there, and C⁻¹ times its elements on R.
        let mut kept = from.gather(right);
        for place in self.places(&self.left) {
            kept[place] = 0.0;
        }
        let mut values = factor.solve(&kept);
        let of_left: Vec<f64> = self.places(&self.left).map(|place| values[place]).collect();
        let by_left = self.of_left.solve(&of_left);
        // yₐ: its right side is r on A, less what the variables of the factorised set explain of
        // it.
        let rights: Vec<f64> = (self.joined.iter().zip(&self.between))
            .map(|(&variable, between)| {
                let of_row = from.gather(self.system.matrix.row(variable));
                right[variable] - dot(&of_row, &values) + dot(between, &by_left)
            })
            .collect();
        let of_joined = self.of_joined.solve(&rights);
        // λ, and then y₀: M₀⁻¹·r₀ less the columns of R times λ and of A times yₐ.
        let mut of_left = of_left;
        for (value, between) in of_joined.iter().zip(&self.between) {
            add_scaled(&mut of_left, -value, between);
        }
        let multipliers = self.of_left.solve(&of_left);
        let parts = (self.left.iter().zip(&multipliers)).chain(self.joined.iter().zip(&of_joined));
        for (variable, part) in parts {
            add_scaled(&mut values, -part, &self.system.columns[variable]);
        }
        from.scatter(&values, &mut solution);
        for &variable in &self.left {
            solution[variable] = 0.0;
        }
        for (&variable, value) in self.joined.iter().zip(of_joined) {
            solution[variable] = value;
        }
        solution
    }

    /// Iterates over the places of some variables in the factorised set; those that are not in it
    /// are left out.
    fn places<'s>(&'s self, variables: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        let from = self.system.factored.as_ref().map(|(from, _)| from);
        (variables.iter()).filter_map(move |&variable| from?.index_in_part(variable))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    const SIZE: usize = 100;

    fn matrix() -> Symmetric {
        let mut matrix = Symmetric::zeros(SIZE);
        for i in 0..SIZE {
            matrix.add(i, i, 250.0 + i as f64);
            for j in 0..i {
                matrix.add(i, j, 3.0 * ((i * 7 + j * 3) as f64).sin());
            }
        }
        matrix
    }

    fn without(indices: &[usize]) -> Subset {
        Subset::of(&(0..SIZE).map(|i| !indices.contains(&i)).collect::<Vec<_>>())
    }

    fn right() -> Vec<f64> {
        (0..SIZE).map(|i| ((i * i) as f64).cos()).collect()
    }

    #[test]
    fn a_set_that_has_changed_is_solved_by_the_factor_of_another() {
        let (matrix, right) = (matrix(), right());
        let first = without(&[3, 10, 50]);
        let mut system = FreeSystem::new(&matrix, &first, None).unwrap();
        let sets = [
            &[3, 10, 50][..],
            &[3, 10, 50, 7],
            &[10, 50],
            &[3, 20, 50],
            &[10, 3, 50],
        ];
        for indices in sets {
            let free = without(indices);
            let found = system.solve(&free, &right).unwrap();
            let factor = Cholesky::new(&matrix.select(free.indices())).unwrap();
            let expected = factor.solve(&free.gather(&right));
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-13, "{indices:?}");
            }
            let (of, _) = system.factored.as_ref().unwrap();
            assert_eq!(of, &first, "no set is that different");
        }
        // With those that have changed so far these are too many.
        let other = without(&[1, 2, 4]);
        system.solve(&other, &right).unwrap();
        assert_eq!(system.factored.unwrap().0, other);
    }

    #[test]
    fn what_follows_does_not_depend_on_a_factor_of_another_set() {
        let (matrix, right) = (matrix(), right());
        let (first, other) = (without(&[3]), without(&[3, 4]));
        let solve = |last: Option<Factored>| {
            let mut system = FreeSystem::new(&matrix, &other, last).unwrap();
            system.solve(&other, &right).unwrap()
        };
        let of_first = FreeSystem::new(&matrix, &first, None).unwrap();
        assert_eq!(solve(of_first.factored), solve(None));
    }

    #[test]
    fn a_variable_that_joins_may_leave_no_factor() {
        let mut matrix = matrix();
        matrix.add(9, 9, -500.0);
        let mut system = FreeSystem::new(&matrix, &without(&[9]), None).unwrap();
        let found = system.solve(&without(&[]), &right());
        assert_eq!(found.unwrap_err(), Failure::Indefinite);
        // A copy of another, but for rounding.
        let mut matrix = self::matrix();
        for i in 0..SIZE {
            let missing = if i == 9 {
                matrix.get(8, 8) * (1.0 + 1e-14) - matrix.get(9, 9)
            } else {
                matrix.get(8, i) - matrix.get(9, i)
            };
            matrix.add(9, i, missing);
        }
        let mut system = FreeSystem::new(&matrix, &without(&[9]), None).unwrap();
        let found = system.solve(&without(&[]), &right());
        assert_eq!(found.unwrap_err(), Failure::NearSingular);
    }
}
