//! The spec of an engine, tied to its source: what its weights are to a fit, and
//! fitted weights as code.

use std::error::Error;
use std::path::Path;

use super::spec_variables;
use tuner_evaluation::{Link, LinkError};
use tuner_fit::run::{FinishedRun, Variables};
use tuner_judge::{Judgement, WeightStatement, WeightStatus};
use tuner_protocol::WeightTable;
use tuner_spec::codegen::{EmitError, FitRecord, Language, Provenance, WeightError, emit_as};
use tuner_spec::{ChoiceError, FrozenChoice, Spec};

/// The spec of an engine, tied to its source.
#[derive(Debug)]
pub struct LinkedSpec {
    /// The spec.
    pub spec: Spec,
    /// Which weight of the source is which of the spec.
    pub link: Link,
    /// What the file of fitted weights is written in.
    pub language: Language,
    /// The choice of frozen weights, where it differs from the spec's.
    choice: FrozenChoice,
}

impl LinkedSpec {
    /// Reads the text of a spec and ties it to the weights of an evaluation. `file`: its
    /// name, for messages.
    ///
    /// # Errors
    /// All mistakes of the spec, or all weights that only one of the two has.
    pub fn of_text(weights: &WeightTable, file: &Path, text: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self::new(weights, Spec::parse(file, text)?)?)
    }

    /// Ties a spec to the weights of an evaluation.
    ///
    /// # Errors
    /// All weights that only one of the two has.
    pub fn new(weights: &WeightTable, spec: Spec) -> Result<Self, LinkError> {
        let link = Link::new(weights, spec.layout())?;
        // What a parameter is called in the source, where the evaluator says it.
        let declared = |name: &str| weights.parameters.iter().find(|p| p.name == name);
        let symbol = |name: &str| declared(name).map(|p| p.symbol.clone());
        Ok(Self {
            spec: spec.with_symbols(|name| symbol(name).filter(|symbol| !symbol.is_empty())),
            link,
            language: Language::default(),
            choice: FrozenChoice::default(),
        })
    }

    /// Returns the spec with the frozen weights that `choice` says in place of its own, tied to the
    /// source.
    ///
    /// # Errors
    /// If words of the choice mean no weight.
    pub fn choose(&self, choice: FrozenChoice) -> Result<Self, ChoiceError> {
        let spec = self.spec.choose(&choice)?;
        let link = self.link.clone().choosing(spec.layout());
        Ok(Self {
            spec,
            link,
            language: self.language,
            choice,
        })
    }

    /// Returns the variables that a fit of the engine moves, with their names, priors and groups.
    ///
    /// # Errors
    /// All contradictions of ties, bounds and frozen weights.
    pub fn variables(&self) -> Result<Variables, String> {
        spec_variables(self.spec.layout())
    }

    /// Returns the generated file of fitted weights in the evaluator's language, such as
    /// `tuned_weights.rs`, with where they come from in its head. `date`: of the head, if it is to
    /// have one. `errors`: a judgement whose standard errors are written beside the weights.
    ///
    /// # Errors
    /// If the spec does not allow the value of a weight.
    pub fn emit(
        &self,
        run: &FinishedRun<'_>,
        date: Option<&str>,
        errors: Option<&Judgement>,
    ) -> Result<String, EmitError> {
        let mut provenance = provenance(run, date, errors);
        // The head also says which weights were frozen or freed in place of what the spec says.
        let FrozenChoice {
            only, freeze, free, ..
        } = &self.choice;
        let chosen = [("only", only), ("frozen", freeze), ("not frozen", free)].into_iter();
        let chosen = chosen.filter(|(_, names)| !names.is_empty());
        let words = chosen.map(|(what, names)| format!("weights, {what}: {}", names.join(", ")));
        if let Some(fit) = &mut provenance.fit {
            fit.choices.extend(words);
        }
        let counts = self.spec.layout().counts(&run.fit.written)?;
        emit_as(self.language, &self.spec, &counts, &provenance)
    }
}

/// Returns what a generated file says of the fit that its weights come from. `date`: of the head,
/// if it is to have one. `errors`: a judgement whose standard errors are written beside the
/// weights.
pub fn provenance(
    run: &FinishedRun<'_>,
    date: Option<&str>,
    errors: Option<&Judgement>,
) -> Provenance {
    // A prior that the fit chose itself is told among its choices, not as a given deviation.
    let (fit, is_chosen) = (&run.fit, run.chosen_prior.is_some());
    let given = run.settings.prior.filter(|_| !is_chosen);
    let record = FitRecord {
        data: run.facts.rows.clone(),
        positions: fit.rows.0,
        games: fit.games as u64,
        scaling: fit.k,
        prior: given,
        prior_mean: (is_chosen || given.is_some()).then(|| run.prior_mean_in_words()),
        loss: run.settings.loss.to_string(),
        choices: run.choices(),
        training_error: fit.error,
        held_out_error: fit.held_out_error,
        errors: errors.map_or_else(Vec::new, weight_errors),
    };
    Provenance {
        fit: Some(record),
        date: date.map(str::to_owned),
        ..Provenance::default()
    }
}

/// Returns by weight what a judgement knows of its error.
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
