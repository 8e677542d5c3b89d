//! A sparse basis of a null space, in whole numbers where there is one.
//!
//! What a factorisation leaves is an orthonormal basis: every vector has a part
//! of every direction. Elimination takes them apart, then vectors are taken from
//! each other as long as that leaves fewer weights in one. The sparsest of all
//! bases is a hard problem; this finds the one that tables and duplicates have.
//!
//! *Source*: T. F. Coleman, A. Pothen, The null space problem I: complexity, SIAM
//! Journal on Algebraic and Discrete Methods 7, 1986.

use super::{Cholesky, RankRevealing, Symmetric, add_scaled, dot};

/// A coefficient of a null vector below this fraction of the vector's largest is rounding. Those of
/// sums over a million rows are known to some nine digits.
const NOTHING: f64 = 1e-6;

/// To make a vector one of whole numbers, its smallest coefficient is tried as 1, 2, … up to this
/// number. Chosen.
const MOST_MULTIPLE: u32 = 12;

/// Largest whole number that a coefficient may be: nearly all reals are close to some larger one.
const MOST_WHOLE: f64 = 1000.0;

/// A vector takes another one from itself only if more than one in this many of its coefficients
/// vanish. Chosen: vectors of few weights become as sparse as they can, those of hundreds are not
/// read.
const NOTABLE: usize = 16;

/// Most sweeps over all pairs of vectors while they are made sparser. Chosen; three are the most
/// seen.
const SWEEPS: usize = 50;

/// Numbers looked at for sparser vectors, at most. Chosen: a few seconds, and far
/// more than vectors need that can be named.
const WORK: usize = 300_000_000;

/// Most null directions of which a sparse basis is computed, which for d directions of n weights
/// takes d²·n. Chosen: nobody reads more.
const MOST_DIRECTIONS: usize = 500;

/// Returns a basis of the null space of a matrix: directions along which the data say nothing.
/// Each vector has few numbers that are not 0, the one with the fewest comes first, and they are
/// whole numbers without a common factor or else reals of which the largest is 1; the sign that
/// more of its numbers have is the positive one.
///
/// *Cost*: a factorisation, and size·d² for d directions, a few times; a few seconds
/// at most.
///
/// # Errors
/// The number of directions, if they are more than 500.
pub fn sparse_basis(matrix: &Symmetric) -> Result<Vec<Vec<f64>>, usize> {
    let mut rows = RankRevealing::new(matrix).null_space;
    if rows.len() > MOST_DIRECTIONS {
        return Err(rows.len());
    }
    eliminate(&mut rows);
    sparsify(&mut rows);
    // The inflation of a direction is how many times its variance is what it would be were its
    // weights uncorrelated; 1/`rank_limit` is the largest that rounding lets be told.
    let rank_limit = 100.0 * matrix.size() as f64 * f64::EPSILON;
    let mut basis: Vec<Vec<f64>> = rows
        .into_iter()
        .map(|row| {
            // Whole numbers are taken only if the matrix says as good as nothing along them: if
            // their inflation is at least a tenth of the largest. Else the vector stays one of
            // reals, computed to all digits.
            let whole = whole(&row).filter(|whole| inflation(matrix, whole) * rank_limit >= 0.1);
            oriented(whole.unwrap_or_else(|| refined(matrix, row)))
        })
        .collect();
    basis.sort_by_key(|row| (support(row).count(), support(row).next()));
    Ok(basis)
}

/// Iterates over the indices at which a vector is not 0.
fn support(row: &[f64]) -> impl Iterator<Item = usize> {
    (row.iter().enumerate()).filter_map(|(index, value)| (value.abs() > 0.0).then_some(index))
}

/// Makes each vector the only one that is not 0 at some index, its pivot, where it is 1:
/// Gauss-Jordan elimination, in which the largest number of the vectors that have no pivot yet is
/// the next pivot. Then sets what is rounding to 0.
fn eliminate(rows: &mut [Vec<f64>]) {
    let mut used = vec![false; rows.len()];
    for _ in 0..rows.len() {
        let unused = (0..rows.len()).filter(|&row| !used[row]);
        // The places of a vector's numbers, (vector, index, size).
        let sizes =
            |row: usize| (rows[row].iter().enumerate()).map(move |(c, v)| (row, c, v.abs()));
        let places = unused.flat_map(sizes);
        // The largest number of the vectors that have no pivot yet.
        let (pivot, column, size) = places.fold((0, 0, 0.0), larger(|place: &(_, _, f64)| place.2));
        // Only zeros are left, which does not happen to the vectors of a basis: each of them is
        // independent of the others.
        if size <= 0.0 {
            return;
        }
        used[pivot] = true;
        let scale = rows[pivot][column].recip();
        rows[pivot].iter_mut().for_each(|value| *value *= scale);
        let by = rows[pivot].clone();
        for (number, row) in rows.iter_mut().enumerate() {
            let factor = row[column];
            if number != pivot && factor.abs() > 0.0 {
                add_scaled(row, -factor, &by);
                row[column] = 0.0;
            }
        }
    }
    for row in rows {
        without_rounding(row);
    }
}

/// Sets numbers of a vector to 0 that are below a millionth ([`NOTHING`]) of its largest: rounding.
fn without_rounding(row: &mut [f64]) {
    let largest = row.iter().fold(0.0, |max: f64, value| max.max(value.abs()));
    for value in row {
        if value.abs() < NOTHING * largest {
            *value = 0.0;
        }
    }
}

/// Subtracts multiples of vectors from each other as long as one gets notably sparser by it (has
/// more numbers that are 0), for at most 50 sweeps over all vectors ([`SWEEPS`]) or 300 million
/// numbers looked at ([`WORK`]). The vectors stay a basis of the space that they span.
fn sparsify(rows: &mut [Vec<f64>]) {
    let numbers = rows.iter().map(Vec::len).sum::<usize>();
    // A look for a partner, or the try of one, reads all numbers.
    let mut looks = WORK / numbers.max(1);
    for _ in 0..SWEEPS {
        let mut changed = false;
        for number in 0..rows.len() {
            while let Some((other, factor)) = best_partner(rows, number) {
                let mut row = rows[number].clone();
                add_scaled(&mut row, -factor, &rows[other]);
                without_rounding(&mut row);
                looks = looks.saturating_sub(1);
                if looks == 0 {
                    return;
                }
                // Ratios that are alike need not cancel within rounding.
                if support(&row).count() >= support(&rows[number]).count() {
                    break;
                }
                rows[number] = row;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Returns the number of another vector, and the factor by which it is to be subtracted from vector
/// `number` to leave fewest numbers that are not 0. `None` if that would not leave notably fewer:
/// the gain must be above a sixteenth of the vector's numbers that are not 0, as one more or less
/// of hundreds does not matter.
fn best_partner(rows: &[Vec<f64>], number: usize) -> Option<(usize, f64)> {
    let mut best = None;
    let mut most = support(&rows[number]).count() / NOTABLE;
    let mut ratios = Vec::new();
    for other in (0..rows.len()).filter(|&other| other != number) {
        ratios.clear();
        // A factor makes those numbers 0 whose ratio it is, and leaves a number where only the
        // other vector has one.
        let mut added = 0;
        for (value, by) in rows[number].iter().zip(&rows[other]) {
            match (value.abs() > 0.0, by.abs() > 0.0) {
                (true, true) => ratios.push(value / by),
                (false, true) => added += 1,
                _ => {}
            }
        }
        if ratios.len() <= added + most || at_most_alike(&ratios) <= added + most {
            continue;
        }
        let (factor, removed) = most_frequent(&mut ratios);
        if removed > added + most {
            most = removed - added;
            best = Some((other, factor));
        }
    }
    best
}

/// Returns an upper bound of how many ratios are alike up to rounding, by their first binary
/// digits: far less work than sorting them.
fn at_most_alike(ratios: &[f64]) -> usize {
    // Numbers of the same 19 binary digits differ by less than two millionths; those on both sides
    // of a limit are counted together. Numbers of other digits may share one of the 1024 cells,
    // which makes the bound only higher.
    let mut counts = [0_u32; 1024];
    for ratio in ratios {
        counts[(ratio.to_bits() >> 33) as usize % counts.len()] += 1;
    }
    // The first and the last cell are neighbours as well.
    let around = counts[0] + counts[counts.len() - 1];
    let pairs = counts.windows(2).map(|pair| pair[0] + pair[1]);
    pairs.fold(around, u32::max) as usize
}

/// Returns the ratio that occurs most often up to rounding (a relative difference of a millionth,
/// [`NOTHING`], from one to the next), and how often; sorts the ratios.
fn most_frequent(ratios: &mut [f64]) -> (f64, usize) {
    ratios.sort_by(f64::total_cmp);
    let same = |a: &f64, b: &f64| (a - b).abs() <= NOTHING * b.abs().max(a.abs());
    let runs = ratios.chunk_by(same);
    let runs = runs.map(|run| (run[run.len() / 2], run.len()));
    runs.fold((0.0, 0), larger(|run: &(_, usize)| run.1))
}

/// Makes a function that returns that of two things for which `value` is larger, the first if both
/// are equal.
pub(super) fn larger<T, V: PartialOrd>(value: impl Fn(&T) -> V) -> impl Fn(T, T) -> T {
    move |best, next| {
        if value(&next) > value(&best) {
            next
        } else {
            best
        }
    }
}

/// Returns the smallest whole numbers that have the ratios of a vector's numbers, within 1e-4;
/// `None` if there are none such up to [`MOST_WHOLE`] (1000), the smallest up to [`MOST_MULTIPLE`]
/// (12).
fn whole(row: &[f64]) -> Option<Vec<f64>> {
    let smallest = support(row)
        .map(|i| row[i].abs())
        .fold(f64::INFINITY, f64::min);
    let multiples = |multiple: u32| -> Option<Vec<f64>> {
        let scale = f64::from(multiple) / smallest;
        let near = |value: &f64| {
            let scaled = value * scale;
            let near = (scaled - scaled.round()).abs() <= 1e-4 && scaled.abs() <= MOST_WHOLE;
            near.then_some(scaled.round())
        };
        row.iter().map(near).collect()
    };
    // The smallest multiple that fits leaves no common factor.
    (1..=MOST_MULTIPLE).find_map(multiples)
}

/// Returns a null vector of reals with all digits: its largest number is set to 1, and the others
/// that are not 0 are computed anew from the rows of the matrix at their indices, by which the
/// product with the vector is 0. Where these rows have no Cholesky factor, and so do not determine
/// them, they are only scaled. A vector of zeros is returned as it is.
fn refined(matrix: &Symmetric, mut row: Vec<f64>) -> Vec<f64> {
    let largest = support(&row).max_by(|&a, &b| row[a].abs().total_cmp(&row[b].abs()));
    let Some(largest) = largest else {
        return row;
    };
    let scale = row[largest].recip();
    for value in &mut row {
        *value *= scale;
    }
    let others: Vec<usize> = support(&row).filter(|&index| index != largest).collect();
    if let Ok(factor) = Cholesky::new(&matrix.select(&others)) {
        let right: Vec<f64> = others.iter().map(|&i| -matrix.get(i, largest)).collect();
        for (&index, value) in others.iter().zip(factor.solve(&right)) {
            row[index] = value;
        }
    }
    row
}

/// Returns the vector or its opposite: that which has more positive than negative numbers or, if
/// they are as many, whose first number that is not 0 is positive.
pub fn oriented(mut row: Vec<f64>) -> Vec<f64> {
    let signs: f64 = support(&row).map(|index| row[index].signum()).sum();
    let first = support(&row).next().map_or(0.0, |index| row[index]);
    if signs < 0.0 || (signs.abs() <= 0.0 && first < 0.0) {
        for value in &mut row {
            *value = 0.0 - *value; // no negative zeros
        }
    }
    row
}

/// Returns Σ Hᵢᵢ·dᵢ² / dᵀHd for the matrix H and the direction d: how many times the variance along
/// d is what it would be were its weights uncorrelated. At most what rounding lets be told,
/// 1/(100·size·ε). *Shapes*: the direction has a number for each row of the matrix. *Cost*: a
/// product of the matrix with a vector.
///
/// # Panics
/// If the direction has another length.
pub fn inflation(matrix: &Symmetric, direction: &[f64]) -> f64 {
    let alone: f64 = (0..direction.len())
        .map(|i| matrix.get(i, i) * direction[i] * direction[i])
        .sum();
    let least = alone * 100.0 * direction.len() as f64 * f64::EPSILON;
    alone / dot(direction, &matrix.multiply(direction)).max(least)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// The Gram matrix of planted features, and what they leave open.
    fn gram(features: &[Vec<f64>]) -> Symmetric {
        let size = features.len();
        let rows = features[0].len();
        let vectors: Vec<f64> = (0..rows)
            .flat_map(|row| features.iter().map(move |feature| feature[row]))
            .collect();
        Symmetric::gram(&vectors, &vec![0.0; size])
    }

    fn noise(seed: usize, rows: usize) -> Vec<f64> {
        (0..rows)
            .map(|i| {
                ((i * i * 7 + i * seed * 13 + seed * seed) as f64)
                    .sin()
                    .mul_add(3.0, 0.1)
            })
            .collect()
    }

    #[test]
    fn a_board_of_ranks_and_files_has_a_direction_for_each() {
        // PST[64] = what the 8 ranks and the 8 files say, and more.
        let squares: Vec<Vec<f64>> = (0..64).map(|square| noise(square + 1, 400)).collect();
        let sum = |of: &dyn Fn(usize) -> bool| -> Vec<f64> {
            let members = squares.iter().enumerate().filter(|(square, _)| of(*square));
            members.fold(vec![0.0; 400], |mut sum, (_, square)| {
                sum.iter_mut().zip(square).for_each(|(s, v)| *s += v);
                sum
            })
        };
        let mut features = squares.clone();
        features.extend((0..8).map(|rank| sum(&|square| square / 8 == rank)));
        features.extend((0..8).map(|file| sum(&|square| square % 8 == file)));
        let basis = sparse_basis(&gram(&features)).unwrap();
        assert_eq!(basis.len(), 16);
        for direction in &basis {
            assert_eq!(support(direction).count(), 9, "{direction:?}");
            assert!(
                direction
                    .iter()
                    .all(|c| [-1.0, 0.0, 1.0].iter().any(|w| (c - w).abs() <= 0.0))
            );
        }
    }

    #[test]
    fn whole_numbers_are_the_smallest_and_reals_stay_reals() {
        let [a, b] = [1, 2].map(|seed| noise(seed, 60));
        let mix =
            |x: f64, y: f64| -> Vec<f64> { a.iter().zip(&b).map(|(a, b)| x * a + y * b).collect() };
        let basis = sparse_basis(&gram(&[a.clone(), b.clone(), mix(1.5, 0.0)])).unwrap();
        assert_eq!(basis, [vec![3.0, 0.0, -2.0]]);
        let basis = sparse_basis(&gram(&[a.clone(), b.clone(), mix(2.0, -3.0)])).unwrap();
        assert_eq!(basis, [vec![-2.0, 3.0, 1.0]]);
        let basis = sparse_basis(&gram(&[
            a.clone(),
            b.clone(),
            mix(std::f64::consts::PI, 0.0),
        ]))
        .unwrap();
        assert_eq!(basis.len(), 1);
        let ratio = basis[0][0] / basis[0][2];
        assert!((ratio + std::f64::consts::PI).abs() < 1e-9, "{ratio}");
        assert!(
            sparse_basis(&gram(&[a.clone(), b.clone()]))
                .unwrap()
                .is_empty()
        );
    }
}
