//! Which weights the data would like to move that the fit could not: frozen ones,
//! and those at a bound.
//!
//! Let f be such a weight and m those that moved, with H, J and A = H + P as in
//! [`variance`](crate::variance), P being the prior that stands for none. If f moved
//! as well, and all others followed, one step of Newton's method would go
//!
//! ```text
//! b = A⁻¹·H_mf                                   how the others follow
//! s = ∂E/∂f − bᵀ·(∇E + P·x)                      efficient score
//! h = H_ff − bᵀ·H_mf + u/1000²                   curvature
//! δ = −s/h                                       change of f
//! var s = (−b, 1)ᵀ·(J + u·P)·(−b, 1)
//! ```
//!
//! A weight that others stand for has next to no h of its own, and an error to
//! match. Each weight is tested with all other frozen ones where they are.
//!
//! *Source*: D. Boos, On generalized score tests, The American Statistician 46,
//! 1992; C. R. Rao, Large sample tests of statistical hypotheses concerning several
//! parameters, 1948.

use serde::{Deserialize, Serialize};

use crate::judgement::{WeightEstimate, WeightStatus};
use crate::statistics::{discoveries, two_sided_by_games};
use crate::variance::{ALONE, Matrices, Worth};
use tuner_solve::linalg::{Symmetric, dot};

/// The statement on a weight that could not move, by the data alone.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct FrozenStatement {
    /// The name of the weight.
    pub name: String,
    /// Why it could not move: `frozen`, or `at-bound`, where it would have to
    /// move beyond the bound.
    pub status: WeightStatus,
    /// Its value.
    pub value: f64,
    /// The efficient score in standard errors, with the sign of the change that
    /// lowers E.
    pub z: f64,
    /// By how much it would change if it could, all others following: a first
    /// step, and no fit. `None` where the curvature is not that of a minimum: the
    /// weight is so far off that only the sign is known.
    pub change: Option<WeightEstimate>,
    /// The probability of such data if it were right as it is.
    pub p_change: Option<f64>,
    /// Whether the data would move it, at most 5 % of such statements being wrong; never said of a
    /// weight at its bound, or without [`change`](Self::change).
    pub would_move: bool,
    /// How much E would fall if it moved, in the fields in which [`Worth`] has how much it would
    /// rise; `None` without [`change`](Self::change).
    pub worth: Option<Worth>,
    /// How many games read it.
    pub games: u32,
}

impl FrozenStatement {
    /// Begins the statement on a weight that could not move, before it is tested. `status`: why it
    /// could not move; `value`: where it is fixed; `games`: how many read it.
    pub(crate) fn of(name: String, status: WeightStatus, value: f64, games: u32) -> Self {
        Self {
            name,
            status,
            value,
            z: 0.0,
            change: None,
            p_change: None,
            would_move: false,
            worth: None,
            games,
        }
    }
}

/// Directions along which fixed weights move, each with all that moved following it.
pub(crate) struct Projection<'a> {
    matrices: &'a Matrices,
    /// How many variables moved.
    moved: usize,
    /// Of each fixed weight: the curvature between it and those that moved; how these follow it, b;
    /// its direction (−b, 1); and the covariance J of the gradient times that.
    directions: Vec<[Vec<f64>; 4]>,
    /// The slope of E and of the prior that stands for none, of the variables that moved.
    slopes: Vec<f64>,
    /// The unit u of a prior, whose strength is u/τ² with a standard deviation τ.
    unit: f64,
}

impl<'a> Projection<'a> {
    /// Computes for each fixed weight the direction (−b, 1): the weight moves by 1, and the
    /// variables that moved in the fit follow by −b, with b = A⁻¹·(curvature of E between these
    /// variables and the weight). A is the curvature of E over the variables that moved, and of a
    /// prior: not that of the fit, but a very weak one around 0, of standard deviation [`ALONE`],
    /// so that A has an inverse.
    ///
    /// `x`: the values of the variables that moved, where the fit ended; `unit`: u, with which a
    /// prior of standard deviation τ has the strength u/τ².
    ///
    /// *Shapes*: `matrices` has first the `x.len()` variables that moved, then the fixed weights;
    /// `inverse` is A⁻¹. *Cost*: variables² multiplications for each fixed weight.
    pub(crate) fn of(matrices: &'a Matrices, inverse: &Symmetric, x: &[f64], unit: f64) -> Self {
        let (moved, size) = (x.len(), matrices.gradient.len());
        let flat = unit / (ALONE * ALONE);
        let slopes = matrices.gradient.iter().zip(x);
        // Of each fixed weight: its curvature with the variables that moved, b, the direction (−b,
        // 1), and J times the direction, with J the covariance of the gradient between games.
        let across = (moved..size).map(|place| matrices.data.row(place)[..moved].to_vec());
        let across: Vec<Vec<f64>> = across.collect();
        let follow = inverse.multiply_all(&across);
        let along = |(follow, place): (&Vec<f64>, usize)| {
            let mut along: Vec<f64> = follow.iter().map(|b| -b).collect();
            along.resize(size, 0.0);
            along[place] = 1.0;
            along
        };
        let along: Vec<Vec<f64>> = follow.iter().zip(moved..).map(along).collect();
        let carried = matrices.covariance.multiply_all(&along);
        let all = across.into_iter().zip(follow).zip(along).zip(carried);
        Self {
            matrices,
            moved,
            directions: all.map(|(((a, b), c), d)| [a, b, c, d]).collect(),
            slopes: slopes.map(|(slope, x)| slope + flat * x).collect(),
            unit,
        }
    }

    /// Returns the efficient score of fixed weight number `one`: ∂E/∂f − bᵀ·(∇E + P·x), the slope
    /// of E and a very weak prior of curvature P where the weight f moves by 1 and the variables x
    /// that moved in the fit follow by −b.
    pub(crate) fn score(&self, one: usize) -> f64 {
        let [_, follow, ..] = &self.directions[one];
        self.matrices.gradient[self.moved + one] - dot(follow, &self.slopes)
    }

    /// Returns the curvature of E and of a very weak prior between two fixed weights, by their
    /// numbers, where the variables that moved in the fit follow each of them; with one number
    /// twice it is the curvature along one weight.
    pub(crate) fn curvature(&self, one: usize, other: usize) -> f64 {
        let ([across, ..], [_, follow, ..]) = (&self.directions[one], &self.directions[other]);
        let own = (self.matrices.data).get(self.moved + one, self.moved + other);
        own - dot(follow, across) + self.flat(one, other)
    }

    /// Returns how much of the curvature along fixed weight number `one`, where it moves by 1 and
    /// the variables that moved in the fit follow by −b, is that of the weak prior that is used in
    /// place of none: u/1000²·(1 + bᵀb), with u the unit of the prior. It is all of the curvature
    /// where the data say nothing of the weight.
    pub(crate) fn of_prior(&self, one: usize) -> f64 {
        let [_, follow, ..] = &self.directions[one];
        self.flat(one, one) * (1.0 + dot(follow, follow))
    }

    /// Returns the covariance of the efficient scores of two fixed weights, by their numbers: of
    /// the slopes of E along the directions (−b, 1) in which each moves by 1 and the variables that
    /// moved in the fit follow. It is (−b, 1)ᵀ·(J + u·P)·(−b, 1) with the b of either weight, J the
    /// covariance of the gradient, and P = u/1000² the curvature of the weak prior of unit u that
    /// is used in place of none. With one number twice it is the variance of one score.
    pub(crate) fn spread(&self, one: usize, other: usize) -> f64 {
        let ([_, a, along, _], [_, b, _, carried]) =
            (&self.directions[one], &self.directions[other]);
        let flat = self.unit * self.unit / (ALONE * ALONE);
        dot(along, carried) + flat * dot(a, b) + self.unit * self.flat(one, other)
    }

    /// Returns the curvature, between two fixed weights by their numbers, of the weak prior that is
    /// used in place of none: u/1000² with u its unit if the numbers are equal, else 0.
    fn flat(&self, one: usize, other: usize) -> f64 {
        let flat = self.unit / (ALONE * ALONE);
        if one == other { flat } else { 0.0 }
    }
}

/// Tests weights that could not move, by score tests: the slope of E along a fixed weight, all
/// variables that moved in the fit following, over its standard deviation. The weight that the data
/// would like to move most comes first; one whose slope has no spread between games is left out.
/// `fixed`: the statements begun, in the order of `matrices`, which are completed; `unit`: u, with
/// which a prior of standard deviation τ has the strength u/τ².
///
/// *Shapes*: `matrices` are of the `x.len()` variables that moved and, behind them, of the fixed
/// weights; `inverse` is that of the curvature of the variables that moved, of E and a very weak
/// prior of standard deviation 1000. *Cost*: variables² multiplications for each fixed weight.
pub(crate) fn score_tests_of_fixed(
    matrices: &Matrices,
    inverse: &Symmetric,
    x: &[f64],
    unit: f64,
    fixed: impl Iterator<Item = FrozenStatement>,
) -> Vec<FrozenStatement> {
    let projection = Projection::of(matrices, inverse, x, unit);
    let mut statements: Vec<FrozenStatement> = ((0..).zip(fixed))
        .filter_map(|(number, weight)| {
            let score = projection.score(number);
            let curvature = projection.curvature(number, number);
            let spread = projection.spread(number, number);
            let z = -score / spread.sqrt();
            if !z.is_finite() {
                return None;
            }
            let error = spread.sqrt();
            let has_minimum = curvature > 0.0 && curvature.is_finite();
            // How much E of the games fitted falls by one step of Newton's method; of other games
            // it falls less, as half of spread/curvature of the fall is noise and as much is lost
            // on them.
            let fitted = 0.5 * score * score / curvature;
            Some(FrozenStatement {
                z,
                change: has_minimum.then(|| WeightEstimate {
                    value: -score / curvature,
                    standard_error: error / curvature,
                }),
                p_change: two_sided_by_games(z, matrices.clusters),
                worth: has_minimum.then(|| Worth {
                    fitted,
                    expected: fitted - spread / curvature,
                    standard_error: score.abs() * error / curvature,
                }),
                ..weight
            })
        })
        .collect();
    // A weight at its bound was pushed there by these data, so its probability is not that
    // of a test; and where the error has no minimum the score says nothing of a change.
    let tested = |s: &FrozenStatement| s.status == WeightStatus::Frozen && s.change.is_some();
    let probabilities = statements.iter().map(|s| s.p_change.filter(|_| tested(s)));
    let discoveries = discoveries(probabilities);
    for (statement, would_move) in statements.iter_mut().zip(discoveries) {
        statement.would_move = would_move;
    }
    statements.sort_by(|a, b| b.z.abs().total_cmp(&a.z.abs()));
    statements
}
