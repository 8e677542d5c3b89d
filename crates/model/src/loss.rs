//! The penalty of one position, and its derivatives.

use std::str::FromStr;

use super::exponential::{exp_negative, ln_1p_unit};
use super::sigmoid::odds;
use super::{Curvature, Power};

/// The loss of a wrong expectation.
///
/// Written and read as `squared`, `cross-entropy`, `power:2.5`: on the command line, in
/// summaries and generated files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Loss {
    /// (p − R)²: Texel's, the default. Bounded, so a wrong label costs little.
    #[default]
    Squared,
    /// −R·ln p − (1 − R)·ln(1 − p). Convex in the weights.
    CrossEntropy,
    /// |p − R|^q, smoothed at 0 where q is below 2.
    Power(Power),
}

tuner_base::impl_fmt! { Display for Loss, |self, f| match self {
    Self::Squared => f.write_str("squared"),
    Self::CrossEntropy => f.write_str("cross-entropy"),
    Self::Power(power) => write!(f, "power:{}", power.exponent()),
} }

/// The penalty of one position and its derivatives by z, the log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// The penalty itself, at least 0.
    pub value: f64,
    /// Its first derivative by z.
    pub slope: f64,
}

impl Loss {
    /// Returns the penalty of the expectation σ(z) at log-odds `z` for the target `r` in [0, 1],
    /// and its slope by z. *Numerics*: no cancellation or overflow at any z.
    #[inline(always)] // into kernels, which are compiled for several machines
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
                value: ln_1p_unit(exp_negative(-z.abs()))
                    + if z >= 0.0 { (1.0 - r) * z } else { -r * z },
                slope: residual,
            },
            Self::Power(power) => {
                let phi = power.at(residual);
                Penalty {
                    value: phi.value,
                    slope: phi.slope * p * q,
                }
            }
        }
    }

    /// Returns the curvature by z of the penalty at log-odds `z` for the target `r` in [0, 1]: the
    /// second derivative for `Newton`, for `GaussNewton` the part of it without second derivatives
    /// of the residual, which is never negative.
    #[inline(always)] // into kernels, which are compiled for several machines
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
            (Self::Power(power), kind) => {
                let phi = power.at(residual(p, q, r));
                let bend = match kind {
                    Curvature::GaussNewton => 0.0,
                    Curvature::Newton => phi.slope * (q - p),
                };
                slope * (slope * phi.curvature + bend)
            }
        }
    }

    /// Returns c such that E/c is a mean negative log-likelihood, up to a constant, where residuals
    /// e are spread so that E has the value `error`.
    ///
    /// Cross-entropy is a negative log-likelihood: c = 1. For |e|^q the density of residuals is
    /// taken as e^(−|e|^q/c), which has its largest likelihood at c = q·E: for the squared error
    /// twice the variance.
    pub fn likelihood_scale(self, error: f64) -> f64 {
        match self {
            Self::Squared => 2.0 * error,
            Self::CrossEntropy => 1.0,
            Self::Power(power) => power.exponent() * error,
        }
    }

    /// Returns u = λ·τ² of a [`Prior`](tuner_solve::Prior), by which a standard deviation τ has the
    /// strength λ: the [`likelihood_scale`](Self::likelihood_scale) c, with which E/c is a mean
    /// negative log-likelihood, over the number of independent games. `error` is the value of E at
    /// the prior's mean. Games count and not positions, as those of a game share its result.
    pub fn prior_unit(self, error: f64, games: usize) -> f64 {
        self.likelihood_scale(error) / games.max(1) as f64
    }
}

impl FromStr for Loss {
    type Err = String;

    /// Reads a loss: `squared`, `cross-entropy`, or `power` with its exponent from 1 to 10 behind a
    /// colon.
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "squared" => return Ok(Self::Squared),
            "cross-entropy" => return Ok(Self::CrossEntropy),
            _ => {}
        }
        let exponent = text
            .strip_prefix("power:")
            .ok_or("expected squared, cross-entropy or power:Q, as in power:2.5")?;
        let power = exponent.parse().ok().and_then(Power::new).map(Self::Power);
        power.ok_or_else(|| "expected power:Q with a number Q from 1 to 10".to_owned())
    }
}

/// Returns the residual p − R without cancellation near the ends, as p·(1 − R) − q·R, where q must
/// be 1 − p.
#[inline(always)] // into kernels, which are compiled for several machines
fn residual(p: f64, q: f64, r: f64) -> f64 {
    p * (1.0 - r) - q * r
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    /// Every kind of loss.
    fn losses() -> Vec<Loss> {
        let names = [
            "squared",
            "cross-entropy",
            "power:1",
            "power:1.5",
            "power:2",
            "power:3",
            "power:10",
        ];
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn derivatives_are_those_of_the_penalty() {
        let h = 1e-5;
        for loss in losses() {
            for r in [0.0, 0.3, 0.5, 1.0] {
                for z in [-6.0, -1.0, -1e-3, 0.0, 0.7, 4.0] {
                    let [low, here, high] = [z - h, z, z + h].map(|z| loss.penalty(z, r));
                    let slope = (high.value - low.value) / (2.0 * h);
                    // Where a small q bends within ε, differences see the next derivative.
                    let tolerance = 1e-9 + if here.value < 0.1 { 1e-6 } else { 0.0 };
                    assert!((here.slope - slope).abs() < tolerance, "{loss:?} {r} {z}");
                    let curvature = (high.slope - low.slope) / (2.0 * h);
                    let newton = loss.curvature(Curvature::Newton, z, r);
                    assert!(
                        (newton - curvature).abs() < tolerance,
                        "{loss:?} {r} {z}: {newton} {curvature}"
                    );
                    assert!(loss.curvature(Curvature::GaussNewton, z, r) >= 0.0);
                }
            }
        }
    }

    #[test]
    fn stays_finite_and_precise_far_out() {
        for z in [-1e6, -800.0, 800.0, 1e6] {
            for loss in losses() {
                for r in [0.0, 0.5, 1.0] {
                    let penalty = loss.penalty(z, r);
                    assert!(penalty.value.is_finite() && penalty.slope.is_finite());
                    for kind in [Curvature::GaussNewton, Curvature::Newton] {
                        assert!(loss.curvature(kind, z, r).is_finite());
                    }
                }
            }
        }
        // At z = 40 and R = 1 the penalty is e^−40, far below the rounding of 1 − p.
        let penalty = Loss::CrossEntropy.penalty(40.0, 1.0);
        assert!((penalty.value * 40_f64.exp() - 1.0).abs() < 1e-12);
        assert!((penalty.slope * 40_f64.exp() + 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_second_power_is_the_squared_error() {
        let two = Loss::Power(Power::new(2.0).unwrap());
        for (z, r) in [(0.0, 0.5), (0.3, 1.0), (-2.0, 1.0), (5.0, 0.2)] {
            let [a, b] = [two, Loss::Squared].map(|loss| loss.penalty(z, r));
            assert!((a.value - b.value).abs() < 1e-15 && (a.slope - b.slope).abs() < 1e-15);
            for kind in [Curvature::GaussNewton, Curvature::Newton] {
                let [a, b] = [two, Loss::Squared].map(|loss| loss.curvature(kind, z, r));
                assert!((a - b).abs() < 1e-15);
            }
        }
        assert!((two.likelihood_scale(0.1) - Loss::Squared.likelihood_scale(0.1)).abs() < 1e-15);
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for loss in losses() {
            assert_eq!(loss.to_string().parse(), Ok(loss));
        }
        for bad in [
            "",
            "square",
            "power",
            "power:",
            "power:0.5",
            "power:nan",
            "power:11",
        ] {
            assert!(
                bad.parse::<Loss>().unwrap_err().contains("power:Q"),
                "{bad}"
            );
        }
    }
}
