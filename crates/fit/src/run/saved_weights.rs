//! The weights of every iteration, a file each.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{RunError, RunEvent, RunObserver, weight_lines};
use tuner_base::write_atomically;

/// The folder within that of the run.
const FOLDER: &str = "weights";

/// How the weights of an iteration are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsFormat {
    /// Lines `NAME VALUE`.
    Txt,
    /// One object of names and numbers.
    Json,
}

/// Writes a file an iteration, and complains no more than once.
#[derive(Debug)]
pub(super) struct WeightsSaver {
    folder: PathBuf,
    format: WeightsFormat,
    complained: bool,
}

impl WeightsSaver {
    /// Makes the folder.
    pub(super) fn new(folder: &Path, format: WeightsFormat) -> Result<Self, RunError> {
        let folder = folder.join(FOLDER);
        fs::create_dir_all(&folder).map_err(|source| RunError::File {
            path: folder.clone(),
            source,
            cure: "",
        })?;
        Ok(Self {
            folder,
            format,
            complained: false,
        })
    }

    /// Writes the weights after an iteration.
    pub(super) fn save(
        &mut self,
        iteration: usize,
        names: &[String],
        weights: &[f64],
        observer: &mut dyn RunObserver,
    ) {
        let pairs = names.iter().zip(weights.iter().copied());
        let (extension, text) = match self.format {
            WeightsFormat::Txt => ("txt", weight_lines(pairs)),
            WeightsFormat::Json => {
                let object: Map<String, Value> = pairs
                    .map(|(name, weight)| (name.clone(), json!(weight)))
                    .collect();
                ("json", format!("{:#}\n", Value::from(object)))
            }
        };
        let path = self.folder.join(format!("{iteration:04}.{extension}"));
        if let Err(error) = &write_atomically(&path, &text)
            && !self.complained
        {
            self.complained = true;
            let path = &path;
            observer.event(&RunEvent::WeightsNotWritten { path, error });
        }
    }
}
