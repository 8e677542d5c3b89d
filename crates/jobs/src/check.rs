//! A check: production against trace.

use serde::Serialize;

use crate::kept::{KeptSummary, compare_kept};
use crate::mirror::{MirrorSummary, compare_mirrors};
use crate::positions::same_program;
use crate::rebuild::{self, Rebuild, RebuildSummary};
use crate::{Failure, Job, PositionsConfig, Project};
use tuner_engine::{CheckedTraces, PART_WITHOUT_WEIGHTS};
use tuner_protocol::Ability;
use tuner_spec::Layout;

/// The verdict where nothing is wrong but that the evaluation is asymmetric.
const ASYMMETRIC: &str = "what was compared agrees, and `fit` may start; left for you to decide: the \
    evaluation is not the same for both players (see above): correct the engine, or accept it with \
    --asymmetric";
/// The verdict where scores are of the other view than the evaluator says.
const OTHER_VIEW: &str = "scores are those of another view than the evaluator says (see above); no \
    weights can be fitted";
/// The verdict where the evaluation is asymmetric and a part of the score has no weight.
const BOTH: &str = "what was compared agrees; left for you to decide (see above): a part of the score \
    comes from where no weight is: annotate that code, or accept the part as fixed with \
    --allow-constants; and the evaluation is not the same for both players: correct the engine, or \
    accept it with --asymmetric";

/// The findings of a check.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CheckSummary {
    /// Positions compared.
    pub positions: u64,
    /// Positions that could not be read.
    pub rejected: u64,
    /// Positions on which production and trace differ.
    pub mismatches: u64,
    /// Derivatives compared with differences.
    pub derivatives: u64,
    /// Derivatives that are wrong.
    pub derivatives_wrong: usize,
    /// Derivatives that could not be compared.
    pub derivatives_skipped: u64,
    /// Derivatives that the evaluator refuses.
    pub derivatives_refused: u64,
    /// Positions compared at random weights.
    pub random_weights: u64,
    /// Positions whose scores at random weights differ.
    pub random_weights_wrong: usize,
    /// Positions that have no score at random weights, so that nothing was compared.
    pub random_weights_skipped: u64,
    /// Positions traced where their quiescence search ends.
    pub resolved: u64,
    /// Positions whose quiescence search ends in mate or stalemate.
    pub resolved_to_none: u64,
    /// Scores that are not linear in the weights.
    pub nonlinear: u64,
    /// Traces that miss the score by more than truncation explains.
    pub residuals: u64,
    /// Traces that take another branch than their weights say.
    pub wrong_branches: u64,
    /// Positions with an overflow.
    pub overflows: u64,
    /// Positions with a part of the score that no weight explains.
    pub constant_positions: u64,
    /// The places in the source where parts without weights come from, such as ``src/eval.rs:12:
    /// `15` ``.
    pub constant_sites: Vec<String>,
    /// Positions whose score depends on no weight.
    pub unexplained: u64,
    /// Nodes a position, on average.
    pub nodes: f64,
    /// Weights that no position reads.
    pub never_read: Vec<String>,
    /// How many positions read each weight, by the weight's name.
    pub read_by: serde_json::Map<String, serde_json::Value>,
    /// The parameter that mismatches are probably about.
    pub culprit: Option<String>,
    /// Comparison with production built with other weights; `None` if not asked for.
    pub rebuilt: Option<RebuildSummary>,
    /// Comparison of positions with the colours swapped; `None` if the game has no swap, or it was
    /// not asked for.
    pub mirror: Option<MirrorSummary>,
    /// Comparison of programs that began with different weights; `None` if the evaluator is not a
    /// program that can be started again, or several processes share the job.
    pub kept: Option<KeptSummary>,
}

/// A file of traces that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TraceSummary {
    /// Positions in it.
    pub positions: u64,
    /// Positions that could not be read.
    pub rejected: u64,
    /// Positions on which production and trace differ.
    pub mismatches: u64,
    /// Scores that are not linear in the weights.
    pub nonlinear: u64,
    /// The file.
    pub file: String,
    /// Its size, in bytes.
    pub bytes: u64,
    /// The fingerprint of its bytes; of several files, their fingerprints with a space between.
    pub fingerprint: String,
}

/// Compares production and trace on positions, and says what was found. Returns the findings, and
/// the verdict: `Ok` if a fit may start, or else the reason against it, in words for the user.
///
/// `rebuilds`: whether production is also built with other weights, and compared with its traced
/// twin at those weights on up to 1000 positions. `mirrors`: whether the scores of up to 1000
/// positions are compared with those of the same positions with the colours swapped. In any case
/// the scores of up to 1000 positions are compared with those of programs of the evaluator that
/// began with other weights. A job of several processes leaves out the swapped colours and these
/// programs, and fails if `rebuilds`: each process would compare positions of its own, and come to
/// a verdict of its own.
///
/// *Cost* of `rebuilds`: a build of the evaluator. Where scores differ, there are more builds to
/// find the parameter, unless a part of the score without weights was found, and its place in the
/// source, which explains the difference.
///
/// # Errors
/// If positions cannot be read or traced, or the evaluator cannot be built with other weights.
pub fn check(
    job: &Job,
    project: &Project,
    data: &PositionsConfig,
    rebuilds: bool,
    mirrors: bool,
) -> Result<(CheckSummary, Result<(), &'static str>), Failure> {
    let linked = project.linked_for(&data.data)?;
    same_program(job, project, &linked, project.data(&data.data))?;
    let rebuild = rebuilds.then(|| Rebuild::new(job, project, &linked));
    let rebuild = rebuild.transpose()?;
    let is_alone = job.ranks.is_alone();
    // How many positions are remembered as texts, for the comparisons with swapped colours and with
    // other weights, which follow the traces; those that derivatives are compared on are remembered
    // in any case.
    let remembered = if is_alone { rebuild::COMPARED } else { 0 };
    let (checked, mut verdict) = job.on_threads(|| {
        let (_, checked) = data.checked(job, project, &linked, remembered)?;
        let verdict = checked.verdict(data.allow_constants);
        Ok::<_, Failure>((checked, verdict))
    })?;
    let mut summary = CheckSummary::new(&checked, linked.spec.layout());
    if project.evaluation()?.about().can(Ability::Twin) {
        job.say(
            "  production is not compared: the evaluator's scores are those that it records; set \
             `production` (docs/cpp.md), or compare a tuned engine with it",
        );
    }
    // Whether places in the source are known where parts of the score without weights come from.
    // Where there is no place, builds with other weights find the parameter that is wrong.
    let has_places = !checked.collected.agreement.constants.sites.is_empty();
    let positions = checked.collected.sample;
    if mirrors && is_alone {
        summary.mirror = compare_mirrors(job, project, &linked, &positions)?;
        if let Some(mirror) = &summary.mirror
            && mirror.asymmetric > 0
        {
            // The verdict so far is good, or it is that a part of the score has no weight, which
            // the author may accept: both give way to what the swapped colours show. Any other
            // reason against a fit stays.
            verdict = Err(match verdict {
                Ok(()) | Err(PART_WITHOUT_WEIGHTS) if mirror.is_of_other_view() => OTHER_VIEW,
                Ok(()) => ASYMMETRIC,
                Err(PART_WITHOUT_WEIGHTS) => BOTH,
                Err(wrong) => wrong,
            });
        }
    }
    if is_alone
        && !positions.is_empty()
        && let Some(kept) = compare_kept(job, project, &linked, &positions)?
    {
        if let Some(why) = &kept.unknown {
            job.say(format_args!(
                "  whether something is kept of other weights is not known: far from the source's, as a \
                 spec without `bounds` allows, there is no score: {why}"
            ));
        }
        verdict = verdict.and(kept.verdict());
        summary.kept = Some(kept);
    }
    if let Some(rebuild) = rebuild.filter(|_| !positions.is_empty()) {
        let found = rebuild.compare(job, &positions, has_places)?;
        // Where no position had both scores nothing is proved, which counts as a failure too.
        if found.wrong > 0 || found.positions == 0 {
            verdict = verdict.and(Err(
                "production at other weights is not what its twin says there (see above); no \
                 weights can be fitted",
            ));
        }
        summary.rebuilt = Some(found);
    }
    Ok((summary, verdict))
}

impl CheckSummary {
    /// Gathers what was found of traces and derivatives. `layout`: the weights, for their names.
    /// The fields `rebuilt`, `mirror` and `kept`, of other comparisons, are `None`: the caller sets
    /// them.
    fn new(checked: &CheckedTraces, layout: &Layout) -> Self {
        let (found, differences) = (&checked.collected.agreement, &checked.differences);
        let never_read = found.never_read().into_iter();
        let reads = layout.weight_ids().zip(&found.reads);
        Self {
            positions: found.positions,
            rejected: checked.collected.report.total().rejected,
            mismatches: found.mismatches,
            derivatives: differences.compared,
            derivatives_wrong: differences.wrong.len(),
            derivatives_skipped: differences.skipped,
            derivatives_refused: differences.refused,
            random_weights: differences.changes,
            random_weights_wrong: differences.changes_wrong.len(),
            random_weights_skipped: differences.changes_skipped,
            resolved: found.resolved.moved,
            resolved_to_none: found.resolved.unexplained,
            nonlinear: found.nonlinear,
            residuals: found.residuals.count,
            wrong_branches: found.wrong_branches.count,
            overflows: found.wrapped.count,
            constant_positions: found.constants.positions,
            constant_sites: (found.constants.sites.keys())
                .map(ToString::to_string)
                .collect(),
            unexplained: found.unexplained.count,
            nodes: found.nodes as f64 / found.positions.max(1) as f64,
            never_read: never_read.map(|weight| layout.name(weight)).collect(),
            read_by: reads
                .map(|(weight, &positions)| (layout.name(weight), positions.into()))
                .collect(),
            culprit: found.culprit(layout).map(|culprit| culprit.parameter),
            ..Self::default()
        }
    }
}
