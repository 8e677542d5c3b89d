//! The clone of Tuner's repository, in which the crates that an engine depends on are.

use std::path::{Component, Path, PathBuf};

use super::NewArgs;
use crate::Failure;

/// A page of Tuner's repository, by its path where that is known.
pub(super) fn page(args: &NewArgs, name: &str) -> String {
    match folder(args) {
        Ok(folder) => folder.join("docs").join(name).display().to_string(),
        Err(_) => format!("docs/{name} in Tuner's repository"),
    }
}

/// The clone of this repository: the one that was named, or the one that this program was
/// built in.
pub(super) fn folder(args: &NewArgs) -> Result<PathBuf, Failure> {
    let is_clone = |folder: &Path| folder.join("tuner-core/Cargo.toml").is_file();
    if let Some(folder) = &args.tuner {
        if is_clone(folder) {
            return Ok(folder.clone());
        }
        let words = "found no tuner-core in it, expected a clone of Tuner's repository";
        return Err(format!("--tuner {}: {words}", folder.display()).into());
    }
    let program = std::env::current_exe().unwrap_or_default();
    let mut around = program.ancestors();
    match around.find(|folder| is_clone(folder)) {
        Some(folder) => Ok(folder.to_owned()),
        None => Err("where is the clone of Tuner's repository? Name it with --tuner FOLDER".into()),
    }
}

/// The way from a folder, which need not be there yet, to another one.
pub(super) fn relative(from: &Path, to: &Path) -> Result<String, Failure> {
    let whole = |path: &Path| {
        let mut missing = Vec::new();
        let mut there = path;
        loop {
            // An empty path is the folder that we are in.
            let here = if there.as_os_str().is_empty() {
                Path::new(".")
            } else {
                there
            };
            if let Ok(mut whole) = here.canonicalize() {
                whole.extend(missing.iter().rev());
                return Ok(whole);
            }
            let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else {
                return Err(format!("{}: expected a folder", path.display()));
            };
            missing.push(name);
            there = parent;
        }
    };
    let (from, to) = (whole(from)?, whole(to)?);
    let target = to.clone();
    let names = |path: &Path| -> Vec<String> {
        let normal = path.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        normal.collect()
    };
    let (from, to) = (names(&from), names(&to));
    // On the way from one end of the disk to the other a name is of more use.
    if from.first() != to.first() {
        return Ok(target.display().to_string());
    }
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = vec!["..".to_owned(); from.len() - shared];
    let way: Vec<String> = up.into_iter().chain(to[shared..].iter().cloned()).collect();
    Ok(if way.is_empty() {
        ".".to_owned()
    } else {
        way.join("/")
    })
}
