//! The clone of Tuner's repository, in which the crates that an engine depends on are.

use std::path::{Path, PathBuf};

use super::NewConfig;
use crate::Result;
use crate::failure::AtPath as _;
use tuner_base::joined;

/// Returns where to find a page of Tuner's documentation, for a message: its path in the folder
/// `docs` of a clone of the repository, or its name where no clone is found.
pub(super) fn page(config: &NewConfig, name: &str) -> String {
    match folder(config) {
        Ok(folder) => folder.join("docs").join(name).display().to_string(),
        Err(_) => format!("docs/{name} in Tuner's repository"),
    }
}

/// Returns the folder of a clone of Tuner's repository: the one that `--tuner` names, or else the
/// one that this program is in or was built in. Fails where the named folder is not a clone, or
/// where none was named and the program is not in one.
pub(super) fn folder(config: &NewConfig) -> Result<PathBuf> {
    if let Some(folder) = &config.tuner {
        if is_clone(folder) {
            return Ok(folder.clone());
        }
        let words = "found no tuner-core in it, expected a clone of Tuner's repository";
        fail!("--tuner {}: {words}", folder.display());
    }
    let program = std::env::current_exe().unwrap_or_default();
    let missing = "found no clone of Tuner's repository where this program is or was built; name one with \
                   --tuner FOLDER";
    Ok(around(&program).ok_or(missing)?.to_owned())
}

/// Finds the clone of Tuner's repository that a program is in, by the program's path, or else the
/// one that it was built in, if that is still there.
fn around(program: &Path) -> Option<&Path> {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = program.ancestors().chain(built_in.ancestors());
    folders.find(|folder| is_clone(folder))
}

/// Tells whether a folder is a clone of Tuner's repository: it has `tuner-core/Cargo.toml`.
fn is_clone(folder: &Path) -> bool {
    folder.join("tuner-core/Cargo.toml").is_file()
}

/// Returns the relative path from one folder to another, such as `../../tuner`; the absolute path
/// of `to` where both have only the root of the disk in common.
pub(super) fn relative(from: &Path, to: &Path) -> Result<String> {
    let whole = |path: &Path| {
        // An empty path is the current folder.
        let path = Path::new(".").join(path);
        path.canonicalize().at(&path)
    };
    let (from, to) = (whole(from)?, whole(to)?);
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    // One shared component is the root of the disk: an absolute path is easier to read then.
    if shared < 2 {
        return Ok(to.display().to_string());
    }
    let up = from.components().skip(shared).map(|_| "..".into());
    let down = to.components().skip(shared);
    let down = down.map(|part| part.as_os_str().to_string_lossy());
    let way = joined(up.chain(down), "/");
    Ok(if way.is_empty() { ".".to_owned() } else { way })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_was_installed_elsewhere_finds_the_clone_it_was_built_in() {
        let found = around(Path::new("/usr/bin/tuner"));
        assert!(found.is_some_and(|folder| folder.join("crates/jobs").is_dir()));
    }
}
