//! Whether more games would help, and how far the choice of the held-out games
//! decides.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use crate::verdict::ErrorDifference;
use tuner_fit::model::{ByGame, GameLoss, losses_by_game};
use tuner_fit::run::{FinishedRun, RowSource};
use tuner_fit::{FitError, FitInputs, FitTask, PartOfGames, Settings, WeightGroup};
use tuner_rows::Traces;
use tuner_solve::{Reduction, Subset};

/// Parts of the games that are fitted.
const PARTS: [f64; 5] = [0.0625, 0.125, 0.25, 0.5, 1.0];

/// A fit of a part of the games.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct LearningPoint {
    /// The part of the games fitted, from 0 to 1.
    pub part: f64,
    /// The games fitted.
    pub games: usize,
    /// E of the held-out games, against the weights before.
    pub held_out: ErrorDifference,
}

/// Fits of nested samples of the games, all judged by the same games.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct LearningCurve {
    /// The points, the smallest sample first.
    pub points: Vec<LearningPoint>,
    /// The held-out error that twice the games would lead to, if it fell as
    /// `a + b/games` between the last two points.
    pub with_twice_the_games: Option<f64>,
}

/// Fits that each leave out a fold of the games, and are judged by it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct CrossValidation {
    /// The difference on the games of each fold.
    pub folds: Vec<ErrorDifference>,
    /// The difference on all games, each judged by the fit that left it out.
    pub all: Option<ErrorDifference>,
}

/// Whether a long work is to end.
pub type Interrupt<'a> = &'a mut dyn FnMut() -> ControlFlow<()>;

/// Fits nested samples of the games, 1/16 to all, each from the weights before. `groups`: where
/// given, the prior is chosen again by its evidence on each sample; else it is that of the run.
/// After an interrupt, which is asked for after every iteration and fit, larger samples are left
/// out.
///
/// Rows are those at the weights before: where branches of the evaluation change,
/// positions are not traced again. *Cost*: some two fits of all games.
///
/// # Errors
/// If a fit fails, or no games are held out. A sample without enough games is left
/// out.
pub fn learning_curve(
    run: &FinishedRun<'_>,
    source: &dyn RowSource,
    groups: Option<&[WeightGroup]>,
    interrupt: Interrupt<'_>,
) -> Result<LearningCurve, FitError> {
    let rows = run.targets.targets.of(source.rows())?;
    let traces = rows.traces();
    let (all, mut points) = (&run.variables.reduction, Vec::new());
    for part in PARTS {
        let of = PartOfGames::Fitted(part);
        let found = match fitted(run, traces, all, groups, of, interrupt) {
            // A small sample may have drawn games alone, so that there is no K, or no games at all.
            Err(FitError::K(_) | FitError::NoRows(_)) if part < 1.0 => continue,
            found => found?,
        };
        // The fit may have been cut short by an interrupt.
        if interrupt().is_break() {
            break;
        }
        if let Some(held_out) = ErrorDifference::new(&found.before, &found.after) {
            points.push(LearningPoint {
                part,
                games: found.games,
                held_out,
            });
        }
    }
    Ok(LearningCurve {
        with_twice_the_games: twice(&points),
        points,
    })
}

/// Fits all games but those of one fold, for each of `count` folds. `groups`: where given, the
/// prior is chosen again by its evidence on these games; else it is that of the run. After an
/// interrupt further folds are left out.
///
/// Rows are those at the weights before. *Cost*: a fit of nearly all games for each fold.
///
/// # Errors
/// If a fit fails, or a fold has no games.
pub fn cross_validate(
    run: &FinishedRun<'_>,
    source: &dyn RowSource,
    groups: Option<&[WeightGroup]>,
    count: u32,
    interrupt: Interrupt<'_>,
) -> Result<CrossValidation, FitError> {
    let rows = run.targets.targets.of(source.rows())?;
    let traces = rows.traces();
    let (all, mut folds) = (&run.variables.reduction, Vec::new());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for number in 0..count {
        let of = PartOfGames::Fold(number, count);
        let found = fitted(run, traces, all, groups, of, interrupt)?;
        // The fit may have been cut short by an interrupt.
        if interrupt().is_break() {
            break;
        }
        folds.extend(ErrorDifference::new(&found.before, &found.after));
        before.extend(found.before);
        after.extend(found.after);
    }
    // Losses are compared in the order of the numbers of games.
    for games in [&mut before, &mut after] {
        games.sort_unstable_by_key(|&(game, _)| game);
    }
    Ok(CrossValidation {
        all: ErrorDifference::new(&before, &after),
        folds,
    })
}

/// The worth of a group of weights, by a fit without it.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Ablation {
    /// The group.
    pub group: String,
    /// E on the held-out games of a fit with its weights at 0, those that are fitted,
    /// against the fit with it.
    pub without: Option<ErrorDifference>,
    /// E on the held-out games of a fit with its weights as they were before, against the fit with
    /// it; `None` if they were 0.
    pub unchanged: Option<ErrorDifference>,
    /// All weights of the fit with those of the group at 0.
    #[serde(skip)]
    pub weights: Vec<f64>,
}

/// Fits once more without each group of `among`: with its weights at 0, and as they were before,
/// where that is something else. The other weights follow. `groups`: where given, the prior is
/// chosen again by its evidence for each fit; else it is that of the run. Each result is handed to
/// `each` once it is known; after an interrupt groups without a result are left out.
///
/// Rows are those at the weights before. *Cost*: a fit, and one or two for each group.
///
/// # Errors
/// If a fit fails, or no games are held out.
pub fn ablate(
    run: &FinishedRun<'_>,
    source: &dyn RowSource,
    groups: Option<&[WeightGroup]>,
    among: &[&WeightGroup],
    each: &mut dyn FnMut(&Ablation),
    interrupt: Interrupt<'_>,
) -> Result<Vec<Ablation>, FitError> {
    let rows = run.targets.targets.of(source.rows())?;
    let traces = rows.traces();
    let all = &run.variables.reduction;
    let of = PartOfGames::Fitted(1.0);
    let with = fitted(run, traces, all, groups, of, interrupt)?;
    let mut found = Vec::new();
    for group in among {
        if interrupt().is_break() {
            break;
        }
        // What stays free; the weights of the group are fixed, at 0 or as they were before. Those
        // that are frozen, or tied to another weight, have no variable and are passed over.
        let start = all.start(&run.before);
        let mut mask = vec![true; start.len()];
        let mut at_zero = start.clone();
        for weight in &group.weights {
            if let Ok(variable) = all.roots().binary_search(weight) {
                mask[variable] = false;
                at_zero[variable] = 0.0;
            }
        }
        // Fits with the weights of the group fixed at their values in `x`.
        let at = |x: &[f64], interrupt: Interrupt<'_>| {
            let reduction = all.keeping(&Subset::of(&mask), x);
            let without = fitted(run, traces, &reduction, groups, of, interrupt)?;
            let difference = ErrorDifference::new(&with.after, &without.after);
            Ok::<_, FitError>((difference, without.weights))
        };
        let (without, weights) = at(&at_zero, interrupt)?;
        if interrupt().is_break() {
            break;
        }
        let is_other = start.iter().zip(&at_zero).any(|(a, b)| (a - b).abs() > 0.0);
        let at_start = is_other.then(|| at(&start, interrupt)).transpose()?;
        let unchanged = at_start.and_then(|(difference, _)| difference);
        if interrupt().is_break() {
            break;
        }
        let ablation = Ablation {
            group: group.name.clone(),
            without,
            unchanged,
            weights,
        };
        each(&ablation);
        found.push(ablation);
    }
    Ok(found)
}

/// A fit of a part of the games, and the losses of those that judge it.
struct Judged {
    before: ByGame<GameLoss>,
    after: ByGame<GameLoss>,
    games: usize,
    weights: Vec<f64>,
}

/// Fits a part of the games, K being that of the run, and returns the weights and, at the weights
/// before and after, the losses of the games that judge the fit. `of`: which games are fitted and
/// which judge; `groups`: where given, the prior is chosen again by its evidence; else it is that
/// of the run.
fn fitted(
    run: &FinishedRun<'_>,
    traces: Traces<'_>,
    reduction: &Reduction,
    groups: Option<&[WeightGroup]>,
    of: PartOfGames,
    interrupt: Interrupt<'_>,
) -> Result<Judged, FitError> {
    let variables = run.variables;
    // A prior that is chosen again begins with what is declared, not with what the run chose.
    let prior = groups.map_or(&run.prior, |_| &variables.prior);
    let inputs = FitInputs {
        prior,
        prior_mean: &run.prior_mean,
        ..FitInputs::at(&run.before)
    };
    // All fits have the K of the run: errors with another K would not compare.
    let (sigmoid, _) = run.scored_by(true);
    let settings = Settings {
        k: Some(sigmoid.k()),
        ..run.settings
    };
    let mut flow = |_: &tuner_fit::FitProgress<'_>| interrupt();
    let task = FitTask::new(traces, reduction, &inputs, &settings);
    let fit = task.fit_part(of, groups, &mut flow)?;
    let (_, judged) = of.parts(settings.held_out);
    let losses = |weights: &[f64]| {
        let lanes = reduction.lanes_of(weights);
        losses_by_game(traces, judged, settings.loss, sigmoid, &lanes)
    };
    Ok(Judged {
        before: losses(&run.before)?,
        after: losses(&fit.weights)?,
        games: fit.games,
        weights: fit.weights,
    })
}

/// Returns the held-out E expected at twice the games of the last point, by E = a + b/games through
/// the last two points; `None` where there are no two points, E does not fall between them, or it
/// falls by no more than the standard error of the difference.
fn twice(points: &[LearningPoint]) -> Option<f64> {
    let [.., before, last] = points else {
        return None;
    };
    let falls = before.held_out.after - last.held_out.after;
    let errors = [before, last].map(|point| point.held_out.standard_error);
    let error = errors[0].hypot(errors[1]);
    if falls <= error {
        return None;
    }
    let inverse = |point: &LearningPoint| 1.0 / point.games as f64;
    let (early, late) = (inverse(before), inverse(last));
    let slope = falls / (early - late);
    let twice = last.held_out.after - slope * late / 2.0;
    slope.is_finite().then_some(twice)
}

tuner_base::impl_fmt! { Display for LearningCurve, |self, f| {
    f.write_str("learning curve: held-out E of fits of parts of the games")?;
    for point in &self.points {
        write!(f, "\n  {:>8} games: {}", point.games, point.held_out)?;
    }
    if let (Some(error), Some(last)) = (self.with_twice_the_games, self.points.last()) {
        let more = error - last.held_out.after;
        write!(f, "\n  twice the games: about {error:.6}, {more:+.6} more")?;
    }
    Ok(())
} }

tuner_base::impl_fmt! { Display for Ablation, |self, f| {
    write!(f, "without {}, all others fitted again:", self.group)?;
    for (what, difference) in [("at 0", &self.without), ("as before", &self.unchanged)] {
        if let Some(difference) = difference {
            write!(f, "\n  {what}: held-out E {difference}")?;
        }
    }
    Ok(())
} }

tuner_base::impl_fmt! { Display for CrossValidation, |self, f| {
    write!(f, "{} folds, each judged by a fit of the others", self.folds.len())?;
    for (number, fold) in (1..).zip(&self.folds) {
        write!(f, "\n  fold {number}: {fold}")?;
    }
    if let Some(all) = &self.all {
        write!(f, "\n  all: {all}")?;
    }
    Ok(())
} }

#[cfg(test)]
mod tests {
    use super::*;

    fn point(games: usize, after: f64) -> LearningPoint {
        LearningPoint {
            part: 1.0,
            games,
            held_out: ErrorDifference {
                before: 0.2,
                after,
                difference: after - 0.2,
                standard_error: 0.01,
                games: 10,
            },
        }
    }

    #[test]
    fn twice_the_games_halve_what_falls_with_their_number() {
        // 0.1 + 2/games.
        let points = [point(50, 0.14), point(100, 0.12)];
        assert!(twice(&points).is_some_and(|error| (error - 0.11).abs() < 1e-12));
        assert_eq!(twice(&points[..1]), None);
        assert_eq!(twice(&[point(50, 0.1), point(50, 0.1)]), None);
    }
}
