//! Looking into positions and weights: `explain`, `outliers`, `residuals`,
//! `effect`, `profile`.
//!
//! What they find is computed in `tuner_engine::examine` and `tuner_judge`; here it
//! becomes tables on standard output and words on standard error.

mod args;
mod effect;
mod explain;
mod of_run;
mod outliers;
mod profile;
mod pulls;
mod residuals;
mod table;

pub(super) use args::{EffectArgs, ExplainArgs, OutlierArgs, ResidualArgs, WeightProfileArgs};
pub(super) use effect::run as effect;
pub(super) use explain::run as explain;
pub(super) use of_run::with_run;
pub(super) use outliers::run as outliers;
pub(super) use profile::run as profile;
pub(super) use residuals::run as residuals;

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::Failure;
use crate::interrupt::Interrupt;
use crate::output;
use crate::play::NamedSet;
use crate::progress::Progress;
use crate::project::Project;
use crate::run::positions;
use crate::{report, scale};
use args::ExaminationArgs;
use tuner_base::WeightId;
use tuner_engine::examine::{
    Examination, ExaminationObjective, ExaminationReport, ObjectiveError, ObjectiveNotes,
    PositionOrigin, WeightSet,
};
use tuner_engine::{Agreement, CheckError, Evaluation, LinkedSpec, Positions};

/// What a command examines.
struct Subject<'a> {
    project: &'a Project,
    evaluation: &'a Evaluation,
    linked: &'a LinkedSpec,
    args: &'a ExaminationArgs,
    positions: Positions,
    progress: Progress,
}

impl<'a> Subject<'a> {
    fn new(
        project: &'a Project,
        linked: &'a LinkedSpec,
        args: &'a ExaminationArgs,
    ) -> Result<Self, Failure> {
        args.objective.check()?;
        let progress = Progress::new(!args.json, &Interrupt::default());
        Ok(Self {
            project,
            evaluation: project.evaluation()?,
            linked,
            args,
            positions: positions(project, &args.data, &progress)?,
            progress,
        })
    }

    fn examination(&self) -> Examination<'_> {
        Examination {
            evaluation: self.evaluation,
            linked: self.linked,
            positions: &self.positions,
        }
    }

    /// What was typed of the objective, the rest found at some weights.
    fn objective(&self, at: &WeightSet) -> Result<ExaminationObjective, Failure> {
        let config = self.args.objective();
        if let Some(objective) = config.without_data() {
            return Ok(objective);
        }
        if !self.positions.can_be_read_again() {
            return Err(self.unrepeatable(if self.args.k.is_none() {
                "K is fitted first; give --k or a file"
            } else {
                "whether they have search scores is found first; give --lambda 1 and no --weigh, or a file"
            }));
        }
        let found = self.examination().objective(&config, at);
        let (report, found) = found.inspect_err(|_| self.progress.done())?;
        if report.report.total().positions == 0 {
            self.progress.done();
            return Err(CheckError::NoPositions.into());
        }
        self.verdict(&report.agreement, at)?;
        self.found(found)
    }

    /// Says what was found of an objective.
    fn found(
        &self,
        found: Result<(ExaminationObjective, ObjectiveNotes), ObjectiveError>,
    ) -> Result<ExaminationObjective, Failure> {
        let (objective, notes) = found.inspect_err(|_| self.progress.done())?;
        for words in &notes.targets {
            self.progress.above(words);
        }
        if notes.fitted_k {
            let k = objective.sigmoid.k();
            let words = format!("K = {k:.6}, fitted at these weights on the data");
            self.progress.above(&words);
        }
        Ok(objective)
    }

    /// The objective as facts of an object.
    fn facts(&self, objective: &ExaminationObjective) -> [(&'static str, Value); 4] {
        let args = &self.args.objective;
        [
            ("k", json!(objective.sigmoid.k())),
            ("loss", json!(objective.loss.to_string())),
            ("lambda", json!(objective.lambda())),
            (
                "weigh",
                json!(tuner_fit::model::SampleWeighting::from(args.weigh).name()),
            ),
        ]
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
        if let Some(run) = &self.args.run {
            let summary = of_run::read(run)?;
            let fingerprint = found.report.fingerprint();
            if let Some(words) = of_run::changed(
                &summary,
                self.project.data(&self.args.data.data),
                &fingerprint,
            ) {
                say!("{words}");
            }
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
    let path = Path::new(typed);
    let summary = path.is_dir().then(|| of_run::summary_of(path));
    let summary = summary.map(|path| path.display().to_string());
    let named = NamedSet::read(summary.as_deref().unwrap_or(typed), linked)?;
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
fn print_object(
    facts: impl IntoIterator<Item = (&'static str, Value)>,
    found: &Value,
) -> Result<(), Failure> {
    let facts = facts.into_iter();
    let mut object: Map<String, Value> = facts
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if let Value::Object(fields) = found {
        object.extend(fields.clone());
    }
    output::line(&Value::Object(object).to_string())
}

/// Where a position was read.
fn place(origin: &PositionOrigin) -> String {
    format!("{}:{}", origin.file, origin.line)
}

/// The game of a position, unless it is named by its place.
fn game(origin: &PositionOrigin) -> String {
    match &origin.game {
        Some(game) if *game != place(origin) => game.clone(),
        _ => "-".to_owned(),
    }
}

/// R and, where it is another, the target.
fn outcome(origin: &PositionOrigin, target: f64, objective: &ExaminationObjective) -> String {
    if objective.has_targets() {
        format!("R {}, target {target:.3}", origin.outcome)
    } else {
        format!("R {}", origin.outcome)
    }
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
