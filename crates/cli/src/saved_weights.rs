//! `--save-weights`: the weights of every iteration, a file each.

use std::fs;
use std::path::PathBuf;

use clap::ValueEnum;
use serde_json::{Map, Value, json};

use super::Failure;
use super::folder::Folder;
use super::init::as_lines;
use tuner_base::write_atomically;

/// The folder within that of `--out`.
const FOLDER: &str = "weights";

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum WeightsFormat {
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
    pub(super) fn new(folder: &Folder, format: WeightsFormat) -> Result<Self, Failure> {
        let folder = folder.path(FOLDER);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self {
            folder,
            format,
            complained: false,
        })
    }

    /// Writes the weights after an iteration.
    pub(super) fn save(&mut self, iteration: usize, names: &[String], weights: &[f64]) {
        let pairs = names.iter().zip(weights.iter().copied());
        let (extension, text) = match self.format {
            WeightsFormat::Txt => ("txt", as_lines(pairs)),
            WeightsFormat::Json => {
                let object: Map<String, Value> = pairs
                    .map(|(name, weight)| (name.clone(), json!(weight)))
                    .collect();
                ("json", format!("{:#}\n", Value::from(object)))
            }
        };
        let path = self.folder.join(format!("{iteration:04}.{extension}"));
        if let Err(error) = write_atomically(&path, &text)
            && !self.complained
        {
            self.complained = true;
            say!("{}: {error}; the fit goes on without", path.display());
        }
    }
}
