//! `--run DIR`: what a fit was of, in place of what is not typed.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};

use tuner_data::Input;
use tuner_fit::run::NOT_GIVEN;
use tuner_jobs::{JobResult as Result, misuse, summary_of};
use tuner_record::{RunRecord, RunRecordError};

/// Options about how data are read. `--run` puts in those of the fit where no data are typed.
const READING: [&str; 6] = [
    "--format",
    "--perspective",
    "--score-perspective",
    "--score-unit",
    "--results-from-scores",
    "--on-bad-line",
];

/// Options about how positions are traced, which `--run` puts in where they are not typed.
const TRACING: [&str; 2] = ["--resolve", "--allow-constants"];

/// Reads the summary of the fit that `--run` names, by its folder or its file.
pub(super) fn read(path: &Path) -> Result<RunRecord> {
    RunRecord::read(&summary_of(path)).map_err(|error| {
        let expected = match error {
            RunRecordError::Io { .. } => "the folder of a fit",
            _ => "the summary.json of a fit",
        };
        format!("--run {error}; expected {expected}").into()
    })
}

/// Tells whether the data of a fit have changed since: `inputs` are the files that it read, and
/// `fingerprint`, of their bytes now, is another one. False where `inputs` are other files, of
/// which nothing is known.
pub(super) fn are_changed(record: &RunRecord, inputs: &[PathBuf], fingerprint: &str) -> bool {
    let names = inputs.iter().map(|path| path.display().to_string());
    names.eq(files(record)) && record.data.files_fingerprint != fingerprint
}

/// Returns the words of a command line, `typed`, with those put in that the fit of `--run` had and
/// that are not typed; `None` without `--run`, or for a command that has no such option. `matches`
/// is what clap made of the words.
///
/// # Errors
/// If there is no such fit, or it read standard input.
pub(crate) fn with_run(
    command: &Command,
    matches: &ArgMatches,
    typed: &[OsString],
) -> Result<Option<Vec<OsString>>> {
    let Some((name, command, matches, run)) = typed_run(command, matches) else {
        return Ok(None);
    };
    let record = read(run)?;
    let mut found = RunWords {
        command,
        matches,
        words: Vec::new(),
    };
    found.add("--weights", &summary_of(run).display().to_string());
    found.add("--k", &record.k.to_string());
    // `explain` without `--weight` is told positions, not data. They have no results, so nothing
    // about data or targets is put in.
    let of_positions = name == "explain" && !matches.contains_id("weight");
    let mut data = Vec::new();
    if !of_positions {
        found.add("--loss", &record.loss);
        found.add("--weigh", &record.weigh);
        // Without a target the fit was to results alone, which lambda 1 stands for.
        let lambda = record.target.map_or(1.0, |target| target.lambda);
        found.add("--lambda", &lambda.to_string());
        // The scale of search scores goes with the fit's lambda; beside `--lambda 1` it is refused.
        if let Some(target) = record.target.filter(|_| !found.is_typed("lambda")) {
            found.add("--score-k", &target.score_k.to_string());
        }
        found.add_options(&record, &TRACING);
        if !found.is_typed("data") {
            found.add_options(&record, &READING);
            data = files(&record).map(OsString::from).collect();
            if data
                .iter()
                .any(|file| Input::parted(Path::new(file)).0 == "-")
            {
                misuse!(
                    "--run {}: that fit read standard input; name the data",
                    run.display()
                );
            }
        }
    }
    found.say(run, &data);
    // Options go before the `--` that ends them, if one was typed; files go behind all.
    let end = typed.iter().position(|word| word == "--");
    let (options, rest) = typed.split_at(end.unwrap_or(typed.len()));
    let mut words = [options, &found.words, rest].concat();
    if !data.is_empty() && end.is_none() {
        words.push("--".into());
    }
    words.extend(data);
    Ok(Some(words))
}

/// Returns the subcommand that was typed, if its option `--run` was: its name, clap's description
/// of it, what was typed behind it, and the value of `--run`. `None` if that was not typed.
fn typed_run<'a>(
    command: &'a Command,
    matches: &'a ArgMatches,
) -> Option<(&'a str, &'a Command, &'a ArgMatches, &'a PathBuf)> {
    let (name, matches) = matches.subcommand()?;
    let command = command.find_subcommand(name)?;
    // `report` has an argument of the id `run` that is not an option.
    let mut arguments = command.get_arguments();
    arguments.find(|arg| arg.get_long() == Some("run"))?;
    Some((name, command, matches, matches.get_one("run")?))
}

/// The words that `--run` adds to the command line, and the command line they are for.
struct RunWords<'a> {
    command: &'a Command,
    matches: &'a ArgMatches,
    words: Vec<OsString>,
}

impl RunWords<'_> {
    /// Tells whether an argument was typed, and does not just have its default; `id` is its name in
    /// clap.
    fn is_typed(&self, id: &str) -> bool {
        let source = self.matches.value_source(id);
        source == Some(ValueSource::CommandLine)
    }

    /// Adds those of the options `names` (as `--name`) that have a value in the fit's record and
    /// are not typed in this command.
    fn add_options(&mut self, record: &RunRecord, names: &[&str]) {
        let given = record.options.iter();
        for (name, word) in given.filter(|(name, word)| names.contains(name) && *word != NOT_GIVEN)
        {
            self.add(name, word);
        }
    }

    /// Adds an option of the fit, `--name` and its value, if this command has it, it was not typed,
    /// and the value is not its default.
    fn add(&mut self, name: &str, word: &str) {
        let mut arguments = self.command.get_arguments();
        let arg = arguments.find(|arg| arg.get_long() == name.strip_prefix("--"));
        let Some(arg) = arg.filter(|arg| !self.is_typed(arg.get_id().as_str())) else {
            return;
        };
        let defaults = arg.get_default_values();
        if defaults.iter().any(|default| default == word) {
            return;
        }
        match arg.get_action() {
            ArgAction::SetTrue if word == "true" => self.words.push(name.into()),
            ArgAction::SetTrue => {}
            // In one word, so that a value may begin with a sign.
            _ => self.words.push(format!("{name}={word}").into()),
        }
    }

    /// Tells the user which words of the fit at `run` are used as if they had been typed: the
    /// options, and `data`, its files.
    fn say(&self, run: &Path, data: &[OsString]) {
        let words = self.words.iter().chain(data).map(|word| word.display());
        let words = tuner_report::clean(&tuner_base::joined(words, " "));
        say!("as in {}: {words}", run.display());
    }
}

/// Returns the files that a fit read, as they are typed; no files where it read what comes with the
/// engine. Where `--weigh-sources` found how much each file counted, its name has that factor,
/// times the weight that was typed, as `:weight=`.
fn files(record: &RunRecord) -> impl Iterator<Item = String> {
    let factors = record.sources.iter().flat_map(|found| &found.factors);
    let factors = factors.copied().chain(std::iter::repeat(1.0));
    record.data.files.iter().zip(factors).map(|(file, factor)| {
        if (factor - 1.0).abs() <= 0.0 {
            return file.name.clone();
        }
        let (path, options) = Input::parted(Path::new(&file.name));
        let (mut name, mut weight) = (path.display().to_string(), factor);
        // In the order in which they are typed: `parted` has the last one first.
        for (option, value) in options.iter().rev() {
            if *option == "weight" {
                // The fit has read it, so it is a number.
                weight *= value.parse().unwrap_or(1.0);
            } else {
                let _ = write!(name, ":{option}={value}");
            }
        }
        // Clamped to the range that an option takes for a weight.
        format!("{name}:weight={}", weight.clamp(1e-6, 1e6))
    })
}
