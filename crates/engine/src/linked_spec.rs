//! The spec of an engine, tied to its source: what its weights are to a fit, and
//! fitted weights as code.

use std::path::Path;

use thiserror::Error;

use super::{Engine, Link, LinkError};
use tuner_fit::WeightGroup;
use tuner_fit::run::{FinishedRun, Variables};
use tuner_judge::{Judgement, WeightStatement, WeightStatus};
use tuner_solve::{Neighbours, PriorSpec};
use tuner_solve::{Reduction, ReductionError, ReductionParts};
use tuner_spec::codegen::{EmitError, FitRecord, Provenance, WeightError, emit};
use tuner_spec::{ChoiceError, FrozenChoice, Layout, Spec, SpecErrors};

/// The spec of an engine, tied to its source.
#[derive(Debug)]
pub struct LinkedSpec {
    /// The spec.
    pub spec: Spec,
    /// Which weight of the source is which of the spec.
    pub link: Link,
    /// What is frozen otherwise than the spec says.
    choice: FrozenChoice,
}

/// Why an engine's spec is no spec of its source.
#[derive(Debug, Error)]
pub enum LinkedSpecError {
    /// The spec is wrong.
    #[error(transparent)]
    Spec(#[from] SpecErrors),
    /// The source declares other weights.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Its frozen weights, ties and bounds contradict each other.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Reduction(Vec<ReductionError>),
}

impl LinkedSpec {
    /// Reads the spec of an engine and ties it to its source.
    ///
    /// # Errors
    /// All mistakes of the spec, or all weights that only one of the two has.
    pub fn of<E: Engine>(engine: &E) -> Result<Self, LinkedSpecError> {
        let (file, text) = engine.spec();
        let spec = Spec::parse(Path::new(file), text)?;
        let link = Link::new(engine.registry(), spec.layout())?;
        let choice = FrozenChoice::default();
        Ok(Self { spec, link, choice })
    }

    /// Freezes other weights than the spec says.
    ///
    /// # Errors
    /// As [`Spec::choose`].
    pub fn choose(self, choice: FrozenChoice) -> Result<Self, ChoiceError> {
        Ok(Self {
            spec: self.spec.choose(&choice)?,
            link: self.link,
            choice,
        })
    }

    /// Returns what a fit of the engine moves.
    ///
    /// # Errors
    /// All contradictions of ties, bounds and frozen weights.
    pub fn variables(&self) -> Result<Variables, LinkedSpecError> {
        let layout = self.spec.layout();
        let name = |weight| layout.name(weight);
        Ok(Variables {
            reduction: reduction(layout).map_err(LinkedSpecError::Reduction)?,
            names: layout.weight_ids().map(name).collect(),
            initial: Some(layout.initial()),
            prior: prior(layout),
            groups: groups(layout),
        })
    }

    /// Returns the generated file of fitted weights: `tuned_weights.rs`, with
    /// where they come from in its head. `date`: of the head, if it is to have
    /// one. `errors`: a judgement whose standard errors are written beside the
    /// weights.
    ///
    /// # Errors
    /// If a weight is none that the spec allows.
    pub fn emit(
        &self,
        run: &FinishedRun<'_>,
        date: Option<&str>,
        errors: Option<&Judgement>,
    ) -> Result<String, EmitError> {
        let fit = &run.fit;
        let mut choices = run.choices();
        let FrozenChoice { only, freeze, free } = &self.choice;
        for (what, names) in [("only", only), ("frozen", freeze), ("not frozen", free)] {
            if !names.is_empty() {
                choices.push(format!("weights, {what}: {}", names.join(", ")));
            }
        }
        let record = FitRecord {
            data: run.facts.rows.clone(),
            positions: fit.rows.0,
            games: fit.games as u64,
            scaling: fit.k,
            prior: run.settings.prior,
            loss: run.settings.loss.to_string(),
            choices,
            training_error: fit.error,
            held_out_error: fit.held_out_error,
            errors: errors.map_or_else(Vec::new, weight_errors),
        };
        let provenance = Provenance {
            fit: Some(record),
            date: date.map(str::to_owned),
        };
        emit(&self.spec, &run.integers(), &provenance)
    }
}

/// What a judgement knows of the errors of weights.
fn weight_errors(judgement: &Judgement) -> Vec<WeightError> {
    let of = |weight: &WeightStatement| match weight.status {
        WeightStatus::Frozen => WeightError::Frozen,
        WeightStatus::Unseen => WeightError::Unseen,
        WeightStatus::Separated => WeightError::Separated,
        WeightStatus::AtBound => WeightError::AtBound,
        WeightStatus::Fitted => {
            (weight.standard_error).map_or(WeightError::Unknown, WeightError::Standard)
        }
    };
    judgement.weights.iter().map(of).collect()
}

/// The weights of each parameter.
fn groups(layout: &Layout) -> Vec<WeightGroup> {
    let mut groups: Vec<WeightGroup> = Vec::new();
    for weight in layout.weight_ids() {
        let name = layout.parameter_of(weight).name();
        match groups.last_mut() {
            Some(group) if group.name == name => group.weights.push(weight),
            _ => groups.push(WeightGroup {
                name: name.to_owned(),
                weights: vec![weight],
            }),
        }
    }
    groups
}

fn reduction(layout: &Layout) -> Result<Reduction, Vec<ReductionError>> {
    let all = layout.weight_ids();
    // A weight tied to a frozen one is fixed by its root; it has no variable to freeze.
    let mut frozen: Vec<bool> = all.clone().map(|weight| layout.frozen(weight)).collect();
    for tie in layout.ties() {
        frozen[tie.weight.index()] = false;
    }
    let lanes: Vec<_> = all.clone().map(|weight| layout.lane(weight)).collect();
    let parts = ReductionParts {
        lane_count: 2 * layout.slots(),
        lanes: &lanes,
        frozen: &frozen,
        ties: layout.ties(),
        bounds: &all.map(|weight| layout.bounds(weight)).collect::<Vec<_>>(),
        initial: &layout.initial(),
    };
    Reduction::new(&parts)
}

/// The standard deviations that a spec gives to single weights and to
/// neighbours.
fn prior(layout: &Layout) -> PriorSpec {
    let mut prior = PriorSpec::default();
    for parameter in layout.parameters() {
        if let Some(deviation) = parameter.prior() {
            let single = parameter.weights().map(|weight| (weight, deviation));
            prior.deviations.extend(single);
        }
        if let Some(smooth) = parameter.smooth() {
            let deviation = smooth.deviation();
            let pairs = parameter.neighbours().into_iter();
            let pairs = pairs.map(|weights| Neighbours { weights, deviation });
            prior.neighbours.extend(pairs);
        }
    }
    prior
}
