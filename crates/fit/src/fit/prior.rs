//! The prior of a fit: what it is around, how strong it is, and what it means
//! for variables that no position reads.
//!
//! [`FitTask::choose`] finds the strength by the error on games held out. It divides the games that
//! are fitted once more: on four fifths the weights are fitted with one strength after the other,
//! on the last fifth the results are compared. The games that judge the fit in the end are never
//! looked at, so what is reported of them stays honest.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};

use super::evidence::MOST_VARIABLES;
use super::posterior::Posterior;
use super::{
    EvidencePrior, Fit, FitError, FitInputs, FitTask, ProgressObserver, SPLIT_SEED, WeightGroup,
    counts,
};
use crate::model::{KFit, Part, Regression, Split, effective_games};
use tuner_solve::{
    Curvature, KnownCurvature, Objective, PassResult, Prior, PriorSpec, Reduction, Solution,
    Subset, Termination,
};

/// The deviation that is multiplied, in the unit of the weights; also the
/// standard deviation of an engine's prior unless it is chosen otherwise. Of 10, 20 and 40
/// the one with the smallest held-out error of the chess example
/// (`tuner -C examples/chess fit --prior N`: 0.12396, 0.12390, 0.12396).
pub const BASE: f64 = 20.0;

/// Factors of the deviations, the strongest prior first: from 1.25
/// to 320 centipawns. Chosen: at the ends next to nothing moves, and next to
/// nothing is held back.
const FACTORS: [f64; 9] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Fraction of the games fitted that compare the strengths. Chosen.
pub(super) const HELD_OUT: f64 = 0.2;

/// The seed that decides which of the games fitted compare; another one than that of the outer
/// split.
pub(super) const SEED: u64 = SPLIT_SEED + 1;

/// A strength that was tried.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Trial {
    /// The standard deviation: the base times the factor.
    pub deviation: f64,
    /// The factor of all deviations: of the base, and of those of the spec.
    pub factor: f64,
    /// E of the games that compare.
    #[serde(rename = "held_out_error", deserialize_with = "or_infinite")]
    pub error: f64,
    /// Iterations, from where the trial before had ended.
    pub iterations: usize,
    /// Seconds.
    pub seconds: f64,
}

/// All strengths of the prior that were tried, and the best.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Strength {
    /// The standard deviation with the smallest error; of equals the smallest.
    pub deviation: f64,
    /// The factor of all deviations.
    pub factor: f64,
    /// Whether the error still falls at an end of what was tried.
    pub at_edge: bool,
    /// Positions fitted on.
    pub positions_fitted: u64,
    /// Positions that compare.
    pub positions_compared: u64,
    /// In ascending order of deviations.
    pub tried: Vec<Trial>,
}

impl Strength {
    /// Tells whether the strength of this trial is the one that was chosen.
    pub fn is_of(&self, trial: &Trial) -> bool {
        trial.factor.to_bits() == self.factor.to_bits()
    }
}

tuner_base::impl_fmt! {
/// A table of what was tried, and the choice.
Display for Strength, |self, f| {
    write!(
        f,
        "prior: strengths tried on {} positions of the games that are fitted, compared on {} of \
         others of them\n  deviation  held-out E    iterations  seconds",
        self.positions_fitted, self.positions_compared
    )?;
    for trial in &self.tried {
        let chosen = if self.is_of(trial) { "  chosen" } else { "" };
        write!(
            f,
            "\n  {:>9}  {:.10}  {:>10}  {:>7.2}{chosen}",
            trial.deviation, trial.error, trial.iterations, trial.seconds
        )?;
    }
    if self.at_edge {
        f.write_str(
            "\n  the error still falls at the end of what was tried; look at the unit of the \
             weights and at their initial values",
        )?;
    }
    Ok(())
} }

/// Results that are known of the start of a fit, as its prior was chosen there: K and the
/// curvature.
#[derive(Clone, Debug)]
pub struct FitBeginning {
    pub(super) k: f64,
    pub(super) k_fit: Option<KFit>,
    /// The variables that the curvature is of.
    pub(super) read: Subset,
    /// `None` where there are more variables than a matrix is formed for.
    pub(super) curvature: Option<Arc<KnownCurvature>>,
}

/// How the prior was chosen.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "by", rename_all = "kebab-case")]
pub enum ChosenPrior {
    /// By the error on games held out of those fitted.
    Validation(Strength),
    /// By the evidence.
    Evidence(EvidencePrior),
}

tuner_base::impl_fmt! { Display for ChosenPrior, |self, f| match self {
    Self::Validation(strength) => write!(f, "{strength}"),
    Self::Evidence(evidence) => write!(f, "{evidence}"),
} }

impl ChosenPrior {
    /// Says how the prior was chosen, for the header of generated weights.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Validation(strength) => format!(
                "prior: all deviations times {}, chosen by games held out of those fitted",
                strength.factor
            ),
            Self::Evidence(evidence) => evidence.to_string(),
        }
    }

    /// Returns the choice without the groups of which no weight is fitted.
    #[must_use]
    pub fn of_fitted(mut self) -> Self {
        if let Self::Evidence(evidence) = &mut self {
            evidence.groups.retain(|group| group.weights > 0);
            evidence.pools.retain(|pool| pool.weights > 0);
        }
        self
    }

    /// Tells whether a choice that was read from a checkpoint can be one: of validation its factor
    /// and deviation, of the evidence its unit, its declared scale and the deviations of groups and
    /// pools must be finite and positive.
    pub(crate) fn is_possible(&self) -> bool {
        let positive = |number: f64| number.is_finite() && number > 0.0;
        match self {
            Self::Validation(strength) => positive(strength.factor) && positive(strength.deviation),
            Self::Evidence(evidence) => {
                let mut all = evidence.groups.iter().chain(&evidence.pools);
                let has_units = positive(evidence.unit) && positive(evidence.declared_scale);
                has_units && all.all(|group| positive(group.deviation))
            }
        }
    }
}

impl FitTask<'_> {
    /// Returns the task of a fit that only tells how good its settings are. Games that the settings
    /// hold out for the verdict take no part. Of all others, those that `inner` holds out give the
    /// error that is compared, and the rest is fitted. Weights are neither rounded nor brought to
    /// the scale of an anchor, as neither tells anything of settings.
    pub(super) fn comparing(self, inner: Split) -> Self {
        let outer = Split::new(self.settings.held_out, SPLIT_SEED);
        let mut task = self.on(Part::TrainOf(outer, inner), Part::HeldOutOf(outer, inner));
        (task.settings.integers, task.settings.anchor) = (false, None);
        task
    }

    /// Tries the strengths of `FACTORS` one after the other, and chooses the one with the smallest
    /// error on a fifth of the games; of equal errors the strongest prior. Where K is to be fitted,
    /// it is on the other four fifths, with the first strength. If the observer ends a fit, no
    /// further strength is tried, and that fit counts as it is.
    ///
    /// *Cost*: nine fits on four fifths of the games, each but the first from where
    /// the one before ended. On the chess example 50 iterations, where the fit
    /// itself takes 9 (`tuner -C examples/chess fit --prior auto`).
    ///
    /// # Errors
    /// If a fit fails, or a part of the games is empty.
    pub fn choose(self, observer: ProgressObserver<'_>) -> Result<Strength, FitError> {
        let mut task = self.comparing(Split::new(HELD_OUT, SEED));
        let mut trials: Vec<Trial> = Vec::new();
        let mut last: Option<Fit> = None;
        for factor in FACTORS {
            task.settings.prior = Some(BASE * factor);
            let found = FitTask {
                inputs: FitInputs {
                    prior: &self.inputs.prior.scaled(factor),
                    saved: None,
                    start: last.as_ref().map_or(self.inputs.start, |fit| &fit.weights),
                    ..self.inputs
                },
                ..task
            }
            .fit(observer)
            .map_err(|error| match error {
                FitError::NoRows(_) => FitError::TooFewToCompare,
                other => other,
            })?;
            // K does not depend on the prior: all further fits have the first one's.
            task.settings.k = Some(found.k);
            let stopped = found.summary.termination == Termination::Interrupted;
            trials.push(Trial {
                deviation: BASE * factor,
                factor,
                // There always is one, as `comparing` holds games out.
                error: found.held_out_error.unwrap_or(f64::INFINITY),
                iterations: found.summary.iterations,
                seconds: found.summary.cost.seconds,
            });
            last = Some(found);
            if stopped {
                break;
            }
        }
        let error = |trial: usize| trials[trial].error;
        let chosen = (0..trials.len()).min_by(|&a, &b| error(a).total_cmp(&error(b)));
        // There always is a trial.
        let chosen = chosen.unwrap_or(0);
        let (positions_fitted, positions_compared) = last.map_or((0, 0), |fit| fit.rows);
        Ok(Strength {
            deviation: trials[chosen].deviation,
            factor: trials[chosen].factor,
            at_edge: chosen == 0 || chosen + 1 == trials.len(),
            positions_fitted,
            positions_compared,
            tried: trials,
        })
    }

    /// Chooses the prior by its evidence on the games that are fitted, at the prior means: a
    /// standard deviation for the weights of each of `groups`. Returns also what was found out of
    /// the start (K, and the curvature), which a fit with that prior need not compute again.
    ///
    /// *Cost*: K; up to 3,000 variables a curvature matrix and an inverse for each round, beyond
    /// that some tens of passes a round.
    ///
    /// # Errors
    /// If K cannot be fitted, there are no games to fit on, or rows cannot be read.
    pub fn choose_by_evidence(
        self,
        groups: &[WeightGroup],
    ) -> Result<(EvidencePrior, FitBeginning), FitError> {
        let (reduction, inputs, settings) = (self.reduction, self.inputs, self.settings);
        // Variables that no row reads are left out, at their prior means.
        let joined = Some(inputs.prior);
        let (read, _) = counts::read_variables(self.traces, reduction, self.train, joined)?;
        let fixed = reduction.fixable(&read, &reduction.start(inputs.prior_mean));
        let task = FitTask {
            reduction: &reduction.keeping(&read, &fixed),
            ..self
        };
        let (k, k_fit) = task.scaling()?;
        let objective = task.objective(k)?;
        let games = effective_games(task.traces, task.train)?.round() as usize;
        let mean = task.reduction.start(inputs.prior_mean);
        let plain = settings.loss.prior_unit(objective.value(&mean)?, games);
        let base = settings.prior.unwrap_or(BASE);
        let by_matrices = mean.len() <= MOST_VARIABLES;
        // A matrix that is formed serves the posterior, and then the fit, by `beginning`.
        let (objective, curvature) = if by_matrices {
            let (x, kind) = (mean.clone(), Curvature::GaussNewton);
            let values = objective.curvature_at(&x, kind)?;
            let curvature = Arc::new(KnownCurvature { x, kind, values });
            (objective.knowing(Arc::clone(&curvature)), Some(curvature))
        } else {
            (objective, None)
        };
        let posterior = Posterior::new(&objective, &mean, by_matrices)?;
        let (reduction, spec) = (task.reduction, inputs.prior);
        let chosen =
            EvidencePrior::maximise(posterior, reduction, &mean, spec, groups, base, plain)?;
        let beginning = FitBeginning {
            k,
            k_fit,
            read,
            curvature,
        };
        Ok((chosen, beginning))
    }

    /// Returns the prior and its unit u, with which a standard deviation τ has the strength u/τ²;
    /// `None` if the settings have no prior. The unit is that of the settings, if they have one;
    /// else [`Loss::prior_unit`](crate::model::Loss::prior_unit) of E at the prior means and
    /// `games`, the effective number of games. This E is the task's `prior_error` if that is known,
    /// as where an anchored weight is fixed, else it is computed.
    pub(crate) fn prior(
        &self,
        objective: &Regression<'_>,
        games: f64,
    ) -> PassResult<Option<(Prior, f64)>> {
        let (settings, inputs) = (&self.settings, &self.inputs);
        let Some(deviation) = settings.prior else {
            return Ok(None);
        };
        let mean = self.reduction.start(inputs.prior_mean);
        let unit = match (settings.prior_unit, self.prior_error) {
            (Some(unit), _) => unit,
            (None, known) => {
                let error = known.map_or_else(|| objective.value(&mean), Ok)?;
                settings.loss.prior_unit(error, games.round() as usize)
            }
        };
        let prior = Prior::new(mean, deviation, unit).with(inputs.prior, self.reduction, unit);
        Ok(Some((prior, unit)))
    }
}

/// Puts variables that no position reads at their prior means, `mean`. Variables that `neighbours`,
/// the prior, joins to ones that are read stay where the descent left them, are no longer counted
/// as unseen, and are returned. `neighbours`: `None` where there is no prior.
pub(super) fn settle(
    solution: &mut Solution,
    neighbours: Option<&PriorSpec>,
    reduction: &Reduction,
    mean: &[f64],
) -> Vec<usize> {
    let unseen = &mut solution.summary.unseen;
    let mut joined = vec![true; mean.len()];
    for &variable in unseen.iter() {
        joined[variable] = false;
    }
    if let Some(neighbours) = neighbours {
        neighbours.join(reduction, &mut joined);
    }
    let followed = unseen.extract_if(.., |variable| joined[*variable]);
    let followed = followed.collect();
    for &variable in unseen.iter() {
        solution.x[variable] = mean[variable];
    }
    followed
}

/// Reads a number, where null is infinity: JSON has only finite numbers, and others are written as
/// null.
pub(super) fn or_infinite<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let number = Option::<f64>::deserialize(from)?;
    Ok(number.unwrap_or(f64::INFINITY))
}
