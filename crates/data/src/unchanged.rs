//! Data that are read again must be the same.

use std::sync::{Arc, OnceLock};

use super::{InputError, ReadReport};

/// The findings of the first of several readings, for the later ones to compare.
///
/// Readings whose [`ReadOptions`](super::ReadOptions) are clones of each other share it. The
/// first that reads all inputs notes fingerprints of their bytes, decompressed; where a later
/// one finds others it fails, and what it read is of no use.
#[derive(Clone, Debug, Default)]
pub struct FirstReading(Arc<OnceLock<ReadReport>>);

impl FirstReading {
    /// Returns for each input the lines, counted from 1 and ascending, of the positions with these
    /// `numbers`, which are ascending and counted from 0 over all inputs as they were read. `None`
    /// where the first reading does not say which lines they are: with games or records, where
    /// lines were blank or bad, or where not all were read.
    pub(super) fn lines_of(&self, numbers: &[usize]) -> Option<Vec<Vec<u64>>> {
        let first = self.0.get()?;
        let mut lines = Vec::with_capacity(first.files.len());
        let (mut rest, mut before) = (numbers, 0);
        for file in &first.files {
            let positions = file.positions as usize;
            let is_one_a_line =
                file.unit.is_none() && !file.full && file.lines == file.headers + file.positions;
            if !is_one_a_line {
                return None;
            }
            let (here, later) = rest.split_at(rest.partition_point(|&n| n < before + positions));
            let line = |&number: &usize| (number - before) as u64 + file.headers + 1;
            lines.push(here.iter().map(line).collect());
            (rest, before) = (later, before + positions);
        }
        Some(lines)
    }

    /// Returns the inputs, by number, whose bytes are not those that the first reading found, each
    /// with its error. If there was no first reading, this one is noted as the first, provided that
    /// it read `all` inputs.
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
                let (file, before, now) = (&now.file, before.positions, now.positions);
                let equal = before == now;
                let same = if equal { ", of other bytes" } else { "" };
                let words = format!(
                    "changed since it was first read: {before} positions then, {now} now{same}; \
                     leave it as it is while it is read, or read a copy, and start again"
                );
                (input, InputError::refused(file, words))
            })
            .collect()
    }
}
