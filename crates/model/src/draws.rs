//! Win, draw and loss: an ordinal logistic model as a loss, and its draw width.
//!
//! With z = K·ln 10/400 · score and the draw width a, P(win) = σ(z − a), P(loss) = σ(−z − a),
//! and all else is drawn: at z = 0 the part tanh(a/2). What is lost by a result is −ln of its
//! probability:
//!
//! | result | loss |
//! |---|---|
//! | win | softplus(a − z) |
//! | loss | softplus(a + z) |
//! | draw | softplus(z − a) + softplus(−z − a) − ln(1 − e^(−2a)) |
//!
//! Each is convex in z, and in z and a together. A number between two results counts as a
//! mixture of these two; a fit takes no such targets ([`refuse_other_results`]), as an expected
//! result does not say how much of it is draws.
//!
//! *Source*: P. McCullagh, Regression models for ordinal data, Journal of the Royal Statistical
//! Society B 42, 1980; J. Pratt, Concavity of the log likelihood, Journal of the American
//! Statistical Association 76, 1981.

use std::collections::BTreeSet;
use std::ops::Range;

use super::deterministic_reduce::{add_up, in_chunks};
use super::exponential::{exp_negative, ln_1p_unit};
use super::passes::each;
use super::scaling_constant::{KSearch, evaluated};
use super::sigmoid::odds;
use super::{KError, Loss, Part, Penalty, Sigmoid};
use tuner_rows::{AHEAD, TraceSet, Traces};

/// Drawn games that tell the width to a tenth. Chosen.
pub(super) const LEAST_DRAWN: u64 = 100;

/// Steps of the fit at most; it takes five to eight.
const STEPS: usize = 50;

/// The draw width a: as far as z is from −a or a, wins and losses are even with all else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawWidth {
    a: f64,
    /// −ln(1 − e^(−2a)).
    of_draw: f64,
}

impl Default for DrawWidth {
    /// Of a = 1, where a fit of it begins: 46 % of equal positions are drawn.
    fn default() -> Self {
        Self {
            a: 1.0,
            of_draw: 0.145_413_457_868_859_06,
        }
    }
}

impl DrawWidth {
    /// Makes the width, from 0.001 to 20; `None` outside.
    pub fn new(a: f64) -> Option<Self> {
        (1e-3..=20.0).contains(&a).then(|| Self {
            a,
            of_draw: -(-(-2.0 * a).exp_m1()).ln(),
        })
    }

    /// Returns a.
    pub const fn a(self) -> f64 {
        self.a
    }

    #[inline(always)] // into kernels
    pub(super) fn penalty(self, z: f64, r: f64) -> Penalty {
        let a = self.a;
        let [win, draw, loss] = mixture(r);
        let ((w, not_w), (l, not_l)) = (odds(z - a), odds(-z - a));
        // softplus(x) = max(x, 0) + ln(1 + e^−|x|), so that nothing large cancels.
        let rest = |x: f64| ln_1p_unit(exp_negative(-x.abs()));
        let of_draw = (z - a).max(0.0) + (-z - a).max(0.0) + self.of_draw;
        let value = win * (a - z).max(0.0) + loss * (z + a).max(0.0) + draw * of_draw;
        Penalty {
            value: value + (win + draw) * rest(z - a) + (loss + draw) * rest(z + a),
            slope: loss * not_l - win * not_w + draw * (w - l),
        }
    }

    #[inline(always)] // into kernels
    pub(super) fn curvature(self, z: f64, r: f64) -> f64 {
        let [win, draw, loss] = mixture(r);
        let ((w, not_w), (l, not_l)) = (odds(z - self.a), odds(-z - self.a));
        (win + draw) * w * not_w + (loss + draw) * l * not_l
    }

    /// Returns what a result loses, its slopes by z and a, and its curvatures zz, za, aa.
    pub fn derivatives(self, z: f64, r: f64) -> [f64; 6] {
        let [win, draw, loss] = mixture(r);
        let ((w, not_w), (l, not_l)) = (odds(z - self.a), odds(-z - self.a));
        let (of_w, of_l) = (w * not_w, l * not_l);
        let gap = (-2.0 * self.a).exp();
        let rate = 2.0 * gap / (1.0 - gap);
        let Penalty { value, slope } = self.penalty(z, r);
        [
            value,
            slope,
            win * not_w + loss * not_l - draw * (w + l + rate),
            (win + draw) * of_w + (loss + draw) * of_l,
            (loss + draw) * of_l - (win + draw) * of_w,
            (win + draw) * of_w + (loss + draw) * of_l + draw * rate * (rate + 2.0),
        ]
    }
}

/// The parts of win, draw and loss in a result, or between the two next to it.
#[inline(always)] // into kernels
fn mixture(r: f64) -> [f64; 3] {
    let balance = 2.0 * r - 1.0;
    let (win, loss) = (balance.max(0.0), (-balance).max(0.0));
    [win, 1.0 - win - loss, loss]
}

/// A fitted draw width, and the K that goes with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawFit {
    /// K: that given, or that of the smallest error.
    pub k: f64,
    /// The width.
    pub width: DrawWidth,
}

/// Refuses rows whose results or targets are not win, draw or loss.
///
/// # Errors
/// If there is one, or rows cannot be read.
pub fn refuse_other_results(traces: Traces<'_>) -> Result<(), KError> {
    let of_set = |set: &TraceSet| {
        let others = set.rows(0..set.len()).filter(|row| {
            let doubled = 2.0 * row.outcome();
            doubled.fract() != 0.0
        });
        others.count() as u64
    };
    let mut others = 0;
    each(traces, AHEAD, of_set, |count| others += count)?;
    match traces.ranks().total(others) {
        0 => Ok(()),
        others => Err(KError::OtherResults(others)),
    }
}

/// Fits the draw width at given lanes to the rows of a part, and K with it unless that is
/// given: the smallest mean of −ln P(result).
///
/// Newton's method with halved steps from the best K at a = 1, as the mean is convex in slope
/// and width together.
///
/// *Numerics*: to a relative 1e-12; same bits on any number of threads.
/// *Cost*: as [`fit_k`](super::fit_k), and a pass over results.
///
/// # Errors
/// As [`fit_k`](super::fit_k), or if fewer than 100 games are drawn.
pub fn fit_draws(
    traces: Traces<'_>,
    lanes: &[f64],
    part: Part,
    k: Option<f64>,
) -> Result<DrawFit, KError> {
    let drawn = |set: &TraceSet| -> BTreeSet<u32> {
        let rows = set.rows(0..set.len());
        let drawn = rows.filter(|row| part.contains(row.game()) && row.outcome().fract() > 0.0);
        drawn.map(|row| row.game()).collect()
    };
    let mut games = BTreeSet::new();
    each(traces, AHEAD, drawn, |of_set| games.extend(of_set))?;
    let drawn = traces.ranks().total(games.len() as u64);
    if drawn < LEAST_DRAWN {
        return Err(KError::FewDraws(drawn));
    }
    let loss = Loss::Wdl(None);
    let mut search = evaluated(traces, lanes, loss, part)?;
    let begin = search.fit();
    let fitted = match k {
        Some(k) => k,
        None => begin?.k,
    };
    let beta = Sigmoid::new(fitted).beta();
    // By the factor of β, and a.
    let mut at = [1.0, DrawWidth::default().a];
    let mut sums = means(&search, beta, at);
    for _ in 0..STEPS {
        let [_, by_z, by_a, zz, za, aa] = sums;
        let step = if k.is_some() {
            [0.0, -by_a / aa]
        } else {
            let determinant = zz * aa - za * za;
            let solved = [za * by_a - aa * by_z, za * by_z - zz * by_a];
            solved.map(|number| number / determinant)
        };
        let promised = step[0] * by_z + step[1] * by_a;
        if promised.abs() < 1e-12 * sums[0] {
            // Rounding hides what is left to gain, but not the way there.
            at = [at[0] + step[0], at[1] + step[1]];
            break;
        }
        let mut factor = 1.0;
        let next = loop {
            let to = [at[0] + factor * step[0], at[1] + factor * step[1]];
            let is_inside = to[0] > 0.0 && DrawWidth::new(to[1]).is_some();
            let reached = is_inside.then(|| means(&search, beta, to));
            match reached.filter(|reached| reached[0] <= sums[0] + 1e-4 * factor * promised) {
                Some(reached) => break Some((to, reached)),
                None if factor < 1e-6 => break None,
                None => factor *= 0.5,
            }
        };
        let Some(next) = next else {
            break;
        };
        (at, sums) = next;
    }
    let width = DrawWidth::new(at[1]).unwrap_or_default();
    let k = k.unwrap_or(fitted * at[0]);
    Ok(DrawFit { k, width })
}

/// The mean penalty and its derivatives by the factor of β and by a.
fn means(search: &KSearch, beta: f64, [factor, a]: [f64; 2]) -> [f64; 6] {
    let width = DrawWidth::new(a).unwrap_or_default();
    let sums = |mut sum: [f64; 7], &[score, r, weight]: &[f64; 3]| {
        let z = (beta * score).clamp(-1e100, 1e100);
        let [value, by_z, by_a, zz, za, aa] = width.derivatives(factor * z, r);
        let terms = [value, by_z * z, by_a, zz * z * z, za * z, aa, 1.0];
        add_up(&mut sum, terms.map(|term| weight * term));
        sum
    };
    let chunk = |(): &mut (), rows: Range<usize>| search.rows[rows].iter().fold([0.0; 7], sums);
    let mut total = [0.0; 7];
    in_chunks(
        search.rows.len(),
        || (),
        chunk,
        |part| add_up(&mut total, part),
    );
    search.ranks.sum(&mut total);
    let [means @ .., weight] = total;
    means.map(|sum| sum / weight)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use tuner_rows::{RowDraft, RowInfo};

    /// Rows of scores, results and weights, a game each.
    fn rows(samples: impl IntoIterator<Item = [f64; 3]>) -> TraceSet {
        let mut set = TraceSet::new(0);
        for (game, [score, outcome, weight]) in samples.into_iter().enumerate() {
            let draft = RowDraft {
                constant: score,
                ..RowDraft::default()
            };
            let info = RowInfo {
                weight,
                ..RowInfo::new(outcome, game as u32)
            };
            set.push(&draft, &info).unwrap();
        }
        set
    }

    /// Each result of each score as often as a model says.
    fn of_model(k: f64, a: f64) -> TraceSet {
        let beta = Sigmoid::new(k).beta();
        let of_score = |score: f64| {
            let z = beta * score;
            let (w, l) = (odds(z - a).0, odds(-z - a).0);
            [[score, 1.0, w], [score, 0.5, 1.0 - w - l], [score, 0.0, l]]
        };
        rows((-150..150).flat_map(|s| of_score(f64::from(s) * 4.0 + 1.0)))
    }

    #[test]
    fn the_probabilities_are_those_of_the_model() {
        for a in [0.01, 0.8, 5.0] {
            let width = DrawWidth::new(a).unwrap();
            for z in [-9.0, -1.0, 0.0, 0.3, 4.0] {
                let [win, draw, loss] = [1.0, 0.5, 0.0].map(|r| (-width.penalty(z, r).value).exp());
                assert!((win - 1.0 / (1.0 + (a - z).exp())).abs() < 1e-14);
                assert!((loss - 1.0 / (1.0 + (a + z).exp())).abs() < 1e-14);
                assert!((win + draw + loss - 1.0).abs() < 1e-13);
                let expected = Sigmoid::with_draws(1.0, a);
                let expected = expected.expectation(z / expected.beta());
                assert!((win + 0.5 * draw - expected).abs() < 1e-13);
            }
        }
        let one = DrawWidth::new(1.0).unwrap();
        assert!((one.of_draw - DrawWidth::default().of_draw).abs() < 1e-15);
    }

    #[test]
    fn derivatives_by_the_width_are_those_of_the_penalty() {
        let h = 1e-5;
        for a in [0.2, 1.0, 3.0] {
            for r in [0.0, 0.3, 0.5, 1.0] {
                for z in [-4.0, -0.5, 0.0, 2.0] {
                    let at = |a: f64| DrawWidth::new(a).unwrap().derivatives(z, r);
                    let [low, here, high] = [a - h, a, a + h].map(at);
                    let slope = |place: usize| (high[place] - low[place]) / (2.0 * h);
                    for (of, value) in [(0, here[2]), (1, here[4]), (2, here[5])] {
                        assert!((slope(of) - value).abs() < 1e-7, "{of}: {a} {r} {z}");
                    }
                }
            }
        }
    }

    #[test]
    fn width_and_k_are_found_together() {
        for (k, a) in [(1.0, 0.7), (0.4, 2.5), (2.0, 0.1)] {
            let set = of_model(k, a);
            let found = fit_draws((&set).into(), &[], Part::All, None).unwrap();
            assert!((found.k / k - 1.0).abs() < 1e-9, "{found:?}");
            assert!((found.width.a() / a - 1.0).abs() < 1e-9, "{found:?}");
            // Where K is given the width alone; K at the width is that of both.
            let given = fit_draws((&set).into(), &[], Part::All, Some(k)).unwrap();
            assert!((given.width.a() / a - 1.0).abs() < 1e-9 && given.k.to_bits() == k.to_bits());
            let loss = Loss::Wdl(Some(found.width));
            let alone = super::super::fit_k((&set).into(), &[], loss, Part::All).unwrap();
            assert!((alone.k / k - 1.0).abs() < 1e-9, "{alone:?}");
        }
    }

    #[test]
    fn few_draws_and_other_results_are_refused_with_their_number() {
        let won = (0..500).map(|s| [f64::from(s) - 250.0, f64::from(u8::from(s % 3 > 0)), 1.0]);
        let drawn = (0..99).map(|s| [f64::from(s), 0.5, 1.0]);
        let few = rows(won.chain(drawn));
        assert_eq!(
            fit_draws((&few).into(), &[], Part::All, None),
            Err(KError::FewDraws(99))
        );
        assert_eq!(refuse_other_results((&few).into()), Ok(()));
        let blended = rows([[1.0, 0.25, 1.0], [2.0, 1.0, 1.0], [3.0, 0.7, 1.0]]);
        assert_eq!(
            refuse_other_results((&blended).into()),
            Err(KError::OtherResults(2))
        );
    }
}
