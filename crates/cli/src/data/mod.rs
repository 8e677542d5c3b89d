//! `data`: games and positions to other data.

mod args;
mod kept;
mod label;
mod profile;
mod ranges;
mod transform;

pub(super) use args::DataCommand;

use std::path::Path;

use super::Failure;
use super::interrupt::Interrupt;
use super::progress::Progress;
use super::run::{is_among, on_threads};
use args::InputArgs;
use tuner_data::rules::Rules;
use tuner_data::tools::QuietLook;
use tuner_data::{Input, PositionNotation, ReadOptions};
use tuner_play::Player;
use tuner_tournament::Protocol;

/// What a program can do with positions, beside reading and writing them.
pub(super) struct Means<'m, R: Rules> {
    /// Static and quiescence score of a position, where there is an evaluation.
    pub(super) look: Option<&'m QuietLook<'m, R::Position>>,
    /// The end of a position's quiescence search, where there is one.
    pub(super) leaf: Option<&'m Leaf<'m, R>>,
    /// A player, where one is linked.
    pub(super) player: Option<&'m NewPlayer<'m, R>>,
    /// Tells its weights from others: those of the source may change from build to build.
    pub(super) weights: Option<String>,
    /// What other engines of this game speak.
    pub(super) protocol: Protocol,
}

type Leaf<'m, R> = dyn Fn(&PositionIn<R>) -> Option<PositionIn<R>> + Sync + 'm;
type NewPlayer<'m, R> = dyn Fn() -> Box<dyn Player<R> + 'm> + Sync + 'm;
type PositionIn<R> = <R as PositionNotation>::Position;

pub(super) fn run<R: Rules>(
    rules: &R,
    means: &Means<'_, R>,
    command: &DataCommand,
) -> Result<(), Failure> {
    let look = means.look;
    let interrupt = Interrupt::watch()?;
    on_threads(command.inputs().threads, || match command {
        DataCommand::Extract(args) => transform::extract(rules, look, args, &interrupt),
        DataCommand::Filter(args) => transform::filter(rules, look, args, &interrupt),
        DataCommand::Convert(args) => transform::convert(rules, args, &interrupt),
        DataCommand::Split(args) => transform::split(rules, args, &interrupt),
        DataCommand::Profile(args) => profile::run(rules, args, &interrupt),
        DataCommand::Rescore(args) => label::rescore(rules, means, args, &interrupt),
        DataCommand::Playout(args) => label::playout(rules, means, args, &interrupt),
        DataCommand::Resolve(args) => label::resolve(rules, means, args, &interrupt),
    })
}

struct InputSet {
    inputs: Vec<Input>,
    options: ReadOptions,
    progress: Progress,
}

impl InputSet {
    fn new<R: Rules>(
        rules: &R,
        args: &InputArgs,
        visible: bool,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        let progress = Progress::new(visible, interrupt);
        let mut inputs = Vec::new();
        let mut own = Vec::new();
        for path in &args.data {
            let (input, options) = Input::with_options(rules, path).map_err(Failure::Usage)?;
            if options.weight.is_some() {
                let words = "weights are for `fit`; lines of data have none";
                return Err(Failure::Usage(format!("{}: {words}", path.display())));
            }
            inputs.push(input);
            own.push(options);
        }
        let options = args.reading.options(rules, &inputs, own, &progress)?;
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
