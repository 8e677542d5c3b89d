//! From quotients to the segments of a row.
//!
//! A quotient is any f64, a stored coefficient a small integer times a factor
//! of its segment. Where the score is what engines compute, quotients are small
//! integers times few numbers (1, the phase and 1 − phase, half a step of an
//! integer score), and few segments hold them; what is not gets a segment of
//! its own, with the quotient as its factor. Nothing is clipped.

use tuner_base::Slot;
use tuner_rows::Segment;

/// What one variable does to the score of a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Quotient {
    pub(super) lane: usize,
    /// Not 0.
    pub(super) value: f64,
    /// How far rounding of the two scores may have moved it.
    pub(super) tolerance: f64,
    /// What integer scores make it a multiple of.
    pub(super) unit: f64,
}

/// Part of itself that a quotient may be changed by at most, though rounding
/// allowed more: beside a very large constant it is still no other number.
const LARGEST_CHANGE: f64 = 1e-9;

impl Quotient {
    /// Returns the coefficient that makes the quotient of a factor, as far as
    /// rounding tells.
    fn over(&self, factor: f64) -> Option<i16> {
        let coefficient = (self.value / factor).round();
        let range = f64::from(i16::MIN)..=f64::from(i16::MAX);
        let allowed = self.tolerance.min(LARGEST_CHANGE * self.value.abs());
        let near = (coefficient * factor - self.value).abs() <= allowed;
        (near && range.contains(&coefficient)).then_some(coefficient as i16)
    }
}

type Pair<'a> = [Option<&'a Quotient>; 2];

/// Returns the segments of a row, of quotients in ascending order of lanes.
pub(super) fn segments(quotients: &[Quotient]) -> Vec<Segment> {
    let mut pairs: Vec<(u32, Pair<'_>)> = Vec::new();
    for quotient in quotients {
        let slot = (quotient.lane / 2) as u32;
        if pairs.last().is_none_or(|last| last.0 != slot) {
            pairs.push((slot, [None, None]));
        }
        if let Some((_, pair)) = pairs.last_mut() {
            pair[quotient.lane % 2] = Some(quotient);
        }
    }
    // Small ones first: others may be multiples of them.
    pairs.sort_by(|a, b| size(&a.1).total_cmp(&size(&b.1)).then(a.0.cmp(&b.0)));
    let mut segments: Vec<Segment> = Vec::new();
    for (slot, pair) in pairs {
        let old = segments.iter_mut().find_map(|segment| {
            let coefficients = over(&pair, segment.factors)?;
            Some((segment, coefficients))
        });
        if let Some((segment, coefficients)) = old {
            segment.entries.push((Slot(slot), coefficients));
            continue;
        }
        let units = [1.0, unit(&pair)].map(|unit| [unit; 2]);
        let own = pair.map(|quotient| quotient.map_or(0.0, |quotient| quotient.value));
        let simple = units
            .into_iter()
            .find_map(|factors| Some((factors, over(&pair, factors)?)));
        let (factors, coefficients) =
            simple.unwrap_or((own, pair.map(|quotient| i16::from(quotient.is_some()))));
        segments.push(Segment {
            factors,
            entries: vec![(Slot(slot), coefficients)],
        });
    }
    segments
}

fn size(pair: &Pair<'_>) -> f64 {
    let sizes = pair.iter().flatten().map(|quotient| quotient.value.abs());
    sizes.fold(0.0, f64::max)
}

/// The smaller of two units, of which the other is mostly the same or a
/// multiple.
fn unit(pair: &Pair<'_>) -> f64 {
    let units = pair.iter().flatten().map(|quotient| quotient.unit);
    units.fold(f64::INFINITY, f64::min)
}

fn over(pair: &Pair<'_>, factors: [f64; 2]) -> Option<[i16; 2]> {
    let mut coefficients = [0; 2];
    for side in 0..2 {
        if let Some(quotient) = pair[side] {
            coefficients[side] = quotient.over(factors[side])?;
        }
    }
    Some(coefficients)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)] // what is stored is exact
    use super::*;

    fn quotients(values: &[(usize, f64)]) -> Vec<Quotient> {
        let quotient = |&(lane, value): &(usize, f64)| Quotient {
            lane,
            value,
            tolerance: 1e-12,
            unit: 1.0 / 32.0,
        };
        values.iter().map(quotient).collect()
    }

    fn dense(segments: &[Segment]) -> Vec<f64> {
        let mut lanes = vec![0.0; 8];
        for segment in segments {
            for &(slot, coefficients) in &segment.entries {
                for side in 0..2 {
                    lanes[2 * slot.index() + side] +=
                        segment.factors[side] * f64::from(coefficients[side]);
                }
            }
        }
        lanes
    }

    #[test]
    fn a_tapered_row_is_one_segment() {
        let phase = 7.0 / 24.0;
        let mut values = Vec::new();
        for (slot, count) in [3.0, 1.0, -2.0].into_iter().enumerate() {
            values.push((2 * slot, count * phase * (1.0 + 1e-15)));
            values.push((2 * slot + 1, count * (1.0 - phase)));
        }
        let found = segments(&quotients(&values));
        assert_eq!(found.len(), 1, "{found:?}");
        let counts: Vec<_> = found[0].entries.iter().map(|e| (e.0, e.1)).collect();
        let expected = [(1, [1, 1]), (2, [-2, -2]), (0, [3, 3])];
        assert_eq!(counts, expected.map(|(slot, counts)| (Slot(slot), counts)));
    }

    #[test]
    fn integers_and_fractions_of_a_step_are_exact() {
        let values = [(0, 3.0), (1, -32768.0), (2, 5.0 / 32.0), (7, -40000.0)];
        let found = segments(&quotients(&values));
        let expected = [3.0, -32768.0, 5.0 / 32.0, 0.0, 0.0, 0.0, 0.0, -40000.0];
        assert_eq!(dense(&found), expected);
        assert_eq!(found[1].factors, [1.0, 1.0]);
        // Too large for a coefficient: a factor of its own.
        assert_eq!(found[2].factors, [0.0, -40000.0]);
    }

    #[test]
    fn what_is_no_multiple_keeps_its_value() {
        let values = [(0, 0.1), (1, 0.314), (2, 0.777), (3, 1e-7), (6, 1e9 + 0.25)];
        let found = segments(&quotients(&values));
        let lanes = dense(&found);
        for (lane, value) in values {
            assert_eq!(lanes[lane], value);
        }
    }

    #[test]
    fn noise_beyond_a_quotient_does_not_make_it_zero() {
        let mut small = quotients(&[(0, 1e-6)]);
        small[0].tolerance = 1.0;
        assert_eq!(dense(&segments(&small))[0], 1e-6);
    }
}
