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

/// The clone of this repository: the one that was named, or the one that this program was built in.
/// Fails where the one is no clone, or the program is in none.
pub(super) fn folder(config: &NewConfig) -> Result<PathBuf, Failure> {
    let is_clone = |folder: &Path| folder.join("tuner-core/Cargo.toml").is_file();
    if let Some(folder) = &config.tuner {
        if is_clone(folder) {
            return Ok(folder.clone());
        }
        let words = "found no tuner-core in it, expected a clone of Tuner's repository";
        fail!("--tuner {}: {words}", folder.display());
    }
    let program = std::env::current_exe().unwrap_or_default();
    let mut around = program.ancestors();
    let found = around.find(|folder| is_clone(folder));
    let missing = "where is the clone of Tuner's repository? Name it with --tuner FOLDER";
    Ok(found.ok_or(missing)?.to_owned())
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
