//! Puts texts into several files: all of them, or none.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// One file: the text that it must still have, and the one that it gets.
pub(super) struct Replacement<'a> {
    pub(super) path: &'a Path,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// Replaces the texts of files that exist; their permissions stay.
///
/// Each text goes to a temporary name beside its file, and only when all are
/// there are they renamed, so a reader or a crash sees the old or the new file.
///
/// # Errors
///
/// What the file system says, and of which file; all files are then as they were.
pub(super) fn replace_all(all: &[Replacement<'_>]) -> Result<(), (PathBuf, io::Error)> {
    let mut staged = Vec::new();
    for one in all {
        match stage(one) {
            Ok(pair) => staged.push(pair),
            Err(error) => {
                discard(&staged);
                return Err((one.path.to_path_buf(), error));
            }
        }
    }
    for (index, (temporary, target)) in staged.iter().enumerate() {
        if let Err(error) = fs::rename(temporary, target) {
            discard(&staged[index..]);
            for (one, (_, target)) in all.iter().zip(&staged[..index]) {
                // The first error is the one to report.
                let _ = fs::write(target, one.old);
            }
            return Err((target.clone(), error));
        }
    }
    Ok(())
}

/// Writes the new text to a temporary name; returns it, and where it belongs.
fn stage(one: &Replacement<'_>) -> io::Result<(PathBuf, PathBuf)> {
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(one.path)?;
    let permissions = fs::metadata(&target)?.permissions();
    if permissions.readonly() {
        let reason = "the file is read-only; make it writable";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    }
    if fs::read(&target)? != one.old.as_bytes() {
        return Err(io::Error::other(
            "the file changed while it was read; do it again",
        ));
    }
    let mut name = target.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = target.with_file_name(name);
    let mut file = File::create_new(&temporary)?;
    let written = file
        .set_permissions(permissions)
        .and_then(|()| file.write_all(one.new.as_bytes()))
        .and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    Ok((temporary, target))
}

fn discard(staged: &[(PathBuf, PathBuf)]) {
    for (temporary, _) in staged {
        let _ = fs::remove_file(temporary);
    }
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
                new: "new",
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
        // What a killed run left behind stands in the way, and is not touched.
        let left = folder
            .path()
            .join(format!("b.rs.{}.tmp", std::process::id()));
        fs::write(&left, "half").unwrap();
        assert!(replace("old").is_err());
        assert_eq!(read(), ["old", "old"]);
        fs::remove_file(left).unwrap();
        replace("old").unwrap();
        assert_eq!(read(), ["new", "new"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
