//! The folder of a fit: what is written there, and what is left there.
//!
//! It is a ledger: each run has a folder of its own, `runs/0001` and so on, which
//! nothing writes over. The summary comes last there: a run without one was killed, and the same
//! command takes its number. Beside them are the results of the last run that was not worse than
//! what was before.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use crate::failure::AtPath as _;
use crate::{Failure, Job, Result};
use tuner_base::{AtomicFile, remove_abandoned, write_atomically};
use tuner_fit::run::CHECKPOINT_FILE;

/// The file with the command, in the folder of a run.
const COMMAND: &str = "command.txt";

/// The option that is left out where two commands are compared.
const RESUME: &str = " --resume";

/// The file that a run writes last.
const SUMMARY: &str = "summary.json";

/// The folder of all runs.
const RUNS: &str = "runs";

/// Names of the files that a run writes into the folder of fits.
const RESULTS: [&str; 6] = [
    "tuned_weights.rs",
    "tuned_weights.h",
    "tuned_weights.hpp",
    "tuned_weights.json",
    SUMMARY,
    "weights.txt",
];

/// A folder that can be written. One that it has made is gone in the end if
/// nothing was written there.
#[derive(Debug)]
pub(crate) struct Folder<'a> {
    job: &'a Job,
    path: PathBuf,
    made: bool,
    /// Holds the lock of the folder, where the system locks folders.
    _lock: Option<File>,
    /// The folder of this run, once something is written.
    run: OnceLock<PathBuf>,
}

impl Drop for Folder<'_> {
    /// Removes the folder if this value made it and nothing was written there.
    fn drop(&mut self) {
        if self.made {
            // The system refuses to remove a folder that is not empty, which is what is wanted.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

impl<'a> Folder<'a> {
    /// Makes the folder of fits at `folder` if it is not there, and locks it. Fails, before any
    /// work, if results cannot be written there; removes temporary files of a killed fit. The first
    /// rank does this; the others only take over its failure.
    pub(crate) fn new(job: &'a Job, folder: &Path) -> Result<Self> {
        let opened = job.on_first(|| open(folder))?;
        // Other ranks than the first have made no folder and hold no lock.
        let (made, lock) = opened.unwrap_or((false, None));
        Ok(Self {
            job,
            path: folder.to_path_buf(),
            made,
            _lock: lock,
            run: OnceLock::new(),
        })
    }

    /// Writes a result, a file called `name`, into the folder of this run (`runs/0001` and so on).
    /// If it is `accepted`, it is also written into the folder of fits, over the result of an
    /// earlier run, and users who want to know all are told. The first rank does; others do
    /// nothing.
    pub(crate) fn write(&self, name: &str, text: &str, accepted: bool) -> Result<()> {
        if !self.job.ranks.is_first() {
            return Ok(());
        }
        let path = self.run()?.join(name);
        write_atomically(&path, text).at(&path)?;
        if accepted {
            // `""`: the message of an error needs no further words.
            let told = self.job.written(&self.path.join(name), text, "")?;
            self.job.say_details(told);
        }
        Ok(())
    }

    /// Writes `summary.json`: into the folder of fits, and last of all into the folder of this run,
    /// which is complete once it has one. The first rank does; others do nothing.
    pub(crate) fn end(&self, summary: &str) -> Result<()> {
        if !self.job.ranks.is_first() {
            return Ok(());
        }
        // `""`: the message of an error needs no further words.
        let told = (self.job).written(&self.path.join(SUMMARY), summary, "")?;
        self.job.say_details(told);
        // `false`: into the folder of this run alone.
        self.write(SUMMARY, summary, false)
    }

    /// Returns the folder of this run, such as `runs/0003`, and makes it at the first call.
    ///
    /// It takes the number of the last run if that was killed, which a run without a summary was,
    /// and was of this command (with or without `--resume`) or does not say of which. Otherwise it
    /// takes the next number. On other ranks than the first nothing is made, and the folder of fits
    /// is returned, in which they write nothing.
    pub(crate) fn run(&self) -> Result<&Path> {
        if !self.job.ranks.is_first() {
            return Ok(&self.path);
        }
        if let Some(run) = self.run.get() {
            return Ok(run);
        }
        let runs = self.path.join(RUNS);
        let refused = |error: io::Error| format!("{}: {error}", runs.display());
        // One level alone, so that nothing is written where the folder of fits is gone.
        if let Err(error) = fs::create_dir(&runs)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(refused(error).into());
        }
        let last = numbers(&runs).map_err(refused)?.last().copied();
        let of = |number: u32| of_number(&runs, number);
        let command = format!("{}\n", self.job.command);
        // Whether a run was of this command, or does not say of which.
        let is_same = |run: &PathBuf| {
            let then = fs::read_to_string(run.join(COMMAND)).unwrap_or_default();
            then.is_empty() || then.replace(RESUME, "") == command.replace(RESUME, "")
        };
        let killed = last.map(of).filter(|run| !run.join(SUMMARY).exists());
        let run = killed.filter(is_same);
        let run = run.unwrap_or_else(|| of(last.unwrap_or(0) + 1));
        fs::create_dir_all(&run).map_err(refused)?;
        write_atomically(&run.join(COMMAND), &command).map_err(refused)?;
        Ok(self.run.get_or_init(|| run))
    }
}

/// Makes a folder for results of fits, if it is not there, and locks it. Returns whether it was
/// made, and the open file that holds the lock, `None` where the system does not open folders.
/// Removes temporary files of a killed run. Fails if nothing can be written in the folder, or if
/// a folder in it has the name of a file of results.
fn open(folder: &Path) -> Result<(bool, Option<File>)> {
    let refused = |error: std::io::Error| -> Failure {
        format!(
            "--out {}: {error}; name a folder that can be written",
            folder.display()
        )
        .into()
    };
    let made = !folder.exists();
    fs::create_dir_all(folder).map_err(refused)?;
    let lock = lock(folder)?;
    // A temporary file is made and dropped, to find out whether files can be.
    drop(AtomicFile::create(&folder.join(".trial")).map_err(refused)?);
    for name in RESULTS.iter().chain([&CHECKPOINT_FILE]) {
        let target = folder.join(name);
        if target.is_dir() {
            fail!(
                "{}: found a folder, expected a file or nothing; move it, or name another --out",
                target.display()
            );
        }
    }
    let runs = folder.join(RUNS);
    if let Some(last) = numbers(&runs).ok().and_then(|mut numbers| numbers.pop()) {
        remove_abandoned(&of_number(&runs, last));
    }
    Ok((made, lock))
}

/// Locks a folder until the file that is returned is dropped, or the process has ended; fails if
/// another process holds the lock. Without a lock, the later of two commands that write there would
/// replace what the other wrote. Temporary files of a killed command are removed. `None` where the
/// system does not open folders, and so has no lock.
pub(crate) fn lock(folder: &Path) -> Result<Option<File>> {
    // Not every system opens folders.
    let file = File::open(folder).ok();
    if let Some(file) = &file {
        tuner_tournament::lock(folder, file)?;
    }
    remove_abandoned(folder);
    Ok(file)
}

/// A run in the folder of fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRun {
    /// The number of the run in the folder.
    pub number: u32,
    /// The path of its `summary.json`; a run that was killed has no such file.
    pub summary: PathBuf,
    /// The command that it was; empty where nothing says so.
    pub command: String,
}

impl LedgerRun {
    /// When the run ended, in seconds since 1970: the time of its summary. `None` if it has no
    /// summary.
    pub fn ended(&self) -> Option<u64> {
        let time = fs::metadata(&self.summary).ok()?.modified().ok()?;
        Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs())
    }
}

/// Lists the runs in a folder of fits, what `--out` of a fit names: the oldest first.
///
/// # Errors
/// If the folder has no folder `runs` that can be read.
pub fn ledger(folder: &Path) -> Result<Vec<LedgerRun>> {
    let runs = folder.join(RUNS);
    let numbers = numbers(&runs).at(&runs).map_err(|failure| {
        let words = failure.words();
        format!("{words}; expected the folder of --out of a fit")
    })?;
    // Of a run without a readable file of its command, the command is empty.
    let run = |number: u32| {
        let summary = of_number(&runs, number).join(SUMMARY);
        let command = fs::read_to_string(summary.with_file_name(COMMAND)).unwrap_or_default();
        LedgerRun {
            number,
            summary,
            command: command.trim_end().to_owned(),
        }
    };
    Ok(numbers.into_iter().map(run).collect())
}

/// Returns the folder of run `number`, such as `runs/0003`. `runs`: the folder of all runs.
fn of_number(runs: &Path, number: u32) -> PathBuf {
    runs.join(format!("{number:04}"))
}

/// Lists the numbers of the runs in `runs`, the folder of all runs, ascending. Names in it that are
/// not numbers are passed over.
fn numbers(runs: &Path) -> io::Result<Vec<u32>> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(runs)? {
        let name = entry?.file_name();
        numbers.extend(name.to_str().and_then(|name| name.parse::<u32>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a failing test may end with a panic
    use super::*;

    #[test]
    fn only_what_a_killed_fit_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            ("checkpoint.json.tuner-4000000000-1.tmp", false),
            ("rescored-2.arrow.tuner-4000000001-0.tmp", false),
            ("checkpoint.json", true),
            ("notes.tmp", true),
            ("runs/0003/summary.json.tuner-4000000000-1.tmp", false),
            ("runs/0003/weights.txt", true),
        ];
        fs::create_dir_all(folder.path().join("runs/0003")).unwrap();
        for (name, _) in names {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        Folder::new(&Job::default(), folder.path()).unwrap();
        for (name, stays) in names {
            assert_eq!(folder.path().join(name).exists(), stays, "{name}");
        }
    }
}
