//! `data`: games and positions to other data.

mod args;
mod kept;
mod label;
mod profile;
mod ranges;
mod transform;

pub(super) use args::DataCommand;

use std::path::{Path, PathBuf};

use super::Failure;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::run::{is_among, on_threads};
use args::InputArgs;
use tuner_data::tools::QuietLook;
use tuner_data::{AnyGame, AnyPosition, Input, InputError, InputOptions, ReadOptions};
use tuner_engine::Evaluation;

/// The evaluator of commands that do more with positions than read and write them.
#[derive(Default)]
pub(super) struct Means<'m> {
    /// The evaluator, where there is one, and the weights that it is asked at by leaf.
    pub(super) evaluation: Option<(&'m Evaluation, Vec<f64>)>,
    /// Tells its weights from others: those of the source may change from build to build.
    pub(super) weights: Option<String>,
}

pub(super) fn run(
    rules: &AnyGame,
    means: &Means<'_>,
    command: &DataCommand,
) -> Result<(), Failure> {
    let evaluation = means.evaluation.as_ref();
    let look = evaluation.map(|(evaluation, values)| {
        move |position: &AnyPosition| {
            // Where it cannot be asked, it sees nothing.
            let found = evaluation.look(values, &rules.describe(position));
            found.ok().and_then(Result::ok).flatten()
        }
    });
    let look = look.as_ref().map(|look| look as &QuietLook<'_>);
    let interrupt = Interrupt::watch()?;
    on_threads(command.inputs().threads, || match command {
        DataCommand::Extract(args) | DataCommand::Filter(args) => {
            transform::filter(rules, look, args, &interrupt)
        }
        DataCommand::Convert(args) => transform::convert(rules, args, &interrupt),
        DataCommand::Split(args) => transform::split(rules, args, &interrupt),
        DataCommand::Profile(args) => profile::run(rules, args, &interrupt),
        DataCommand::Rescore(args) => label::by_engine(rules, means, args, None, &interrupt),
        DataCommand::Playout(args) => {
            label::by_engine(rules, means, &args.label, Some(&args.rules), &interrupt)
        }
        DataCommand::Resolve(args) => label::resolve(rules, means, args, &interrupt),
    })
}

/// Fails where a file is not there, before an evaluator is built that is to read it. Whose
/// options are mistaken is left to who reads them.
pub(super) fn check_files(named: &[PathBuf]) -> Result<(), Failure> {
    let mut missing = Vec::new();
    for argument in named {
        let (path, options) = Input::parted(argument);
        let all_known = (options.iter()).all(|(name, _)| InputOptions::NAMES.contains(name));
        if let Input::File(file) = Input::from_argument(path)
            && all_known
            && let Err(source) = file.metadata()
        {
            missing.push(InputError::unopened(&file, &source).to_string());
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(missing.join("\n").into())
}

struct InputSet {
    inputs: Vec<Input>,
    options: ReadOptions,
    progress: Progress,
}

impl InputSet {
    fn new(
        rules: &AnyGame,
        args: &InputArgs,
        visible: bool,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let progress = Progress::new(visible, interrupt);
        let (inputs, options) = args.reading.inputs(rules, &args.data, &progress)?;
        let mut named = args.data.iter().zip(&options.inputs);
        if let Some((path, _)) = named.find(|(_, own)| own.weight.is_some()) {
            let words = "weights are for `fit`; lines of data have none";
            return Err(Failure::Usage(format!("{}: {words}", path.display())));
        }
        Ok(Self {
            inputs,
            options,
            progress,
        })
    }

    fn check_output(&self, output: &Path) -> Result<(), Failure> {
        if is_among(&self.inputs, output) {
            let name = output.display();
            return Err(format!("{name}: is one of the inputs; name another file").into());
        }
        if output.is_dir() {
            return Err(format!("{}: is a folder; name a file", output.display()).into());
        }
        Ok(())
    }
}
