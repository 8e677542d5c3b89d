//! `data`: games and positions to other data.

mod args;
mod profile;
mod ranges;
mod wdl;

pub(crate) use args::DataCommand;

use tuner_data::AnyGame;
use tuner_jobs::{
    EvaluatorAt, Job, JobResult as Result, label_positions, split_positions, transform_positions,
};

/// Runs a command on data; with `--json` prints its summary. `evaluator`: that of an engine, `None`
/// where the command asks none or there is none. `rules`: the game that positions are of.
pub(crate) fn run(
    job: &Job,
    rules: &AnyGame,
    evaluator: Option<&EvaluatorAt<'_>>,
    command: &DataCommand,
) -> Result<()> {
    // From now on Ctrl-C asks the command to end.
    job.observer.listen()?;
    // The name of the format that is written, for `--json`; only some commands choose one.
    let mut layout = None;
    let transformed = |config| transform_positions(job, rules, evaluator, config).map(Some);
    let labelled = |config| label_positions(job, rules, evaluator, config).map(Some);
    let summary = job.on_threads(|| match command {
        DataCommand::Extract(args) | DataCommand::Filter(args) => {
            layout = args.output.layout();
            transformed(args.config()?)
        }
        DataCommand::Convert(args) => {
            layout = args.layout();
            transformed(args.config("--shuffle")?)
        }
        DataCommand::Split(args) => split_positions(job, rules, args.config()?).map(Some),
        DataCommand::Profile(args) => profile::run(job, rules, args).map(|()| None),
        DataCommand::Wdl(args) => wdl::run(job, rules, args).map(|()| None),
        DataCommand::Rescore(args) => labelled(args.config(None)?),
        DataCommand::Playout(args) => labelled(args.label.config(Some(&args.rules))?),
        DataCommand::Resolve(args) => labelled(args.config()?),
    })?;
    // `profile` and `wdl` have printed what they found.
    let Some(mut summary) = summary else {
        return Ok(());
    };
    summary.format = layout;
    command.inputs().print.show(&summary)
}
