//! The engine that commands are about: what `tuner.toml` says, built and started.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Failure, Job, Result, check_files};
use tuner_base::{WeightId, joined, shell_word};
use tuner_data::{AnyGame, Perspective};
use tuner_engine::{
    Evaluation, EvaluatorProgram, KnownGame, LinkedSpec, PATIENCE, UciEvaluator, some_names,
};
use tuner_protocol::WeightTable;
use tuner_spec::codegen::Language;
use tuner_spec::{PROJECT_FILE, ProjectFile, ProjectProgram, Spec};

/// An engine, as `tuner.toml` describes it. Its evaluator is built and started once it is
/// needed.
pub struct Project {
    /// The job that hears of builds.
    pub(crate) job: Job,
    /// The folder, if it was named by `-C`.
    named: Option<PathBuf>,
    /// What `tuner.toml` says.
    pub file: ProjectFile,
    games: Vec<KnownGame>,
    evaluation: OnceLock<Evaluation>,
}

tuner_base::impl_fmt! { Debug for Project }

impl Project {
    /// Finds the engine of the folder `named`, what `-C` says, by its `tuner.toml`; without `named`
    /// that of the current folder or of the nearest one above it. `None` if no folder of these has
    /// a `tuner.toml`, or there is no current folder. `games`: those whose positions this program
    /// can read.
    ///
    /// # Errors
    /// If the folder `named` has no `tuner.toml`, or the file that is found has mistakes.
    pub fn find(job: &Job, named: Option<&Path>, games: &[KnownGame]) -> Result<Option<Self>> {
        let folder = match named {
            Some(folder) if !folder.join(PROJECT_FILE).is_file() => {
                let name = folder.display();
                misuse!("-C {name}: found no {PROJECT_FILE} there; `tuner new` writes one");
            }
            Some(folder) => folder.to_path_buf(),
            None => {
                let here = std::env::current_dir().ok();
                match here.as_deref().and_then(ProjectFile::folder_of) {
                    None => return Ok(None),
                    // An empty path is the current folder; what is in it then has relative paths.
                    found if found == here => PathBuf::new(),
                    Some(found) => found,
                }
            }
        };
        Ok(Some(Self {
            job: job.clone(),
            named: named.map(Path::to_path_buf),
            file: ProjectFile::load(&folder)?,
            games: games.to_vec(),
            evaluation: OnceLock::new(),
        }))
    }

    /// Returns the beginning of a command line for this project: `tuner`, or `tuner -C FOLDER` if
    /// the folder was named so.
    pub fn command(&self) -> String {
        self.named.as_ref().map_or_else(
            || "tuner".to_owned(),
            |folder| format!("tuner -C {}", shell_word(folder)),
        )
    }

    /// Returns the evaluation; it is built and started if nobody has asked for it before.
    ///
    /// # Errors
    /// If it cannot be built or started, or is of another game than tuner.toml says.
    pub fn evaluation(&self) -> Result<&Evaluation> {
        if let Some(evaluation) = self.evaluation.get() {
            return Ok(evaluation);
        }
        let file = &self.file;
        let mut program = build(&self.job, &file.evaluator, "evaluator", file, file.folder())?;
        program.uci = file.uci.as_ref().map(|uci| UciEvaluator {
            weights: uci.weights.clone(),
            ask: uci.ask.clone(),
            score: uci.score.clone(),
            unit: uci.unit,
            // The name is known: another one is refused where tuner.toml is read.
            view: Perspective::named(&uci.view).unwrap_or_default(),
            // A program cannot tell its game by UCI, so it is chess unless tuner.toml says another.
            game: file.game.clone().unwrap_or_else(|| "chess".to_owned()),
        });
        let evaluation = self.started(program)?;
        let told = &evaluation.about().game;
        if let Some(game) = file.game.as_ref().filter(|game| *game != told) {
            fail!(
                "{}: found `game = {game:?}`, but the evaluator answers `game {told}`; correct one \
                 of the two",
                file.file.display()
            );
        }
        Ok(self.evaluation.get_or_init(|| evaluation))
    }

    /// Tells whether the evaluation is in Rust. For that it is built and started, if it was not
    /// yet; `false` where that fails.
    pub(crate) fn is_rust(&self) -> bool {
        let evaluation = self.evaluation().ok();
        evaluation.is_some_and(|evaluation| evaluation.weights().is_rust())
    }

    /// If this program does not know the evaluator's game, says what cannot be done with its
    /// positions, and which name may have been meant. Fails if the evaluator cannot be built or
    /// started.
    pub(crate) fn say_game(&self) -> Result<()> {
        let game = &self.evaluation()?.about().game;
        let known: Vec<&str> = self.games.iter().map(|known| known.name).collect();
        if !known.contains(&&**game) {
            // A known name that differs by at most two letters may have been meant.
            let likely = |name: &&&str| strsim::levenshtein(&game.to_lowercase(), name) <= 2;
            let meant = known.iter().find(likely);
            let meant = meant.map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"));
            self.job.say(format_args!(
                "game {game}{meant}: positions are texts, as only {} are known here: what is wrong \
                 in one the evaluator says, none is mirrored, and pages show no boards",
                known.join(" and ")
            ));
        }
        Ok(())
    }

    /// Starts `program`, an evaluator of this engine or another build of it, and returns it as an
    /// evaluation. An answer is waited for as long as `patience` in tuner.toml says, in seconds, or
    /// else [`PATIENCE`] (a minute).
    pub(crate) fn started(&self, program: EvaluatorProgram) -> Result<Evaluation> {
        let patience = self.file.patience.map_or(PATIENCE, Duration::from_secs);
        Ok(Evaluation::start(program, &self.games, patience)?)
    }

    /// Says the lines that the evaluator has written to standard error since the last call of this,
    /// and how many more there were that were not kept.
    pub fn pass_on_messages(&self) {
        let Some(evaluation) = self.evaluation.get() else {
            return;
        };
        let (lines, more) = evaluation.messages();
        for line in lines {
            self.job.say(format_args!("evaluator: {line}"));
        }
        if more > 0 {
            self.job.say(format_args!(
                "evaluator: {more} more lines on standard error, not shown"
            ));
        }
    }

    /// Returns the spec, linked to the evaluation's weights, for a command that reads the data
    /// `named`, or those of tuner.toml if `named` is empty. Missing files of data and mistakes of
    /// the spec are found before anything is built, and said together.
    ///
    /// # Errors
    /// If a file is missing, the spec has mistakes, the evaluation cannot be asked, or spec and
    /// source do not declare the same weights.
    pub fn linked_for(&self, named: &[PathBuf]) -> Result<LinkedSpec> {
        let files = check_files(self.data(named)).err();
        let mut mistakes: Vec<String> = Vec::new();
        mistakes.extend(files.map(|failure| failure.words().to_owned()));
        if let Some(Err(errors)) = self.file.spec.as_ref().map(|path| Spec::load(path)) {
            mistakes.push(errors.to_string());
        }
        if !mistakes.is_empty() {
            return Err(mistakes.join("\n").trim_end().into());
        }
        self.linked()
    }

    /// Returns the spec, linked to the evaluation's weights, and says which weights have other
    /// values in the source than in the spec. Where tuner.toml names no spec, one is made of all
    /// weights that the evaluator lists.
    ///
    /// # Errors
    /// If the evaluation cannot be asked, or spec and source do not declare the same weights.
    pub fn linked(&self) -> Result<LinkedSpec> {
        let weights = self.evaluation()?.weights();
        let mut linked = if let Some(path) = &self.file.spec {
            // The message of an error ends with a command that updates the spec; by its option
            // `--vanished drop`, weights that the source no longer has leave the spec.
            LinkedSpec::new(weights, Spec::load(path)?)
                .map_err(|error| format!("{error}{}", self.import(" --vanished drop")))?
        } else {
            let text = self.spec_of_evaluator()?;
            // The text was generated, so the mistakes are told without their lines.
            let spec = Spec::parse(Path::new(""), &text).map_err(|errors| {
                let mistakes = errors.mistakes.iter().map(|mistake| &*mistake.message);
                format!(
                    "the evaluator's weights: {}\n  correct its answer to `weights`",
                    joined(mistakes, "\n  ")
                )
            });
            LinkedSpec::new(weights, spec?)?
        };
        linked.language = Language::of_word(&self.evaluation()?.about().language);
        self.say_other_values(&linked);
        Ok(linked)
    }

    /// Returns the text of a spec of all weights that the evaluator lists, with their values in the
    /// source as initial values.
    ///
    /// # Errors
    /// If the evaluation cannot be asked, or some entries of a parameter follow other weights,
    /// which only an author can declare in a spec.
    pub fn spec_of_evaluator(&self) -> Result<String> {
        let evaluation = self.evaluation()?;
        spec_of(evaluation.weights(), evaluation.name())
    }

    /// Returns a sentence, on a line of its own, with the command that takes the weights of the
    /// sources over into the spec; empty where tuner.toml does not name both sources and spec.
    /// `more`: further arguments of the command.
    fn import(&self, more: &str) -> String {
        let sources = self.file.sources.iter().map(|path| shell_word(path));
        match &self.file.spec {
            Some(spec) if sources.len() > 0 => format!(
                "\n  the sources' weights become those of the spec by `tuner spec import {} --into {}{more}`",
                joined(sources, " "),
                shell_word(spec)
            ),
            _ => String::new(),
        }
    }

    /// Says which weights have another value in the source than in the spec, by more than
    /// [`NEGLIGIBLE`] (1e-9): a check looks at the values of the source, and a fit starts from
    /// those of the spec.
    fn say_other_values(&self, linked: &LinkedSpec) {
        let (link, layout) = (&linked.link, linked.spec.layout());
        let initial = layout.initial();
        let pairs = link.weights().iter().zip(link.values());
        let mut other: Vec<WeightId> = pairs
            .filter(|&(&weight, &value)| (initial[weight.index()] - value).abs() > NEGLIGIBLE)
            .map(|(&weight, _)| weight)
            .collect();
        other.sort_unstable();
        other.dedup();
        if !other.is_empty() {
            self.job.say(format_args!(
                "other values in the source than in the spec, where a fit starts: {}{}",
                some_names(other.iter().map(|&weight| layout.name(weight))),
                self.import("")
            ));
        }
    }

    /// Returns the data `named`, or those of tuner.toml if `named` is empty.
    pub fn data<'a>(&'a self, named: &'a [PathBuf]) -> &'a [PathBuf] {
        if named.is_empty() {
            &self.file.data
        } else {
            named
        }
    }

    /// Returns the game of the evaluator, which says how its positions are written.
    ///
    /// # Errors
    /// If the evaluator cannot be built or started.
    pub fn game(&self) -> Result<&AnyGame> {
        Ok(self.evaluation()?.game())
    }
}

/// Words that only a shell understands.
const SHELL: [&str; 7] = ["&&", "||", ";", "|", ">", "<", "cd"];

/// Builds a program in `folder` by the command `build` of its section in tuner.toml, if there is
/// one, and returns the command that starts it: what `run` says, or else the executable that cargo
/// reports.
///
/// `what`: the name of the section, `engine` or `evaluator`, for messages; `file`: tuner.toml.
pub(crate) fn build(
    job: &Job,
    program: &ProjectProgram,
    what: &str,
    file: &ProjectFile,
    folder: &Path,
) -> Result<EvaluatorProgram> {
    let name = file.file.display();
    // The words of a command, which is started without a shell: what only a shell understands is
    // refused.
    let words = |command: &str| {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let words = words.ok_or_else(|| {
            format!("{name}: [{what}]: found {command:?}, expected words as a shell has them")
        })?;
        let of_shell = words.iter().find(|word| SHELL.contains(&&***word));
        match of_shell {
            None => Ok(words),
            Some(word) => Err(format!(
                "{name}: [{what}]: found {word:?} in {command:?}, expected a program and its \
                 arguments, which are started without a shell in the folder of this file; write \
                 {:?}",
                format!("sh -c {}", shell_word(Path::new(command)))
            )),
        }
    };
    let built = match &program.build {
        None => None,
        Some(command) => {
            let mut words = words(command)?;
            // Whether cargo is to report what it built, as `run` does not say it.
            let asks = program.run.is_none() && program.is_built_by_cargo();
            if asks {
                // Arguments behind `--` are for rustc.
                let end = (words.iter().position(|word| word == "--")).unwrap_or(words.len());
                words.insert(end, "--message-format=json-render-diagnostics".to_owned());
            }
            run_build(job, &words, command, what, folder, asks)?
        }
    };
    let folder = (!folder.as_os_str().is_empty()).then(|| folder.to_path_buf());
    let command = match (&program.run, built) {
        (Some(command), _) => {
            let mut command = words(command)?;
            // A program in the folder, `./engine`, gets its path from the root of the disk: from
            // which folder a relative one is looked up depends on the system.
            if let Some(folder) = &folder {
                let file = folder.join(&command[0]);
                if command[0].contains('/') && file.is_file() {
                    command[0] = absolute(&file);
                }
            }
            command
        }
        (None, Some(executable)) => vec![executable],
        (None, None) => fail!(
            "{name}: [{what}]: cargo built no program; name one by `--bin NAME` in `build`, or say \
             `run`"
        ),
    };
    Ok(EvaluatorProgram {
        command,
        folder,
        ..EvaluatorProgram::default()
    })
}

/// A message of cargo, as far as it is of interest.
#[derive(Deserialize)]
struct CargoMessage {
    executable: Option<String>,
    /// `path+file:///engine#0.1.0` or `path+file:///engine#name@0.1.0`.
    package_id: Option<String>,
}

/// Chooses among the programs that cargo built the only one, or the one that has the name of its
/// package; returns its file. `made`: the package id and the file of each. `None` if there is no
/// program; fails, with a message, if there are several and the names do not tell which is meant.
fn chosen(mut made: Vec<(String, String)>) -> Result<Option<String>, String> {
    if made.len() < 2 {
        return Ok(made.pop().map(|(_, program)| program));
    }
    let stem = |program: &str| Path::new(program).file_stem().map(ToOwned::to_owned);
    // The package's name is in the id: `path+file:///engine#name@0.1.0`, or, where it is the name
    // of the folder too, `path+file:///engine#0.1.0`.
    let is_named = |(id, program): &(String, String)| {
        let (folder, version) = id.rsplit_once('#').unwrap_or_default();
        let folder = folder.rsplit('/').next().unwrap_or_default();
        let package = version.split_once('@').map_or(folder, |(name, _)| name);
        stem(program).is_some_and(|stem| stem == package)
    };
    if let Some(at) = made.iter().position(is_named) {
        return Ok(Some(made.swap_remove(at).1));
    }
    let names = (made.iter()).filter_map(|(_, program)| Some(stem(program)?.display().to_string()));
    Err(format!(
        "cargo built the programs {}; name one by `--bin NAME` in `build`, or say `run`",
        joined(names, ", ")
    ))
}

/// Returns a path as one from the root of the disk, as text; unchanged where that cannot be found.
/// Symbolic links stay in it.
pub(crate) fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.display().to_string()
}

/// Runs a build in `folder`, and passes what it writes on to the observer of the job as it comes.
/// `words`: the command; `typed`: its text in the section `what` of tuner.toml, for messages.
/// `asks`: whether the command makes cargo report in JSON what it built; then the program's file is
/// returned, or `None` if no program was built. Without `asks` it is `None`.
///
/// Not passed on are cargo's line `Finished`, and the warnings that cargo repeats of a build that
/// is up to date; these are passed on if the build fails.
fn run_build(
    job: &Job,
    words: &[String],
    typed: &str,
    what: &str,
    folder: &Path,
    asks: bool,
) -> Result<Option<String>> {
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .stdin(Stdio::null())
        // What a build writes must not get into the standard output of this process.
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if !folder.as_os_str().is_empty() {
        command.current_dir(folder);
    }
    if job.observer.is_coloured() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let failed = |words: String| Failure::Error(format!("[{what}] build: {typed}: {words}"));
    let mut child = command
        .spawn()
        .map_err(|error| failed(format!("does not start: {error}")))?;
    let stderr = child.stderr.take();
    let is_cargo = words[0] == "cargo";
    // Whether it is a copy with other weights, by the name of the folder of all copies.
    let is_copy = (folder.components()).any(|part| part.as_os_str() == crate::copies::FOLDER);
    let heard = job.clone();
    // A thread of its own reads standard error, as a full pipe would stop the build.
    let shown = thread::spawn(move || pass_on(stderr, &heard, is_cargo, is_copy));
    // The package id and the file of each program that cargo reports; lines that are not such a
    // report are passed over.
    let mut made = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if !asks {
                job.say_built([line]);
                continue;
            }
            let message: Option<CargoMessage> = serde_json::from_str(&line).ok();
            let program = message.and_then(|made| Some((made.package_id?, made.executable?)));
            made.extend(program);
        }
    }
    let status = child.wait();
    // If the thread panicked, it is as if it had held back nothing.
    let (held, is_unlinked) = shown.join().unwrap_or_default();
    match status {
        Ok(status) if status.success() => chosen(made).map_err(failed),
        Ok(status) => {
            job.say_built(held);
            let there = if folder.as_os_str().is_empty() {
                String::new()
            } else {
                format!("cd {} && ", shell_word(folder))
            };
            let has = |name: &str| folder.join("src").join(name).exists();
            let cure = if is_unlinked && has("lib.rs") && has("main.rs") {
                "; cargo links what a build script names with the library alone: write `extern crate NAME as _;` in \
                 src/main.rs, with the library's name"
            } else {
                ""
            };
            Err(failed(format!(
                "{status}; what the compiler said is above, and `{there}{typed}` says it again{cure}"
            )))
        }
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Passes the lines that a build writes to standard error on to the observer of `job`, without
/// cargo's line `Finished`, until the build closes the pipe. Returns the lines that were held back
/// to the end, and whether the linker missed a symbol.
///
/// Held back are warnings, until something is compiled, as cargo repeats those of a build that is
/// up to date. `is_cargo`: whether cargo builds; else nothing is held back, as it is not known when
/// something is compiled. `is_copy`: whether a copy with other weights is built; then cargo's
/// warnings are held back to the end, as they were said of the author's own sources.
fn pass_on(
    stderr: Option<ChildStderr>,
    job: &Job,
    is_cargo: bool,
    is_copy: bool,
) -> (Vec<String>, bool) {
    let lines = stderr.into_iter();
    let lines = lines.flat_map(|pipe| BufReader::new(pipe).lines());
    // `is_warning`: whether the line is of a warning, which ends with an empty line.
    let (mut held, mut is_warning, mut compiles) = (Vec::new(), false, !is_cargo);
    let mut is_unlinked = false;
    for line in lines.map_while(Result::ok) {
        is_unlinked |= line.contains("undefined symbol") || line.contains("undefined reference");
        compiles |= !is_copy && line.contains("Compiling");
        is_warning = (is_warning && !line.is_empty()) || line.contains("warning");
        if is_warning && !compiles {
            held.push(line);
            continue;
        }
        if compiles {
            job.say_built(held.drain(..));
        }
        // As long as nothing is compiled, empty lines only end warnings that were held back.
        if !line.contains("Finished") && (compiles || !line.is_empty()) {
            job.say_built([line]);
        }
    }
    (held, is_unlinked)
}

/// A spec as it is written.
#[derive(Serialize)]
struct WrittenSpec {
    version: u32,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<WrittenOutput>,
    parameter: Vec<WrittenParameter>,
}

/// The table `[output]` of a spec.
#[derive(Serialize)]
struct WrittenOutput {
    integer: &'static str,
}

/// A table `[[parameter]]` of a spec.
#[derive(Serialize)]
struct WrittenParameter {
    name: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shape: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    phases: Vec<String>,
    step: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<Vec<toml::Value>>,
    initial: toml::Value,
}

/// Differences of values below this are ignored: a spec has at most nine digits behind the point.
const NEGLIGIBLE: f64 = 1e-9;

/// The fewest and the most digits behind the point of weights, where one is not whole.
const DECIMALS: (usize, usize) = (4, 9);

/// Returns the text of a spec of the weights that an evaluator lists, with their values as initial
/// values. `name`: the evaluation's name; the spec's name keeps its letters and digits, and has `_`
/// for other characters. A parameter with values that are not whole gets a step of as many digits
/// behind the point as the values have, within [`DECIMALS`] (4 to 9). Fails where entries of a
/// parameter follow other weights, as only an author can declare that in a spec.
pub(crate) fn spec_of(weights: &WeightTable, name: &str) -> Result<String> {
    let identifier: String = (name.chars())
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let identifier = identifier.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let identifier = if identifier.is_empty() {
        "engine"
    } else {
        identifier
    };
    let is_small = |value: &f64| value.abs() <= f64::from(i32::MAX);
    // Whether a value does not fit into 32 bits, so that generated code needs integers of 64 bits.
    let is_wide = !weights.values().iter().all(is_small);
    let mut parameters = Vec::new();
    for parameter in &weights.parameters {
        if !parameter.places.is_empty() {
            let words = "has entries that are no weights of their own; a spec says what they follow: \
                         write one, and name it in tuner.toml (`spec = …`)";
            fail!("{}: {words}", parameter.name);
        }
        // Numbers of one entry, a phase each: 0 or 1 without phases.
        let lanes = parameter.lanes;
        let phases: Vec<String> = match lanes {
            0 | 1 => Vec::new(),
            2 => ["mg", "eg"].map(str::to_owned).to_vec(),
            lanes => (0..lanes).map(|lane| format!("phase{lane}")).collect(),
        };
        let mut lengths = parameter.shape.clone();
        lengths.extend((lanes > 1).then_some(lanes));
        let is_whole = parameter.values.iter().all(|value| value.fract() == 0.0);
        let decimals = parameter.values.iter().map(|value| {
            let text = value.to_string();
            text.split_once('.').map_or(0, |(_, behind)| behind.len())
        });
        let decimals = decimals.max().unwrap_or_default();
        let decimals = decimals.clamp(DECIMALS.0, DECIMALS.1);
        // The values, rounded to that many digits; whole ones stay as they are.
        let values = parameter.values.iter();
        let values = values.map(|value| format!("{value:.decimals$}").parse().unwrap_or(*value));
        let values: Vec<f64> = values.collect();
        parameters.push(WrittenParameter {
            name: parameter.name.clone(),
            shape: parameter.shape.clone(),
            phases,
            step: (!is_whole).then(|| 10_f64.powi(-(decimals as i32))),
            bounds: (parameter.bounds).map(|ends| ends.map(|end| nested(&[], &[end])).to_vec()),
            initial: nested(&lengths, &values),
        });
    }
    Ok(toml::to_string(&WrittenSpec {
        version: 1,
        name: identifier.to_owned(),
        output: is_wide.then_some(WrittenOutput { integer: "i64" }),
        parameter: parameters,
    })?)
}

/// Returns values as nested arrays of TOML, in which whole values are integers. `lengths`: those of
/// the axes, the outermost first; empty for a single value, which is not an array and is 0 if
/// `values` is empty. `values`: in row-major order, the last axis fastest.
fn nested(lengths: &[usize], values: &[f64]) -> toml::Value {
    match (lengths, values) {
        // `max(1)`: a list without values has no chunks, but the size of a chunk must not be 0.
        ([length, inner @ ..], _) => (values.chunks((values.len() / length).max(1)))
            .map(|row| nested(inner, row))
            .collect::<Vec<_>>()
            .into(),
        ([], [value, ..]) if value.fract() != 0.0 => (*value).into(),
        ([], _) => (values.first().copied().unwrap_or(0.0) as i64).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::chosen;

    #[test]
    fn of_several_programs_the_packages_is_chosen() {
        let made = |list: &[(&str, &str)]| {
            let own = |&(id, program): &(&str, &str)| (id.to_owned(), program.to_owned());
            chosen(list.iter().map(own).collect())
        };
        assert_eq!(made(&[]), Ok(None));
        let one = made(&[("path+file:///a/wren#0.1.0", "/t/other")]);
        assert_eq!(one, Ok(Some("/t/other".to_owned())));
        for id in ["path+file:///a/wren#0.1.0", "path+file:///a/x#wren@0.1.0"] {
            let found = made(&[(id, "/t/tune"), (id, "/t/wren"), (id, "/t/magics")]);
            assert_eq!(found, Ok(Some("/t/wren".to_owned())));
        }
        let words = made(&[("p#wren@1.0.0", "/t/a"), ("p#wren@1.0.0", "/t/b")]);
        assert!(words.is_err_and(|words| words.contains("the programs a, b; name one by `--bin")));
    }
}
