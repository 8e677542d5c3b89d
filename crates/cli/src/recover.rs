//! `recover`: weights that are known come back.

use clap::Args;

use crate::shared_args::{DataArgs, ThreadArgs, parse_k};
use crate::table::TextTable;
use crate::{heading, output};
use tuner_base::joined;
use tuner_engine::{RecoveredWeight, Recovery, RecoveryOptions, recover};
use tuner_jobs::{
    Job, JobFailure as Failure, JobResult as Result, PositionsConfig, Project, misuse,
};

/// Weights that are named where they do not come back.
const LISTED: usize = 20;

/// Weights are drawn around the initial ones, a result for each position with the
/// expectation that they give it; a fit from the initial weights has to find them. The
/// labels of the positions do not count. Exit status 3 if a weight is off by more than five
/// standard errors.
#[derive(Args, Debug)]
pub(crate) struct RecoverArgs {
    #[command(flatten)]
    data: DataArgs,
    /// Seed of what is drawn.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = heading::GAMES)]
    seed: u64,
    /// Scaling constant with which results are drawn, as for `fit`.
    #[arg(long, value_parser = parse_k, default_value = "1", allow_negative_numbers = true, help_heading = heading::FITTED)]
    k: f64,
    /// How far weights are drawn from the initial ones, as a standard deviation [default:
    /// for each parameter a quarter of how large its weights are, from 1 to 20; of
    /// floats at least ten of their steps, without an upper limit].
    #[arg(long, value_name = "DEVIATION")]
    deviation: Option<f64>,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Print one JSON object: positions, mean_square, weights (name, truth, estimate,
    /// standard_error), lost, unseen.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(crate) json: bool,
}

/// Runs `recover`: draws weights, and results of the positions by these weights, fits, and prints
/// how near the fit came. Fails where a weight is off by more than five standard errors.
pub(crate) fn run(job: &Job, project: &Project, args: &RecoverArgs) -> Result<()> {
    if args.deviation.is_some_and(|d| !(d > 0.0 && d.is_finite())) {
        misuse!("--deviation: expected a positive number");
    }
    let options = RecoveryOptions {
        seed: args.seed,
        k: args.k,
        deviation: args.deviation,
    };
    let recovery = job.on_threads(|| {
        let linked = project.linked_for(&args.data.data)?;
        let positions = PositionsConfig::from(&args.data).positions(job, project)?;
        let recovery = recover(project.evaluation()?, &linked, positions, &options);
        job.reading_ended();
        Ok(recovery?)
    })?;
    let lost = recovery.lost();
    if args.json {
        let mut object = serde_json::to_value(&recovery)?;
        object["mean_square"] = recovery.mean_square().into();
        object["lost"] = lost.iter().map(|weight| &*weight.name).collect();
        output::json(&object)?;
    } else {
        output::text(&table(&recovery))?;
    }
    let (weights, unseen) = (recovery.weights.len(), recovery.unseen.len());
    if unseen > 0 {
        say!("{unseen} weights are not read by these positions, and stay where they are");
    }
    say!(
        "{weights} weights from {} positions; the mean square of their errors, in standard \
         errors, is {:.2}: 1 where these are right",
        recovery.positions,
        recovery.mean_square()
    );
    if recovery.is_complete() {
        say!("all weights came back, within five standard errors");
        return Ok(());
    }
    let more = match lost.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    let shown = joined(lost.iter().take(LISTED), "\n  ");
    Err(Failure::NotPassed(format!(
        "{} of {weights} weights did not come back:\n  {shown}{more}",
        lost.len()
    )))
}

/// Returns a table with a line for each parameter: the root mean square of the errors of its
/// weights, that of their standard errors, both in the unit of the weights, and the largest error
/// in standard errors.
fn table(recovery: &Recovery) -> String {
    let mut table =
        TextTable::new("<parameter,weights,error,standard error,worst in standard errors");
    // The parameter of a weight: its name up to the index or the phase, as in `PAWN[3].mg`.
    let parameter = |weight: &RecoveredWeight| {
        let name = weight.name.split(['[', '.']).next();
        name.unwrap_or_default().to_owned()
    };
    // In the order of the spec, so those of one parameter are neighbours.
    let same = |a: &RecoveredWeight, b: &RecoveredWeight| parameter(a) == parameter(b);
    for weights in recovery.weights.chunk_by(same) {
        // The root of the mean square of what `of` gives for the weights of the parameter.
        let mean = |of: &dyn Fn(&RecoveredWeight) -> f64| {
            let squares: f64 = weights.iter().map(|weight| of(weight).powi(2)).sum();
            (squares / weights.len() as f64).sqrt()
        };
        let scores = weights.iter().map(RecoveredWeight::score);
        let worst = scores.max_by(|a, b| a.abs().total_cmp(&b.abs()));
        table.row([
            parameter(&weights[0]),
            weights.len().to_string(),
            format!("{:.1}", mean(&|weight| weight.estimate - weight.truth)),
            format!("{:.1}", mean(&|weight| weight.standard_error)),
            format!("{:+.1}", worst.unwrap_or(0.0)),
        ]);
    }
    table.text()
}
