//! `data`: games and positions to other data.

mod args;
mod profile;
mod ranges;
mod wdl;

pub(crate) use args::DataCommand;

use tuner_data::AnyGame;
use tuner_jobs::{
    EvaluatorAt, Job, JobFailure as Failure, label_positions, split_positions, transform_positions,
};

/// Runs a command on data; prints its summary as JSON where that is asked for. `evaluator`: of an
/// engine, `None` where the command asks none or there is none.
pub(crate) fn run(
    job: &Job,
    rules: &AnyGame,
    evaluator: Option<&EvaluatorAt<'_>>,
    command: &DataCommand,
) -> Result<(), Failure> {
    job.observer.listen()?;
    let mut layout = None;
    let summary = job.on_threads(|| match command {
        DataCommand::Extract(args) | DataCommand::Filter(args) => {
            layout = args.output.layout();
            transform_positions(job, rules, evaluator, args.config()?).map(Some)
        }
        DataCommand::Convert(args) => {
            layout = args.layout();
            transform_positions(job, rules, evaluator, args.config("--shuffle")?).map(Some)
        }
        DataCommand::Split(args) => split_positions(job, rules, args.config()?).map(Some),
        DataCommand::Profile(args) => profile::run(job, rules, args).map(|()| None),
        DataCommand::Wdl(args) => wdl::run(job, rules, args).map(|()| None),
        DataCommand::Rescore(args) => {
            label_positions(job, rules, evaluator, args.config(None)?).map(Some)
        }
        DataCommand::Playout(args) => {
            let config = args.label.config(Some(&args.rules))?;
            label_positions(job, rules, evaluator, config).map(Some)
        }
        DataCommand::Resolve(args) => {
            label_positions(job, rules, evaluator, args.config()?).map(Some)
        }
    })?;
    let Some(mut summary) = summary else {
        return Ok(());
    };
    summary.format = layout;
    command.inputs().print.show(&summary)
}
