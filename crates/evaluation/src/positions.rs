//! Labelled positions that an evaluator is asked about.

use std::path::PathBuf;

use super::collect::Tracing;
use super::drawn::DrawnResults;
use super::evaluation::Evaluation;
use super::link::Link;
use super::resolve::Resolve;
use tuner_base::Ranks;
use tuner_data::{FirstReading, Input, ReadOptions, SampleLocation};

/// Labelled positions, and which of them are traced.
#[derive(Debug)]
pub struct Positions {
    /// Files, standard input, or what comes with the engine.
    pub inputs: Vec<Input>,
    /// How they are read.
    pub options: ReadOptions,
    /// Which position is traced for one of the data.
    pub resolve: Resolve,
    /// Results to take in place of those of the data, each position a game.
    pub drawn: Option<DrawnResults>,
    /// Who else works on them: each rank traces the positions of some of the games.
    pub ranks: Ranks,
}

/// Says that there are no positions.
pub const NO_INPUT: &str = "no file of positions is named; name one, or `data` in tuner.toml";

impl Positions {
    /// Names files to read, in the notation of the command line: `FILE:limit=1000`, and in that of
    /// the evaluator's game.
    ///
    /// # Errors
    /// If an option of a file is unknown, or no file is named.
    pub fn of(evaluation: &Evaluation, files: &[PathBuf]) -> Result<Self, String> {
        let named = files
            .iter()
            .map(|path| Input::with_options(evaluation.game(), path));
        let named: Vec<_> = named.collect::<Result<_, String>>()?;
        let (inputs, own): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        if inputs.is_empty() {
            return Err(NO_INPUT.to_owned());
        }
        Ok(Self::new(
            inputs,
            ReadOptions {
                inputs: own,
                first: Some(FirstReading::default()),
                ..ReadOptions::default()
            },
        ))
    }

    /// A text or a file within the program, as of `include_bytes!`.
    pub fn embedded(name: &'static str, bytes: &'static [u8]) -> Self {
        let input = Input::Embedded { name, bytes };
        Self::new(vec![input], ReadOptions::default())
    }

    /// Positions that are traced themselves, with the results of the data, by one process.
    fn new(inputs: Vec<Input>, options: ReadOptions) -> Self {
        Self {
            inputs,
            options,
            resolve: Resolve::None,
            drawn: None,
            ranks: Ranks::default(),
        }
    }

    /// Returns the name of the file that a position was read from, empty if there is no such input.
    pub fn file(&self, location: SampleLocation) -> String {
        let input = self.inputs.get(location.input as usize);
        input.map_or_else(String::new, |input| input.name().display().to_string())
    }

    /// Returns what traces the positions by an evaluator. `values`: weights by their numbers in the
    /// evaluator, empty for those of the source.
    pub fn tracing<'a>(
        &'a self,
        evaluation: &'a Evaluation,
        link: &'a Link,
        values: &'a [f64],
    ) -> Tracing<'a> {
        Tracing {
            evaluation,
            link,
            positions: self,
            values,
        }
    }

    /// Tells whether all inputs can be read again: false for standard input or a pipe. A file that
    /// is gone counts as one that can: reading it fails with the reason.
    pub fn can_be_read_again(&self) -> bool {
        self.inputs.iter().all(|input| match input {
            Input::File(path) => std::fs::metadata(path).map_or(true, |found| found.is_file()),
            Input::Stdin => false,
            Input::Embedded { .. } => true,
        })
    }
}
