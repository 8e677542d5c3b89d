//! How much each source of the data counts, found by games that are trusted.
//!
//! Let F(w, a) = Σ_s a_s·L_s(w)/Σ_s a_s·n_s + prior be what a fit minimises where source s, with
//! the loss L_s of n_s positions, counts a_s, and C(w) the error on games of the trusted
//! source that are not fitted. [`FitTask::weigh_sources`] minimises C(w*(a)), where w*(a) is the
//! minimum of F, over ln a, in the mean of folds of these games that are left out one after the
//! other. Its derivative is exact where no bound holds a weight,
//!
//! ```text
//! dC/d ln a_s = −∇C · H⁻¹ · p_s·(m_s − m),   p_s = a_s·n_s/Σ,  m_s = ∇L_s/n_s,  m = Σ p_s·m_s,
//! ```
//!
//! with the curvature H of F: one linear system and a pass for each source.
//! *Source*: Y. Bengio, Gradient-based optimization of hyperparameters, Neural Computation 12,
//! 2000.

use std::collections::BTreeMap;

use super::evidence::MOST_VARIABLES;
use super::prior::SEED;
use super::{Fit, FitError, FitInputs, FitTask, ProgressObserver};
use crate::model::{ByGame, GameLoss, KError, Sigmoid, Split, effective_games, losses_by_game};
use tuner_rows::TraceSet;
use tuner_solve::linalg::{Cholesky, difference, dot, max_abs};
use tuner_solve::{Curvature, Objective, Subset, Termination};

/// Standard deviation of the logarithm of a source's factor before anything is known: a factor of 7
/// either way. Chosen, so that sources about which the games say nothing count as they did.
const DEVIATION: f64 = 2.0;

/// Furthest that the logarithm of a factor goes from 0: a hundred thousand times as much as the
/// trusted source, or as little.
const FURTHEST: f64 = 11.5;

/// Folds of the games that decide: with one part that decides, a fifth, chance took the place of
/// the sources (simulated: the error of the weights was 1.5 times as large).
const FOLDS: u32 = 5;

/// Rows of a source beyond which whole games of it are left out here.
const MOST_ROWS: usize = 50_000;

/// Most steps; each takes a fit that begins near its end.
const STEPS: usize = 30;

/// A step that lowers the error of the games that decide by less than this part of it is the last.
const LEAST_FALL: f64 = 1e-5;

/// Most halvings of a step.
const HALVINGS: usize = 6;

/// How much sources count, and what that does to the games that decide.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceWeights {
    /// The factor of each source; that of the trusted one is 1.
    pub factors: Vec<f64>,
    /// Losses of the games of the trusted source that decide, where all sources are alike and by
    /// the factors, by the number of the game.
    pub losses: [ByGame<GameLoss>; 2],
    /// How many fits the search took.
    pub fits: usize,
}

/// A choice of factors, and the fits by it.
struct Point {
    /// The logarithm of the factor of each source, ln a.
    logs: Vec<f64>,
    /// The error of the games that decide, C, in the mean of the folds, with the prior of `logs`.
    value: f64,
    /// The rows, with their weights times the factors.
    rows: TraceSet,
    /// For each fold the fit without it, and the gradient of the error of its games, by variable.
    folds: Vec<(Fit, Vec<f64>)>,
}

/// The search for factors on its way.
struct Weighing<'a> {
    /// For each fold of the games that are fitted, the task that leaves it out.
    tasks: Vec<FitTask<'a>>,
    /// All rows, with their weights before any factor.
    set: &'a TraceSet,
    /// The source of each row.
    source: &'a [u32],
    trusted: usize,
    /// How many sources there are.
    count: usize,
    /// The rows of the trusted source alone.
    own: TraceSet,
    /// Strength of the prior of the logarithms of factors.
    strength: f64,
    fits: usize,
}

impl FitTask<'_> {
    /// Finds a factor for the weight of each source of rows in memory, such that the fit explains
    /// games of one source best that are left out of it. `source`: the number of each row's source;
    /// `trusted`: the source whose games decide, in five folds that are left out one after the
    /// other. Games that the settings hold out are not looked at, and of a source with more than
    /// 50,000 rows only a sample of its games is. *Cost*: some ten fits for each fold, all but the
    /// first from near their end, each with a matrix and a pass for each source.
    ///
    /// # Errors
    /// If a fit fails; if rows are streamed, no game of the trusted source is there to decide, or
    /// there are more weights than matrices are formed for.
    ///
    /// # Panics
    /// If not each row has a source.
    pub fn weigh_sources(
        self,
        source: &[u32],
        trusted: u32,
        observer: ProgressObserver<'_>,
    ) -> Result<SourceWeights, FitError> {
        let Some(set) = self.traces.in_memory() else {
            let why = "rows are streamed, and it takes them in memory";
            return Err(FitError::Sources(why));
        };
        if self.reduction.variables() > MOST_VARIABLES {
            let why = "it forms matrices, of at most 3,000 weights";
            return Err(FitError::Sources(why));
        }
        assert_eq!(source.len(), set.len(), "a source for each row");
        let (set, source) = sampled(set, source);
        // K is that of the trusted source: other sources may have scores of another kind.
        let own = alone(&set, &source, trusted as usize);
        let (k, _) = over(&self, &own).scaling().map_err(few)?;
        let games = effective_games(self.traces, self.train)?;
        let prior = self.prior(&self.objective(k)?, games)?;
        let mut task = self;
        // K and the unit of the prior stay the same whatever the factors are.
        (task.settings.k, task.settings.prior_unit) = (Some(k), prior.map(|(_, unit)| unit));
        let mut weighing = Weighing::new(&task, &set, &source, trusted as usize);
        let alike = weighing.at(vec![0.0; weighing.count], None, observer)?;
        let games = weighing.losses(&alike)?;
        let loss = self.settings.loss;
        weighing.strength = loss.prior_unit(alike.value, games.len()) / DEVIATION.powi(2);
        // C, the mean error of the games that decide, has no slope where the trusted rows are so
        // few that they change nothing. So the search starts where no source counts more in all
        // than the trusted one, if C is lower there.
        let even = weighing.at(weighing.even(), Some(&alike), observer)?;
        let is_even = even.value < alike.value;
        let first = if is_even { even } else { alike };
        let last = weighing.descend(first, observer)?;
        Ok(SourceWeights {
            factors: last.logs.iter().map(|log| log.exp()).collect(),
            losses: [games, weighing.losses(&last)?],
            fits: weighing.fits,
        })
    }
}

impl<'a> Weighing<'a> {
    /// Begins a search for the factor a of each source, with a task for each fold that leaves the
    /// fold out. `source`: the number of the source of each row of `set`; `trusted`: the source
    /// whose games decide. The prior of ln a has no strength yet.
    fn new(task: &FitTask<'a>, set: &'a TraceSet, source: &'a [u32], trusted: usize) -> Self {
        let of_fold = |number| {
            let mut task = task.comparing(Split::fold(number, FOLDS, SEED));
            task.settings.max_changed_branches = None;
            task
        };
        let last = source.iter().max().map_or(0, |&last| last as usize);
        Self {
            tasks: (0..FOLDS).map(of_fold).collect(),
            set,
            source,
            trusted,
            count: last.max(trusted) + 1,
            own: alone(set, source, trusted),
            strength: 0.0,
            fits: 0,
        }
    }

    /// Returns ln a, from −[`FURTHEST`] to 0, of the factor a of each source with which no source
    /// counts more in all than the trusted one, as far as that range allows.
    fn even(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (row, &source) in self.source.iter().enumerate() {
            sums[source as usize] += self.set.weight(row);
        }
        let own = sums[self.trusted];
        let less = |sum: &f64| (own / sum).ln().clamp(-FURTHEST, 0.0);
        sums.iter().map(less).collect()
    }

    /// Makes a point of the search: fits each fold's task with the weights of rows times the factor
    /// a of their source, `logs` being ln a of each source, and computes the error of the fold's
    /// games and its gradient by the variables. `from`: a point from whose fits these start;
    /// `None`: they start where the task does. Where the observer ends a fit, the folds behind it
    /// are missing.
    fn at(
        &mut self,
        logs: Vec<f64>,
        from: Option<&Point>,
        observer: ProgressObserver<'_>,
    ) -> Result<Point, FitError> {
        let mut rows = self.set.clone();
        rows.map_weights(|row, weight| weight * logs[self.source[row] as usize].exp());
        let (mut folds, mut error) = (Vec::new(), 0.0);
        for (number, task) in self.tasks.iter().enumerate() {
            let inputs = FitInputs {
                saved: None,
                beginning: None,
                start: (from.and_then(|point| point.folds.get(number)))
                    .map_or(task.inputs.start, |(fit, _)| &fit.weights),
                ..task.inputs
            };
            let task = FitTask {
                inputs,
                ..over(task, &rows)
            };
            let fit = task.fit(observer).map_err(few)?;
            let x = task.reduction.start(&fit.weights);
            let mut gradient = vec![0.0; x.len()];
            let judge = over(&task, &self.own).judge(fit.k).map_err(few)?;
            let judge = judge.ok_or(FitError::Sources(NO_GAMES))?;
            error += judge.gradient(&x, &mut gradient)?;
            let ended = fit.summary.termination == Termination::Interrupted;
            folds.push((fit, gradient));
            self.fits += 1;
            if ended {
                break;
            }
        }
        Ok(Point {
            value: error / folds.len() as f64 + 0.5 * self.strength * dot(&logs, &logs),
            logs,
            rows,
            folds,
        })
    }

    /// Returns the losses of the games of the trusted source, ascending by game, each by the fit
    /// that left the game out. Games of weight 0, as all of other sources, are left out.
    fn losses(&self, point: &Point) -> Result<ByGame<GameLoss>, FitError> {
        let mut games = Vec::new();
        for (task, (fit, _)) in self.tasks.iter().zip(&point.folds) {
            let lanes = task.reduction.lanes_of(&fit.weights);
            // Each of these tasks has games that judge, those of its fold.
            let (part, sigmoid) = (task.judged.unwrap_or_default(), Sigmoid::new(fit.k));
            let (own, loss) = ((&self.own).into(), task.settings.loss);
            games.extend(losses_by_game(own, part, loss, sigmoid, &lanes)?);
        }
        games.retain(|(_, sums)| sums.weight > 0.0);
        games.sort_unstable_by_key(|&(game, _)| game);
        Ok(games)
    }

    /// Returns the derivatives of C, the mean error of the games that decide, by ln a of each
    /// source's factor a, with the part of the prior of ln a; 0 for the trusted source, whose
    /// factor stays as it is. The derivative by ln a of a source is −∇C·H⁻¹·p·(m − m̄), with p the
    /// source's part of the weight of all rows, m the mean gradient of its rows, m̄ that of all
    /// rows, and H the curvature of the fit.
    fn slope(&self, point: &Point) -> Result<Vec<f64>, FitError> {
        let others = (0..self.count).filter(|&number| number != self.trusted);
        let alone = others.map(|number| (number, alone(self.set, self.source, number)));
        let alone: Vec<_> = alone.collect();
        let mut slope = vec![0.0; self.count];
        for (task, (fit, gradient)) in self.tasks.iter().zip(&point.folds) {
            let x = task.reduction.start(&fit.weights);
            let turned = turned(task, &point.rows, fit, &x, gradient)?;
            // The weight of some rows, and minus their mean gradient along H⁻¹·∇C.
            let along = |rows| {
                let objective = match over(task, rows).objective(fit.k) {
                    // A source without rows of positive weight here has no part of the weight.
                    Err(FitError::NoRows(_)) => return Ok([0.0; 2]),
                    found => found?,
                };
                let mut gradient = vec![0.0; x.len()];
                objective.gradient(&x, &mut gradient)?;
                Ok::<_, FitError>([objective.total_weight(), -dot(&gradient, &turned)])
            };
            let [all, mean] = along(&point.rows)?;
            for (number, rows) in &alone {
                // The rows of the source alone have their weights before any factor, so the factor
                // is multiplied here; the mean over them does not depend on it.
                let [amount, own] = along(rows)?;
                let part = amount * point.logs[*number].exp() / all;
                slope[*number] += part * (own - mean) / f64::from(FOLDS);
            }
        }
        for (number, _) in &alone {
            slope[*number] += self.strength * point.logs[*number];
        }
        Ok(slope)
    }

    /// Minimises C, the mean error of the games that decide plus the prior of ln a, over ln a of
    /// each source's factor a, by BFGS within bounds: a step is halved, at most [`HALVINGS`] times,
    /// until C falls by at least a ten-thousandth of what the slope predicts. Ends where no such
    /// step does that, where C falls by less than [`LEAST_FALL`] of itself, after [`STEPS`] steps,
    /// or where the observer ends a fit, whose step is not taken.
    fn descend(&mut self, first: Point, observer: ProgressObserver<'_>) -> Result<Point, FitError> {
        let mut slope = self.slope(&first)?;
        let mut at = first;
        let mut inverse: Option<Vec<Vec<f64>>> = None;
        for _ in 0..STEPS {
            let step = direction(inverse.as_deref(), &slope, &at.logs);
            let mut next = None;
            let mut part = 1.0;
            for _ in 0..=HALVINGS {
                let there = at.logs.iter().zip(&step);
                let there = there.map(|(log, step)| (log + part * step).clamp(-FURTHEST, FURTHEST));
                let there: Vec<f64> = there.collect();
                let moved = difference(&there, &at.logs);
                let found = self.at(there, Some(&at), observer)?;
                let mut fits = found.folds.iter().map(|(fit, _)| &fit.summary.termination);
                if fits.any(|end| *end == Termination::Interrupted) {
                    return Ok(at);
                }
                if found.value <= at.value + 1e-4 * dot(&slope, &moved).min(0.0) {
                    next = Some((found, moved));
                    break;
                }
                part *= 0.5;
            }
            let Some((found, moved)) = next else {
                break;
            };
            let turned = self.slope(&found)?;
            let change = difference(&turned, &slope);
            updated(&mut inverse, &moved, &change, self.count);
            let fall = at.value - found.value;
            (at, slope) = (found, turned);
            if fall <= LEAST_FALL * at.value {
                break;
            }
        }
        Ok(at)
    }
}

/// Why sources cannot be weighed where a part has no rows.
const NO_GAMES: &str = "no game of the trusted source is left to decide by";

/// Returns a sample of the rows, and the source of each row of it: of each source whole games with
/// about [`MOST_ROWS`] rows in all, or all its games if it has no more rows. A game is of the
/// source of its first row. The weights of rows are multiplied so that a source counts as much as
/// with all its games.
fn sampled(set: &TraceSet, source: &[u32]) -> (TraceSet, Vec<u32>) {
    let count = source.iter().max().map_or(0, |&last| last as usize + 1);
    let mut rows = vec![0_usize; count];
    let mut of_game = BTreeMap::new();
    for (row, &source) in source.iter().enumerate() {
        rows[source as usize] += 1;
        of_game.entry(set.game(row)).or_insert(source);
    }
    if rows.iter().all(|&rows| rows <= MOST_ROWS) {
        return (set.clone(), source.to_vec());
    }
    let part = |rows: usize| Split::new(MOST_ROWS as f64 / rows as f64, SEED + 1);
    let parts: Vec<Split> = rows.iter().map(|&rows| part(rows)).collect();
    let is_in = |game: u32| {
        // Each game has a source, as it has a row.
        let source = of_game.get(&game).map_or(0, |&source| source as usize);
        rows[source] <= MOST_ROWS || parts[source].holds_out(game)
    };
    let keeps_numbers = true;
    let mut copy = set.of_games(is_in, keeps_numbers);
    // Sources in the order of the copy's rows, which need not be that of `set`: each row knows its
    // place among those copied.
    let pushed = (0..set.len()).filter(|&row| is_in(set.game(row)));
    let pushed: Vec<u32> = pushed.map(|row| source[row]).collect();
    let found = (0..copy.len()).map(|row| pushed[copy.pushed_as(row)]);
    let found: Vec<u32> = found.collect();
    // By source the weight of all its rows, and of those in the copy.
    let mut weights = vec![[0.0; 2]; count];
    for (row, &source) in source.iter().enumerate() {
        weights[source as usize][0] += set.weight(row);
    }
    for (row, &source) in found.iter().enumerate() {
        weights[source as usize][1] += copy.weight(row);
    }
    copy.map_weights(|row, weight| {
        let [all, sampled] = weights[found[row] as usize];
        weight * all / sampled
    });
    (copy, found)
}

/// Returns H⁻¹·∇C by variable, 0 for variables that do not move. ∇C, `gradient`, is that of the
/// error of the games that decide. H is the curvature of the function that the fit minimised, over
/// `rows` at `x`, where the fit ended: Newton's if it can be factorised, else that of Gauss and
/// Newton. Fails where neither can be.
fn turned(
    task: &FitTask<'_>,
    rows: &TraceSet,
    fit: &Fit,
    x: &[f64],
    gradient: &[f64],
) -> Result<Vec<f64>, FitError> {
    let mut moves = vec![true; x.len()];
    let of = &fit.summary;
    let held = [&of.unseen, &of.at_bound, &of.kept, &fit.pinned];
    for &variable in held.into_iter().flatten() {
        moves[variable] = false;
    }
    let free = Subset::of(&moves);
    let task = over(task, rows);
    let objective = task.objective(fit.k)?;
    let prior = task.prior(&objective, fit.effective_games)?;
    let mut factor = None;
    for kind in [Curvature::Newton, Curvature::GaussNewton] {
        let mut matrix = objective.curvature_between(x, kind, &free)?;
        if let Some((prior, _)) = &prior {
            prior.add_curvature(free.indices(), &mut matrix);
        }
        let diagonal = matrix.diagonal();
        let scale: Vec<f64> = (diagonal.iter().map(|d| d.max(f64::MIN_POSITIVE))).collect();
        // A little damping, where the matrix is singular, is harmless: directions that nothing
        // determines change no score.
        let of_matrix = Cholesky::new(&matrix);
        factor = (of_matrix.or_else(|_| Cholesky::new(&matrix.damped(1e-9, &scale)))).ok();
        if factor.is_some() {
            break;
        }
    }
    let singular = FitError::Sources("the curvature of the weights is singular");
    let factor = factor.ok_or(singular)?;
    let mut turned = vec![0.0; x.len()];
    free.scatter(&factor.solve(&free.gather(gradient)), &mut turned);
    Ok(turned)
}

/// Returns a task with `rows` in place of its own.
fn over<'t>(task: &FitTask<'t>, rows: &'t TraceSet) -> FitTask<'t> {
    FitTask {
        traces: rows.into(),
        ..*task
    }
}

/// Returns all rows of `set`, with a weight of 0 where they are not of the source `number`;
/// `source`: that of each row.
fn alone(set: &TraceSet, source: &[u32], number: usize) -> TraceSet {
    let mut rows = set.clone();
    rows.map_weights(|row, weight| {
        let is_of = source[row] as usize == number;
        if is_of { weight } else { 0.0 }
    });
    rows
}

/// Replaces the error that a part has no rows, to fit weights or K to, by one that says the cause:
/// no games of the trusted source are left. Other errors stay as they are.
fn few(error: FitError) -> FitError {
    match error {
        FitError::NoRows(_) | FitError::K(KError::NoRows) => FitError::Sources(NO_GAMES),
        other => other,
    }
}

/// Returns the step of BFGS from `logs`, the logarithms of factors: −`inverse`·`slope`, shortened
/// so that no component is above 2; without an inverse −`slope`, scaled so that the largest
/// component is 1. A logarithm that the slope pushes against its bound, ±[`FURTHEST`], is left out
/// of the slope.
fn direction(inverse: Option<&[Vec<f64>]>, slope: &[f64], logs: &[f64]) -> Vec<f64> {
    let mut held = slope.to_vec();
    for (slope, log) in held.iter_mut().zip(logs) {
        if log.abs() >= FURTHEST && *slope * log < 0.0 {
            *slope = 0.0;
        }
    }
    let step: Vec<f64> = match inverse {
        Some(inverse) => inverse.iter().map(|row| -dot(row, &held)).collect(),
        None => held.iter().map(|slope| -slope).collect(),
    };
    let longest = max_abs(&step);
    let most = if inverse.is_some() { 2.0 } else { 1.0 };
    if longest == 0.0 || (inverse.is_some() && longest <= most) {
        return step;
    }
    step.iter().map(|step| step * most / longest).collect()
}

/// Updates the approximate inverse of a curvature matrix by BFGS, from a step `moved` and the
/// `change` of the slope along it. It has `count` rows, and is at first a multiple of the unit
/// matrix. It stays as it is where the slope along the step does not rise, as it would not be
/// positive definite any more.
///
/// *Source*: J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., 2006, equations 6.17, 6.20.
fn updated(inverse: &mut Option<Vec<Vec<f64>>>, moved: &[f64], change: &[f64], count: usize) {
    let curved = dot(moved, change);
    if curved <= 0.0 {
        return;
    }
    let before = inverse.take().unwrap_or_else(|| {
        let scale = curved / dot(change, change);
        let entry = |i, j| if i == j { scale } else { 0.0 };
        let row = |i| (0..count).map(|j| entry(i, j)).collect();
        (0..count).map(row).collect()
    });
    let turned: Vec<f64> = before.iter().map(|row| dot(row, change)).collect();
    let along = (1.0 + dot(change, &turned) / curved) / curved;
    let entry = |i: usize, j: usize| {
        before[i][j] - (turned[i] * moved[j] + moved[i] * turned[j]) / curved
            + along * moved[i] * moved[j]
    };
    let row = |i| (0..count).map(|j| entry(i, j)).collect();
    *inverse = Some((0..count).map(row).collect());
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic

    use std::ops::ControlFlow;

    use super::*;
    use crate::Settings;
    use tuner_base::{LaneId, Slot};
    use tuner_rows::{RowDraft, RowInfo, Segment};
    use tuner_solve::Reduction;

    /// Positions of three sources that disagree about two weights.
    fn rows() -> (TraceSet, Vec<u32>) {
        let (mut set, mut source) = (TraceSet::new(2), Vec::new());
        for game in 0..900_u32 {
            let of = game % 3;
            let counts = [(game / 3 % 5) as i16 - 2, (game / 7 % 3) as i16 - 1];
            let segment = Segment::same([100.0, 0.0], [Slot(0), Slot(1)].into_iter().zip(counts));
            let draft = RowDraft {
                segments: vec![segment],
                ..RowDraft::default()
            };
            let leads = f64::from(counts[0]) + f64::from(of) * f64::from(counts[1]);
            let chance = Sigmoid::new(1.0).expectation(100.0 * leads);
            set.push(&draft, &RowInfo::new(chance, game)).unwrap();
            source.push(of);
        }
        (set, source)
    }

    #[test]
    fn the_slope_is_that_of_differences() {
        let (set, source) = rows();
        let reduction = Reduction::of_free(&[LaneId(0), LaneId(2)], 4);
        let settings = Settings {
            k: Some(1.0),
            held_out: 0.2,
            prior: Some(5.0),
            prior_unit: Some(1e-4),
            ..Settings::default()
        };
        let inputs = FitInputs::at(&[0.5, 0.5]);
        let task = FitTask::new(&set, &reduction, &inputs, &settings);
        let mut weighing = Weighing::new(&task, &set, &source, 0);
        weighing.strength = 1e-3;
        let mut on = |_: &crate::FitProgress<'_>| ControlFlow::Continue(());
        let at = [0.0, 0.7, -0.4];
        let point = weighing.at(at.to_vec(), None, &mut on).unwrap();
        let slope = weighing.slope(&point).unwrap();
        assert_eq!(slope[0].to_bits(), 0.0_f64.to_bits());
        for number in 1..3 {
            let mut value = |step: f64| {
                let mut logs = at.to_vec();
                logs[number] += step;
                weighing.at(logs, None, &mut on).unwrap().value
            };
            let difference = (value(1e-3) - value(-1e-3)) / 2e-3;
            assert!(
                (slope[number] - difference).abs() < 1e-4 * difference.abs(),
                "{} {difference}",
                slope[number]
            );
        }
    }

    #[test]
    fn a_sample_counts_as_much_as_all() {
        let (mut set, mut source) = (TraceSet::new(1), Vec::new());
        for row in 0..(MOST_ROWS as u32 + 20_000) {
            let of = u32::from(row % 7 == 0);
            // The outcome tells the source.
            let info = RowInfo::new(f64::from(of), row / 3);
            // Rows of other factors are read elsewhere.
            let entry = (Slot(0), 1);
            let draft = RowDraft {
                segments: vec![Segment::same([f64::from(row % 5), 1.0], [entry])],
                ..RowDraft::default()
            };
            set.push(&draft, &info).unwrap();
            source.push(of);
        }
        let (sample, found) = sampled(&set, &source);
        assert_eq!(sample.len(), found.len());
        assert!((30_000..65_000).contains(&sample.len()), "{}", sample.len());
        let mut weights = [0.0; 2];
        for (row, &of) in found.iter().enumerate() {
            assert_eq!(sample.row(row).outcome().to_bits(), f64::from(of).to_bits());
            weights[of as usize] += sample.weight(row);
        }
        let all = [0, 1].map(|of| source.iter().filter(|&&source| source == of).count() as f64);
        assert!(
            weights
                .iter()
                .zip(all)
                .all(|(found, all)| (found - all).abs() < 1e-6)
        );
        // Few rows are all taken.
        let few = sample.of_games(|game| game < 900, false);
        let again = sampled(&few, &found[..few.len()]);
        assert_eq!((again.0.len(), again.1.len()), (few.len(), few.len()));
    }
}
