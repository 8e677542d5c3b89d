//! The penalty of one position, and its derivatives.

use super::Curvature;
use super::exponential::{exp_negative, ln_1p_unit};
use super::sigmoid::odds;

/// What a wrong expectation costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// (p − R)²: Texel's, the default. Bounded, so a wrong label costs little.
    #[default]
    Squared,
    /// −R·ln p − (1 − R)·ln(1 − p). Convex in the weights.
    CrossEntropy,
}

/// The penalty of one position and its derivatives by z, the log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// The penalty itself, at least 0.
    pub value: f64,
    /// Its first derivative by z.
    pub slope: f64,
}

impl Loss {
    /// Returns penalty and slope at log-odds `z` for target `r` in [0, 1].
    #[inline(always)] // into kernels
    pub fn penalty(self, z: f64, r: f64) -> Penalty {
        let (p, q) = odds(z);
        let residual = residual(p, q, r);
        match self {
            Self::Squared => Penalty {
                value: residual * residual,
                slope: 2.0 * residual * p * q,
            },
            // max(z, 0) + ln(1 + e^−|z|) − R·z, arranged so that nothing large cancels.
            Self::CrossEntropy => Penalty {
                value: ln_1p_unit(exp_negative(-z.abs())) + if z >= 0.0 { (1.0 - r) * z } else { -r * z },
                slope: residual,
            },
        }
    }

    /// Returns the curvature by z at log-odds `z` for target `r`: the second
    /// derivative, or its Gauss-Newton part, which is never negative.
    #[inline(always)] // into kernels
    pub fn curvature(self, kind: Curvature, z: f64, r: f64) -> f64 {
        let (p, q) = odds(z);
        let slope = p * q;
        match (self, kind) {
            (Self::Squared, Curvature::GaussNewton) => 2.0 * slope * slope,
            (Self::Squared, Curvature::Newton) => {
                2.0 * slope * (slope + residual(p, q, r) * (q - p))
            }
            // The second derivative has no term in the residual: both are equal.
            (Self::CrossEntropy, _) => slope,
        }
    }

    /// Returns the name used on the command line and in summaries.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Squared => "squared",
            Self::CrossEntropy => "cross-entropy",
        }
    }
}

/// p − R without cancellation near the ends: p·(1 − R) − q·R, as p + q = 1.
#[inline(always)] // into kernels
fn residual(p: f64, q: f64, r: f64) -> f64 {
    p * (1.0 - r) - q * r
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_are_those_of_the_penalty() {
        let h = 1e-5;
        for loss in [Loss::Squared, Loss::CrossEntropy] {
            for r in [0.0, 0.3, 0.5, 1.0] {
                for z in [-6.0, -1.0, -1e-3, 0.0, 0.7, 4.0] {
                    let [low, here, high] = [z - h, z, z + h].map(|z| loss.penalty(z, r));
                    let slope = (high.value - low.value) / (2.0 * h);
                    assert!((here.slope - slope).abs() < 1e-9, "{loss:?} {r} {z}");
                    let curvature = (high.slope - low.slope) / (2.0 * h);
                    let newton = loss.curvature(Curvature::Newton, z, r);
                    assert!((newton - curvature).abs() < 1e-9, "{loss:?} {r} {z}");
                    assert!(loss.curvature(Curvature::GaussNewton, z, r) >= 0.0);
                }
            }
        }
    }

    #[test]
    fn stays_finite_and_precise_far_out() {
        for z in [-1e6, -800.0, 800.0, 1e6] {
            for loss in [Loss::Squared, Loss::CrossEntropy] {
                let penalty = loss.penalty(z, 1.0);
                assert!(penalty.value.is_finite() && penalty.slope.is_finite());
            }
        }
        // At z = 40 and R = 1 the penalty is e^−40, far below the rounding of 1 − p.
        let penalty = Loss::CrossEntropy.penalty(40.0, 1.0);
        assert!((penalty.value * 40_f64.exp() - 1.0).abs() < 1e-12);
        assert!((penalty.slope * 40_f64.exp() + 1.0).abs() < 1e-12);
    }
}
