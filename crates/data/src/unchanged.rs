//! Data that are read again must be the same.

use std::sync::{Arc, OnceLock};

use super::{InputError, ReadReport};

/// What the first of several readings found, for the later ones to compare.
///
/// Readings whose [`ReadOptions`](super::ReadOptions) are clones of each other share it. The
/// first that reads all inputs notes fingerprints of their bytes, decompressed; where a later
/// one finds others it fails with [`InputError::Changed`], and what it read is of no use.
#[derive(Clone, Debug, Default)]
pub struct FirstReading(Arc<OnceLock<ReadReport>>);

impl FirstReading {
    /// Notes the first reading, if it read all; returns the inputs, by number, that a later
    /// one finds changed.
    pub(super) fn compare(&self, report: &ReadReport, all: bool) -> Vec<(usize, InputError)> {
        let first = match self.0.get() {
            Some(first) => first,
            None if all => self.0.get_or_init(|| report.clone()),
            None => return Vec::new(),
        };
        let files = first.files.iter().zip(&report.files).enumerate();
        files
            .filter(|(_, (before, now))| before.fingerprint != now.fingerprint)
            .map(|(input, (before, now))| {
                let error = InputError::Changed {
                    file: now.file.clone(),
                    before: before.positions,
                    now: now.positions,
                };
                (input, error)
            })
            .collect()
    }
}
