//! `tuner.toml`: what the tuner knows of the engine in a folder.

use std::path::{Path, PathBuf};

use super::diagnostic::{SpecErrors, TextPlace};
use super::read::{At, Field, Read, Value, section};
use super::toml_text;

/// The name of the file.
pub const PROJECT_FILE: &str = "tuner.toml";

section! {
    /// What the tuner knows of an engine.
    RawProject
    required {
        /// How its evaluator is built and started.
        evaluator: RawEvaluator,
    }
    optional {
        /// The spec; without it the weights of the evaluator are the spec.
        spec: String,
        /// Files and folders that declare the weights.
        sources: Vec<At<String>>,
        /// Positions that commands take where none are named.
        data: Vec<At<String>>,
        /// How positions are written, as `--game` has it; the evaluator is asked without it.
        game: String,
        /// The engine itself, for games.
        engine: RawEngine,
    }
}

section! {
    /// A program that answers questions about the evaluation.
    RawEvaluator
    required {}
    optional {
        /// A command that builds it, before each use.
        build: String,
        /// The command that starts it.
        run: String,
        /// The command that starts a UCI program whose options are the weights.
        uci: String,
        /// Names of these options; `*` stands for any letters.
        weights: Vec<At<String>>,
        /// What it is told for a score.
        ask: String,
        /// The words that it answers, `*` where the score stands.
        score: String,
        /// A score of 1, in centipawns.
        unit: i64,
        /// Whose view scores have.
        view: String,
        /// Seconds that an answer may take.
        patience: i64,
    }
}

section! {
    /// The engine itself.
    RawEngine
    required {}
    optional {
        /// A command that builds it.
        build: String,
        /// The command that starts it.
        run: String,
        /// What it speaks.
        protocol: String,
        /// The option that takes the name of a file of weights.
        weights_option: String,
        /// Options that it is told, `NAME=VALUE`.
        options: Vec<At<String>>,
    }
}

/// The content of `tuner.toml`, with paths as seen from where the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFile {
    /// The file itself.
    pub file: PathBuf,
    /// The spec, if there is one.
    pub spec: Option<PathBuf>,
    /// Files and folders that declare the weights.
    pub sources: Vec<PathBuf>,
    /// Positions that commands take where no data are named, each perhaps with options:
    /// `FILE:OPTION=VALUE`.
    pub data: Vec<PathBuf>,
    /// How positions are written; `None`: as the evaluator says.
    pub game: Option<String>,
    /// The evaluator.
    pub evaluator: ProjectProgram,
    /// How the evaluator is asked, if it is a UCI program.
    pub uci: Option<ProjectUci>,
    /// Seconds that an answer of the evaluator may take; `None`: the default.
    pub patience: Option<u64>,
    /// The engine itself; `None` without a section `[engine]`.
    pub engine: Option<ProjectEngine>,
}

/// How a program is built and started; commands as a shell would cut them, run in the folder of
/// the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectProgram {
    /// The command that builds it.
    pub build: Option<String>,
    /// The command that starts it; `None` where `build` is cargo's, which says what it built.
    pub run: Option<String>,
}

/// A UCI program as an evaluator: its options are the weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectUci {
    /// Names of options, `*` for any letters.
    pub weights: Vec<String>,
    /// The command for a score.
    pub ask: String,
    /// The words of the answer, in which `*` is where the score is.
    pub score: String,
    /// A score of 1, in centipawns, at least 1.
    pub unit: i64,
    /// Whose view scores have, `first-player` or `side-to-move`.
    pub view: String,
}

/// The engine itself, for games by a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectEngine {
    /// How it is built and started.
    pub program: ProjectProgram,
    /// `uci` or `usi`.
    pub protocol: String,
    /// The option that takes the name of a file of weights, such as `weights.txt`.
    pub weights_option: Option<String>,
    /// Options that it is told: names and values.
    pub options: Vec<(String, String)>,
}

impl ProjectFile {
    /// Reads the `tuner.toml` in a folder.
    ///
    /// # Errors
    /// All mistakes in the file, with their places; or that it cannot be read.
    pub fn load(folder: &Path) -> Result<Self, SpecErrors> {
        let file = folder.join(PROJECT_FILE);
        let text = std::fs::read_to_string(&file)
            .map_err(|error| SpecErrors::unreadable(&file, &error))?;
        Self::parse(&file, &text)
    }

    /// Finds the nearest folder with a `tuner.toml`: `from` or one above it; `None` if there is no
    /// such folder.
    pub fn folder_of(from: &Path) -> Option<PathBuf> {
        let mut folders = from.ancestors();
        folders
            .find(|folder| folder.join(PROJECT_FILE).is_file())
            .map(Path::to_path_buf)
    }

    /// Reads the text of a `tuner.toml`. `file`: its path, which errors name, and to which paths in
    /// the text are relative.
    ///
    /// # Errors
    /// All mistakes in the text, with their places.
    pub fn parse(file: &Path, text: &str) -> Result<Self, SpecErrors> {
        toml_text::read(file, text, |raw, _| checked(file, &raw))
    }

    /// Returns the folder of the `tuner.toml`, in which its commands run, and to which its paths
    /// are relative; empty for the current folder.
    pub fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new(""))
    }
}

/// Turns the sections of a `tuner.toml` into what they mean; paths in it become paths that begin
/// with its folder. `file`: its path. Notes mistakes; `None` if there is no section `[evaluator]`
/// that can be read.
fn checked(file: &Path, raw: &RawProject) -> Option<ProjectFile> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let paths = |field: &Field<Vec<At<String>>>| -> Vec<PathBuf> {
        let list = field.entries().iter();
        list.map(|path| folder.join(&path.value)).collect()
    };
    let At { place, value: of } = raw.evaluator.get()?;
    let uci = uci(place, of);
    // The key `uci` is the command of a UCI program, in place of `run`.
    let run = if of.uci.get().is_some() {
        &of.uci
    } else {
        &of.run
    };
    let evaluator = program("evaluator", place, &of.build, run);
    let patience = of.patience.get().and_then(|At { place, value }| {
        if (1..=86_400).contains(value) {
            return Some(value.unsigned_abs());
        }
        let (found, expected) = (format!("found {value}"), "seconds, from 1 to 86400");
        place.refuse(found, expected, "correct the number")
    });
    let engine = raw.engine.get().map(|At { place, value: of }| {
        let program = program("engine", place, &of.build, &of.run);
        let known = ["uci", "usi"].map(|name| (name, name));
        let protocol = of.protocol.get();
        let protocol =
            protocol.and_then(|name| name.among("found the protocol", &known, "correct the name"));
        ProjectEngine {
            program,
            protocol: protocol.unwrap_or("uci").to_owned(),
            weights_option: of.weights_option.value(),
            options: options(of.options.entries()),
        }
    });
    Some(ProjectFile {
        file: file.to_owned(),
        spec: raw.spec.value().map(|spec| folder.join(spec)),
        sources: paths(&raw.sources),
        data: paths(&raw.data),
        game: raw.game.value(),
        evaluator,
        uci,
        patience,
        engine,
    })
}

/// Returns the names and values of options of an engine, which are written as `NAME=VALUE`, in one
/// line each. An entry that is written in another way is noted and left out.
fn options(entries: &[At<String>]) -> Vec<(String, String)> {
    let pair = |At { place, value }: &At<String>| match value.split_once('=') {
        Some((name, text)) if !name.trim().is_empty() && !value.contains(['\n', '\r']) => {
            Some((name.trim().to_owned(), text.trim().to_owned()))
        }
        _ => {
            let found = format!("found {}", tuner_base::quote(value));
            place.refuse(found, "an option, NAME=VALUE", "write such as \"Hash=4\"")
        }
    };
    entries.iter().filter_map(pair).collect()
}

/// Returns how a UCI program is asked for scores, by the keys of the section `[evaluator]`, with
/// defaults for keys that are missing; `None` without the key `uci`. Notes mistakes: without `uci`
/// the first key that makes sense only with it; with `uci` a key `run` as well, no `weights`, a
/// `score` without exactly one `*`, a `unit` below 1, and an unknown `view`. `place`: that of the
/// section.
fn uci(place: &TextPlace, of: &RawEvaluator) -> Option<ProjectUci> {
    if of.uci.get().is_none() {
        let keys = [
            ("ask", of.ask.get().is_some()),
            ("score", of.score.get().is_some()),
            ("view", of.view.get().is_some()),
            ("unit", of.unit.get().is_some()),
            ("weights", of.weights.get().is_some()),
        ];
        if let Some((key, _)) = keys.iter().find(|(_, is_there)| *is_there) {
            let found = format!("found `{key}` without `uci`");
            let expected = "`uci = \"./engine\"`, which it is about";
            place.note(found, expected, "add it, or take the key out");
        }
        return None;
    }
    if of.run.get().is_some() {
        let found = "found both `run` and `uci`";
        place.note(found, "one way to start it", "take one of them out");
    }
    let names = of.weights.entries().iter();
    let names: Vec<String> = names.map(|name| name.value.clone()).collect();
    if names.is_empty() {
        let expected = "`weights`, the names of the options that are weights, `*` for any letters";
        let found = "found `uci` alone";
        place.note(found, expected, "add `weights = [\"Pawn*\", …]`");
    }
    let score = of.score.value();
    // A search answers for the player to move, `eval` mostly for White.
    let (ask, view) = match score {
        None => ("go depth 1", "side-to-move"),
        Some(_) => ("eval", "first-player"),
    };
    let score = score.unwrap_or_else(|| "score cp *".to_owned());
    if let Some(At { place, .. }) = of.score.get().filter(|_| score.matches('*').count() != 1) {
        let expected = "words with one `*`, where the number stands";
        let cure = "write `Final evaluation * (white side)`, say";
        place.note(format!("found {score:?}"), expected, cure);
    }
    if let Some(At { place, value }) = of.unit.get().filter(|unit| unit.value < 1) {
        let expected = "a score of 1 in centipawns, at least 1";
        place.note(format!("found {value}"), expected, "correct the number");
    }
    let known = ["first-player", "side-to-move"].map(|name| (name, name));
    let named = of.view.get();
    let named = named.and_then(|name| name.among("found the view", &known, "correct it"));
    Some(ProjectUci {
        weights: names,
        ask: of.ask.value().unwrap_or_else(|| ask.to_owned()),
        score,
        unit: of.unit.value().unwrap_or(1),
        view: named.unwrap_or(view).to_owned(),
    })
}

/// Returns the commands that build and start a program, and notes a mistake if nothing says how it
/// is started. `of`: its name in messages, `engine` or `evaluator`; `at`: the place of its section
/// in tuner.toml.
fn program(of: &str, at: &TextPlace, build: &Field<String>, run: &Field<String>) -> ProjectProgram {
    let (build, run) = (build.value(), run.value());
    let program = ProjectProgram { build, run };
    if program.run.is_none() && !program.is_built_by_cargo() {
        let found = format!("nothing says how the {of} is started");
        let expected = "`run`, or a `build` by `cargo build`, which says what it built";
        at.note(found, expected, "add `run = \"…\"`");
    }
    program
}

impl ProjectProgram {
    /// Tells whether the command that builds the program is a `cargo build`, which can report which
    /// program it built.
    pub fn is_built_by_cargo(&self) -> bool {
        let mut words = self.build.iter().flat_map(|build| build.split_whitespace());
        words.next() == Some("cargo") && words.any(|word| word == "build")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;

    #[test]
    fn a_file_is_read_with_paths_of_its_folder() {
        let text = "spec = \"wren.toml\"\nsources = [\"src\"]\ndata = [\"a.epd:limit=3\"]\n\
                    [evaluator]\nbuild = \"cargo build --release\"\npatience = 5\n\
                    [engine]\nrun = \"./wren\"\noptions = [\"Hash=4\"]\n";
        let read = ProjectFile::parse(Path::new("wren/tuner.toml"), text).unwrap();
        assert_eq!(read.folder(), Path::new("wren"));
        assert_eq!(read.spec, Some(PathBuf::from("wren/wren.toml")));
        assert_eq!(read.data, [PathBuf::from("wren/a.epd:limit=3")]);
        assert_eq!(read.patience, Some(5));
        assert!(read.evaluator.is_built_by_cargo());
        let engine = read.engine.unwrap();
        assert_eq!(engine.protocol, "uci");
        assert_eq!(engine.options, [("Hash".to_owned(), "4".to_owned())]);
    }

    #[test]
    fn all_mistakes_are_told_with_their_places() {
        let text = "specs = \"wren.toml\"\ndata = 3\n[evaluator]\nbuild = \"make\"\n\
                    patience = 0\n[engine]\nprotocol = \"xboard\"\noptions = [\"Hash 4\"]\n";
        let errors = ProjectFile::parse(Path::new("tuner.toml"), text).unwrap_err();
        let words = errors.to_string();
        for part in [
            "tuner.toml:1:1: unknown key `specs`",
            "tuner.toml:2:8: found the number `3`",
            "nothing says how the evaluator is started",
            "tuner.toml:5:12: found 0; expected seconds",
            "nothing says how the engine is started",
            "found the protocol `xboard`; expected `uci` or `usi`",
            "tuner.toml:8:12: found \"Hash 4\"; expected an option, NAME=VALUE",
        ] {
            assert!(words.contains(part), "{part}\n{words}");
        }
        for unit in [0, -5] {
            let text =
                format!("[evaluator]\nuci = \"./wren\"\nweights = [\"P*\"]\nunit = {unit}\n");
            let words = ProjectFile::parse(Path::new("tuner.toml"), &text).unwrap_err();
            let expected = format!("tuner.toml:4:8: found {unit}; expected a score of 1");
            assert!(words.to_string().contains(&expected), "{words}");
        }
        let words = ProjectFile::parse(Path::new("tuner.toml"), "").unwrap_err();
        assert!(words.to_string().contains("key `evaluator` is missing"));
    }
}
