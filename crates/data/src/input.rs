//! Where text comes from.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{AnyGame, Format};
use crate::{Perspective, ScoreUnit, StatedScores};

/// A source of labelled positions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A file, plain or compressed.
    File(PathBuf),
    /// Standard input, plain or compressed.
    Stdin,
    /// Bytes in memory, plain or compressed: a data set within the program.
    Embedded {
        /// Its name in messages.
        name: &'static str,
        /// The bytes.
        bytes: &'static [u8],
    },
}

/// Options of one input that override the common ones, unless they are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InputOptions {
    /// The format of the input; `None`: it is recognised by its beginning.
    pub format: Option<Format>,
    /// Whose view its results have, and its scores if nothing is said of them.
    pub perspective: Option<Perspective>,
    /// Whose view its scores have, and their unit.
    pub scores: StatedScores,
    /// How often each of its positions counts; by default once.
    pub weight: Option<f64>,
    /// How many positions are taken from its beginning; by default all.
    pub limit: Option<u64>,
    /// Whether its results and its scores have the other sign.
    pub reversed: [bool; 2],
}

impl InputOptions {
    /// The options that may follow the name of a file.
    pub const NAMES: [&str; 9] = [
        "format",
        "limit",
        "perspective",
        "results",
        "results-from-scores",
        "score-perspective",
        "score-unit",
        "scores",
        "weight",
    ];

    /// Takes the option of one input that is written `name=value`; `false` if no option has this
    /// name. The error, in words, is of a value that the option cannot have, or of an option that
    /// has been given already.
    fn set(&mut self, game: &AnyGame, name: &str, value: &str) -> Result<bool, String> {
        let twice = match name {
            "format" => (self.format.replace(Format::named(game, value)?)).is_some(),
            "perspective" => self.perspective.replace(perspective(value)?).is_some(),
            "score-perspective" => {
                let perspective = perspective(value)?;
                self.scores.perspective.replace(perspective).is_some()
            }
            "results-from-scores" => {
                let scale = value.parse();
                let scale = scale.map_err(|_| "expected centipawns, such as 400")?;
                self.scores.as_results.replace(scale).is_some()
            }
            "score-unit" => {
                let unit = ScoreUnit::named(value).ok_or("expected centipawns or pawns")?;
                self.scores.unit.replace(unit).is_some()
            }
            "results" | "scores" if value == "reversed" => {
                let reversed = &mut self.reversed[usize::from(name == "scores")];
                std::mem::replace(reversed, true)
            }
            "results" | "scores" => return Err("expected reversed".into()),
            "weight" => {
                let weight = value.parse().ok().filter(|w| (1e-6..=1e6).contains(w));
                let weight = weight.ok_or("expected a number from 1e-6 to 1e6")?;
                self.weight.replace(weight).is_some()
            }
            "limit" => {
                let limit = value.parse().ok().filter(|&limit| limit > 0);
                let limit = limit.ok_or("expected a number of positions, at least 1")?;
                self.limit.replace(limit).is_some()
            }
            _ => return Ok(false),
        };
        if twice {
            return Err("found twice; give it once".into());
        }
        Ok(true)
    }
}

/// Reads the value of an option that says whose view results or scores have, `first-player` or
/// `side-to-move`; the error says that these were expected.
fn perspective(value: &str) -> Result<Perspective, String> {
    Perspective::named(value).ok_or_else(|| "expected first-player or side-to-move".into())
}

impl Input {
    /// Reads a command line argument with options of its own:
    /// `FILE:weight=0.5:limit=100000:format=pgn:perspective=side-to-move`, and
    /// `:score-perspective=`, `:score-unit=`, `:results-from-scores=`, `:results=reversed`,
    /// `:scores=reversed`.
    ///
    /// An argument that names an existing file as a whole is that file.
    ///
    /// # Errors
    /// If an option is unknown, is there twice, or has a value that it cannot have.
    pub fn with_options(game: &AnyGame, argument: &Path) -> Result<(Self, InputOptions), String> {
        let mut options = InputOptions::default();
        let (file, typed) = Self::parted(argument);
        for (name, value) in typed {
            let words = match options.set(game, name, value) {
                Ok(true) => continue,
                Ok(false) => format!(
                    "found option {name}, expected one of {}; no file is called so either",
                    InputOptions::NAMES.join(", ")
                ),
                Err(error) => format!("{name}={value}: {error}"),
            };
            return Err(format!("{}: {words}", argument.display()));
        }
        Ok((Self::from_argument(file), options))
    }

    /// Parts a command line argument, such as `games.pgn:limit=100`, into the name of a file and
    /// the names and values of the options behind it, the last first. What is the name of a file as
    /// it stands is not parted any further.
    pub fn parted(argument: &Path) -> (&Path, Vec<(&str, &str)>) {
        let mut options = Vec::new();
        let Some(mut rest) = argument.to_str() else {
            return (argument, options);
        };
        while !Path::new(rest).exists()
            && let Some((file, option)) = rest.rsplit_once(':')
            && let Some(option) = option.split_once('=')
        {
            options.push(option);
            rest = file;
        }
        (Path::new(rest), options)
    }

    /// Returns the arguments that a command line argument stands for: of a folder its files by
    /// their names, each with the options behind the folder; else itself. Not among them: folders,
    /// hidden files, notes (`.md`), files that a command left unfinished (`.tmp`, `.part`). A
    /// folder without files, or one that cannot be read, stays as it is.
    pub fn files_of(argument: &Path) -> Vec<PathBuf> {
        let (folder, _) = Self::parted(argument);
        let options = argument.to_str().zip(folder.to_str());
        let options = options.map_or("", |(argument, folder)| &argument[folder.len()..]);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_data = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let mut others = [".md", ".tmp", ".part"].iter();
            file.is_file() && !name.starts_with('.') && !others.any(|end| name.ends_with(end))
        };
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_data).collect();
        files.sort();
        if files.is_empty() {
            return vec![argument.to_path_buf()];
        }
        for file in &mut files {
            file.as_mut_os_string().push(options);
        }
        files
    }

    /// Returns the input that a command line argument names: `-` is standard input, anything else a
    /// file.
    pub fn from_argument(argument: &Path) -> Self {
        if argument == Path::new("-") {
            Self::Stdin
        } else {
            Self::File(argument.to_path_buf())
        }
    }

    /// Returns what messages call the input.
    pub fn name(&self) -> PathBuf {
        match self {
            Self::File(path) => path.clone(),
            Self::Stdin => PathBuf::from("<standard input>"),
            Self::Embedded { name, .. } => PathBuf::from(name),
        }
    }

    /// Returns the size of the input in bytes, which are compressed ones if it is compressed;
    /// `None` of standard input, pipes, and files that cannot be looked at.
    pub fn size(&self) -> Option<u64> {
        match self {
            Self::File(path) => {
                let found = path.metadata().ok().filter(Metadata::is_file);
                found.map(|found| found.len())
            }
            Self::Stdin => None,
            Self::Embedded { bytes, .. } => Some(bytes.len() as u64),
        }
    }

    /// Opens the input, and returns a reader of its bytes, which are compressed ones if it is
    /// compressed. A file that is written to while it is read fails at its end; of a device or a
    /// pipe that is not noticed.
    pub(super) fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::File(path) => {
                let file = File::open(path)?;
                let found = file.metadata()?;
                if found.is_dir() {
                    return Err(io::ErrorKind::IsADirectory.into());
                }
                if !found.is_file() {
                    return Ok(Box::new(file));
                }
                let begun = state(&found);
                Box::new(Steady { file, begun })
            }
            Self::Stdin => Box::new(io::stdin()),
            Self::Embedded { bytes, .. } => Box::new(*bytes),
        })
    }
}

/// A file that must stay as it is until it is read: it would be read partly as it was, and a part
/// that is gone would not be missed.
struct Steady {
    file: File,
    /// Its size, and when it was written to, as they were when it was opened.
    begun: (u64, Option<SystemTime>),
}

/// Returns the size of a file and when it was written to last, by which a change of the file is
/// noticed.
fn state(found: &Metadata) -> (u64, Option<SystemTime>) {
    (found.len(), found.modified().ok())
}

impl Read for Steady {
    /// Reads from the file. Where there are no more bytes it fails if the file was written to
    /// meanwhile: if its size or its time differ from `begun`, those it was opened with.
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let got = self.file.read(to)?;
        if got == 0 && !to.is_empty() && state(&self.file.metadata()?) != self.begun {
            return Err(io::Error::other(Changed));
        }
        Ok(got)
    }
}

/// Says that a file was written to while it was read.
#[derive(Debug, thiserror::Error)]
#[error(
    "changed while it was read; leave it as it is while it is read, or read a copy, and start again"
)]
pub(super) struct Changed;
