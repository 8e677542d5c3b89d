//! Statements on each weight, table and parameter.

use super::{
    Advice, GroupStatement, Judgement, Moved, NEGLIGIBLE, NO_ERROR, WeightEstimate,
    WeightStatement, WeightStatus, fixed_weights, undetermined,
};
use crate::contrast::{Estimates, TableStatement, contrasts};
use crate::frozen::{FixedWeight, FrozenStatement, score_tests_of_fixed};
use crate::identifiability::{Direction, Tables, correlations, gauss_newton, variance_inflation};
use crate::matrix_free::{FREQUENT, SomeErrors, some_errors};
use crate::statistics::{INTERVAL, discoveries, reach, wald};
use crate::variance::{Alone, GaussNewton, Matrices, Variance, VarianceError};
use crate::verdict::{ErrorDifference, FitVerdict, NoiseShare};
use tuner_base::{WeightId, phase};
use tuner_fit::model::{Regression, Sigmoid, games_by_lane};
use tuner_fit::run::FinishedRun;
use tuner_fit::{FitError, MOST_BY_MATRICES, parts};
use tuner_rows::Traces;
use tuner_solve::linalg::{Cholesky, Symmetric, dot};
use tuner_solve::{Curvature, Objective, Prior, VariableId};

/// Statements on the variables that moved.
pub(super) struct Statements {
    pub(super) variance: Result<Variance, String>,
    /// Where there are too many of them for matrices, some standard errors.
    pub(super) some: Option<(Vec<usize>, SomeErrors)>,
    directions: Vec<Direction>,
    undetermined: Vec<String>,
    alone: Option<Alone>,
    frozen: Vec<FrozenStatement>,
    games: Vec<u32>,
}

impl Statements {
    pub(super) fn of(
        run: &FinishedRun<'_>,
        traces: Traces<'_>,
        moved: &Moved,
    ) -> Result<Self, FitError> {
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
        // Where nobody asked for a prior the unit of the one that stands for none.
        let unit = run.fit.prior_unit;
        let unit = unit.unwrap_or_else(|| loss.prior_unit(run.fit.error, run.fit.games));
        let count = moved.x.len();
        let fixed = fixed_weights(run, moved, &games);
        // With those that could not move, as far as there is room for them.
        let fixed = if count + fixed.len() <= MOST_BY_MATRICES {
            fixed
        } else {
            Vec::new()
        };
        let wider = (moved.reduction)
            .releasing(&fixed.iter().map(|(weight, _)| *weight).collect::<Vec<_>>());
        // Of all variables, for the combinations that are not determined as well.
        let all = {
            let reduction = &run.variables.reduction;
            gauss_newton(&regression(reduction)?, &reduction.start(&run.fit.weights))
        };
        let of_moved = || {
            if let Ok(all) = &all {
                return Ok(all.select(moved.subset.indices()));
            }
            let mut curvature = Symmetric::zeros(count);
            objective.curvature(&moved.x, Curvature::GaussNewton, &mut curvature)?;
            Ok(curvature)
        };
        // Of rows that are read again and again products cost more than a matrix.
        let are_streamed = traces.ranks().any(traces.are_streamed());
        let is_whole = fixed.is_empty() || !are_streamed;
        let known = || {
            let known = run.fit.curvature.as_ref().filter(|_| is_whole)?;
            let places = moved.subset.indices().iter();
            let places = places.map(|variable| known.variables.binary_search(variable).ok());
            Some(known.values.select(&places.collect::<Option<Vec<_>>>()?))
        };
        let by_matrices = if run.fit.error <= NO_ERROR {
            Err(VarianceError::NoError)
        } else if count > MOST_BY_MATRICES {
            Err(VarianceError::TooMany(count))
        } else {
            let wider = regression(&wider)?;
            Self::by_matrices(&wider, known(), &of_moved, prior, unit, moved, fixed)
        };
        let (directions, undetermined) = undetermined(run, traces, &all)?;
        let some = if count > MOST_BY_MATRICES && run.fit.error > NO_ERROR {
            let chosen = moved.most_changed(run);
            let errors = some_errors(&objective, prior, unit, &moved.x, &chosen, FREQUENT)?;
            Some((chosen, errors))
        } else {
            None
        };
        let (variance, alone, frozen) = match by_matrices {
            Ok((variance, alone, frozen)) => (Ok(variance), alone, frozen),
            Err(VarianceError::Pass(error)) => return Err(error.into()),
            Err(error) => (Err(error.to_string()), None, Vec::new()),
        };
        Ok(Self {
            variance,
            some,
            directions,
            undetermined,
            alone,
            frozen,
            games,
        })
    }

    /// `wider`: the objective over the variables that moved and, behind them, the `fixed`
    /// weights. `known`: Newton's curvature of the variables that moved, if it is known.
    fn by_matrices(
        wider: &Regression<'_>,
        known: Option<Symmetric>,
        gauss_newton: GaussNewton<'_>,
        prior: Option<&Prior>,
        unit: f64,
        moved: &Moved,
        fixed: Vec<(WeightId, FixedWeight)>,
    ) -> Result<(Variance, Option<Alone>, Vec<FrozenStatement>), VarianceError> {
        let mut x = moved.x.clone();
        x.extend(fixed.iter().map(|(_, weight)| weight.value));
        let matrices = Matrices::at(wider, &x, known)?;
        let _phase = phase("variance");
        let variance = Variance::of(
            matrices.first(moved.x.len()),
            gauss_newton,
            moved.reduction.constraints(),
            prior,
            unit,
            &moved.x,
        )?;
        let alone = variance.alone(gauss_newton, &moved.x, unit).ok();
        let fixed: Vec<FixedWeight> = fixed.into_iter().map(|(_, weight)| weight).collect();
        let frozen = alone.as_ref().map_or_else(Vec::new, |alone| {
            score_tests_of_fixed(&matrices, &alone.inverse, &moved.x, unit, fixed)
        });
        Ok((variance, alone, frozen))
    }

    /// Entries against the mean of their table.
    fn tables(&self, run: &FinishedRun<'_>, moved: &Moved) -> Vec<TableStatement> {
        let _phase = phase("tables");
        let (Some(alone), Ok(variance)) = (&self.alone, &self.variance) else {
            return Vec::new();
        };
        let (names, groups) = (&run.variables.names, &run.variables.groups);
        let movable = vec![Some(true); moved.x.len()];
        let offsets: Vec<f64> = moved.reduction.weight_terms().map(|term| term.2).collect();
        let lanes = moved.reduction.weight_lanes();
        let games = |weight: usize| self.games[lanes[weight].index()];
        contrasts(
            &Tables::new(&moved.reduction, names, groups, &movable),
            Estimates {
                names,
                before: &before_at_scale(run),
                written: &run.fit.written,
                games: &games,
                covariance: &variance.covariance,
                alone: &alone.x,
                alone_covariance: &alone.covariance,
                offset: &|weight| offsets[weight],
                clusters: variance.clusters,
            },
        )
    }

    pub(super) fn judgement(
        self,
        run: &FinishedRun<'_>,
        moved: &Moved,
        fitted: Option<ErrorDifference>,
        held_out: Option<ErrorDifference>,
        noise: Option<NoiseShare>,
        games_known: bool,
    ) -> Judgement {
        let tables = self.tables(run, moved);
        let _phase = phase("statements");
        let weights = self.weights(run, moved);
        let groups = self.groups(run, moved, &weights);
        let variance = self.variance.as_ref();
        Judgement {
            verdict: FitVerdict::of(held_out.as_ref()),
            advice: None,
            held_out,
            noise,
            games_known,
            game_by_game: false,
            games: variance.map_or_else(
                |_| fitted.as_ref().map_or(0, |fitted| fitted.games),
                |variance| variance.games,
            ),
            clusters: variance.map_or(0, |variance| variance.clusters),
            fitted,
            without_errors: variance.err().cloned(),
            approximate_curvature: variance.is_ok_and(|variance| variance.is_approximate),
            correlated: self.correlated(run, moved),
            reach: variance.ok().map(|variance| reach(variance.clusters)),
            determined: variance.ok().map(Variance::determined),
            weights,
            tables,
            frozen: self.frozen,
            groups,
            directions: self.directions,
            undetermined: self.undetermined,
        }
    }

    /// Pairs of weights that the data alone hardly tell apart.
    fn correlated(&self, run: &FinishedRun<'_>, moved: &Moved) -> Vec<String> {
        let (Some(alone), Ok(variance)) = (&self.alone, &self.variance) else {
            return Vec::new();
        };
        let inflation = variance_inflation(&variance.data, &alone.inverse);
        let roots = moved.reduction.roots();
        let names: Vec<&str> = (roots.iter())
            .map(|root| &*run.variables.names[root.index()])
            .collect();
        let pairs = correlations(&alone.covariance, &inflation);
        pairs.iter().map(|pair| pair.sentence(&names)).collect()
    }

    fn weights(&self, run: &FinishedRun<'_>, moved: &Moved) -> Vec<WeightStatement> {
        let reduction = &run.variables.reduction;
        let mut status = vec![WeightStatus::Fitted; reduction.variables()];
        let fit = &run.fit;
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
        let lanes = reduction.weight_lanes();
        let before = before_at_scale(run);
        let clusters = self
            .variance
            .as_ref()
            .map_or(0, |variance| variance.clusters);
        let mut statements: Vec<WeightStatement> = reduction
            .weight_terms()
            .enumerate()
            .map(|(weight, (variable, factor, offset))| {
                let factor_moves = factor.abs() > 0.0;
                let variable = variable.filter(|_| factor_moves).map(VariableId::index);
                let number = variable.and_then(|v| moved.subset.index_in_part(v));
                let error = |matrix: &Symmetric, number: usize| {
                    factor.abs() * matrix.get(number, number).max(0.0).sqrt()
                };
                let variance = self.variance.as_ref().ok().zip(number);
                let data = self
                    .alone
                    .as_ref()
                    .zip(number)
                    .map(|(alone, number)| WeightEstimate {
                        value: factor * alone.x[number] + offset,
                        standard_error: error(&alone.covariance, number),
                    });
                let p = |from: f64| data?.p(from, clusters);
                let before = before[weight];
                WeightStatement {
                    name: run.variables.names[weight].clone(),
                    status: variable.map_or(WeightStatus::Frozen, |v| status[v]),
                    before,
                    value: fit.written[weight],
                    standard_error: match &self.some {
                        Some((chosen, some)) => number
                            .and_then(|number| chosen.binary_search(&number).ok())
                            .and_then(|number| some.standard_errors[number])
                            .map(|error| factor.abs() * error),
                        None => variance.map(|(v, number)| error(&v.covariance, number)),
                    },
                    data,
                    p_zero: p(0.0),
                    p_change: p(before),
                    changed: false,
                    advice: None,
                    games: self.games.get(lanes[weight].index()).copied().unwrap_or(0),
                }
            })
            .collect();
        // Weights that are tied are one statement, and count once.
        let roots = reduction.roots();
        let once = |of: &dyn Fn(&WeightStatement) -> Option<f64>| {
            let all: Vec<Option<f64>> = roots.iter().map(|r| of(&statements[r.index()])).collect();
            discoveries(&all)
        };
        let (kept, changed) = (once(&|s| s.p_zero), once(&|s| s.p_change));
        for (statement, (variable, ..)) in statements.iter_mut().zip(reduction.weight_terms()) {
            if let (Some(data), Some(VariableId(variable))) = (statement.data, variable) {
                statement.changed = changed[variable];
                statement.advice = Some(advice(kept[variable], &[data]));
            }
        }
        statements
    }

    fn groups(
        &self,
        run: &FinishedRun<'_>,
        moved: &Moved,
        weights: &[WeightStatement],
    ) -> Vec<GroupStatement> {
        let roots = moved.reduction.roots();
        let all_before = before_at_scale(run);
        let mut statements: Vec<GroupStatement> = Vec::new();
        for group in &run.variables.groups {
            let variables: Vec<usize> = (group.weights.iter())
                .filter_map(|weight| roots.binary_search(weight).ok())
                .collect();
            let before: Vec<f64> = variables
                .iter()
                .map(|&variable| all_before[roots[variable].index()])
                .collect();
            let zeros = vec![0.0; variables.len()];
            let [p_zero, p_change] = self.p(&variables, [&zeros, &before]);
            let alone = self.alone.as_ref().filter(|_| !variables.is_empty());
            let worths = alone.and_then(|alone| alone.worths(&variables, [&zeros, &before]));
            statements.push(GroupStatement {
                name: group.name.clone(),
                fitted: variables.len(),
                weights: group.weights.len(),
                p_zero,
                p_change,
                advice: None,
                worth_of_change: worths.map(|[_, change]| change),
                worth: worths.map(|[all, _]| all),
            });
        }
        let all: Vec<Option<f64>> = statements.iter().map(|of| of.p_zero).collect();
        let groups = run.variables.groups.iter().zip(discoveries(&all));
        for (statement, (group, kept)) in statements.iter_mut().zip(groups) {
            let members = group.weights.iter();
            let data = members.filter_map(|weight| weights[weight.index()].data);
            let data: Vec<WeightEstimate> = data.collect();
            statement.advice = (!data.is_empty()).then(|| advice(kept, &data));
        }
        statements
    }

    /// The probability of such data if some variables had these values, for each of
    /// several lists of values.
    fn p<const N: usize>(&self, variables: &[usize], values: [&[f64]; N]) -> [Option<f64>; N] {
        let (Some(alone), Ok(variance)) = (&self.alone, &self.variance) else {
            return [None; N];
        };
        let Ok(factor) = Cholesky::new(&alone.covariance.select(variables)) else {
            return [None; N];
        };
        values.map(|values| {
            let off: Vec<f64> = (variables.iter().zip(values))
                .map(|(&variable, value)| alone.x[variable] - value)
                .collect();
            let statistic = dot(&off, &factor.solve(&off));
            wald(statistic, variables.len(), variance.clusters)
        })
    }
}

/// The weights before, at the scale of the fit: an anchor multiplies all of them, which
/// changes none.
fn before_at_scale(run: &FinishedRun<'_>) -> Vec<f64> {
    let factor = run.fit.anchored.map_or(1.0, |anchored| anchored.factor);
    run.before.iter().map(|before| factor * before).collect()
}

/// Whether an engine would miss weights, by whether the data tell them from 0.
pub(crate) fn advice(kept: bool, data: &[WeightEstimate]) -> Advice {
    let is_negligible =
        |data: &WeightEstimate| data.value.abs() + INTERVAL * data.standard_error <= NEGLIGIBLE;
    if kept {
        Advice::Keep
    } else if data.iter().all(is_negligible) {
        Advice::Drop
    } else {
        Advice::Unclear
    }
}
