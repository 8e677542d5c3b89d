//! What a run of `rescore` or `playout` has done before it was interrupted.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::label::UNIT;
use crate::Failure;
use tuner_data::Outcome;
use tuner_data::tools::KeyedPosition;

/// What a position gets.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Label {
    /// The score of a search, from the first player; none if the engine gave none.
    Score(Option<i32>),
    Result(Outcome),
    /// Another position in its place; none if there is none.
    Position(Option<String>),
    /// The engine did not answer.
    Fault(String),
}

/// Labels of an output that is not whole yet: `OUTPUT.part`.
pub(super) struct LabelJournal {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    before: Option<io::Lines<BufReader<File>>>,
    lines: u64,
    written: u64,
}

/// Lines after which what was kept is on the disk.
const FLUSH: u64 = 256;

impl LabelJournal {
    pub(super) const fn nothing() -> Self {
        Self {
            path: PathBuf::new(),
            file: None,
            before: None,
            lines: 0,
            written: 0,
        }
    }

    pub(super) fn open(target: &Path, settings: &Value, resume: bool) -> Result<Self, Failure> {
        if target == Path::new("-") {
            if resume {
                let words = "--resume: found -, standard output, which cannot be resumed";
                return Err(Failure::Usage(words.to_owned()));
            }
            return Ok(Self::nothing());
        }
        let mut name = target.as_os_str().to_owned();
        name.push(".part");
        let path = PathBuf::from(name);
        let fault = |error: io::Error| Failure::Error(format!("{}: {error}", path.display()));
        let header = settings.to_string();
        if path.exists() && !resume {
            return Err(format!(
                "{}: holds what an interrupted run has done; the same command with --resume \
                 continues it, or remove the file",
                path.display()
            )
            .into());
        }
        if path.exists() {
            let lines_before = cut_to_units(&path).map_err(fault)?;
            let mut before = BufReader::new(File::open(&path).map_err(fault)?).lines();
            let found = before.next().transpose().map_err(fault)?;
            if lines_before > 0 && found.as_deref() != Some(&*header) {
                return Err(format!(
                    "{}: is of another engine, or other settings: found {}, expected {header}; give \
                     the same, or remove the file",
                    path.display(),
                    found.unwrap_or_default()
                )
                .into());
            }
            let file = OpenOptions::new().append(true).open(&path).map_err(fault)?;
            let mut kept = Self {
                file: Some(BufWriter::new(file)),
                before: Some(before),
                lines: 0,
                written: lines_before.saturating_sub(1),
                path: path.clone(),
            };
            if lines_before == 0 {
                kept.line(&header).map_err(fault)?;
            } else {
                say!(
                    "{}: {} positions are done",
                    path.display(),
                    lines_before - 1
                );
            }
            return Ok(kept);
        }
        let file = (OpenOptions::new().write(true).create_new(true))
            .open(&path)
            .map_err(fault)?;
        let mut kept = Self {
            file: Some(BufWriter::new(file)),
            before: None,
            lines: 0,
            written: 0,
            path: path.clone(),
        };
        kept.line(&header).map_err(fault)?;
        Ok(kept)
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        match &mut self.file {
            Some(file) => writeln!(file, "{text}"),
            None => Ok(()),
        }
    }

    /// The label that the next position got before, if it did.
    pub(super) fn next(&mut self, position: &KeyedPosition) -> Result<Option<Label>, Failure> {
        let Some(before) = &mut self.before else {
            return Ok(None);
        };
        let Some(line) = before.next() else {
            self.before = None;
            return Ok(None);
        };
        self.lines += 1;
        let at = format!("{}:{}", self.path.display(), self.lines + 1);
        let line = line.map_err(|error| format!("{at}: {error}"))?;
        let (key, label) = line.split_once(' ').unwrap_or((&line, ""));
        if key != format!("{:016x}", position.key) {
            return Err(format!(
                "{at}: is about another position than the inputs have there; give the same inputs, \
                 or remove the file"
            )
            .into());
        }
        let label = Label::read(label).ok_or_else(|| {
            format!("{at}: found {line:?}, expected a label; remove the file and begin again")
        })?;
        Ok(Some(label))
    }

    pub(super) fn add(&mut self, key: u64, label: &Label) -> Result<(), String> {
        let path = &self.path;
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut wrote = writeln!(file, "{key:016x} {}", label.text());
        self.written += 1;
        if wrote.is_ok() && self.written.is_multiple_of(FLUSH) {
            wrote = file.flush();
        }
        wrote.map_err(|error| format!("{}: cannot be written: {error}", path.display()))
    }

    /// Brings everything to the disk, and says how to go on.
    pub(super) fn flush(&mut self) -> Result<Option<String>, Failure> {
        let Some(file) = &mut self.file else {
            return Ok(None);
        };
        (file.flush()).map_err(|error| format!("{}: {error}", self.path.display()))?;
        Ok(Some(format!(
            "{}: {} positions are done; the same command with --resume continues",
            self.path.display(),
            self.written
        )))
    }

    pub(super) fn remove(self) {
        if self.file.is_some() {
            // The output is whole: what is left behind would be in nobody's way but ours.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Cuts off what is behind the last whole unit, a line without end among it, and counts
/// the lines that are left; the first is the header.
fn cut_to_units(path: &Path) -> io::Result<u64> {
    let mut reader = BufReader::new(File::open(path)?);
    let (mut read, mut lines) = (0, 0_u64);
    let mut whole = (0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let bytes = reader.read_until(b'\n', &mut line)?;
        if bytes == 0 || !line.ends_with(b"\n") {
            break;
        }
        read += bytes as u64;
        lines += 1;
        if (lines - 1).is_multiple_of(UNIT as u64) {
            whole = (read, lines);
        }
    }
    OpenOptions::new()
        .write(true)
        .open(path)?
        .set_len(whole.0)?;
    Ok(whole.1)
}

impl Label {
    fn text(&self) -> String {
        match self {
            Self::Score(Some(score)) => format!("s {score}"),
            Self::Score(None) => "s".to_owned(),
            Self::Result(result) => format!("r {result}"),
            Self::Position(text) => format!("p {}", text.as_deref().unwrap_or_default()),
            Self::Fault(words) => format!("f {}", words.replace(['\n', '\r'], " ")),
        }
    }

    fn read(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        match (kind, rest) {
            ("s", "") => Some(Self::Score(None)),
            ("s", score) => score.parse().ok().map(|score| Self::Score(Some(score))),
            ("r", result) => [Outcome::Win, Outcome::Draw, Outcome::Loss]
                .into_iter()
                .find(|outcome| outcome.to_string() == result)
                .map(Self::Result),
            ("p", "") => Some(Self::Position(None)),
            ("p", text) => Some(Self::Position(Some(text.to_owned()))),
            ("f", words) => Some(Self::Fault(words.to_owned())),
            _ => None,
        }
    }
}
