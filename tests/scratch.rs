//! Copies of the tree, which a test changes and builds.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::source;

/// Copies the tree, each text through `edit`; leaves alone what is equal, so that
/// cargo builds nothing twice, and removes what the tree has no more.
pub fn copy(folder: &Path, edit: impl Fn(&str, String) -> String) {
    let files = source::files("");
    prune(
        folder,
        &files.iter().map(|file| folder.join(file)).collect(),
    );
    for file in files {
        let bytes = fs::read(source::root().join(&file)).unwrap();
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => edit(&file, text).into_bytes(),
            Err(error) => error.into_bytes(),
        };
        write(&folder.join(&file), &bytes);
    }
}

/// Writes a file unless it is so already.
pub fn write(path: &Path, bytes: &[u8]) {
    if fs::read(path).ok().as_deref() != Some(bytes) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Removes all other files of a folder, if it is there.
fn prune(folder: &Path, keep: &HashSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            prune(&path, keep);
        } else if !keep.contains(&path) {
            fs::remove_file(path).unwrap();
        }
    }
}
