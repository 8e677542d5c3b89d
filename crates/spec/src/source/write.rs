//! Replaces the texts of several files: all of them, or none.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use tuner_base::{AtomicFile, write_atomically};

/// One file: the text that it must still have, and the one that it gets.
pub(super) struct Replacement<'a> {
    pub(super) path: &'a Path,
    pub(super) old: &'a str,
    pub(super) new: String,
}

/// Replaces the texts of files that exist; their permissions stay.
///
/// The new texts are all on the disk, under temporary names, before the first
/// file is renamed: a reader or a crash sees the old or the new file.
///
/// # Errors
/// The error of the system, with the file; files that were replaced before get their old text
/// again.
pub(super) fn replace_all(all: &[Replacement<'_>]) -> Result<(), (PathBuf, io::Error)> {
    let of = |one: &Replacement<'_>, error| (one.path.to_path_buf(), error);
    let staged: Result<Vec<AtomicFile>, _> = all
        .iter()
        .map(|one| stage(one).map_err(|error| of(one, error)))
        .collect();
    for (index, file) in staged?.into_iter().enumerate() {
        if let Err(error) = file.finish() {
            for one in &all[..index] {
                // An error of writing the old text back is passed over: the first one is reported.
                let _ = write_atomically(one.path, one.old);
            }
            return Err(of(&all[index], error));
        }
    }
    Ok(())
}

/// Writes the new text of a file to the disk under a temporary name; the caller renames it. Fails
/// if the file is read-only, or no longer has the old text.
fn stage(one: &Replacement<'_>) -> io::Result<AtomicFile> {
    if fs::metadata(one.path)?.permissions().readonly() {
        let reason = "the file is read-only; make it writable";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    if fs::read(one.path)? != one.old.as_bytes() {
        let reason = "the file changed while it was read; do it again";
        return Err(io::Error::other(reason));
    }
    let mut file = AtomicFile::create(one.path)?;
    file.write_all(one.new.as_bytes())?;
    file.sync()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;

    #[test]
    fn all_files_are_written_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["a.rs", "b.rs"].map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "old").unwrap();
        }
        let replace = |second: &str| {
            let olds = ["old", second];
            let one = |index: usize| Replacement {
                path: &paths[index],
                old: olds[index],
                new: "new".to_owned(),
            };
            replace_all(&[one(0), one(1)])
        };
        let read = || {
            paths
                .each_ref()
                .map(|path| fs::read_to_string(path).unwrap())
        };
        let (path, error) = replace("other").unwrap_err();
        assert_eq!(path, paths[1]);
        assert!(error.to_string().contains("changed"), "{error}");
        assert_eq!(read(), ["old", "old"]);

        let mut permissions = fs::metadata(&paths[1]).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&paths[1], permissions.clone()).unwrap();
        let (_, error) = replace("old").unwrap_err();
        assert!(error.to_string().contains("read-only"), "{error}");
        assert_eq!(read(), ["old", "old"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);

        #[allow(clippy::permissions_set_readonly_false)] // a folder of this test
        permissions.set_readonly(false);
        fs::set_permissions(&paths[1], permissions).unwrap();
        // What a killed run left behind goes.
        let left = format!("b.rs.tuner-{}-0.tmp", std::process::id());
        fs::write(folder.path().join(left), "half").unwrap();
        replace("old").unwrap();
        assert_eq!(read(), ["new", "new"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
