//! The commands that need Arrow files, in a program that was built without.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use super::Failure;
use super::args::TraceArgs;
use super::project::Project;

const MISSING: &str =
    "this program was built without Arrow files: build it with `--features arrow`";

/// Says so of a file of traces.
pub(super) fn refuse(files: &[PathBuf]) -> Result<(), Failure> {
    // A pipe would lose what is read here.
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

/// Says what is missing.
pub(super) fn run(_: &Project, _: &TraceArgs) -> Result<(), Failure> {
    Err(MISSING.into())
}
