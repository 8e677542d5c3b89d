//! What a command looks into, and how its findings are shown.

use std::path::Path;

use serde::Serialize;

use super::args::ExaminationArgs;
use super::of_run;
use crate::output;
use tuner_base::WeightId;
use tuner_data::{ReadError, ReadReport};
use tuner_engine::examine::{
    Examination, ExaminationObjective, ExaminationReport, PositionOrigin, WeightSet, diagram,
};
use tuner_engine::{Agreement, Collected, LinkedSpec, NO_POSITIONS};
use tuner_jobs::{
    Job, JobFailure as Failure, JobResult as Result, NamedSet, PositionsConfig, Project, fail,
    one_weight, summary_of,
};
use tuner_report::clean;
use tuner_rows::TraceSet;

/// The output of `--json`: the facts, the objective, and the findings.
#[derive(Serialize)]
struct Shown<'a, T> {
    /// The weights that a command looked at: `weights`, `old` and `new`, each with the word that
    /// was typed for them, or `weight`, with the weight's name.
    #[serde(flatten)]
    facts: serde_json::Map<String, serde_json::Value>,
    k: f64,
    loss: String,
    lambda: f64,
    weigh: String,
    #[serde(flatten)]
    found: &'a T,
}

/// The engine, the positions and the options that a command examines.
pub(super) struct Subject<'a> {
    job: &'a Job,
    project: &'a Project,
    args: &'a ExaminationArgs,
    pub(super) examination: Examination<'a>,
}

impl<'a> Subject<'a> {
    /// Calls `f` with the subject, which has the engine and the positions that were typed, on the
    /// threads of the job. Nothing of the data is read before `f` asks.
    pub(super) fn examine(
        job: &'a Job,
        project: &'a Project,
        linked: &'a LinkedSpec,
        args: &'a ExaminationArgs,
        f: impl FnOnce(&Self) -> Result<()> + Send,
    ) -> Result<()> {
        job.on_threads(|| {
            args.objective.check()?;
            let examination = Examination {
                evaluation: project.evaluation()?,
                linked,
                positions: PositionsConfig::from(&args.data).positions(job, project)?,
            };
            f(&Self {
                job,
                project,
                args,
                examination,
            })
        })
    }

    /// Takes what a look at all positions gave, `found`, and returns the findings in it. Says what
    /// was read, and warns if the data are no longer those of `--run`. Fails if scores at the
    /// weights `at` are not the engine's.
    pub(super) fn checked<T>(
        &self,
        found: Result<(ExaminationReport, T), ReadError>,
        at: &WeightSet,
    ) -> Result<T> {
        self.job.reading_ended();
        let (report, found) = found?;
        self.job.say_reading(&report.report);
        if let Some(run) = &self.args.run {
            let inputs = self.project.data(&self.args.data.data);
            if of_run::are_changed(&of_run::read(run)?, inputs, &report.report.fingerprint()) {
                say!(
                    "warning: the data have changed since they were fitted: what is said here is \
                     of the data as they are now"
                );
            }
        }
        self.verdict(&report.report, &report.agreement, at)?;
        Ok(found)
    }

    /// Traces all positions at the weights `at` into rows, which get the targets of the objective;
    /// returns the rows and the objective. `is_last`: whether the command reads nothing after them,
    /// so that what was read is told.
    pub(super) fn rows(
        &self,
        at: &WeightSet,
        is_last: bool,
    ) -> Result<(Collected, ExaminationObjective)> {
        let of = &self.examination;
        let tracing = (of.positions).tracing(of.evaluation, &of.linked.link, at.values());
        // 0: no text of a position is kept beside the rows.
        let mut collected = tracing.collect(0)?;
        if is_last {
            self.job.reading_ended();
            self.job.say_reading(&collected.report);
        }
        let (rows, read) = (&mut collected.traces, &collected.report);
        self.verdict(read, &collected.agreement, at)?;
        let objective = self.objective_of(rows, at.lanes(), read)?;
        Ok((collected, objective))
    }

    /// Prints what was found: with `--json` one object of the facts, keys with their words, the
    /// objective and the findings, else what `text` prints.
    pub(super) fn show(
        &self,
        facts: &[(&str, &str)],
        objective: &ExaminationObjective,
        found: &impl Serialize,
        text: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !self.args.print.json {
            return text();
        }
        let weighing = tuner_fit::model::SampleWeighting::from(self.args.objective.weigh);
        let shown = Shown {
            facts: facts
                .iter()
                .map(|&(key, of)| (key.to_owned(), of.into()))
                .collect(),
            k: objective.sigmoid.k(),
            loss: objective.loss.to_string(),
            lambda: objective.lambda(),
            weigh: weighing.to_string(),
            found,
        };
        output::json(&shown)
    }

    /// Returns the objective: as typed, and the rest found at the weights `at`. What is not typed
    /// takes a pass over all positions before the one of the command, so it fails where the data
    /// can be read only once.
    pub(super) fn objective(&self, at: &WeightSet) -> Result<ExaminationObjective> {
        let config = self.args.objective();
        if let Some(objective) = config.without_data() {
            return Ok(objective);
        }
        if !self.examination.positions.can_be_read_again() {
            return Err(unrepeatable(if self.args.k.is_none() {
                "K is fitted first; give --k or a file"
            } else {
                "whether they have search scores is found first; give --lambda 1 and no --weigh, or a file"
            }));
        }
        let (report, mut rows) = self.examination.scores(at)?;
        self.verdict(&report.report, &report.agreement, at)?;
        // Rows of scores need no values of lanes.
        self.objective_of(&mut rows, &[], &report.report)
    }

    /// Returns the objective of rows that were read, which get its targets, and tells the user what
    /// was chosen. `lanes`: the values at which rows are scored, empty for rows that are scores
    /// already.
    pub(super) fn objective_of(
        &self,
        rows: &mut TraceSet,
        lanes: &[f64],
        read: &ReadReport,
    ) -> Result<ExaminationObjective> {
        let games = read.total().with_game > 0;
        let (objective, notes) = self.args.objective().of_rows(rows, lanes, games)?;
        self.job.say_all(&notes.targets);
        if notes.fitted_k {
            let k = objective.sigmoid.k();
            self.job.say(format_args!(
                "K = {k:.6}, fitted at these weights on the data"
            ));
        }
        Ok(objective)
    }

    /// Fails if there are no positions. At the weights of the source it also fails if scores are
    /// not the engine's, or if a part of them comes from where no weight is and that is not
    /// allowed. At other weights the engine has no scores to compare with.
    pub(super) fn verdict(
        &self,
        read: &ReadReport,
        found: &Agreement,
        at: &WeightSet,
    ) -> Result<()> {
        if read.total().positions == 0 {
            return Err(NO_POSITIONS.into());
        }
        if !at.is_source() {
            return Ok(());
        }
        if found.is_wrong() {
            fail!("production and trace do not agree; `check` on the same data says where");
        }
        if found.has_foreign_constants() && !self.args.data.allow_constants {
            fail!(
                "a part of the score comes from where no weight is; `check` on the same data says \
                 where, and --allow-constants accepts it"
            );
        }
        Ok(())
    }
}

/// Returns the failure of a command that would read standard input twice. `cure`: what to do
/// instead.
pub(super) fn unrepeatable(cure: &str) -> Failure {
    Failure::Usage(format!(
        "standard input and pipes can be read once, and this reads the data twice: {cure}"
    ))
}

/// Returns the weights that were typed: `spec`, `source`, `zero`, a fit's folder, or a file.
pub(super) fn weights(job: &Job, linked: &LinkedSpec, typed: &str) -> Result<WeightSet> {
    let summary = summary_of(Path::new(typed));
    let named = NamedSet::read(job, &summary.to_string_lossy(), linked)?;
    Ok(WeightSet::new(linked, named.weights))
}

/// Returns the weight that `--weight` names; the error suggests near names.
pub(super) fn weight(linked: &LinkedSpec, typed: &str) -> Result<WeightId> {
    let layout = linked.spec.layout();
    let names: Vec<String> = layout.weight_ids().map(|w| layout.name(w)).collect();
    let found = one_weight("--weight", typed, &names, Some(layout));
    Ok(WeightId(found.map_err(Failure::Usage)?))
}

/// Returns where a position was read: `FILE:LINE`.
pub(super) fn place(origin: &PositionOrigin) -> String {
    format!("{}:{}", origin.file, origin.line)
}

/// Returns the game of a position; `-` if it has none, or one that is named only by where it was
/// read.
pub(super) fn game(origin: &PositionOrigin) -> String {
    match &origin.game {
        Some(game) if *game != place(origin) => game.clone(),
        _ => "-".to_owned(),
    }
}

/// Prints the board of a position, then `numbers` about it, its expectation, target and score, and
/// where it comes from. The target is left out where targets are the results, and the board where
/// the notation has none. `position`: the words above the board.
pub(super) fn print_board(
    position: &str,
    origin: &PositionOrigin,
    numbers: &str,
    [expectation, target, score]: [f64; 3],
    objective: &ExaminationObjective,
) -> Result<()> {
    let board = diagram(&origin.position).unwrap_or_default();
    let target = if objective.has_targets() {
        format!(", target {target:.3}")
    } else {
        String::new()
    };
    output::line(&format!(
        "{position}\n{board}{numbers}, p {expectation:.3}, R {}{target}, score {score:.0}, game {}, \
         {}\n",
        origin.outcome,
        clean(&game(origin)),
        clean(&place(origin))
    ))
}

/// Returns a number with `digits` digits behind the point; `-` for `None`.
pub(super) fn optional(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

/// Returns the mark of a row of a table: `*` if what it shows is more than chance, else nothing.
pub(super) fn star(stands_out: bool) -> &'static str {
    if stands_out { "*" } else { "" }
}

/// Returns a number with its sign and `digits` digits behind the point; what is rounded to 0 has a
/// `+`.
pub(super) fn signed(value: f64, digits: usize) -> String {
    let text = format!("{value:+.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| c == '0' || c == '.') => format!("+{rest}"),
        _ => text,
    }
}

/// Returns a number with its sign, and behind `±` its standard error if there is one, both with
/// `digits` digits.
pub(super) fn with_error(value: f64, error: Option<f64>, digits: usize) -> String {
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
