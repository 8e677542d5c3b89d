//! `fit --weigh-sources`: how much each file of the data counts, by games of one of them.

use std::path::PathBuf;

use super::subject::FitRows;
use super::{FitConfig, FitInput, FitJob};
use crate::job::FitObserver;
use crate::{Job, Result};
use tuner_base::{joined, phase};
use tuner_data::Input;
use tuner_fit::FitError;
use tuner_fit::run::{FitRun, RunError};
use tuner_judge::ErrorDifference;
use tuner_record::SourcesRecord;

/// Returns the number of the file that `--weigh-sources` names, whose games decide how much each
/// file of the data counts, and the names of all files, as the user gave them. `None` without that
/// option, or where the input is rows that were made elsewhere.
///
/// # Errors
/// If the file is not among the data, is there twice, or is the only one; or in a job of several
/// processes.
pub(super) fn trusted(
    job: &Job,
    input: &FitInput<'_>,
    config: &FitConfig,
) -> Result<Option<(usize, Vec<String>)>> {
    let (&FitInput::Engine(project), Some(trusted)) = (input, &config.weigh_sources) else {
        return Ok(None);
    };
    let files = project.data(&config.data.data);
    if !job.ranks.is_alone() {
        misuse!("--weigh-sources: works in one process; fit without mpirun");
    }
    if files.len() < 2 {
        misuse!("--weigh-sources: there is one file, so nothing to weigh; name two or more");
    }
    // A file may have options behind its name, as `games.pgn:limit=100`.
    let is_it = |file: &PathBuf| file == trusted || Input::parted(file).0 == *trusted;
    let mut named = (0..files.len()).filter(|&number| is_it(&files[number]));
    let shown = trusted.display();
    let names = files.iter().map(|file| file.display().to_string());
    match (named.next(), named.next()) {
        (Some(number), None) => Ok(Some((number, names.collect()))),
        (Some(_), Some(_)) => misuse!(
            "--weigh-sources {shown}: is there twice; join the two, or name one with its options"
        ),
        (None, _) => {
            misuse!(
                "--weigh-sources {shown}: is none of the data, which are {}; name one of these",
                joined(names, ", ")
            )
        }
    }
}

impl FitJob<'_> {
    /// Makes each file of the data count as much as fits best to games of one of them
    /// (`--weigh-sources`), by changing the weights of `rows`, and tells the user how much each
    /// counts. `None` without that option.
    pub(super) fn weigh_sources(
        &self,
        run: &FitRun<'_>,
        rows: &mut FitRows<'_>,
    ) -> Result<Option<SourcesRecord>> {
        let Some((trusted, files)) = self.trusted.clone() else {
            return Ok(None);
        };
        let _phase = phase("weights of the files");
        let unknown = "--weigh-sources: the data do not tell which file a position is of; fit files \
                       of positions";
        let FitRows::Positions(rows) = rows else {
            return Err(unknown.into());
        };
        let source = rows.sources().ok_or(unknown)?;
        let found = run.weigh_sources(&**rows, &source, trusted as u32, &mut FitObserver(self.job));
        let found = found.map_err(|error| self.named(error))?;
        rows.weigh_sources(&source, &found.factors);
        // The losses of the games that decide, before and after the files were weighed.
        let [before, after] = &found.losses;
        let none = RunError::Fit(FitError::Sources("its games have no weight"));
        let record = SourcesRecord {
            trusted,
            files,
            factors: found.factors,
            change: ErrorDifference::new(before, after).ok_or(none)?,
        };
        self.job.say(&record);
        Ok(Some(record))
    }
}
