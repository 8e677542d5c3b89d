//! Weights that are known come back: the proof of the whole way on the author's own
//! evaluation and positions.
//!
//! Weights are drawn around the initial ones, a result is drawn for each position with
//! the expectation that they give it, and a fit from the initial weights has to find
//! them again, as near as its standard errors say.

use std::error::Error;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

use super::linked_spec::LinkedSpec;
use super::rows::EngineRows;
use tuner_base::WeightId;
use tuner_evaluation::{DrawnResults, Evaluation, Positions};
use tuner_fit::Settings;
use tuner_fit::integers::Grid;
use tuner_fit::model::Sigmoid;
use tuner_fit::run::{FitRun, PriorChoice, RunConfig, TargetConfig, Variables};
use tuner_judge::{WeightStatus, judge};
use tuner_solve::{PriorSpec, feasible};
use tuner_spec::Layout;

/// A weight may be off by so many standard errors: of 10,000 weights one is, by chance,
/// once in 170 times.
const MOST: f64 = 5.0;

/// How weights and results are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecoveryOptions {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Scaling constant of the results.
    pub k: f64,
    /// The standard deviation of the weights around the initial ones, in the unit of the spec;
    /// `None`: for each parameter a quarter of how large its weights are, from 1 to 20, and of
    /// floats at least ten of their steps.
    pub deviation: Option<f64>,
}

impl Default for RecoveryOptions {
    /// Returns seed 1, scaling constant 1, and deviations by the size of each parameter's weights.
    fn default() -> Self {
        let (seed, k, deviation) = (1, 1.0, None);
        Self { seed, k, deviation }
    }
}

/// A weight that was known, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecoveredWeight {
    /// Its name.
    pub name: String,
    /// The value that the results were drawn with.
    pub truth: f64,
    /// The value that the fit found.
    pub estimate: f64,
    /// How far it may be off, by the fit.
    pub standard_error: f64,
}

tuner_base::impl_fmt! { Display for RecoveredWeight, |self, f| write!(
    f, "{}: {} was drawn, {:.1} ± {:.1} found",
    self.name, self.truth, self.estimate, self.standard_error
) }

impl RecoveredWeight {
    /// Returns how far the estimate is off the true weight, in standard errors: positive where it
    /// is too large.
    pub fn score(&self) -> f64 {
        (self.estimate - self.truth) / self.standard_error
    }
}

/// The weights that a fit recovered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Recovery {
    /// Positions that were fitted.
    pub positions: usize,
    /// Free weights that the positions tell something of.
    pub weights: Vec<RecoveredWeight>,
    /// Names of free weights that no position reads.
    pub unseen: Vec<String>,
}

impl Recovery {
    /// Returns the mean square of how far the estimates are off, in standard errors: about 1 where
    /// standard errors are right.
    pub fn mean_square(&self) -> f64 {
        let squares = self.weights.iter().map(|weight| weight.score().powi(2));
        squares.sum::<f64>() / self.weights.len() as f64
    }

    /// Returns the weights that are off by more than five standard errors, or by NaN, the worst
    /// first.
    pub fn lost(&self) -> Vec<&RecoveredWeight> {
        let mut lost: Vec<_> = self.weights.iter().collect();
        lost.retain(|weight| weight.score().is_nan() || weight.score().abs() > MOST);
        lost.sort_by(|a, b| b.score().abs().total_cmp(&a.score().abs()));
        lost
    }

    /// Tells whether there are weights and all came back, within five standard errors.
    pub fn is_complete(&self) -> bool {
        !self.weights.is_empty() && self.lost().is_empty()
    }
}

/// Draws weights and results, fits, and compares; the labels of the positions do not count.
///
/// Each position counts as a game. Weights are multiples of their steps within their bounds.
///
/// *Cost*: that of a fit of these positions, and one more trace of each.
///
/// # Errors
/// If the evaluation does not agree with its twin, or a step fails.
pub fn recover(
    evaluation: &Evaluation,
    linked: &LinkedSpec,
    positions: Positions,
    options: &RecoveryOptions,
) -> Result<Recovery, Box<dyn Error>> {
    let layout = linked.spec.layout();
    let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
    let deviations = deviations(layout, options.deviation);
    let mut variables = linked.variables()?;
    let truth = draw(layout, &variables, &deviations, &mut rng);
    // The prior of the fit is the distribution that the weights were drawn from.
    variables.prior = PriorSpec {
        deviations: layout.weight_ids().zip(deviations).collect(),
        ..PriorSpec::default()
    };
    let of_leaf = linked.link.weights().iter();
    let drawn = DrawnResults {
        values: of_leaf.map(|weight| truth[weight.index()]).collect(),
        sigmoid: Sigmoid::new(options.k),
        seed: options.seed,
    };
    let positions = Positions {
        drawn: Some(drawn),
        ..positions
    };
    let mut source = EngineRows::read(evaluation, linked, positions)?;
    let config = RunConfig {
        settings: Settings {
            k: Some(options.k),
            // All games are fitted.
            held_out: 0.0,
            // Says only that there is a prior; `variables.prior` has a deviation for each weight.
            prior: Some(1.0),
            integers: false,
            // Known weights come back to the digits that the data give them.
            least_gain: 0.0,
            ..RunConfig::default().settings
        },
        prior_choice: PriorChoice::Declared,
        // Targets are the results that were drawn, whatever search scores the data have.
        targets: TargetConfig {
            lambda: Some(1.0),
            ..TargetConfig::default()
        },
        ..RunConfig::default()
    };
    let run = FitRun::new(&variables, config, &mut ())?.run(&mut source, &mut ())?;
    let judgement = judge(&run, &source)?;
    if let Some(reason) = judgement.without_errors {
        return Err(format!("the fit has no standard errors: {reason}").into());
    }
    let mut recovery = Recovery {
        positions: run.positions,
        weights: Vec::new(),
        unseen: Vec::new(),
    };
    for (statement, &truth) in judgement.weights.into_iter().zip(&truth) {
        match (statement.status, statement.standard_error) {
            (WeightStatus::Unseen, _) => recovery.unseen.push(statement.name),
            (WeightStatus::Fitted, Some(standard_error)) if standard_error > 0.0 => {
                recovery.weights.push(RecoveredWeight {
                    name: statement.name,
                    truth,
                    estimate: statement.value,
                    standard_error,
                });
            }
            // Frozen weights were not drawn; of those at a bound, separated, or without a standard
            // error nothing can be said.
            _ => {}
        }
    }
    Ok(recovery)
}

/// Least standard deviation that floats are drawn with, in their steps.
const LEAST_STEPS: f64 = 10.0;

/// How far each weight is drawn from its initial value, as a standard deviation by weight: `given`,
/// or by parameter a quarter of the root mean square of its initial values, within 1 to 20; of
/// floats at least ten of their steps (`LEAST_STEPS`), and without an upper limit.
fn deviations(layout: &Layout, given: Option<f64>) -> Vec<f64> {
    let initial = layout.initial();
    let of_parameter = layout.parameters().iter().flat_map(|parameter| {
        let values: Vec<f64> = parameter.weights().map(|w| initial[w.index()]).collect();
        // A quarter of the root of the mean square.
        let square = values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64;
        let quarter = square.sqrt() / 4.0;
        let step = parameter.step;
        let own = if step.is_float {
            quarter.max(LEAST_STEPS * step.size())
        } else {
            quarter.clamp(1.0, 20.0)
        };
        vec![given.unwrap_or(own); values.len()]
    });
    of_parameter.collect()
}

/// Draws weights around the initial ones with these standard deviations, by weight: multiples of
/// their steps, within their bounds, as ties and constraints have them. Frozen weights stay.
fn draw(
    layout: &Layout,
    variables: &Variables,
    deviations: &[f64],
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let reduction = &variables.reduction;
    // The root of a variable is the weight whose value it is; weights tied to that follow it.
    let mut x = reduction.start(&layout.initial());
    for (value, WeightId(root)) in x.iter_mut().zip(reduction.roots()) {
        *value += normal(rng) * deviations[*root];
    }
    // The nearest point within the limits. If none is found, the weights stay as drawn.
    let x = feasible(&x, reduction.bounds(), reduction.constraints()).unwrap_or(x);
    // Without a grid of allowed values the weights stay as drawn: the fit then fails, and says why.
    let x = Grid::new(reduction).map_or(x.clone(), |grid| grid.nearest_all(&x));
    reduction.weights(&x)
}

/// A normal number, from two uniform ones. *Source*: G. Box, M. Muller, A note on the generation of
/// random normal deviates, Annals of Mathematical Statistics 29, 1958.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - rng.random::<f64>(), rng.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
