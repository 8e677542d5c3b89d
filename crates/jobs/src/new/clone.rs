//! The clone of Tuner's repository, in which the crates that an engine depends on are.

use std::path::{Path, PathBuf};

use super::NewConfig;
use crate::Failure;
use crate::failure::AtPath as _;
use tuner_base::joined;

/// A page of Tuner's repository, by its path where that is known.
pub(super) fn page(config: &NewConfig, name: &str) -> String {
    match folder(config) {
        Ok(folder) => folder.join("docs").join(name).display().to_string(),
        Err(_) => format!("docs/{name} in Tuner's repository"),
    }
}

/// The clone of this repository: the one that was named, or else the one that the program is in, or
/// was built in. Fails where the one is no clone, or the others are none.
pub(super) fn folder(config: &NewConfig) -> Result<PathBuf, Failure> {
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

/// The clone that a program is in, or else the one that it was built in, if that is still there.
fn around(program: &Path) -> Option<&Path> {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = program.ancestors().chain(built_in.ancestors());
    folders.find(|folder| is_clone(folder))
}

/// Tells whether a folder is a clone of this repository.
fn is_clone(folder: &Path) -> bool {
    folder.join("tuner-core/Cargo.toml").is_file()
}

/// The way from a folder to another, `../../tuner`; where they have only the root of the disk in
/// common, the name of the other from there.
pub(super) fn relative(from: &Path, to: &Path) -> Result<String, Failure> {
    let whole = |path: &Path| {
        // An empty path is the folder that we are in.
        let path = Path::new(".").join(path);
        path.canonicalize().at(&path)
    };
    let (from, to) = (whole(from)?, whole(to)?);
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    // On the way from one end of the disk to the other a name is of more use.
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
