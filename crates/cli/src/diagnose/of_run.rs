//! `--run DIR`: what a fit was of, in place of what is not typed.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use crate::Failure;
use tuner_fit::run::NOT_GIVEN;

/// Options about how the data of a fit are read.
const READING: [&str; 4] = [
    "--format",
    "--perspective",
    "--score-perspective",
    "--on-bad-line",
];

/// Options about how positions are traced.
const TRACING: [&str; 2] = ["--resolve", "--allow-constants"];

/// The summary in a folder, or the file itself.
pub(super) fn summary_of(path: &Path) -> PathBuf {
    if path.is_dir() {
        path.join("summary.json")
    } else {
        path.to_owned()
    }
}

/// Reads the summary of a fit.
pub(super) fn read(path: &Path) -> Result<Value, Failure> {
    let path = summary_of(path);
    let file = path.display();
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("--run {file}: {error}; expected the folder of a fit"))?;
    let summary: Value = serde_json::from_str(&text)
        .map_err(|error| format!("--run {file}: {error}; expected the summary.json of a fit"))?;
    if summary["weights"].is_object() && summary["k"].is_number() {
        Ok(summary)
    } else {
        Err(
            format!("--run {file}: found no weights and k; expected the summary.json of a fit")
                .into(),
        )
    }
}

/// Says that the data of a fit have changed since, if these are its files.
pub(super) fn changed(summary: &Value, inputs: &[PathBuf], fingerprint: &str) -> Option<String> {
    let (data, names) = (&summary["data"], inputs.iter());
    let names: Vec<String> = names.map(|path| path.display().to_string()).collect();
    let of_fit = data["files_fingerprint"].as_str()?;
    (data["files"] == json!(names) && of_fit != fingerprint).then(|| {
        "warning: the data have changed since they were fitted: what is said here is of the data \
         as they are now"
            .to_owned()
    })
}

/// Returns the words of a command line with those of the fit that its `--run` names
/// put in, for what is not typed; `None` without `--run`.
///
/// # Errors
/// If there is no such fit, or its data cannot be read again.
pub(crate) fn with_run(
    command: &Command,
    matches: &ArgMatches,
    typed: &[OsString],
) -> Result<Option<Vec<OsString>>, Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(None);
    };
    let Some(command) = command.find_subcommand(name) else {
        return Ok(None);
    };
    let takes_run = command
        .get_arguments()
        .any(|arg| arg.get_long() == Some("run"));
    let run = takes_run
        .then(|| matches.get_one::<PathBuf>("run"))
        .flatten();
    let Some(run) = run else {
        return Ok(None);
    };
    let summary = read(run)?;
    let mut found = RunWords {
        command,
        matches,
        words: Vec::new(),
    };
    let weights = summary_of(run).display().to_string();
    found.add("--weights", &Value::from(weights));
    found.add("--k", &summary["k"]);
    let of_positions = name == "explain" && !matches.contains_id("weight");
    let mut data = Vec::new();
    if !of_positions {
        found.add("--loss", &summary["loss"]);
        found.add("--weigh", &summary["weigh"]);
        let lambda = match &summary["target"] {
            Value::Null => json!(1),
            target => target["lambda"].clone(),
        };
        found.add("--lambda", &lambda);
        if !found.is_typed("lambda") {
            found.add("--score-k", &summary["target"]["score_k"]);
        }
        let options = &summary["options"];
        for name in TRACING {
            found.add(name, &options[name]);
        }
        if !found.is_typed("data") {
            for name in READING {
                found.add(name, &options[name]);
            }
            data = files(&summary, run)?;
        }
    }
    found.say(run, &data);
    // Behind the name of the command, so that positions of arguments stay.
    let at = typed.iter().position(|word| *word == *name);
    let (before, after) = typed.split_at(at.map_or(typed.len(), |at| at + 1));
    let mut words = [before, found.words.as_slice(), after].concat();
    if !data.is_empty() {
        if !after.iter().any(|word| word == "--") {
            words.push("--".into());
        }
        words.extend(data);
    }
    Ok(Some(words))
}

/// Words that are added to what was typed.
struct RunWords<'a> {
    command: &'a Command,
    matches: &'a ArgMatches,
    words: Vec<OsString>,
}

impl RunWords<'_> {
    fn is_typed(&self, id: &str) -> bool {
        let source = self.matches.value_source(id);
        source == Some(ValueSource::CommandLine)
    }

    /// Adds an option of the fit, if this command has it and it was not typed.
    fn add(&mut self, name: &str, value: &Value) {
        let word = match value {
            Value::Null => return,
            Value::String(word) if word == NOT_GIVEN => return,
            Value::String(word) => word.clone(),
            other => other.to_string(),
        };
        let mut arguments = self.command.get_arguments();
        let arg = arguments.find(|arg| arg.get_long() == name.strip_prefix("--"));
        let Some(arg) = arg.filter(|arg| !self.is_typed(arg.get_id().as_str())) else {
            return;
        };
        let defaults = arg.get_default_values();
        if defaults.iter().any(|default| *default == *word) {
            return;
        }
        match arg.get_action() {
            ArgAction::SetTrue if word == "true" => self.words.push(name.into()),
            ArgAction::SetTrue => {}
            // In one word, so that a value may begin with a sign.
            _ => self.words.push(format!("{name}={word}").into()),
        }
    }

    /// Says what is as it was in the fit.
    fn say(&self, run: &Path, data: &[OsString]) {
        let words = self.words.iter().map(|word| word.to_string_lossy());
        let files = data.iter().map(|file| file.to_string_lossy());
        let words: Vec<_> = words.chain(files).collect();
        let words = tuner_report::clean(&words.join(" "));
        say!("as in {}: {words}", run.display());
    }
}

/// The files that a fit read; none where it read what comes with the engine.
fn files(summary: &Value, run: &Path) -> Result<Vec<OsString>, Failure> {
    let files = summary["data"]["files"].as_array();
    let files = files.into_iter().flatten().filter_map(Value::as_str);
    let files: Vec<OsString> = files.map(OsString::from).collect();
    if files.iter().any(|file| file == "-") {
        return Err(Failure::Usage(format!(
            "--run {}: that fit read standard input; name the data",
            run.display()
        )));
    }
    Ok(files)
}
