//! Reads all real positions and games of shogi in `$TUNER_DATA/shogi`:
//!
//! `TUNER_DATA=FOLDER cargo test -p tuner-shogi --test real -- --ignored --nocapture`
//!
//! The folder holds files of games, in any folders below it, and archives
//! `*.tar.zst` of them, which are unpacked into a temporary folder.

#![cfg(feature = "data")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and these print what they counted"
)]

mod compared;
mod samples;

use std::fs::File;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The files of games, and the folder of those that were unpacked.
struct Games {
    files: Vec<PathBuf>,
    _unpacked: TempDir,
}

impl Games {
    /// Finds the files, sorted by path.
    fn find() -> Self {
        let Some(data) = std::env::var_os("TUNER_DATA") else {
            panic!("TUNER_DATA is not set; expected the folder of real positions and games");
        };
        let unpacked = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for path in below(&Path::new(&data).join("shogi")) {
            if path.to_string_lossy().ends_with(".tar.zst") {
                let archive = zstd::Decoder::new(File::open(path).unwrap()).unwrap();
                tar::Archive::new(archive).unpack(&unpacked).unwrap();
            } else {
                files.push(path);
            }
        }
        files.extend(below(unpacked.path()));
        assert!(!files.is_empty(), "no file of games in TUNER_DATA");
        Self {
            files,
            _unpacked: unpacked,
        }
    }
}

/// The files in a folder and all folders in it, sorted.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let files = paths.into_iter().flat_map(|path| {
        if path.is_dir() {
            below(&path)
        } else {
            vec![path]
        }
    });
    files.collect()
}

/// The end of a file's name that says its format, in lower case; empty if there
/// is none.
fn suffix(path: &Path) -> String {
    let suffix = path.extension().unwrap_or_default();
    suffix.to_string_lossy().to_lowercase()
}
