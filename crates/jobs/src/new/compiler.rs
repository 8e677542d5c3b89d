//! What the compiler says of the engine with its twin: `cargo check`, read.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use std::{fs, thread};

use crate::{Failure, Job, Result};
use tempfile::NamedTempFile;

/// The environment variable that asks the macros for cures in a form that [`Cure::read`] takes. Its
/// value is the files that the author traced, a line each.
const ASKED: &str = "TUNER_CURES";

/// How often a running cargo is looked at; chosen.
const LOOK: Duration = Duration::from_millis(20);

/// The beginning of a line of cures, behind the line of their mistake.
const CURES: &str = "cures: ";

/// Something that does not compile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mistake {
    /// The message, which begins with its file and line where they are known.
    pub(super) text: String,
    /// The file and the line of what a macro has found; `None` of other errors.
    pub(super) place: Option<(PathBuf, usize)>,
    /// The file and the line in which the compiler sees it; for what a macro found, those of its
    /// call.
    pub(super) seen: Option<(PathBuf, usize)>,
    pub(super) cures: Vec<Cure>,
}

/// An annotation that cures a mistake, as the macros name it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Cure {
    /// `freeze`: one of the consts of these names is not a weight.
    Freeze(Vec<String>),
    /// `nonlinear`: the file may be nonlinear, where the score comes from the consts of these
    /// names.
    Nonlinear(Vec<String>),
    /// `trace`: the file of the item of this name is to be traced; or else the weight that it
    /// reads, the second name, is frozen.
    Trace(String, Option<String>),
    /// `untrace`: the items of these names get no twin.
    Untrace(Vec<String>),
}

/// An engine that is checked by cargo with its evaluator's manifest, so that what is built here
/// serves the evaluator too.
#[derive(Debug)]
pub(super) struct Compiler<'a> {
    /// Says when the user wants it to end.
    pub(super) job: &'a Job,
    pub(super) folder: &'a Path,
    /// The path of the evaluator's Cargo.toml, from `folder`.
    pub(super) evaluator: String,
    /// The name of the engine's package.
    pub(super) package: &'a str,
    /// The paths of the files that the author traced, a line each.
    pub(super) own: String,
}

impl Compiler<'_> {
    /// Runs `cargo check` on the library of the engine's package; returns all mistakes.
    ///
    /// # Errors
    /// If cargo cannot be run, fails before it compiles, or the job was interrupted.
    pub(super) fn check_library(&self) -> Result<Vec<Mistake>> {
        // A dependency may have the name of the engine's package. So cargo is first asked for the
        // package's id, which is unique.
        let metadata = ["metadata", "--quiet", "--no-deps", "--format-version=1"];
        let output = self.cargo(&metadata)?;
        let all: serde_json::Value = serde_json::from_slice(&output.stdout)
            .map_err(|_| unasked(&String::from_utf8_lossy(&output.stderr)))?;
        let mut packages = all["packages"].as_array().into_iter().flatten();
        let own = packages.find(|package| package["name"] == self.package);
        // A package that cargo does not list is called by its name; cargo then says what is wrong.
        let id = own.and_then(|own| own["id"].as_str());
        self.check(&["--package", id.unwrap_or(self.package), "--lib"])
    }

    /// Runs `cargo check` with the evaluator's manifest and further arguments, such as the package
    /// that is checked; returns all mistakes.
    ///
    /// # Errors
    /// If cargo cannot be run, fails before it compiles, or the job was interrupted.
    pub(super) fn check(&self, arguments: &[&str]) -> Result<Vec<Mistake>> {
        let check = ["check", "--release", "--quiet", "--message-format=json"];
        let evaluator = ["--manifest-path", &self.evaluator];
        let output = self.cargo(&[&check[..], &evaluator, arguments].concat())?;
        // Of a package outside of the current one cargo names absolute paths; they are made
        // relative to the engine's folder, which is there, as cargo ran in it.
        let folder = self.folder.canonicalize().unwrap_or_default();
        let folder = format!("\"{}/", folder.display());
        let mistakes = read(&String::from_utf8_lossy(&output.stdout).replace(&folder, "\""));
        if output.status.success() || !mistakes.is_empty() {
            return Ok(mistakes);
        }
        let words = String::from_utf8_lossy(&output.stderr);
        Err(unasked(&words).into())
    }

    /// Runs cargo in the engine's folder and returns its output, whether or not cargo succeeded. By
    /// an environment variable the macros are asked for cures of the mistakes that they find. If
    /// the user interrupts, cargo is ended and the interruption is the failure.
    fn cargo(&self, arguments: &[&str]) -> Result<Output> {
        // Output goes to files: while cargo runs it is not read, and a full pipe would stop cargo.
        let (stdout, stderr) = (NamedTempFile::new()?, NamedTempFile::new()?);
        let mut child = Command::new("cargo")
            .args(arguments)
            .current_dir(self.folder)
            .env(ASKED, &self.own)
            .stdin(Stdio::null())
            .stdout(stdout.reopen()?)
            .stderr(stderr.reopen()?)
            .spawn()
            .map_err(|error| format!("cargo: {error}; is cargo in the PATH?"))?;
        let status = loop {
            // Ctrl-C ends cargo as well, so whether cargo has ended is asked first: an end that
            // comes from Ctrl-C is then seen as an interruption.
            let ended = child.try_wait()?;
            if self.job.is_interrupted() {
                let _ = child.kill();
                child.wait()?;
                let words = "while the compiler was asked; the sources are as they were";
                return Err(Failure::Interrupted(words.to_owned()));
            }
            if let Some(status) = ended {
                break status;
            }
            thread::sleep(LOOK);
        };
        Ok(Output {
            status,
            stdout: fs::read(stdout.path())?,
            stderr: fs::read(stderr.path())?,
        })
    }
}

/// Returns the message where cargo failed before it compiled anything. `words`: what cargo wrote to
/// its standard error. A cure is added where the engine asks for a compiler that is not installed.
fn unasked(words: &str) -> String {
    // Rustup may add a backtrace of its own, which helps nobody.
    let words = words.split("\n\nStack backtrace:").next();
    let words = words.unwrap_or_default().trim_end();
    let cure = if words.contains("toolchain '") {
        "\nthe engine's rust-toolchain names a compiler that is not here, and Tuner needs Rust 1.95 or \
         later: move that file away, or name a newer one in it"
    } else {
        ""
    };
    format!("cargo check:\n{words}{cure}")
}

/// Reads the errors among the messages of cargo, which are a JSON object a line; other messages are
/// passed over. A macro puts all mistakes that it found in a file into one error: a line each, and
/// behind some of them a line of cures, `cures: freeze A; nonlinear A`.
fn read(lines: &str) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = Vec::new();
    for line in lines.lines() {
        let Ok(found) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let message = &found["message"];
        let (text, level) = (&message["message"], &message["level"]);
        let (Some(text), Some("error")) = (text.as_str(), level.as_str()) else {
            continue;
        };
        // The compiler's last error only counts the others.
        if text.starts_with("aborting due to") {
            continue;
        }
        let spans = message["spans"].as_array();
        let spans = spans.into_iter().flatten();
        // The file and the line that the compiler shows for the error.
        let place = spans
            .filter(|span| span["is_primary"] == true)
            .find_map(|span| Some((span["file_name"].as_str()?, span["line_start"].as_u64()?)));
        for line in text.lines() {
            match line.strip_prefix(CURES) {
                Some(cures) => {
                    if let Some(last) = mistakes.last_mut() {
                        last.cures.extend(cures.split("; ").filter_map(Cure::read));
                    }
                }
                None => mistakes.push(mistake(line, place)),
            }
        }
    }
    // A mistake that is reported twice in a row counts once.
    mistakes.dedup();
    mistakes
}

/// Makes a mistake of a line of an error. If a macro found it, the line begins with file, line and
/// column, `src/eval.rs:41:32: …`; if the compiler itself did, the line does not, and `place`, the
/// file and line that the compiler shows, is written before it.
fn mistake(line: &str, place: Option<(&str, u64)>) -> Mistake {
    let mut parts = line.splitn(4, ':');
    let own = (parts.next()).zip(parts.next().and_then(|line| line.parse().ok()));
    // The place that the line itself begins with: a name that ends with `.rs`, and a number.
    let own = own.filter(|(file, _)| file.split('.').next_back() == Some("rs"));
    let text = match place {
        Some((file, line_number)) if own.is_none() => format!("{file}:{line_number}: {line}"),
        _ => line.to_owned(),
    };
    Mistake {
        text,
        place: own.map(|(file, line)| (PathBuf::from(file), line)),
        seen: place.map(|(file, line)| (PathBuf::from(file), line as usize)),
        cures: Vec::new(),
    }
}

impl Cure {
    /// Reads a cure as the macros write it, a kind and names, such as `freeze A B`; `None` if the
    /// kind is unknown, or if `trace` has no name behind it.
    fn read(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let kind = words.next()?;
        let names: Vec<String> = words.map(str::to_owned).collect();
        Some(match kind {
            "freeze" => Self::Freeze(names),
            "nonlinear" => Self::Nonlinear(names),
            "trace" => Self::Trace(names.first()?.clone(), names.get(1).cloned()),
            "untrace" => Self::Untrace(names),
            _ => return None,
        })
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    reason = "a test that says what is wrong by failing"
)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_missing_is_told_with_the_cure() {
        let words =
            unasked("error: toolchain '1.77' is not installed\n\nStack backtrace:\n   0: anyhow");
        assert!(words.contains("move that file away") && !words.contains("anyhow"));
        assert_eq!(unasked("error: x\n"), "cargo check:\nerror: x");
    }

    /// A dependency may have the engine's name, and a folder any characters.
    #[test]
    fn the_engine_is_checked_by_its_place() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("an engine, 100% é#1?");
        let crates = [
            (
                "",
                "own = { package = \"wren\", path = \"../dep\" }\n",
                "compile_error!(\"own\");",
            ),
            ("../dep", "", ""),
            (
                "tuner",
                "wren = { path = \"..\" }\n",
                "compile_error!(\"program\");",
            ),
        ];
        for (number, (place, dependencies, text)) in crates.into_iter().enumerate() {
            let place = folder.join(place);
            std::fs::create_dir_all(place.join("src")).unwrap();
            let name = if text.contains("program") {
                "program"
            } else {
                "wren"
            };
            let manifest = format!(
                "[package]\nname = \"{name}\"\nversion = \"0.{number}.0\"\nedition = \"2021\"\n\
                 [workspace]\n[dependencies]\n{dependencies}"
            );
            std::fs::write(place.join("Cargo.toml"), manifest).unwrap();
            std::fs::write(place.join("src/lib.rs"), text).unwrap();
        }
        let compiler = Compiler {
            job: &Job::default(),
            folder: &folder,
            evaluator: "tuner/Cargo.toml".to_owned(),
            package: "wren",
            own: String::new(),
        };
        let found = compiler.check_library().unwrap();
        let found: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(found, ["src/lib.rs:1: own"]);
    }

    #[test]
    fn what_a_macro_found_is_read_line_by_line_with_its_cures() {
        let of = |text: &str| {
            serde_json::json!({"message": {"message": text, "level": "error", "spans": [
                {"is_primary": true, "file_name": "src/eval.rs", "line_start": 90}
            ]}})
            .to_string()
        };
        let found = "src/eval.rs:41:32: `min` of a score is not linear; write it\n\
            cures: freeze A B; nonlinear A B; untrace print; trace f A\n\
            src/a:b.rs: this has no line\nsrc/eval.rs:50:1: no cure";
        let lines = [of(found), "no JSON".to_owned(), of("mismatched types")].join("\n");
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let own = |line| Some((PathBuf::from("src/eval.rs"), line));
        let expected = [
            (
                "src/eval.rs:41:32: `min` of a score is not linear; write it",
                own(41),
                vec![
                    Cure::Freeze(names(&["A", "B"])),
                    Cure::Nonlinear(names(&["A", "B"])),
                    Cure::Untrace(names(&["print"])),
                    Cure::Trace("f".to_owned(), Some("A".to_owned())),
                ],
            ),
            (
                "src/eval.rs:90: src/a:b.rs: this has no line",
                None,
                Vec::new(),
            ),
            ("src/eval.rs:50:1: no cure", own(50), Vec::new()),
            ("src/eval.rs:90: mismatched types", None, Vec::new()),
        ];
        let expected = expected.map(|(text, place, cures)| Mistake {
            text: text.to_owned(),
            place,
            seen: own(90),
            cures,
        });
        assert_eq!(read(&lines), expected);
    }
}
