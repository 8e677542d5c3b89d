//! From a score to an expected result.

use std::f64::consts::LN_10;

use super::exponential::exp_negative;

/// σ(s) = 1 / (1 + 10^(−K·s/400)), the expected result at score `s`.
///
/// *Units*: `s` in centipawns, K without a unit; K = 1 makes 400 centipawns
/// ten to one, as in Elo's scale.
/// Other tools' K: e^(−K′s/400) has K′ = 2.302585·K, tanh(a·s) has
/// K = 2a·400/ln 10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    k: f64,
}

impl Sigmoid {
    /// Makes the sigmoid of a scaling constant.
    pub const fn new(k: f64) -> Self {
        Self { k }
    }

    /// Returns the scaling constant K.
    pub const fn k(self) -> f64 {
        self.k
    }

    /// Returns β = K·ln 10/400, the slope of the log-odds per centipawn.
    pub fn beta(self) -> f64 {
        self.k * LN_10 / 400.0
    }

    /// Returns the expected result, from 0 to 1, at a score in centipawns.
    pub fn expectation(self, score: f64) -> f64 {
        odds(self.beta() * score).0
    }
}

/// Returns p = 1/(1 + e^−z), the expected result at log-odds z, and 1 − p, both to full relative
/// precision and without overflow at any z.
#[inline(always)] // into kernels, which are compiled for several machines
pub(crate) fn odds(z: f64) -> (f64, f64) {
    let small = exp_negative(-z.abs());
    let high = 1.0 / (1.0 + small);
    let low = small * high;
    if z >= 0.0 { (high, low) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_documented_curve() {
        let sigmoid = Sigmoid::new(0.912_018_412);
        assert!((sigmoid.beta() * 400.0 - 2.1).abs() < 1e-8);
        let expected = 1.0 / (1.0 + 10_f64.powf(-0.912_018_412 * 123.0 / 400.0));
        assert!((sigmoid.expectation(123.0) - expected).abs() < 1e-15);
        assert!((sigmoid.expectation(-1e9)).abs() < 1e-300);
        let (p, q) = odds(40.0);
        assert!((p - 1.0).abs() < 1e-15 && (q * 40_f64.exp() - 1.0).abs() < 1e-14);
    }
}
