//! Looking into positions and weights: `explain`, `outliers`, `residuals`,
//! `effect`, `profile`.
//!
//! What they find is computed in `tuner_engine::examine` and `tuner_judge`; here it
//! becomes tables on standard output and words on standard error.

mod args;
mod effect;
mod explain;
mod outliers;
mod profile;
mod pulls;
mod residuals;
mod table;

pub(super) use args::{EffectArgs, ExplainArgs, OutlierArgs, ResidualArgs, WeightProfileArgs};
pub(super) use effect::run as effect;
pub(super) use explain::run as explain;
pub(super) use outliers::run as outliers;
pub(super) use profile::run as profile;
pub(super) use residuals::run as residuals;

use serde_json::{Map, Value};

use crate::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use crate::play::NamedSet;
use crate::progress::Progress;
use crate::run::positions;
use crate::{report, scale};
use args::ExaminationArgs;
use tuner_base::WeightId;
use tuner_engine::examine::{Examination, ExaminationReport, WeightSet};
use tuner_engine::{Agreement, CheckError, Engine, LinkedSpec, Positions};
use tuner_fit::model::Sigmoid;

/// What a command examines.
struct Subject<'a, E> {
    engine: &'a E,
    linked: &'a LinkedSpec,
    args: &'a ExaminationArgs,
    positions: Positions,
    progress: Progress,
}

impl<'a, E: Engine> Subject<'a, E> {
    fn new(
        engine: &'a E,
        linked: &'a LinkedSpec,
        args: &'a ExaminationArgs,
    ) -> Result<Self, Failure> {
        let progress = Progress::new(!args.json, &Interrupt::default());
        Ok(Self {
            engine,
            linked,
            args,
            positions: positions(engine, &args.data, &progress)?,
            progress,
        })
    }

    fn examination(&self) -> Examination<'_, E> {
        Examination {
            engine: self.engine,
            linked: self.linked,
            positions: &self.positions,
        }
    }

    /// K as it was typed, or fitted at some weights.
    fn sigmoid(&self, at: &WeightSet) -> Result<Sigmoid, Failure> {
        if let Some(k) = self.args.k {
            return Ok(Sigmoid::new(k));
        }
        if !self.positions.can_be_read_again() {
            return Err(self.unrepeatable("K is fitted first; give --k or a file"));
        }
        let (report, fit) = self.examination().fit_k(at)?;
        self.verdict(&report.agreement, at)?;
        if report.report.total().positions == 0 {
            return Err(CheckError::NoPositions.into());
        }
        let k = fit?.k;
        say!("K = {k:.6}, fitted at these weights on the data");
        Ok(Sigmoid::new(k))
    }

    fn unrepeatable(&self, cure: &str) -> Failure {
        self.progress.done();
        Failure::Usage(format!(
            "standard input and pipes can be read once, and this reads the data twice: {cure}"
        ))
    }

    /// Says what the last pass read, and fails if its scores are none of the engine.
    fn finish(&self, found: &ExaminationReport, at: &WeightSet) -> Result<(), Failure> {
        self.progress.done();
        report::reading(&found.report);
        if found.report.total().positions == 0 {
            return Err(CheckError::NoPositions.into());
        }
        self.verdict(&found.agreement, at)
    }

    /// Fails if scores are none of the engine; elsewhere than at the source's weights
    /// production has nothing to say.
    fn verdict(&self, found: &Agreement, at: &WeightSet) -> Result<(), Failure> {
        if !at.is_source() {
            return Ok(());
        }
        if found.is_wrong() {
            return Err(
                "production and trace do not agree; `check` on the same data says where".into(),
            );
        }
        if found.has_foreign_constants() && !self.args.data.allow_constants {
            return Err(
                "a part of the score comes from where no weight is; `check` on the same data says \
                 where, and --allow-constants accepts it"
                    .into(),
            );
        }
        Ok(())
    }
}

/// Weights by what was typed.
fn weights(linked: &LinkedSpec, typed: &str) -> Result<WeightSet, Failure> {
    let named = NamedSet::read(typed, linked)?;
    Ok(WeightSet::new(linked, named.weights))
}

/// The one weight of a name.
fn weight(linked: &LinkedSpec, typed: &str) -> Result<WeightId, Failure> {
    let layout = linked.spec.layout();
    match layout.find(typed).as_deref() {
        Ok([weight]) => Ok(*weight),
        Ok([first, .., last]) => Err(Failure::Usage(format!(
            "--weight {typed}: that is several weights, {} to {}; expected one",
            layout.name(*first),
            layout.name(*last)
        ))),
        _ => {
            let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
            Err(Failure::Usage(format!(
                "--weight {typed}: no weight of that name; did you mean {}?",
                scale::near(typed, &names).join(" or ")
            )))
        }
    }
}

/// Prints an object with some facts in front of its fields.
fn print_object(facts: &[(&str, Value)], found: &Value) -> Result<(), Failure> {
    let facts = facts.iter();
    let mut object: Map<String, Value> = facts
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect();
    if let Value::Object(fields) = found {
        object.extend(fields.clone());
    }
    output::line(&Value::Object(object).to_string())
}

/// Where a position was read.
fn place(file: &str, line: u64) -> String {
    format!("{file}:{line}")
}

/// A number with its sign, in as many digits; 0 is `+0`.
fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => format!("+{rest}"),
        _ => text,
    }
}

/// A number with its error, in as many digits.
fn with_error(value: f64, error: Option<f64>, digits: usize) -> String {
    let value = signed(value, digits);
    match error {
        Some(error) => format!("{value} ± {error:.digits$}"),
        None => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_negative_sign() {
        assert_eq!(signed(-1e-9, 1), "+0.0");
        assert_eq!(signed(-0.06, 1), "-0.1");
        assert_eq!(signed(2.0, 0), "+2");
        assert_eq!(with_error(-0.001, Some(0.25), 2), "+0.00 ± 0.25");
    }
}
