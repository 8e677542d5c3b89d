//! The numbers that are moved: weights of an evaluation, options of a program, or both.

use super::options::MovedOption;
use super::{Perturbation, SpsaConfig};
use crate::weights::on_grid;
use crate::{Job, NamedSet, Result};
use tuner_engine::{LinkedSpec, spec_variables};
use tuner_solve::Reduction;
use tuner_spec::source::Choice;
use tuner_spec::{FrozenChoice, Spec};
use tuner_tournament::SpsaSettings;

/// From more numbers than this on the user is told that games tell little of each.
const MANY: usize = 50;

/// How far weights are perturbed where no size is given, in their steps.
const PERTURBATION: f64 = 10.0;

/// Numbers that are moved by games: variables of weights, then options.
pub(super) struct MovedNumbers<'a> {
    pub(super) weights: Option<MovedWeights>,
    options: &'a [MovedOption],
    pub(super) names: Vec<String>,
    pub(super) start: Vec<f64>,
    pub(super) settings: SpsaSettings,
}

/// Weights of an evaluation, some of which are moved.
pub(super) struct MovedWeights {
    pub(super) spec: Spec,
    pub(super) start: NamedSet,
    /// Names of all weights, moved or not, in the order of the spec.
    pub(super) names: Vec<String>,
    reduction: Reduction,
}

impl MovedWeights {
    /// Returns the weights of an evaluation, of which those that the configuration frees are moved.
    /// They start at the weights `config.from`.
    ///
    /// # Errors
    /// If the weights of the start cannot be read, no weight is free, or an order or a sum of the
    /// spec binds free weights.
    pub(super) fn of(job: &Job, config: &SpsaConfig, linked: &LinkedSpec) -> Result<Self> {
        let start = NamedSet::read(job, &config.from, linked)?;
        let spec = linked.spec.choose(&FrozenChoice {
            start: Some(start.weights.clone()),
            ..config.choice.clone()
        })?;
        let variables = spec_variables(spec.layout())?;
        let reduction = variables.reduction;
        if reduction.variables() == 0 {
            fail!("no weight is free; name some by --only or --free");
        }
        if !reduction.constraints().is_empty() {
            fail!(
                "spsa keeps no orders and no sums; take them out of the spec, or --freeze their weights"
            );
        }
        Ok(Self {
            spec,
            start,
            names: variables.names,
            reduction,
        })
    }

    /// Returns how far each variable is moved either way in the last pair, in the unit of its
    /// weight. Of `sizes` that is the last one that names its parameter, else the first one without
    /// a name, which is for all parameters; where there is neither, `PERTURBATION` (10) steps of
    /// the weight.
    ///
    /// # Errors
    /// If a name of `sizes` is that of no parameter with a free weight.
    fn perturbations(&self, sizes: &[Perturbation]) -> Result<Vec<f64>> {
        // For each variable the weight whose value it is.
        let roots = self.reduction.roots();
        let mut perturbations = vec![None; roots.len()];
        for Perturbation { name, size } in sizes {
            // A `*` in a name stands for anything.
            let choice = name.as_ref().map(|name| Choice {
                only: vec![name.clone()],
                ..Choice::default()
            });
            let mut hits = 0;
            for (&root, perturbation) in roots.iter().zip(&mut perturbations) {
                let own = self.spec.layout().parameter_of(root).name();
                let named = choice.as_ref().map(|choice| choice.takes_name(own));
                if named.unwrap_or(perturbation.is_none()) {
                    *perturbation = Some(*size);
                    hits += 1;
                }
            }
            if let (0, Some(name)) = (hits, name) {
                misuse!("--perturb {name}: no free weight is of a parameter of this name");
            }
        }
        // Parameters that no size names have the default.
        let perturbations = perturbations.into_iter().zip(roots);
        let size = |(size, &root): (Option<f64>, _)| {
            size.unwrap_or_else(|| PERTURBATION * self.reduction.step(root))
        };
        Ok(perturbations.map(size).collect())
    }
}

impl<'a> MovedNumbers<'a> {
    /// Gathers name, start, range, step, perturbation and rate of each number that is moved: those
    /// of the weights (`None`: no weights are moved), then those of the options. Tells the user if
    /// they are more than `MANY` (50).
    pub(super) fn new(
        job: &Job,
        config: &'a SpsaConfig,
        weights: Option<MovedWeights>,
    ) -> Result<Self> {
        let options = &*config.options;
        let mut settings = SpsaSettings {
            seed: config.games.seed,
            pairs: config.count.div_ceil(2),
            ..SpsaSettings::default()
        };
        let (mut names, mut start) = (Vec::new(), Vec::new());
        if let Some(weights) = &weights {
            let reduction = &weights.reduction;
            // For each variable the weight whose value it is; other weights may follow it by ties.
            let roots = reduction.roots();
            settings.perturbations = weights.perturbations(&config.perturbations)?;
            settings.steps = roots.iter().map(|&root| reduction.step(root)).collect();
            settings.bounds = reduction.bounds().to_vec();
            settings.rates = vec![config.rate; roots.len()];
            names.extend(roots.iter().map(|root| weights.names[root.index()].clone()));
            start = reduction.start(&weights.start.weights);
        }
        for option in options {
            // The settings have the perturbation of the last pair. A file of weather-factory has
            // that of the first pair, which is `spread(0)` times as large.
            let narrowed = if option.is_first {
                settings.spread(0)
            } else {
                1.0
            };
            settings.perturbations.push(option.size / narrowed);
            settings.steps.push(option.step());
            settings.bounds.push((option.low, option.high));
            settings.rates.push(option.rate.unwrap_or(config.rate));
            names.push(option.name.clone());
            start.push(option.start);
        }
        if names.len() > MANY {
            job.say(format_args!(
                "{} numbers at once: games tell little of each; choose some",
                names.len()
            ));
        }
        Ok(Self {
            weights,
            options,
            names,
            start,
            settings,
        })
    }

    /// Returns all weights of the evaluation where the numbers that are moved have the values
    /// `numbers`, weights first. Each is rounded to a multiple of its step. `None` where no weights
    /// are moved.
    pub(super) fn weights(&self, numbers: &[f64]) -> Option<NamedSet> {
        let weights = self.weights.as_ref()?;
        let variables = &numbers[..numbers.len() - self.options.len()];
        let reduction = &weights.reduction;
        // Rounded after ties are applied, so that a weight that follows others is a multiple of its
        // step too.
        let moved = on_grid(reduction, &reduction.weights(variables));
        // The set needs no name, as no message is about it.
        Some(NamedSet::of("", moved))
    }

    /// Returns the options that are moved, each with its value. `numbers`: values of all numbers
    /// that are moved, those of options last.
    fn moved_options(&self, numbers: &[f64]) -> impl Iterator<Item = (&'a MovedOption, f64)> {
        let values = &numbers[numbers.len() - self.options.len()..];
        self.options.iter().zip(values.to_vec())
    }

    /// Returns names and values, as text for the program, of the options that are moved. `numbers`:
    /// values of all numbers that are moved, those of options last.
    pub(super) fn options(&self, numbers: &[f64]) -> Vec<(String, String)> {
        let each = self.moved_options(numbers);
        each.map(|(option, value)| (option.name.clone(), option.text(value)))
            .collect()
    }

    /// Returns the text of a file of the moved options, a line each, from which a run can start:
    /// with their values in `numbers` as starts, and as sizes how far they are moved in the last
    /// pair. `rate` is that of options without one of their own.
    pub(super) fn option_file(&self, numbers: &[f64], rate: f64) -> String {
        let sizes = &self.settings.perturbations[numbers.len() - self.options.len()..];
        let each = self.moved_options(numbers).zip(sizes);
        each.map(|((option, value), &size)| option.line(value, size, rate))
            .collect()
    }

    /// Returns the numbers, each at the nearest multiple of its step.
    pub(super) fn rounded(&self, numbers: &[f64]) -> Vec<f64> {
        let each = numbers.iter().zip(&self.settings.steps);
        each.map(|(number, step)| (number / step).round() * step)
            .collect()
    }
}
