//! The options of a fit as they were typed, or are by default.
//!
//! A resumed fit is to be the same fit. So every option counts, also one that
//! is added later, but for those that are known to change nothing.

use std::collections::BTreeMap;

use clap::parser::ValueSource;
use clap::{ArgMatches, Command};

use crate::heading;
use tuner_base::joined;
use tuner_fit::run::OptionsSnapshot;

/// Headings of options that may differ where a fit resumes, as they do not change the weights: what
/// is written, and what is found out about the result.
const FREE_HEADINGS: [&str; 2] = [heading::OUTPUT, heading::JUDGING];

/// Ids of other options that may differ where a fit or a loop resumes: they change no result, or
/// only how far it gets, or the checkpoint compares them itself (data and start).
const FREE: &[&str] = &[
    "canonical",
    "data",
    "differences",
    "engine_folder",
    "folder",
    "game",
    "init",
    "max_iterations",
    "rounds",
    "threads",
];

/// Returns the words that were typed behind the name of the program.
pub(crate) fn typed_words() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned());
    words.collect()
}

/// The options of a command.
#[derive(Debug, Default)]
pub(crate) struct TypedOptions {
    /// Name of the subcommand.
    pub(crate) subcommand: String,
    /// Options that decide on the result of a fit, with values, whether typed or by default.
    pub(crate) snapshot: OptionsSnapshot,
    /// The options that were typed: from their id in clap to how they are written.
    typed: BTreeMap<String, String>,
}

impl TypedOptions {
    /// Takes the options of the subcommand that was typed: which were typed, and those that decide
    /// on the result. `command` is the whole program. Without a subcommand nothing is taken.
    pub(crate) fn new(command: &Command, matches: &ArgMatches) -> Self {
        let found = matches
            .subcommand()
            .and_then(|(name, matches)| Some((command.find_subcommand(name)?, matches)));
        let Some((command, matches)) = found else {
            return Self::default();
        };
        let is_typed = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let ids = command.get_arguments().filter_map(|arg| {
            let id = arg.get_id().as_str();
            let name = arg.get_long().unwrap_or(id);
            // clap panics if asked for an id that the command has not, so that is asked first.
            let known = matches.try_contains_id(id).is_ok();
            (known && is_typed(id)).then(|| (id.to_owned(), format!("--{name}")))
        });
        Self {
            subcommand: command.get_name().to_owned(),
            snapshot: snapshot(command, matches),
            typed: ids.collect(),
        }
    }

    /// Tells whether an option was typed; `id` is its name in clap, with `_` in place of `-`.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.typed.contains_key(id)
    }

    /// Returns the first typed option, as `--name`, whose id in clap is not in `ids`; `None` where
    /// all are.
    pub(crate) fn other_than(&self, ids: &[&str]) -> Option<&str> {
        let mut typed = self.typed.iter();
        let other = typed.find(|(id, _)| !ids.contains(&id.as_str()));
        other.map(|(_, name)| name.as_str())
    }
}

/// Returns the options that decide on the result of a command, by name: their values as text, typed
/// or by default; `None` where an option has no value.
fn snapshot(command: &Command, matches: &ArgMatches) -> OptionsSnapshot {
    let counts = |arg: &&clap::Arg| {
        let heading = arg.get_help_heading().unwrap_or_default();
        !FREE.contains(&arg.get_id().as_str()) && !FREE_HEADINGS.contains(&heading)
    };
    let options = command.get_arguments().filter(counts).filter_map(|arg| {
        let id = arg.get_id().as_str();
        // For an id that names no option, such as that of a group, clap returns an error.
        let values = matches.try_get_raw(id).ok()?;
        let words = values.map(|values| joined(values.map(|value| value.display()), " "));
        let name = match arg.get_long() {
            // The words behind `--` have no name.
            None if arg.is_last_set() => "",
            name => name.unwrap_or(id),
        };
        Some((format!("--{name}"), words))
    });
    options.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use clap::CommandFactory as _;

    use super::*;
    use crate::tuner_args::TunerArgs;

    fn typed(words: &str) -> OptionsSnapshot {
        let command = TunerArgs::command();
        let words = ["tuner", "fit"].into_iter().chain(words.split_whitespace());
        let matches = command.clone().try_get_matches_from(words).unwrap();
        TypedOptions::new(&command, &matches).snapshot
    }

    #[test]
    fn options_that_change_the_result_count_and_no_others() {
        let plain = typed("");
        let free = "some.txt --out x --threads 2 --json --max-iterations 3 --date today";
        assert_eq!(plain, typed(free));
        assert_eq!(plain, typed("--loss squared"), "the default");
        assert_eq!(typed("--k 1").differences(&typed("--k 1.0")).count(), 0);
        for (words, expected) in [
            (
                "--loss cross-entropy",
                "--loss: squared then, cross-entropy now; give --loss squared",
            ),
            ("--k 1.5", "--k: not given then, 1.5 now; leave it out"),
            (
                "--allow-constants",
                "--allow-constants: false then, true now; leave it out",
            ),
            (
                "--held-out 0.2",
                "--held-out: 0.1 then, 0.2 now; give --held-out 0.1",
            ),
            ("--retrace 0", "--retrace: 5 then, 0 now; give --retrace 5"),
        ] {
            let typed = typed(words);
            let found: Vec<String> = plain.differences(&typed).collect();
            assert_eq!(found, [expected]);
        }
        let back: Vec<String> = typed("--allow-constants").differences(&plain).collect();
        assert_eq!(
            back,
            ["--allow-constants: true then, false now; give --allow-constants"]
        );
    }

    #[test]
    fn what_is_left_out_exists() {
        let command = TunerArgs::command();
        let fit = command.find_subcommand("fit").unwrap();
        let ids: Vec<&str> = fit
            .get_arguments()
            .map(|arg| arg.get_id().as_str())
            .collect();
        let elsewhere = ["engine_folder", "folder", "game", "rounds"];
        for id in FREE.iter().filter(|&id| !elsewhere.contains(id)) {
            assert!(ids.contains(id), "{id}: {ids:?}");
        }
    }
}
