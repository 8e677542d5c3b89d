//! The labels that a run of `rescore` or `playout` had made before it was interrupted.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::UNIT;
use crate::{Job, Result};
use tuner_data::Outcome;
use tuner_data::tools::KeyedPosition;
use tuner_tournament::{LineFile, LineFormat, Lines, RecordError, is_begun};

const FORMAT: LineFormat = LineFormat {
    name: "labels",
    version: 1,
    unit: UNIT as u64,
    cure: "remove the file and begin again",
};

/// The label of a position, as its line in the journal has it.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(super) enum Label {
    /// The score of a search, from the first player; `None` if the engine gave none.
    Score(Option<i32>),
    Result(#[serde(with = "OutcomeName")] Outcome),
    /// The position that is to replace it; `None` if it has no such position, and is left out.
    Position(Option<String>),
    /// The engine did not answer.
    Fault(String),
}

/// The result of a game by its name, as `serde` writes it.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Outcome")]
enum OutcomeName {
    Loss,
    Draw,
    Win,
}

/// The labels of an incomplete output, in the file `OUTPUT.part`.
#[derive(Default)]
pub(super) struct LabelJournal {
    /// The file; `None` where the output is a stream, or labels are not kept.
    file: Option<LineFile>,
    /// The labels of an interrupted run that [`Self::next`] has not returned yet; `None` if there
    /// are none left.
    before: Option<Lines>,
    /// Labels in the file.
    written: u64,
}

/// Number of lines after which the file is flushed to the disk.
const FLUSH: u64 = 256;

impl LabelJournal {
    /// Begins the journal of an output, the file `OUTPUT.part`, or continues that of an interrupted
    /// run, if `resume` says so. `target`: the file of the output; `None` where that is a stream,
    /// which has no journal. `settings`: what labels depend on; it is written into the journal.
    ///
    /// # Errors
    /// If there is a journal and `resume` is `false`, if the journal has other settings, or if it
    /// cannot be written; also with `resume` where the output is a stream.
    pub(super) fn open(
        job: &Job,
        target: Option<&Path>,
        settings: &Value,
        resume: bool,
    ) -> Result<Self> {
        let Some(target) = target else {
            if resume {
                misuse!("--resume: found -, standard output, which cannot be resumed");
            }
            return Ok(Self::default());
        };
        let path = target.with_added_extension("part");
        if !is_begun(&path) {
            return Ok(Self {
                file: Some(FORMAT.create(&path, settings, &Value::Null)?),
                ..Self::default()
            });
        }
        if !resume {
            fail!(
                "{}: holds what an interrupted run has done; the same command with --resume \
                 continues it, or remove the file",
                path.display()
            );
        }
        let (file, before) = FORMAT.resume(&path, settings)?;
        job.say(format_args!(
            "{}: {} positions are done",
            path.display(),
            before.whole
        ));
        Ok(Self {
            file: Some(file),
            written: before.whole,
            before: Some(before),
        })
    }

    /// Returns the label that `position` got in an interrupted run, from the next line of the
    /// journal, `HASH LABEL`; `None` once all lines were returned. Fails if the hash in the line,
    /// 16 hexadecimal digits, is not that of the position.
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
        serde_json::from_str(label).map(Some).map_err(|_| {
            let cure = FORMAT.cure;
            before.refuse(&format!("found {line:?}, expected a label; {cure}"))
        })
    }

    /// Adds the label of a position, whose hash is `key`, as a line `HASH LABEL`; does nothing
    /// where no journal is kept. The file is flushed to the disk after every [`FLUSH`] (256)
    /// labels.
    pub(super) fn add(&mut self, key: u64, label: &Label) -> Result<(), RecordError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.add(&format!("{key:016x} {}", json!(label)))?;
        self.written += 1;
        if self.written.is_multiple_of(FLUSH) {
            file.flush()?;
        }
        Ok(())
    }

    /// Brings all labels to the disk, and returns a sentence for the user: how many positions are
    /// done, and which command continues. `None` where no journal is kept.
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

    /// Removes the file of the journal, once the output is whole and the labels are in it.
    pub(super) fn remove(self) {
        if let Some(file) = self.file {
            // If it cannot be removed, no harm is done: the next run of this command names the
            // file.
            let _ = fs::remove_file(file.path());
        }
    }
}
