//! The penalty |p − R|^q: φ(e), a function of the residual e.

/// Below q = 2 the second derivative of |e|^q is infinite at e = 0, where draws
/// at level scores are. For such q the penalty is (e² + ε²)^(q/2) − ε^q, with this
/// ε: a residual of 1 % is about where |e| begins to be told from a parabola.
/// Chosen; E differs from that of |e|^q by less than ε^q.
const SMOOTH: f64 = 0.01;

/// The exponent q of |p − R|^q, from 1 to 10.
///
/// Larger q cares more for the worst residuals, smaller q less. Only q = 2
/// makes p the expected result: with wins and losses alone, the p of least
/// penalty has log-odds 1/(q − 1) times those of the chance to win. A K that
/// is fitted with the same loss takes that up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power(f64);

/// The penalty φ(e) of a residual e, and its derivatives by e.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Phi {
    pub(super) value: f64,
    pub(super) slope: f64,
    /// Never negative, as φ is convex.
    pub(super) curvature: f64,
}

impl Power {
    /// Returns the exponent; `None` outside 1 to 10.
    pub fn new(q: f64) -> Option<Self> {
        (1.0..=10.0).contains(&q).then_some(Self(q))
    }

    /// Returns the exponent q of |p − R|^q.
    pub const fn exponent(self) -> f64 {
        self.0
    }

    /// Returns the penalty φ(e) and its derivatives by e at a residual e = p − R, from −1 to 1.
    /// From q = 2 on φ is |e|^q. Below, where that has an infinite second derivative at 0, it is
    /// (e² + ε²)^(q/2) − ε^q with ε = [`SMOOTH`].
    #[inline]
    pub(super) fn at(self, e: f64) -> Phi {
        let q = self.0;
        if q < 2.0 {
            let (e2, s2) = (e * e, SMOOTH * SMOOTH);
            let u = e2 + s2;
            // q·u^(q/2 − 1), from which both derivatives come.
            let scale = q * u.powf(0.5 * q - 1.0);
            Phi {
                // ε^q·((1 + e²/ε²)^(q/2) − 1), without cancellation at 0.
                value: SMOOTH.powf(q) * (0.5 * q * (e2 / s2).ln_1p()).exp_m1(),
                slope: scale * e,
                curvature: scale * ((q - 1.0) * e2 + s2) / u,
            }
        } else {
            let size = e.abs();
            // |e|^(q − 2): 1 at q = 2 and e = 0.
            let scale = size.powf(q - 2.0);
            Phi {
                value: scale * e * e,
                slope: q * scale * e,
                curvature: q * (q - 1.0) * scale,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    const EXPONENTS: [f64; 7] = [1.0, 1.01, 1.5, 1.999_999, 2.0, 2.5, 10.0];

    #[test]
    fn takes_exponents_from_1_to_10() {
        for bad in [0.999, 10.1, -2.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Power::new(bad), None);
        }
        for good in EXPONENTS {
            assert_eq!(Power::new(good).map(Power::exponent), Some(good));
        }
    }

    #[test]
    fn derivatives_are_those_of_the_value() {
        for q in EXPONENTS {
            let power = Power::new(q).unwrap();
            for e in [-1.0, -0.3, -0.011, -1e-4, 0.0, 1e-6, 0.02, 0.5, 0.99] {
                let h = 1e-5;
                let [low, here, high] = [e - h, e, e + h].map(|e| power.at(e));
                let slope = (high.value - low.value) / (2.0 * h);
                assert!((here.slope - slope).abs() < 1e-5, "{q} {e}");
                let curvature = (high.slope - low.slope) / (2.0 * h);
                let tolerance = 3e-5 * (1.0 + here.curvature);
                // At 0 the curvature of |e|^2.5 has itself a kink, of √h.
                let kink = if (2.0..3.0).contains(&q) && e.abs() < h {
                    0.02
                } else {
                    0.0
                };
                assert!(
                    (here.curvature - curvature).abs() < tolerance + kink,
                    "{q} {e}: {} {curvature}",
                    here.curvature
                );
                assert!(here.value >= 0.0 && here.curvature >= 0.0, "{q} {e}");
            }
        }
    }

    #[test]
    fn smoothing_costs_less_than_its_width_and_ends_at_two() {
        for q in [1.0, 1.5, 1.9] {
            let power = Power::new(q).unwrap();
            for e in [0.0, 0.001, 0.05, 1.0_f64] {
                let off = e.powf(q) - power.at(e).value;
                assert!(off.abs() <= SMOOTH.powf(q), "{q} {e}: {off}");
            }
        }
        let [below, at] = [2.0 - 1e-12, 2.0].map(|q| Power::new(q).unwrap().at(0.2));
        assert!((below.value - at.value).abs() < 1e-12);
        assert!((below.curvature - at.curvature).abs() < 1e-11);
        // Far below the width nothing cancels.
        let tiny = Power::new(1.0).unwrap().at(1e-9);
        assert!((tiny.value / (0.5 * 1e-18 / SMOOTH) - 1.0).abs() < 1e-9);
    }
}
