//! What a run of `rescore` or `playout` has done before it was interrupted.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::label::UNIT;
use crate::Failure;
use tuner_data::Outcome;
use tuner_data::tools::KeyedPosition;
use tuner_tournament::{LineFile, LineFormat, Lines, RecordError, is_begun};

const FORMAT: LineFormat = LineFormat {
    name: "labels",
    version: 1,
    unit: UNIT as u64,
    cure: "remove the file and begin again",
};

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
#[derive(Default)]
pub(super) struct LabelJournal {
    file: Option<LineFile>,
    before: Option<Lines>,
    written: u64,
}

/// Lines after which what was kept is on the disk.
const FLUSH: u64 = 256;

impl LabelJournal {
    pub(super) fn open(target: &Path, settings: &Value, resume: bool) -> Result<Self, Failure> {
        if target == Path::new("-") {
            if resume {
                let words = "--resume: found -, standard output, which cannot be resumed";
                return Err(Failure::Usage(words.to_owned()));
            }
            return Ok(Self::default());
        }
        let path = target.with_added_extension("part");
        if !is_begun(&path) {
            return Ok(Self {
                file: Some(FORMAT.create(&path, settings, &Value::Null)?),
                ..Self::default()
            });
        }
        if !resume {
            return Err(format!(
                "{}: holds what an interrupted run has done; the same command with --resume \
                 continues it, or remove the file",
                path.display()
            )
            .into());
        }
        let (file, before) = FORMAT.resume(&path, settings)?;
        say!("{}: {} positions are done", path.display(), before.whole);
        Ok(Self {
            file: Some(file),
            written: before.whole,
            before: Some(before),
        })
    }

    /// The label that the next position got before, if it did.
    pub(super) fn next(&mut self, position: &KeyedPosition) -> Result<Option<Label>, RecordError> {
        let Some(before) = &mut self.before else {
            return Ok(None);
        };
        let Some(line) = before.next_line()? else {
            self.before = None;
            return Ok(None);
        };
        let (key, label) = line.split_once(' ').unwrap_or((&line, ""));
        if key != format!("{:016x}", position.key) {
            return Err(before.refuse(
                "is about another position than the inputs have there; give the same inputs, or \
                 remove the file",
            ));
        }
        let refused = || {
            before.refuse(&format!(
                "found {line:?}, expected a label; {}",
                FORMAT.cure
            ))
        };
        Label::read(label).map(Some).ok_or_else(refused)
    }

    pub(super) fn add(&mut self, key: u64, label: &Label) -> Result<(), RecordError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.add(&format!("{key:016x} {}", label.text()))?;
        self.written += 1;
        if self.written.is_multiple_of(FLUSH) {
            file.flush()?;
        }
        Ok(())
    }

    /// Brings everything to the disk, and says how to go on.
    pub(super) fn flush(&mut self) -> Result<Option<String>, RecordError> {
        let Some(file) = &mut self.file else {
            return Ok(None);
        };
        file.flush()?;
        Ok(Some(format!(
            "{}: {} positions are done; the same command with --resume continues",
            file.path().display(),
            self.written
        )))
    }

    pub(super) fn remove(self) {
        if let Some(file) = self.file {
            // The output is whole: what is left behind would be in nobody's way but ours.
            let _ = fs::remove_file(file.path());
        }
    }
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
            ("r", result) => result.parse().ok().map(Self::Result),
            ("p", "") => Some(Self::Position(None)),
            ("p", text) => Some(Self::Position(Some(text.to_owned()))),
            ("f", words) => Some(Self::Fault(words.to_owned())),
            _ => None,
        }
    }
}
