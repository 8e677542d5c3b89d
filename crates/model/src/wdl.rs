//! The likelihood of win, draw and loss by score and material, with its derivatives: the curves that
//! `fit_wdl` of the judgement finds.
//!
//! P(win) = σ((s − a)/b) and P(loss) = σ((−s − a)/b) at a score s, all else is drawn. a and b are
//! cubics of t = material/58. It is in this crate because this one is compiled for speed.

use std::ops::RangeInclusive;

use super::deterministic_reduce::add_up;
use tuner_parallel as parallel;
use tuner_solve::linalg::{Symmetric, dot};

/// Material at which t = 1: about that of a middlegame. Stockfish's.
pub const NORMAL_MATERIAL: f64 = 58.0;

/// Least and greatest material, beyond which a and b stay as they are. Stockfish's.
pub const MATERIAL: (f64, f64) = (17.0, 78.0);

/// Coefficients of a cubic: of 1, t, t², t³.
pub const COEFFICIENTS: usize = 4;

/// Numbers that are fitted: the coefficients of a, then those of b.
pub const SIZE: usize = 2 * COEFFICIENTS;

/// Range of a/b in which curves are searched.
const WIDTHS: RangeInclusive<f64> = 1e-3..=20.0;

/// Samples that one thread adds up at a time. Chosen.
const CHUNK: usize = 8192;

/// A position with the score of a search or an evaluation. Values are the first player's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WdlSample {
    /// The game's number.
    pub game: u32,
    /// How often it counts.
    pub weight: f64,
    /// The result: 1, ½ or 0.
    pub outcome: f64,
    /// The score, in any unit.
    pub score: f64,
    /// The material of both sides, in pawns.
    pub material: f64,
}

/// Sums over weighted samples, with P the probability of a sample's result: of −ln P, its slopes by
/// the coefficients, and its curvature without the second derivatives of a/b and 1/b, so that it is
/// never negative.
#[derive(Clone, Debug)]
pub struct CurveSums {
    /// The sum of −ln P.
    pub value: f64,
    /// Its slopes by the coefficients of a, then of b.
    pub slopes: [f64; SIZE],
    /// Its curvature by these coefficients.
    pub curvature: Symmetric,
}

/// The curves P(win) = σ((s − a)/b) and P(loss) = σ((−s − a)/b) of a score s, by the coefficients
/// of the cubics a and b: those of a by rising powers, then those of b.
#[derive(Clone, Copy, Debug)]
pub struct Curves(pub [f64; SIZE]);

/// Returns the powers of t = material/58, from 1 up; material beyond [`MATERIAL`] counts as its
/// ends.
pub fn powers(material: f64) -> [f64; COEFFICIENTS] {
    let t = material.clamp(MATERIAL.0, MATERIAL.1) / NORMAL_MATERIAL;
    [1.0, t, t * t, t * t * t]
}

/// Returns −ln P, with P the probability of a result at a score s: its value, its slopes by z = s/b
/// and by w = a/b, and its curvatures by zz, zw and ww. The curves are P(win) = σ(z − w) and
/// P(loss) = σ(−z − w).
///
/// −ln P is ln(1 + e^(w − z)) of a win and ln(1 + e^(w + z)) of a loss. That of a draw is the sum
/// of both with −w for w, less ln(1 − e^(−2w)); a result within ¼ of ½ counts as a draw.
fn derivatives(z: f64, w: f64, outcome: f64) -> [f64; 6] {
    // ln(1 + e^x) without overflow, its slope and its curvature.
    let softplus = |x: f64| {
        let small = (-x.abs()).exp();
        let high = 1.0 / (1.0 + small);
        let slope = if x < 0.0 { small * high } else { high };
        (x.max(0.0) + small.ln_1p(), slope, small * high * high)
    };
    if (outcome - 0.5).abs() < 0.25 {
        // Of each of the two that are added, value, slope and curvature by its own argument.
        let ((win, slope, bend), (loss, other, also)) = (softplus(z - w), softplus(-z - w));
        // The slope of ln(1 − e^(−2w)) by w; its curvature is −rate·(rate + 2).
        let rate = 2.0 / (2.0 * w).exp_m1();
        return [
            win + loss - (-(-2.0 * w).exp_m1()).ln(),
            slope - other,
            -slope - other - rate,
            bend + also,
            also - bend,
            bend + also + rate * (rate + 2.0),
        ];
    }
    let sign = if outcome > 0.5 { -1.0 } else { 1.0 };
    let (value, slope, bend) = softplus(w + sign * z);
    [value, sign * slope, slope, bend, sign * bend, bend]
}

impl Curves {
    /// Returns a and b of the curves, in the unit of the scores, where `powers` are 1, t, t² and t³
    /// of t = material/58.
    pub fn at(&self, powers: &[f64; COEFFICIENTS]) -> [f64; 2] {
        let (a, b) = self.0.split_at(COEFFICIENTS);
        [dot(a, powers), dot(b, powers)]
    }

    /// Returns −ln P of a sample's result, its slopes by a and b and its curvatures aa, ab, bb,
    /// times its weight, with P(win) = σ((s − a)/b) and P(loss) = σ((−s − a)/b) at the score s. It
    /// is the chain rule over z = s/b and w = a/b, whose second derivatives are left out. `None`
    /// where b is not above 0, or a/b is not in [`WIDTHS`].
    fn terms(&self, sample: &WdlSample) -> Option<[f64; 6]> {
        let [a, b] = self.at(&powers(sample.material));
        // A very small b must not make an infinite z, as 0 times that is NaN.
        let (z, w) = ((sample.score / b).clamp(-1e6, 1e6), a / b);
        if !(b > 0.0 && WIDTHS.contains(&w)) {
            return None;
        }
        let [value, by_z, by_w, zz, zw, ww] = derivatives(z, w, sample.outcome);
        let terms = [
            value,
            by_w / b,
            -(by_z * z + by_w * w) / b,
            ww / (b * b),
            -(zw * z + ww * w) / (b * b),
            (zz * z * z + 2.0 * zw * z * w + ww * w * w) / (b * b),
        ];
        Some(terms.map(|term| sample.weight * term))
    }

    /// Returns the slopes of −ln P of a sample's result, times its weight, by the coefficients of a
    /// and then of b: those by a and b times the powers of t = material/58. 0 where a and b make no
    /// curves: b is not above 0, or a/b is out of range.
    pub fn slopes(&self, sample: &WdlSample) -> [f64; SIZE] {
        let powers = powers(sample.material);
        let by = self.terms(sample).map_or([0.0; 2], |of| [of[1], of[2]]);
        std::array::from_fn(|i| by[i / COEFFICIENTS] * powers[i % COEFFICIENTS])
    }

    /// Adds up, over all samples, −ln P of the result, its slopes and its curvature by the
    /// coefficients of a and b, in chunks and in their order. `None` where at the material of a
    /// sample a and b make no curves: b is not above 0, or a/b is out of range.
    pub fn sums(&self, samples: &[WdlSample]) -> Option<CurveSums> {
        // By each power of t, 0 to 6, sums of power times slope by a, by b, curvature aa, ab, bb.
        type Moments = [[f64; 5]; 2 * COEFFICIENTS - 1];
        let chunk = |chunk: usize| {
            let (mut total, mut moments) = (0.0, Moments::default());
            let end = samples.len().min((chunk + 1) * CHUNK);
            for sample in &samples[chunk * CHUNK..end] {
                let [value, terms @ ..] = self.terms(sample)?;
                let [mut power, t, ..] = powers(sample.material);
                total += value;
                for moments in &mut moments {
                    add_up(moments, terms.map(|term| power * term));
                    power *= t;
                }
            }
            Some((total, moments))
        };
        let chunks = parallel::map(0..samples.len().div_ceil(CHUNK), chunk);
        let (mut value, mut moments) = (0.0, Moments::default());
        for part in chunks {
            let (more, part) = part?;
            value += more;
            add_up(moments.as_flattened_mut(), part.into_iter().flatten());
        }
        // Coefficient i is of a (0) or b (1), and of a power of t.
        let of = |i: usize| (i / COEFFICIENTS, i % COEFFICIENTS);
        let mut curvature = Symmetric::zeros(SIZE);
        for (i, j) in (0..SIZE).flat_map(|i| (i..SIZE).map(move |j| (i, j))) {
            let ((of_i, power_i), (of_j, power_j)) = (of(i), of(j));
            curvature.add(i, j, moments[power_i + power_j][2 + of_i + of_j]);
        }
        Some(CurveSums {
            value,
            slopes: std::array::from_fn(|i| moments[of(i).1][of(i).0]),
            curvature,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_solve::linalg::Cholesky;

    #[test]
    fn derivatives_are_those_of_the_documented_probabilities() {
        let h = 1e-5;
        for w in [0.01, 0.8, 5.0] {
            for z in [-9.0, -1.0, 0.0, 0.3, 4.0] {
                let all = [1.0, 0.5, 0.0].map(|outcome| (-derivatives(z, w, outcome)[0]).exp());
                assert!((all[0] - 1.0 / (1.0 + (w - z).exp())).abs() < 1e-14);
                assert!((all[2] - 1.0 / (1.0 + (w + z).exp())).abs() < 1e-14);
                assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-13, "{all:?}");
                for outcome in [1.0, 0.5, 0.0] {
                    let at = |z, w| derivatives(z, w, outcome);
                    let (here, by_z) = (at(z, w), [at(z - h, w), at(z + h, w)]);
                    let by_w = [at(z, w - h), at(z, w + h)];
                    for ([low, high], of, slope) in [
                        (by_z, 0, 1),
                        (by_w, 0, 2),
                        (by_z, 1, 3),
                        (by_w, 1, 4),
                        (by_z, 2, 4),
                        (by_w, 2, 5),
                    ] {
                        let found = (high[of] - low[of]) / (2.0 * h);
                        let off = (found - here[slope]).abs() / here[slope].abs().max(1.0);
                        assert!(off < 1e-5, "{w} {z} {outcome}: {of}, {slope}");
                    }
                }
            }
        }
        // Nothing large cancels.
        let [value, slope, ..] = derivatives(40.0, 1.0, 1.0);
        assert!((value * 39_f64.exp() - 1.0).abs() < 1e-12);
        assert!((slope * 39_f64.exp() + 1.0).abs() < 1e-12);
        assert!(
            derivatives(1e6, 20.0, 0.5)
                .iter()
                .all(|number| number.is_finite())
        );
    }

    #[test]
    fn slopes_and_curvatures_are_those_of_the_probability() {
        let at = Curves([1.2, -0.3, 0.2, 0.1, 0.5, 0.2, -0.1, 0.05]);
        for (outcome, score) in [(1.0, 0.3), (0.5, -0.8), (0.0, 1.5)] {
            let sample = WdlSample {
                game: 0,
                weight: 1.0,
                outcome,
                score,
                material: 40.0,
            };
            let slopes = at.slopes(&sample);
            for (i, slope) in slopes.into_iter().enumerate() {
                let h = 1e-6;
                let [low, high] = [-h, h].map(|h| {
                    let mut at = at;
                    at.0[i] += h;
                    at.terms(&sample).unwrap()[0]
                });
                assert!((slope - (high - low) / (2.0 * h)).abs() < 1e-8, "{i}");
            }
            assert!(
                Cholesky::new(
                    &at.sums(&[sample; 3])
                        .unwrap()
                        .curvature
                        .damped(1e-9, &[1.0; SIZE])
                )
                .is_ok()
            );
        }
    }
}
