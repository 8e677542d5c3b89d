//! Statements on each weight, table and parameter.

use super::{Advice, GroupStatement, Judgement, NEGLIGIBLE};
use super::{WeightEstimate, WeightStatement, WeightStatus};
use crate::frozen::{FrozenStatement, score_tests_of_fixed};
use crate::identifiability::{
    Direction, PartRows, correlations, directions_of, gauss_newton, sentences, variance_inflation,
};
use crate::matrix_free::{FREQUENT, SomeErrors, some_errors};
use crate::not_computed::{Computed, NotComputed};
use crate::statistics::{discoveries, reach, wald};
use crate::variance::{Alone, GaussNewton, Matrices, Variance};
use crate::verdict::{ErrorDifference, FitVerdict, NoiseShare};
use tuner_base::{WeightId, phase};
use tuner_fit::model::{Regression, Sigmoid, games_by_lane};
use tuner_fit::run::FinishedRun;
use tuner_fit::{FitError, MOST_BY_MATRICES, WeightGroup, parts};
use tuner_rows::Traces;
use tuner_solve::linalg::{Cholesky, Symmetric, dot};
use tuner_solve::{Curvature, Objective, Prior, Reduction, Subset, VariableId};

/// Weights whose standard errors are computed where there are too many for matrices of all: those
/// that changed most.
const SOME: usize = 100;

/// E below which results are predicted exactly, up to rounding: as where all games
/// are drawn.
const NO_ERROR: f64 = 1e-15;

/// The variables that moved, as opposed to those that could not.
pub(crate) struct Moved {
    /// Which variables of the fit they are.
    subset: Subset,
    pub(crate) reduction: Reduction,
    /// Their values at the optimum, before rounding.
    pub(crate) x: Vec<f64>,
    /// Their values before the fit, at its scale.
    before: Vec<f64>,
    /// By variable of the fit, why it could not move; `Fitted` of those that moved and of an
    /// anchor.
    status: Vec<WeightStatus>,
}

impl Moved {
    /// Finds the variables that a fit moved: those that positions read, that the data do not
    /// separate, that are at no bound, and that are not anchored. All other variables are fixed
    /// where the fit ended. `before`: all weights before the fit, at the scale of the fit.
    fn of(run: &FinishedRun<'_>, before: &[f64]) -> Self {
        let (fit, reduction) = (&run.fit, &run.variables.reduction);
        let x = reduction.start(&fit.weights);
        let mut status = vec![WeightStatus::Fitted; x.len()];
        // `kept` are those that an `l1` prior keeps where they are.
        for (variables, of) in [
            (&fit.summary.unseen, WeightStatus::Unseen),
            (&fit.pinned, WeightStatus::Separated),
            (&fit.summary.at_bound, WeightStatus::AtBound),
            (&fit.summary.kept, WeightStatus::AtBound),
        ] {
            for &variable in variables {
                status[variable] = of;
            }
        }
        let anchored = fit.anchored.map(|anchored| anchored.weight);
        let is_moved = |(root, status): (&WeightId, &WeightStatus)| {
            *status == WeightStatus::Fitted && Some(root.index()) != anchored
        };
        let roots = reduction.roots().iter().zip(&status);
        let mask: Vec<bool> = roots.map(is_moved).collect();
        let subset = Subset::of(&mask);
        Self {
            reduction: reduction.keeping(&subset, &x),
            x: subset.gather(&x),
            before: subset.gather(&reduction.start(before)),
            subset,
            status,
        }
    }

    /// Returns the [`SOME`] variables that changed most, by their numbers among those that moved,
    /// ascending: standard errors are computed of these where all would take too long.
    fn most_changed(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.x.len()).collect();
        let change = |variable: usize| (self.x[variable] - self.before[variable]).abs();
        order.sort_by(|&a, &b| change(b).total_cmp(&change(a)).then(a.cmp(&b)));
        order.truncate(SOME);
        order.sort_unstable();
        order
    }

    /// Returns the weights that some game reads and that could not move, as they are frozen, at a
    /// bound, or kept by an `l1` prior, each with a statement that is not tested yet. Of weights
    /// that are tied and at a bound only the one that the others are tied to is returned. Separated
    /// and anchored weights are left out. `games`: by lane, how many read it.
    fn fixed_weights(
        &self,
        run: &FinishedRun<'_>,
        games: &[u32],
    ) -> Vec<(WeightId, FrozenStatement)> {
        let reduction = &run.variables.reduction;
        let lanes = reduction.weight_lanes();
        // Of each weight its term in the fit, and its term where what could not move is fixed.
        let terms = reduction.weight_terms().zip(self.reduction.weight_terms());
        let terms = terms.enumerate();
        let fixed = terms.filter_map(|(weight, (term, (_, _, value)))| {
            let status = match term.0.map(VariableId::index) {
                None => WeightStatus::Frozen,
                Some(variable) if reduction.roots()[variable].index() == weight => {
                    self.status[variable]
                }
                Some(_) => return None,
            };
            let games = games[lanes[weight].index()];
            let could_move = !matches!(status, WeightStatus::Frozen | WeightStatus::AtBound);
            if could_move || games == 0 {
                return None;
            }
            let name = run.variables.names[weight].clone();
            let statement = FrozenStatement::of(name, status, value, games);
            Some((WeightId(weight), statement))
        });
        fixed.collect()
    }
}

/// Statements on the variables that moved.
pub(crate) struct Statements<'a, 'r> {
    pub(crate) run: &'a FinishedRun<'r>,
    pub(crate) moved: Moved,
    /// The weights before, at the scale of the fit: an anchor multiplies all of them, which
    /// changes none.
    pub(crate) before: Vec<f64>,
    /// What matrices tell, or why there are none.
    by_matrices: Result<ByMatrices, String>,
    /// Where there are too many variables for matrices, some standard errors.
    some: Option<(Vec<usize>, SomeErrors)>,
    directions: Vec<Direction>,
    undetermined: Vec<String>,
    /// By lane, how many games read it.
    pub(crate) games: Vec<u32>,
}

/// Estimates and errors by matrices of all variables that moved.
struct ByMatrices {
    variance: Variance,
    alone: Option<Alone>,
    frozen: Vec<FrozenStatement>,
}

impl<'a, 'r> Statements<'a, 'r> {
    /// Computes what all statements rest on: the matrices of the variables that moved, or why there
    /// are none; where these are too many, the standard errors of those that changed most; the
    /// combinations of weights that the data do not determine; and how many games read each lane.
    ///
    /// *Cost*: a pass for curvature and one for the derivatives by game; matrices of all variables
    /// that moved.
    pub(super) fn of(run: &'a FinishedRun<'r>, traces: Traces<'_>) -> Result<Self, FitError> {
        let factor = run.fit.anchored.map_or(1.0, |anchored| anchored.factor);
        let before: Vec<f64> = run.before.iter().map(|before| factor * before).collect();
        let moved = Moved::of(run, &before);
        let games = {
            let _phase = phase("games of each weight");
            games_by_lane(traces)?
        };
        let (train, _) = parts(run.settings.held_out);
        let (loss, sigmoid) = (run.settings.loss, Sigmoid::new(run.fit.k));
        let regression = |reduction| {
            Regression::new(traces, reduction, loss, sigmoid, train)
                .map_err(|error| FitError::of_part(error, "games to fit on"))
        };
        let objective = regression(&moved.reduction)?;
        let prior = run.prior_of(&moved.reduction);
        let prior = prior.as_ref();
        // u, with which a prior of standard deviation τ has the strength u/τ². Without a prior of
        // the fit it is that of the very weak one which is used in its place.
        let unit = run.fit.prior_unit;
        let unit = unit.unwrap_or_else(|| loss.prior_unit(run.fit.error, run.fit.games));
        let count = moved.x.len();
        let mut fixed = moved.fixed_weights(run, &games);
        // Fixed weights are tested if their matrices are small enough together with the others'.
        if count + fixed.len() > MOST_BY_MATRICES {
            fixed.clear();
        }
        let wider = (moved.reduction)
            .releasing(&fixed.iter().map(|(weight, _)| *weight).collect::<Vec<_>>());
        // The curvature of all variables serves also to find combinations that are not determined.
        let variables = run.variables;
        let x = variables.reduction.start(&run.fit.weights);
        let curvature = gauss_newton(&regression(&variables.reduction)?, &x);
        // Gauss-Newton's curvature over the variables that moved.
        let of_moved = || {
            if let Ok(curvature) = &curvature {
                return Ok(curvature.select(moved.subset.indices()));
            }
            objective.curvature_at(&moved.x, Curvature::GaussNewton)
        };
        // A known matrix is widened to fixed weights by products, each a pass: on streamed rows a
        // matrix is formed sooner.
        let are_streamed = traces.ranks().any(traces.are_streamed());
        let is_whole = fixed.is_empty() || !are_streamed;
        // The exact curvature over the variables that moved, where the fit ended with one of all of
        // them.
        let known = || {
            let known = run.fit.curvature.as_ref().filter(|_| is_whole)?;
            let places = moved.subset.indices().iter();
            let places = places.map(|variable| known.variables.binary_search(variable).ok());
            Some(known.values.select(&places.collect::<Option<Vec<_>>>()?))
        };
        let by_matrices = if run.fit.error <= NO_ERROR {
            Err(NotComputed::reason(
                "all results are predicted exactly, so nothing tells how far off weights may be; \
                 expected games with different results",
            ))
        } else if count > MOST_BY_MATRICES {
            Err(NotComputed::reason(format!(
                "{count} weights were free to move, too many for the matrices of all: those of the {SOME} \
                 that changed most are computed"
            )))
        } else {
            let wider = regression(&wider)?;
            ByMatrices::of(&wider, known(), &of_moved, prior, unit, &moved, fixed)
        };
        let rows = PartRows {
            traces,
            part: train,
        };
        let (directions, undetermined) = undetermined(run, curvature, rows, &x)?;
        let some = if count > MOST_BY_MATRICES && run.fit.error > NO_ERROR {
            let chosen = moved.most_changed();
            let errors = some_errors(&objective, prior, unit, &moved.x, &chosen, FREQUENT)?;
            Some((chosen, errors))
        } else {
            None
        };
        Ok(Self {
            by_matrices: NotComputed::or_reason(by_matrices)?,
            before,
            run,
            moved,
            some,
            directions,
            undetermined,
            games,
        })
    }

    /// Returns the variance of all variables that moved, with the prior of the fit, and the
    /// estimates by the data without that prior; `None` unless both are known.
    pub(crate) fn estimates(&self) -> Option<(&Variance, &Alone)> {
        let by_matrices = self.by_matrices.as_ref().ok()?;
        Some((&by_matrices.variance, by_matrices.alone.as_ref()?))
    }

    /// Makes all statements, given the change of E on the games fitted and on those held out,
    /// `None` where there are no such games. The caller sets `advice`, which follows from the
    /// verdict, and `game_by_game`, and takes statements back where games are too few.
    pub(super) fn judgement(
        self,
        fitted: Option<ErrorDifference>,
        held_out: Option<ErrorDifference>,
    ) -> Judgement {
        let tables = self.tables();
        let _phase = phase("statements");
        let around_zero = self.by_data(|alone| &alone.around_zero);
        // What matrices of all variables tell, if they were formed. Of too many variables `some`
        // has the standard errors of those that changed most, and the optimism.
        let variance = self.by_matrices.as_ref().map(|of| &of.variance);
        let known = variance.ok();
        let of_some = || self.some.as_ref()?.1.optimism;
        let optimism = known.map(Variance::optimism).or_else(of_some);
        let games = fitted.map_or(0, |fitted| fitted.games);
        let noise = (fitted.as_ref())
            .and_then(|fitted| NoiseShare::new(fitted, held_out.as_ref(), optimism));
        Judgement {
            verdict: FitVerdict::of(held_out.as_ref()),
            advice: None,
            held_out,
            noise,
            games_known: self.run.all_with_game(),
            game_by_game: false,
            games: known.map_or(games, |variance| variance.matrices.games),
            clusters: known.map_or(0, Variance::clusters),
            fitted,
            without_errors: variance.err().cloned(),
            approximate_curvature: known.is_some_and(|variance| variance.is_approximate),
            correlated: self.correlated(),
            reach: (known.map(Variance::clusters))
                .or_else(|| self.some.as_ref().map(|_| games))
                .map(reach),
            determined: known.map(Variance::determined),
            groups: self.groups(&around_zero),
            weights: self.weights(&around_zero),
            tables,
            frozen: self.by_matrices.map_or_else(|_| Vec::new(), |of| of.frozen),
            directions: self.directions,
            undetermined: self.undetermined,
        }
    }

    /// Says which pairs of weights the data alone hardly tell apart: a sentence for all pairs of
    /// one table, or of two. Nothing where the estimates of the data alone are not known.
    fn correlated(&self) -> Vec<String> {
        let Some((variance, alone)) = self.estimates() else {
            return Vec::new();
        };
        let inflation = variance_inflation(&variance.matrices.data, &alone.inverse);
        let roots = self.moved.reduction.roots().iter();
        let names = roots.map(|root| &*self.run.variables.names[root.index()]);
        let names: Vec<&str> = names.collect();
        let pairs = correlations(&alone.covariance, &inflation, &names);
        pairs.iter().map(|pair| pair.sentence(&names)).collect()
    }

    /// Returns for each weight the estimate by the data without the prior of the fit; `None` where
    /// its variable did not move. `of`: takes one of two lists of estimates of the variables that
    /// moved, with a very weak prior around 0 or around the values before. A weight is
    /// factor·variable + offset, so its standard error is |factor| times the root of the variable's
    /// variance.
    fn by_data(&self, of: fn(&Alone) -> &[f64]) -> Vec<Option<WeightEstimate>> {
        let reduction = &self.run.variables.reduction;
        let estimate = |(variable, factor, offset): (Option<VariableId>, f64, f64)| {
            let (_, alone) = self.estimates()?;
            let variable = variable.filter(|_| factor.abs() > 0.0)?.index();
            let number = self.moved.subset.index_in_part(variable)?;
            let variance = alone.covariance.get(number, number);
            Some(WeightEstimate {
                value: factor * of(alone)[number] + offset,
                standard_error: factor.abs() * variance.max(0.0).sqrt(),
            })
        };
        reduction.weight_terms().map(estimate).collect()
    }

    /// Makes a statement on each weight. That it changed, or is to be kept, is said such that at
    /// most 5 % of such statements are wrong on average; only of weights with an estimate by the
    /// data alone. `around_zero`: of each weight this estimate with a very weak prior around 0, by
    /// which it is tested against 0.
    fn weights(&self, around_zero: &[Option<WeightEstimate>]) -> Vec<WeightStatement> {
        let (moved, reduction) = (&self.moved, &self.run.variables.reduction);
        let lanes = reduction.weight_lanes();
        let variance = self.by_matrices.as_ref().ok().map(|of| &of.variance);
        let clusters = variance.map_or(0, Variance::clusters);
        let around_before = self.by_data(|alone| &alone.around_before);
        let terms = reduction.weight_terms().enumerate();
        let statements = terms.map(|(weight, (variable, factor, _))| {
            let variable = variable.filter(|_| factor.abs() > 0.0);
            let variable = variable.map(VariableId::index);
            // The number of the variable among those that moved.
            let number = variable.and_then(|v| moved.subset.index_in_part(v));
            let data = around_before[weight];
            let before = self.before[weight];
            let standard_error = number.and_then(|number| {
                // Where there are too many variables for matrices, only those that were chosen have
                // an error.
                let error = if let Some((chosen, some)) = &self.some {
                    some.standard_errors[chosen.binary_search(&number).ok()?]?
                } else {
                    let variance = variance?.covariance.get(number, number);
                    variance.max(0.0).sqrt()
                };
                Some(factor.abs() * error)
            });
            WeightStatement {
                name: self.run.variables.names[weight].clone(),
                status: variable.map_or(WeightStatus::Frozen, |v| moved.status[v]),
                before,
                value: self.run.fit.written[weight],
                standard_error,
                data,
                p_zero: around_zero[weight].and_then(|data| data.p(0.0, clusters)),
                p_change: data.and_then(|data| data.p(before, clusters)),
                changed: false,
                advice: None,
                // 0 only if no row has the lane.
                games: self.games.get(lanes[weight].index()).copied().unwrap_or(0),
            }
        });
        let mut statements: Vec<WeightStatement> = statements.collect();
        // By variable: weights that are tied are one test, that of the weight that others are tied
        // to.
        let roots = reduction.roots();
        let once = |of: fn(&WeightStatement) -> Option<f64>| {
            discoveries(roots.iter().map(|root| of(&statements[root.index()])))
        };
        let (kept, changed) = (once(|s| s.p_zero), once(|s| s.p_change));
        let (parts, reach) = (statements.iter_mut().zip(around_zero), reach(clusters));
        for ((statement, data), (variable, ..)) in parts.zip(reduction.weight_terms()) {
            if let (&Some(data), Some(VariableId(variable))) = (data, variable) {
                // A strong prior may keep a weight as it was that the data would change.
                let is_other = (statement.value - statement.before).abs() > 0.0;
                statement.changed = changed[variable] && is_other;
                statement.advice = Some(advice(kept[variable], &[data], reach));
            }
        }
        statements
    }

    /// Makes a statement on each parameter: Wald tests of all its weights at once, against 0 and
    /// against their values before, and how much E rises with these values. There are no tests of a
    /// parameter of which no weight moved. `around_zero`: of each weight the estimate with a very
    /// weak prior around 0, which decides on the advice.
    fn groups(&self, around_zero: &[Option<WeightEstimate>]) -> Vec<GroupStatement> {
        let roots = self.moved.reduction.roots();
        let groups = &self.run.variables.groups;
        let statement = |group: &WeightGroup| {
            let variables: Vec<usize> = (group.weights.iter())
                .filter_map(|weight| roots.binary_search(weight).ok())
                .collect();
            let estimates = self.estimates().filter(|_| !variables.is_empty());
            // How far the estimates of its variables are off 0, and off the values before.
            let off = estimates.map(|(_, alone)| {
                let before = |variable: usize| self.before[roots[variable].index()];
                let of_variables = |off: &dyn Fn(usize) -> f64| -> Vec<f64> {
                    variables.iter().map(|&variable| off(variable)).collect()
                };
                [
                    of_variables(&|variable| alone.around_zero[variable]),
                    of_variables(&|variable| alone.around_before[variable] - before(variable)),
                ]
            });
            let off = off.as_ref();
            let [p_zero, p_change] = off.map_or([None; 2], |off| self.p(&variables, off));
            let worths =
                (estimates.zip(off)).and_then(|((_, alone), off)| alone.worths(&variables, off));
            GroupStatement {
                name: group.name.clone(),
                fitted: variables.len(),
                weights: group.weights.len(),
                p_zero,
                p_change,
                advice: None,
                worth_of_change: worths.map(|[_, change]| change),
                worth: worths.map(|[all, _]| all),
            }
        };
        let mut statements: Vec<GroupStatement> = groups.iter().map(statement).collect();
        let kept = discoveries(statements.iter().map(|of| of.p_zero));
        // Without matrices no weight has an estimate, and so no parameter has advice.
        let clusters = self.by_matrices.as_ref().map(|of| of.variance.clusters());
        let reach = reach(clusters.unwrap_or(0));
        for (statement, (group, kept)) in statements.iter_mut().zip(groups.iter().zip(kept)) {
            let members = group.weights.iter();
            let data = members.filter_map(|weight| around_zero[weight.index()]);
            let data: Vec<WeightEstimate> = data.collect();
            statement.advice = (!data.is_empty()).then(|| advice(kept, &data, reach));
        }
        statements
    }

    /// Returns the probability of such data if some variables had certain values, by the Wald
    /// statistic δᵀV⁻¹δ of their differences δ from the estimates, for each of several lists `off`
    /// of these. `None` where their covariance V is not known or singular, or clusters are too few.
    fn p<const N: usize>(&self, variables: &[usize], off: &[Vec<f64>; N]) -> [Option<f64>; N] {
        let Some((variance, alone)) = self.estimates() else {
            return [None; N];
        };
        let Ok(factor) = Cholesky::new(&alone.covariance.select(variables)) else {
            return [None; N];
        };
        off.each_ref().map(|off| {
            let statistic = dot(off, &factor.solve(off));
            wald(statistic, variables.len(), variance.clusters())
        })
    }
}

impl ByMatrices {
    /// Computes the covariance of the variables that moved and their estimates by the data without
    /// the prior of the fit, and tests the weights that could not move. These come in `fixed`, each
    /// with a statement that is only begun: name, status, value and games. A score test completes
    /// it, and all that have one are in `frozen`. Where the data give no estimates, these weights
    /// cannot be tested, and `frozen` is empty.
    ///
    /// `wider`: the objective over the variables that moved and, behind them, the `fixed` weights;
    /// `known_curvature`: the exact curvature of the variables that moved, if the fit left one;
    /// `gauss_newton`: makes Gauss-Newton's where the exact one is not that of a minimum; `unit`:
    /// u, with which a prior of standard deviation τ has the strength u/τ².
    fn of(
        wider: &Regression<'_>,
        known_curvature: Option<Symmetric>,
        gauss_newton: GaussNewton<'_>,
        prior: Option<&Prior>,
        unit: f64,
        moved: &Moved,
        fixed: Vec<(WeightId, FrozenStatement)>,
    ) -> Computed<Self> {
        // Behind the variables that moved come the values of the fixed weights.
        let mut x = moved.x.clone();
        x.extend(fixed.iter().map(|(_, weight)| weight.value));
        let matrices = Matrices::at(wider, &x, known_curvature)?;
        let _phase = phase("variance");
        let (x, constraints) = (&moved.x, moved.reduction.constraints());
        let first = matrices.first(x.len());
        let variance = Variance::of(first, gauss_newton, constraints, prior, unit, x)?;
        // Without the prior of the fit the curvature may not be that of a minimum. Then there are
        // no such estimates, and what needs them is left out; the variance is known all the same.
        let alone = match variance.alone(gauss_newton, x, &moved.before, unit) {
            Err(failure @ NotComputed::Pass(_)) => return Err(failure),
            alone => alone.ok(),
        };
        let fixed = fixed.into_iter().map(|(_, weight)| weight);
        let frozen = alone.as_ref().map_or_else(Vec::new, |alone| {
            score_tests_of_fixed(&matrices, &alone.inverse, x, unit, fixed)
        });
        Ok(Self {
            variance,
            alone,
            frozen,
        })
    }
}

/// Finds the combinations of weights that the data do not determine at `x`, and says them in
/// sentences. `curvature`: Gauss-Newton's over all variables, or why it was not formed. Where
/// nothing can be found the reason is the only sentence. Fails if rows cannot be read.
fn undetermined(
    run: &FinishedRun<'_>,
    curvature: Computed<Symmetric>,
    rows: PartRows<'_>,
    x: &[f64],
) -> Result<(Vec<Direction>, Vec<String>), FitError> {
    let variables = run.variables;
    let directions = curvature.and_then(|curvature| {
        let _phase = phase("what is not determined");
        let (names, groups) = (&variables.names, &variables.groups);
        directions_of(&variables.reduction, &curvature, rows, x, names, groups)
    });
    Ok(match NotComputed::or_reason(directions)? {
        Ok(directions) => {
            let undetermined = sentences(&directions);
            (directions, undetermined)
        }
        Err(reason) => (Vec::new(), vec![reason]),
    })
}

/// Says whether an engine would miss weights. `kept`: whether the data tell them from 0. If they do
/// not, the weights may be dropped where the 95 % interval of each estimate, which reaches `reach`
/// standard errors to each side, is within [`NEGLIGIBLE`] of 0.
pub(crate) fn advice(kept: bool, data: &[WeightEstimate], reach: f64) -> Advice {
    let is_negligible =
        |data: &WeightEstimate| data.value.abs() + reach * data.standard_error <= NEGLIGIBLE;
    if kept {
        Advice::Keep
    } else if data.iter().all(is_negligible) {
        Advice::Drop
    } else {
        Advice::Unclear
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use tuner_fit::model::{Loss, Part};
    use tuner_rows::{RowDraft, RowInfo, Segment, Slot, TraceSet};
    use tuner_solve::PassError;

    /// The exact curvature is that of a minimum with the prior alone, so that Gauss-Newton's is
    /// formed for the estimates without it, and its rows cannot be read any more.
    #[test]
    fn rows_that_cannot_be_read_are_not_taken_for_estimates_that_there_are_none_of() {
        let mut set = TraceSet::new(1);
        for game in 0..20_u32 {
            let draft = RowDraft {
                segments: vec![Segment::same([1.0, 0.0], [(Slot(0), game as i16 % 3 - 1)])],
                ..RowDraft::default()
            };
            let outcome = f64::from(game % 4 / 2);
            set.push(&draft, &RowInfo::new(outcome, game)).unwrap();
        }
        set.finish();
        let reduction = Reduction::of_lanes(2);
        let moved = Moved {
            subset: Subset::of(&[true; 2]),
            reduction: reduction.clone(),
            x: vec![0.0; 2],
            before: vec![0.0; 2],
            status: vec![WeightStatus::Fitted; 2],
        };
        let (loss, sigmoid) = (Loss::Squared, Sigmoid::new(1.0));
        let objective = Regression::new(&set, &reduction, loss, sigmoid, Part::All).unwrap();
        let mut exact = Symmetric::zeros(2);
        exact.add(0, 0, -1e-4);
        let prior = Prior::new(vec![0.0; 2], 1.0, 1.0);
        let gone = || Err(PassError::new("the disk is gone"));
        let found = ByMatrices::of(
            &objective,
            Some(exact),
            &gone,
            Some(&prior),
            1.0,
            &moved,
            Vec::new(),
        );
        let expected = Some(NotComputed::Pass(PassError::new("the disk is gone")));
        assert_eq!(found.err(), expected);
    }
}
