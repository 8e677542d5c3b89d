//! Coefficients as small integers times a few factors, as rows store them.

use tuner_base::LaneId;
use tuner_trace::{Form, Leaf};

/// The precision of the numbers of a file: numbers that differ by less count as equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Floats of 16 bits.
    Half,
    /// Floats of 32 bits.
    Single,
    /// Floats of 64 bits, integers, texts.
    Double,
    /// Quotients of differences of 64-bit floats, which have lost some digits.
    Quotient,
}

impl Precision {
    /// Tells whether `a` differs from `b` by no more than the rounding of numbers of this
    /// precision, as a part of `b`: floats of 16 bits have 11 binary digits, those of 32 bits have
    /// 24.
    fn same(self, a: f64, b: f64) -> bool {
        let part = match self {
            Self::Half => 1.0 / 2048.0,
            Self::Single => 1.0 / 16_777_216.0,
            Self::Double => 2.0 * f64::EPSILON,
            // Chosen: of scores up to thousands less is lost over a step of 1/64.
            Self::Quotient => 1e-9,
        };
        (a - b).abs() <= part * b.abs()
    }
}

/// Most factors that are searched for; then each coefficient gets its own factor: a phase and its
/// rest, times two scales.
const LOOKED_FOR: usize = 4;

/// The smallest coefficient is tried as a factor divided by 1 up to this: where a phase has the
/// coefficients 2 and 3, the factor is half of the smaller.
const PARTS: u32 = 4;

/// Numbers of this size and above do not count as whole.
const MOST_WHOLE: f64 = 9e15;

/// Largest count: what rows store in 16 bits.
const MOST: f64 = 32_767.0;

/// A factor, and the lanes that it applies to, each with its count.
pub(super) type Unit = (f64, Vec<(LaneId, i64)>);

/// Divides entries, lanes with their coefficients, into units: `coefficient = factor · count`,
/// within the precision, with the same factor for all of a unit. Coefficients of 0 are left out.
///
/// Whole numbers are one unit of factor 1. Else the factor of a unit is the smallest coefficient
/// that is left, or that over 2, 3 or 4, whichever explains most of those left. After
/// `LOOKED_FOR` (4) units each coefficient is a factor of its own.
///
/// *Cost*: linear in the entries.
pub fn units(entries: &[(LaneId, f64)], precision: Precision) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut left: Vec<(LaneId, f64)> = entries.iter().copied().filter(|e| e.1 != 0.0).collect();
    let is_whole = |c: f64| c.abs() < MOST_WHOLE && c - (c as i64) as f64 == 0.0;
    if left.iter().all(|&(_, c)| is_whole(c)) {
        let terms: Vec<_> = left.iter().map(|&(lane, c)| (lane, c as i64)).collect();
        units.extend((!terms.is_empty()).then_some((1.0, terms)));
        return units;
    }
    while !left.is_empty() {
        let smallest = (left.iter().map(|(_, c)| c.abs())).fold(f64::INFINITY, f64::min);
        // How often `c` has the factor `unit`, if that is a whole number of at most `MOST` (32,767)
        // in size. A quotient beyond the integers of 64 bits becomes the largest or the least of
        // them, which is beyond `MOST`.
        let count = |c: f64, unit: f64| {
            // Rounded half away from 0.
            let quotient = c / unit;
            let count = (quotient + 0.5_f64.copysign(quotient)) as i64;
            let number = count as f64;
            (number.abs() <= MOST && precision.same(number * unit, c)).then_some(count)
        };
        let explained = |unit: f64| left.iter().filter(|e| count(e.1, unit).is_some()).count();
        // How many coefficients the best factor explains, and that factor.
        let mut best = (0, smallest);
        for part in 1..=PARTS {
            let unit = smallest / f64::from(part);
            let explains = explained(unit);
            if explains > best.0 {
                best = (explains, unit);
            }
            if explains == left.len() {
                break;
            }
        }
        // No factor explains even one coefficient where all that are left are NaN or infinite.
        if units.len() == LOOKED_FOR || best.0 == 0 {
            units.extend(left.drain(..).map(|(lane, c)| (c, vec![(lane, 1)])));
            break;
        }
        let unit = best.1;
        let mut terms = Vec::with_capacity(best.0);
        left.retain(|&(lane, c)| match count(c, unit) {
            Some(count) => {
                terms.push((lane, count));
                false
            }
            None => true,
        });
        units.push((unit, terms));
    }
    units
}

/// Returns the forms of a trace, small integers times few factors, that have these derivatives of a
/// score by the weights, found as quotients of differences.
///
/// `sides`: the quotients of weights in lane 0 and in lane 1 of a slot, in a `LaneId` the number of
/// the leaf; `widest`: the widest step of a weight that quotients were taken over, as those of
/// whole scores are mostly whole numbers when multiplied by it.
pub fn quotient_forms(sides: &[Vec<(LaneId, f64)>; 2], widest: f64) -> Vec<Form> {
    let wide = |&(leaf, quotient): &(LaneId, f64)| (leaf, widest * quotient);
    let of_side = |side: &Vec<_>| {
        let wide: Vec<_> = side.iter().map(wide).collect();
        units(&wide, Precision::Quotient)
    };
    let forms = sides.iter().flat_map(of_side).map(|(unit, terms)| Form {
        factor: unit / widest,
        terms: (terms.into_iter())
            .map(|(leaf, count)| (Leaf(leaf.0), count))
            .collect(),
    });
    forms.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(coefficients: &[f64], precision: Precision) -> Vec<(f64, Vec<i64>)> {
        let entries: Vec<_> = (0..)
            .map(LaneId)
            .zip(coefficients.iter().copied())
            .collect();
        let units = units(&entries, precision).into_iter();
        units
            .map(|(unit, terms)| (unit, terms.iter().map(|term| term.1).collect()))
            .collect()
    }

    #[test]
    fn a_phase_is_found_again() {
        for phase in 1..=24 {
            let phase = f64::from(phase) / 24.0;
            let counts = [2.0, -3.0, 1.0, 8.0, -2.0, 0.0];
            let found = of(&counts.map(|count| count * phase), Precision::Double);
            let scale = if phase.to_bits() == 1.0_f64.to_bits() {
                1.0
            } else {
                phase
            };
            assert_eq!(found, [(scale, vec![2, -3, 1, 8, -2])], "{phase}");
            // The same in 32 bits, and without a 1.
            let narrow = counts[..2]
                .iter()
                .map(|&count| f64::from((count * phase) as f32));
            let found = of(&narrow.collect::<Vec<_>>(), Precision::Single);
            assert_eq!(found.len(), 1, "{phase}");
            assert!((found[0].0 * found[0].1[0] as f64 - 2.0 * phase).abs() < 1e-7);
        }
    }

    #[test]
    fn numbers_without_a_common_factor_keep_theirs() {
        let numbers: Vec<f64> = (1..100).map(|n| f64::from(n).sqrt() * 1.1).collect();
        let mut found: Vec<f64> = of(&numbers, Precision::Double)
            .into_iter()
            .flat_map(|(unit, counts)| counts.into_iter().map(move |count| unit * count as f64))
            .collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), numbers.len());
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(found.iter().zip(&numbers).all(close));
        assert_eq!(
            of(&[3.0, 40_000.0], Precision::Double),
            [(1.0, vec![3, 40_000])]
        );
        assert_eq!(of(&[0.0], Precision::Double), []);
        // What differences of scores lose, and what no integer holds.
        let found = of(&[0.3 * (1.0 + 1e-13), 0.9], Precision::Quotient);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].1, [1, 3]);
        assert_eq!(of(&[1e300], Precision::Quotient), [(1e300, vec![1])]);
    }
}
