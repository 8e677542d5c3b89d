//! What needs Arrow files, in a program that was built without.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{Job, PositionsConfig, Project, Result, TraceSummary};
use tuner_engine::{Evaluation, LinkedSpec};
use tuner_fit::run::RowSource;

const MISSING: &str =
    "this program was built without Arrow files: build it with `--features arrow`";

/// Fails if one of the files is an Arrow file, by its first bytes: a file of traces, where files of
/// positions are expected.
pub(crate) fn refuse(files: &[PathBuf]) -> Result<()> {
    // Only files are looked into: bytes that are read from a pipe would be lost to who reads it
    // later.
    let is_file = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let is_arrow = |path: &&PathBuf| {
        let mut start = [0; 6];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.is_ok() && &start == b"ARROW1"
    };
    match files.iter().filter(is_file).find(is_arrow) {
        Some(path) => Err(format!("{}: is an Arrow file; {MISSING}", path.display()).into()),
        None => Ok(()),
    }
}

/// Fails: files of traces cannot be written in this build, which is without Arrow files.
///
/// # Errors
/// Always, with the option of cargo to build it with.
pub fn trace(_: &Job, _: &Project, _: &PositionsConfig, _: &Path) -> Result<TraceSummary> {
    Err(MISSING.into())
}

/// Returns `None`: this build, without Arrow files, knows no files of traces. One that is named is
/// refused where positions are read.
#[allow(clippy::unnecessary_wraps, reason = "as with Arrow files")]
pub(crate) fn named<'a>(_: &'a [PathBuf], _: Option<&str>) -> Result<Option<&'a Path>> {
    Ok(None)
}

/// Fails: files of traces cannot be read in this build, which is without Arrow files.
pub(crate) fn open(
    _: &Job,
    _: &Evaluation,
    _: &LinkedSpec,
    _: &Path,
) -> Result<Box<dyn RowSource>> {
    Err(MISSING.into())
}
