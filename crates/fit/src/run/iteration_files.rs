//! The files that are written after every iteration: the checkpoint, and the weights.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde_json::Value;

use super::checkpoint::{CHECKPOINT_FILE, RunCheckpoint, by_name};
use super::{RunError, RunEvent, RunFiles, RunObserver, weight_lines};
use tuner_base::write_atomically;

/// The folder of the weights of each iteration.
const FOLDER: &str = "weights";

/// How the weights of an iteration are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsFormat {
    /// Lines `NAME VALUE`.
    Txt,
    /// One object of names and numbers.
    Json,
}

/// Writes the files of a run, and complains of each kind no more than once. A
/// fit continues where that fails, as it costs nothing but safety.
#[derive(Debug)]
pub(super) struct IterationFiles {
    checkpoint: PathBuf,
    /// Whether a checkpoint could not be written.
    no_checkpoint: bool,
    /// The folder of the weights, if they are written.
    weights: Option<(PathBuf, WeightsFormat)>,
    /// Whether weights could not be written.
    no_weights: bool,
}

impl IterationFiles {
    /// Prepares to write the files of a run; makes the folder of the weights, if they are to be
    /// written.
    pub(super) fn new(files: &RunFiles) -> Result<Self, RunError> {
        let folder = files.folder.join(FOLDER);
        if files.weights.is_some() {
            let made = fs::create_dir_all(&folder);
            made.map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(Self {
            checkpoint: files.folder.join(CHECKPOINT_FILE),
            no_checkpoint: false,
            weights: files.weights.map(|format| (folder, format)),
            no_weights: false,
        })
    }

    /// Writes a checkpoint in place of the one before, atomically. The observer is told the first
    /// time that this fails.
    pub(super) fn write_checkpoint(
        &mut self,
        checkpoint: &RunCheckpoint,
        observer: &mut dyn RunObserver,
    ) {
        let path = &self.checkpoint;
        let text = serde_json::to_string(checkpoint).map_err(io::Error::from);
        let written = text.and_then(|text| write_atomically(path, &text));
        if let Err(error) = &written
            && !self.no_checkpoint
        {
            self.no_checkpoint = true;
            observer.event(&RunEvent::CheckpointNotWritten(path, error));
        }
    }

    /// Writes the weights after an iteration as `NNNN.txt` or `NNNN.json`, if they are to be
    /// written. `iteration`: counted over all rounds; `names`, `weights`: of all weights.
    pub(super) fn write_weights(
        &mut self,
        iteration: usize,
        names: &[String],
        weights: &[f64],
        observer: &mut dyn RunObserver,
    ) {
        let Some((folder, format)) = &self.weights else {
            return;
        };
        let (extension, text) = match format {
            WeightsFormat::Txt => {
                let pairs = names.iter().zip(weights.iter().copied());
                ("txt", weight_lines(None, pairs))
            }
            WeightsFormat::Json => {
                let object = Value::from(by_name(names, weights));
                ("json", format!("{object:#}\n"))
            }
        };
        let path = &folder.join(format!("{iteration:04}.{extension}"));
        if let Err(error) = &write_atomically(path, &text)
            && !self.no_weights
        {
            self.no_weights = true;
            observer.event(&RunEvent::WeightsNotWritten(path, error));
        }
    }

    /// Tells whether there is a checkpoint that this run can be resumed from: the file is there,
    /// and no write of it has failed, after which it would be an older one.
    pub(super) fn has_checkpoint(&self) -> bool {
        !self.no_checkpoint && self.checkpoint.exists()
    }

    /// Removes the checkpoint, as the run has ended; fails if there is one and it cannot be
    /// removed.
    pub(super) fn remove_checkpoint(&self) -> Result<(), RunError> {
        match fs::remove_file(&self.checkpoint) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let path = self.checkpoint.display();
                Err(format!("{path}: {error}; remove it").into())
            }
            _ => Ok(()),
        }
    }
}
