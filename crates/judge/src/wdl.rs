//! Win, draw and loss by score and material: the model behind `UCI_ShowWDL`.
//!
//! P(win) = σ((s − a)/b) and P(loss) = σ((−s − a)/b) at a score s, all else is drawn. a and b are
//! cubics of t = material/58, the material of both sides (pawn 1, knight and bishop 3, rook 5,
//! queen 9) from 17 to 78: a is the score at which half of the games are won, b how slowly the
//! chance grows around it. So Stockfish has it, and its centipawns are 100·s/a.
//!
//! All coefficients are fitted at once, by the likelihood of the results: at one material it is
//! an ordinal logistic model, whose −ln P is convex in s/b and a/b. Positions of one game share
//! its result, so standard errors are of the sandwich clustered by game.
//!
//! Not here: where samples come from; a model by game ply.
//!
//! *Source*: Stockfish, `uci.cpp`, `win_rate_params`; official-stockfish/WDL_model. P. McCullagh,
//! Regression models for ordinal data, Journal of the Royal Statistical Society B 42, 1980.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::bins::{BinTable, Bins, Residual};
use tuner_fit::model::wdl::{COEFFICIENTS, Curves, MATERIAL, SIZE, powers};
pub use tuner_fit::model::wdl::{NORMAL_MATERIAL, WdlSample};
use tuner_solve::linalg::{Cholesky, Symmetric, add_scaled, dot};

/// Games of each kind, drawn and decided, without which curves say little. Chosen: 100 tell a
/// part to a tenth.
const LEAST_GAMES: usize = 100;

/// Steps of the fit at most; it takes ten to thirty.
const STEPS: usize = 200;

/// Fits at most until what a centipawn is, and so what lies beyond, is settled; it takes two or
/// three.
const CUTS: usize = 8;

/// Centipawns in a bin of the curves, as normalised, and bins to each side.
const BIN: f64 = 50.0;
const BINS: i32 = 8;

/// The curves at one material.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
pub struct WdlPoint {
    /// The material of both sides, in pawns.
    pub material: f64,
    /// The score that wins half of the games, and its standard error.
    pub a: [f64; 2],
    /// The score by which the odds grow e-fold, and its standard error.
    pub b: [f64; 2],
}

/// The fitted model, and how it agrees with its samples.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct WdlModel {
    /// The positions.
    pub positions: u64,
    /// The games of the positions.
    pub games: usize,
    /// The games that were drawn.
    pub drawn_games: usize,
    /// Coefficients of the score a that wins half of the games, by the powers of t = material/58,
    /// the highest first, in the unit of the scores.
    pub a: [f64; COEFFICIENTS],
    /// Coefficients of the score b by which the odds grow e-fold, by the powers of t, the highest
    /// first, in the unit of the scores.
    pub b: [f64; COEFFICIENTS],
    /// The curves at the [`NORMAL_MATERIAL`], then at others.
    pub points: Vec<WdlPoint>,
    /// By score, the parts that the model expects and that were so: wins, draws, losses. Scores
    /// are centipawns of the [`NORMAL_MATERIAL`].
    pub by_score: [BinTable<Residual>; 3],
    /// Draws by material.
    pub draws_by_material: BinTable<Residual>,
}

/// Why there is no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WdlError {
    /// No position has a score.
    #[error("no position has a score; expected some: `data rescore` gives those of a search")]
    NoScores,
    /// So many results are not win, draw or loss.
    #[error(
        "{0} positions have a result that is not win, draw or loss; expected those alone: leave \
         the others out"
    )]
    OtherResults(u64),
    /// So few games are drawn, and so few are decided.
    #[error(
        "{drawn} games are drawn and {decided} decided, of positions with a score; expected at \
         least {least} of each to draw curves of win, draw and loss: give more games",
        least = LEAST_GAMES
    )]
    FewGames {
        /// Drawn games.
        drawn: usize,
        /// Won or lost games.
        decided: usize,
    },
    /// Material is the same in all, or nearly so.
    #[error(
        "material hardly differs between the positions, so nothing goes by it; expected positions \
         from all of the game"
    )]
    OneMaterial,
    /// High scores do not go with wins.
    #[error(
        "scores hardly go with results, or against them: look at --perspective and at the unit \
         of the scores"
    )]
    Unrelated,
}

/// Fits P(win) = σ((s − a)/b) and P(loss) = σ((−s − a)/b) of a score s, with a and b cubics of t =
/// material/58, to results. Samples of other material than 17 to 78 are left out of the curves, as
/// are scores beyond 400 normalised centipawns, as Stockfish's method has it: beyond, a few won
/// games that are lost on time would outweigh all others. 100 normalised centipawns are the score
/// that wins half of the games at t = 1. What is counted in the result, and compared with the
/// curves, is of all samples.
///
/// The method is Levenberg-Marquardt from constant a and b; scores may have any unit.
///
/// *Cost*: some dozen passes over the samples; as much memory again.
///
/// # Errors
/// If samples do not determine the curves.
pub fn fit_wdl(samples: &[WdlSample]) -> Result<WdlModel, WdlError> {
    if samples.is_empty() {
        return Err(WdlError::NoScores);
    }
    let (all_games, drawn_games) = games(samples)?;
    let unit = unit_of(samples)?;
    let scaled = samples.iter().map(|sample| WdlSample {
        score: sample.score / unit,
        ..*sample
    });
    let scaled: Vec<WdlSample> = scaled.collect();
    // First the coefficients of a, then those of b, the lowest power of t first.
    let mut start = [0.0; SIZE];
    (start[0], start[COEFFICIENTS]) = (0.5, 0.5);
    // How much 400 normalised centipawns are is told by curves: so by those of all samples first,
    // and then by those of the samples within.
    let (curves, curvature) = minimum(&scaled, Curves(start))?;
    let (near, curves, curvature) = fit_near(&scaled, curves, curvature)?;
    let errors = StandardErrors::new(&near, &curves, &curvature)?;
    let (by_score, draws_by_material) = agreement(&scaled, &curves);
    // Coefficients from `from`, the highest power first, in the unit of the scores given.
    let falling =
        |from: usize| std::array::from_fn(|i| unit * curves.0[from + COEFFICIENTS - 1 - i]);
    Ok(WdlModel {
        positions: samples.len() as u64,
        games: all_games,
        drawn_games,
        a: falling(0),
        b: falling(COEFFICIENTS),
        points: points(&curves, &errors, unit),
        by_score,
        draws_by_material,
    })
}

/// Returns the median size of the scores, the unit of the fit: scores of mates would decide on a
/// mean. Fails where it is 0, as scores that are mostly 0 say nothing of results, or not finite.
fn unit_of(samples: &[WdlSample]) -> Result<f64, WdlError> {
    let mut sizes: Vec<f64> = samples.iter().map(|sample| sample.score.abs()).collect();
    let (_, &mut unit, _) = sizes.select_nth_unstable_by(samples.len() / 2, f64::total_cmp);
    let is_usable = unit > 0.0 && unit.is_finite();
    is_usable.then_some(unit).ok_or(WdlError::Unrelated)
}

/// Returns the curves and their standard errors, times `unit`, at some material: first at the
/// normal one, which is that of the model's normal point; the others are chosen, spread over the
/// material that is fitted.
fn points(curves: &Curves, errors: &StandardErrors, unit: f64) -> Vec<WdlPoint> {
    let materials = [NORMAL_MATERIAL, 17.0, 24.0, 34.0, 44.0, 68.0, 78.0];
    let points = materials.map(|material| {
        let powers = powers(material);
        let [a, b] = curves.at(&powers);
        let [of_a, of_b] = errors.at(&powers);
        WdlPoint {
            material,
            a: [a, of_a].map(|number| number * unit),
            b: [b, of_b].map(|number| number * unit),
        }
    });
    points.into()
}

/// Fits the curves again to those of `samples` that are of material from 17 to 78 and whose scores
/// are within 400 normalised centipawns, of which 100 are the score that wins half of the games at
/// normal material. As the curves tell how much that is, and so which samples count, this is done
/// until it changes by less than 1 %, at most [`CUTS`] times. Returns the samples that counted
/// last, the curves, and the curvature of −ln P there. Fails where too few games are left, or
/// scores do not go with results.
fn fit_near(
    samples: &[WdlSample],
    mut curves: Curves,
    mut curvature: Symmetric,
) -> Result<(Vec<WdlSample>, Curves, Symmetric), WdlError> {
    let mut near = Vec::new();
    for _ in 0..CUTS {
        let normal = powers(NORMAL_MATERIAL);
        // What 100 normalised centipawns are by the last fit.
        let [pawn, _] = curves.at(&normal);
        let most = f64::from(BINS) * BIN / 100.0 * pawn;
        let is_near = |sample: &&WdlSample| {
            let (least, largest) = MATERIAL;
            sample.score.abs() <= most && (least..=largest).contains(&sample.material)
        };
        near = samples.iter().filter(is_near).copied().collect();
        games(&near)?;
        (curves, curvature) = minimum(&near, curves)?;
        if (curves.at(&normal)[0] / pawn - 1.0).abs() < 0.01 {
            break;
        }
    }
    Ok((near, curves, curvature))
}

/// Counts all games and the drawn ones. Fails if a result is not win, draw or loss, or there are
/// too few drawn or decided games.
fn games(samples: &[WdlSample]) -> Result<(usize, usize), WdlError> {
    let is_other = |sample: &&WdlSample| (2.0 * sample.outcome).fract() != 0.0;
    let others = samples.iter().filter(is_other).count() as u64;
    if others > 0 {
        return Err(WdlError::OtherResults(others));
    }
    // Drawn games have the outcome ½, decided ones 0 or 1.
    let of = |is_drawn: bool| {
        let is_one = |sample: &&WdlSample| (sample.outcome.fract() > 0.0) == is_drawn;
        let games = samples.iter().filter(is_one).map(|sample| sample.game);
        games.collect::<BTreeSet<u32>>().len()
    };
    let (drawn, decided) = (of(true), of(false));
    if drawn.min(decided) < LEAST_GAMES {
        return Err(WdlError::FewGames { drawn, decided });
    }
    Ok((drawn + decided, drawn))
}

/// Finds the curves a and b of maximum likelihood from `start`, and the curvature of −ln P there,
/// by damped Newton steps (Levenberg-Marquardt): ten times less damping after a step that lowers
/// −ln P, ten times more after one that does not. Fails where b, the score by which the odds grow
/// e-fold, grows without end, as scores do not go with results, or where the start makes no curves
/// at the material of a sample, as where b is not above 0 there.
fn minimum(samples: &[WdlSample], start: Curves) -> Result<(Curves, Symmetric), WdlError> {
    let mut at = start;
    let mut sums = at.sums(samples).ok_or(WdlError::Unrelated)?;
    let mut damping = 1e-3;
    for _ in 0..STEPS {
        let scale = sums.curvature.diagonal();
        let damped = sums.curvature.damped(damping, &scale);
        let solved = Cholesky::new(&damped).map(|factor| factor.solve(&sums.slopes));
        // Where the matrix cannot be factorised no step is made, and no fall is expected: with
        // little damping the fit ends here, else damping grows.
        let step = solved.unwrap_or_else(|_| vec![0.0; SIZE]);
        // Twice what the quadratic model expects −ln P to fall by.
        let expected_fall = dot(&step, &sums.slopes);
        let mut to = at;
        add_scaled(&mut to.0, -1.0, &step);
        let next = to.sums(samples).filter(|next| next.value < sums.value);
        let is_at_end = expected_fall < 1e-12 * sums.value;
        match next {
            Some(next) => {
                (at, sums) = (to, next);
                damping = (damping * 0.1_f64).max(1e-12);
            }
            None => damping *= 10.0,
        }
        // With little damping next to nothing is left to gain, or no step lowers −ln P any more.
        if (is_at_end && damping < 1.0) || damping > 1e12 {
            break;
        }
    }
    // Where scores do not go with results the best curves are flat, and b grows without end.
    let [_, b] = at.at(&powers(NORMAL_MATERIAL));
    if b > 1e3 || !sums.value.is_finite() {
        return Err(WdlError::Unrelated);
    }
    Ok((at, sums.curvature))
}

/// The sandwich of curvature and slopes of games.
struct StandardErrors {
    curvature: Cholesky,
    /// By game the sum over its samples of the slopes of −ln P by the coefficients.
    games: Vec<[f64; SIZE]>,
}

impl StandardErrors {
    /// Adds up the slopes of −ln P of each game at the curves `at`, and factorises `curvature`,
    /// that of −ln P over the coefficients. Fails where it is singular, as where material is the
    /// same in all samples.
    fn new(samples: &[WdlSample], at: &Curves, curvature: &Symmetric) -> Result<Self, WdlError> {
        let mut games: BTreeMap<u32, [f64; SIZE]> = BTreeMap::new();
        for sample in samples {
            let sums = games.entry(sample.game).or_default();
            add_scaled(sums, 1.0, &at.slopes(sample));
        }
        Ok(Self {
            curvature: Cholesky::new(curvature).map_err(|_| WdlError::OneMaterial)?,
            games: games.into_values().collect(),
        })
    }

    /// Returns the standard errors of the curves a and b at one material, of which `powers` are the
    /// powers of t = material/58. For dᵀc, with c the coefficients and d the powers, it is √(G/(G −
    /// 1)·Σ over G games of (zᵀg)²), with z = H⁻¹d, H the curvature of −ln P and g the slopes of a
    /// game.
    fn at(&self, powers: &[f64; COEFFICIENTS]) -> [f64; 2] {
        // The coefficients of a are first, those of b behind them.
        [0, COEFFICIENTS].map(|first| {
            let mut direction = [0.0; SIZE];
            direction[first..first + COEFFICIENTS].copy_from_slice(powers);
            let along = self.curvature.solve(&direction);
            let games = self.games.iter();
            let squares: f64 = games.map(|game| dot(&along, game).powi(2)).sum();
            let count = self.games.len() as f64;
            (squares * count / (count - 1.0)).sqrt()
        })
    }
}

/// Compares the chances that the curves give with results: tables of wins, draws and losses by
/// score in normalised centipawns, and of draws by material in steps of 10. Scores of `samples` are
/// in the unit of the curves `at`.
fn agreement(samples: &[WdlSample], at: &Curves) -> ([BinTable<Residual>; 3], BinTable<Residual>) {
    let [pawn, _] = at.at(&powers(NORMAL_MATERIAL));
    let mut by_score: [Bins<i32>; 3] = std::array::from_fn(|_| Bins::default());
    let mut by_material: Bins<u32> = Bins::default();
    for sample in samples {
        let [a, b] = at.at(&powers(sample.material));
        let chance = |score: f64| 1.0 / (1.0 + ((a - score) / b).exp());
        let (win, loss) = (chance(sample.score), chance(-sample.score));
        let expected = [win, 1.0 - win - loss, loss];
        // Bins of 50 normalised centipawns; all beyond 400 to either side is one bin.
        let bin = (100.0 * sample.score / pawn / BIN).floor();
        let bin = bin.clamp(f64::from(-BINS - 1), f64::from(BINS)) as i32;
        // Table 0 is of wins, 1 of draws, 2 of losses; `was` is 1 where the result is that.
        for (outcome, table) in [1.0, 0.5, 0.0].into_iter().zip(0..3) {
            let was = f64::from(u8::from((sample.outcome - outcome).abs() < 0.25));
            let both = [expected[table], was];
            by_score[table].add(Some(bin), sample.game, sample.weight, both);
            if table == 1 {
                let bin = Some((sample.material / 10.0) as u32);
                by_material.add(bin, sample.game, sample.weight, both);
            }
        }
    }
    let label = |bin: i32| {
        let [from, to] = [bin, bin + 1].map(|end| end * BIN as i32);
        if bin < -BINS {
            format!("below {to}")
        } else if bin >= BINS {
            format!("{from} and more")
        } else {
            format!("{from} to {to}")
        }
    };
    // As many names as tables, in their order.
    let mut names = ["win", "draw", "loss"].into_iter();
    let by_score = by_score.map(|bins| {
        let bins = bins.sums.into_iter().map(|(bin, sums)| (label(bin), sums));
        BinTable::new(names.next().unwrap_or_default(), bins, 0)
    });
    let bins = by_material.sums.into_iter();
    let bins = bins.map(|(bin, sums)| (format!("{} to {}", 10 * bin, 10 * bin + 9), sums));
    (by_score, BinTable::new("material", bins, 0))
}

impl WdlModel {
    /// Returns the values of both curves at the [`NORMAL_MATERIAL`].
    pub fn normal(&self) -> WdlPoint {
        self.points[0]
    }

    /// Says in a sentence which score wins half of the games at normal material, with its 95 %
    /// interval: this score is 100 normalised centipawns.
    pub fn sentence(&self) -> String {
        let [a, error] = self.normal().a;
        format!(
            "a score of {a:.1} ± {:.1} wins half of the games at material {NORMAL_MATERIAL}: 100 \
             normalised centipawns",
            1.96 * error
        )
    }

    /// Returns the model as lines of C++, which make of a score `v` and `material` the chances of
    /// win and loss in thousandths, and normalised centipawns.
    pub fn code(&self) -> Vec<String> {
        let list = |numbers: &[f64]| {
            let numbers = numbers.iter().map(|number| format!("{number:.8}"));
            numbers.collect::<Vec<_>>().join(", ")
        };
        vec![
            format!("constexpr double as[] = {{{}}};", list(&self.a)),
            format!("constexpr double bs[] = {{{}}};", list(&self.b)),
            format!(
                "double t = std::clamp(material, {}, {}) / {NORMAL_MATERIAL:.1};",
                MATERIAL.0, MATERIAL.1
            ),
            "double a = ((as[0] * t + as[1]) * t + as[2]) * t + as[3];".to_owned(),
            "double b = ((bs[0] * t + bs[1]) * t + bs[2]) * t + bs[3];".to_owned(),
            "int win = int(0.5 + 1000 / (1 + std::exp((a - v) / b)));".to_owned(),
            "int loss = int(0.5 + 1000 / (1 + std::exp((a + v) / b)));".to_owned(),
            "int cp = std::lround(100 * v / a);".to_owned(),
        ]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// a and b of the games: by rising powers of t.
    const TRUE: [f64; SIZE] = [150.0, -60.0, 90.0, -30.0, 40.0, 30.0, -20.0, 15.0];

    /// Games by the true curves, all positions of one at the same score.
    fn games(count: u32, positions: usize, seed: u64) -> Vec<WdlSample> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut samples = Vec::new();
        for game in 0..count {
            let material = rng.random_range(10.0..78.0);
            let score = rng.random_range(-400.0..400.0);
            let [a, b] = Curves(TRUE).at(&powers(material));
            let chance = |score: f64| 1.0 / (1.0 + f64::exp((a - score) / b));
            let drawn: f64 = rng.random();
            let outcome = if drawn < chance(score) {
                1.0
            } else if drawn < chance(score) + chance(-score) {
                0.0
            } else {
                0.5
            };
            let sample = WdlSample {
                game,
                weight: 1.0,
                outcome,
                score,
                material,
            };
            samples.extend(std::iter::repeat_n(sample, positions));
        }
        samples
    }

    #[test]
    fn curves_come_back_with_errors_that_go_by_games() {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for seed in 0..20 {
            let model = fit_wdl(&games(2000, 5, seed)).unwrap();
            let [true_a, true_b] = Curves(TRUE).at(&powers(NORMAL_MATERIAL));
            let at = model.normal();
            a.push((at.a[0] - true_a) / at.a[1]);
            b.push((at.b[0] - true_b) / at.b[1]);
        }
        for off in [a, b] {
            let square = off.iter().map(|off| off * off).sum::<f64>() / off.len() as f64;
            // χ² of 20: 0.37 to 2 in 99 of 100 cases. Errors by positions would give 5.
            assert!((0.37..2.0).contains(&square), "{square}");
        }
    }

    #[test]
    fn many_games_tell_the_curves_and_agree_with_them() {
        let model = fit_wdl(&games(60_000, 1, 7)).unwrap();
        assert_eq!((model.positions, model.games), (60_000, 60_000));
        for point in &model.points {
            let [a, b] = Curves(TRUE).at(&powers(point.material));
            assert!((point.a[0] - a).abs() < 4.0 * point.a[1] && point.a[1] < 0.1 * a);
            assert!((point.b[0] - b).abs() < 4.0 * point.b[1], "{point:?} {b}");
        }
        for table in model.by_score.iter().chain([&model.draws_by_material]) {
            assert!(table.bins.len() > 5);
            // Chance alone is half of it.
            assert!(table.mean_size.is_some_and(|size| size < 0.01), "{table:?}");
        }
        // Another unit, the same curves.
        let mut other = games(60_000, 1, 7);
        for sample in &mut other {
            sample.score *= 0.01;
        }
        let other = fit_wdl(&other).unwrap();
        assert!((other.normal().a[0] / model.normal().a[0] - 0.01).abs() < 1e-6);
        assert!(model.code()[0].starts_with("constexpr double as[] = {"));
    }

    #[test]
    fn what_says_too_little_is_refused_with_its_number() {
        let few = games(150, 3, 1);
        let error = fit_wdl(&few).unwrap_err().to_string();
        assert!(
            error.contains("games are drawn and") && error.contains("at least 100"),
            "{error}"
        );
        let mut reversed = games(2000, 1, 2);
        for sample in &mut reversed {
            sample.score = -sample.score;
        }
        assert_eq!(fit_wdl(&reversed).err(), Some(WdlError::Unrelated));
        let mut probable = games(2000, 1, 2);
        probable[5].outcome = 0.7;
        assert_eq!(fit_wdl(&probable).err(), Some(WdlError::OtherResults(1)));
        let mut level = games(2000, 1, 2);
        for sample in &mut level {
            sample.material = 60.0;
        }
        assert_eq!(fit_wdl(&level).err(), Some(WdlError::OneMaterial));
        assert_eq!(fit_wdl(&[]).err(), Some(WdlError::NoScores));
    }
}
