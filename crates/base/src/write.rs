//! Puts a text into a file, whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use crate::AtomicFile;

/// What became of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It had this text already; it was not touched, not even its time.
    Unchanged,
    /// It has this text now.
    Changed,
}

/// Writes `text` to `path` unless it stands there already.
///
/// The text goes to a temporary name in the same folder first and is renamed,
/// so a reader (a running `cargo build`, say) sees the old or the new file.
///
/// # Errors
///
/// What the file system says; the file is then as it was.
pub fn write_if_changed(path: &Path, text: &str) -> io::Result<Written> {
    match fs::metadata(path) {
        // Others, such as devices, may have no end.
        Ok(there) if there.is_file() => {
            if fs::read(path)? == text.as_bytes() {
                return Ok(Written::Unchanged);
            }
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    write_atomically(path, text).map(|()| Written::Changed)
}

/// Writes `text` to `path` such that at any moment there is the old file or
/// the new one, whole: by a temporary file beside it, and a renaming. A device
/// or a pipe is written to as it is.
///
/// # Errors
/// What the system reports; then the old file stands.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.finish()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test may stop at the first surprise

    use super::*;

    #[test]
    fn an_equal_file_is_not_touched_and_nothing_else_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.rs");
        assert_eq!(write_if_changed(&path, "a").unwrap(), Written::Changed);
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        assert_eq!(write_if_changed(&path, "a").unwrap(), Written::Unchanged);
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), time);
        assert_eq!(write_if_changed(&path, "b").unwrap(), Written::Changed);
        assert_eq!(fs::read_to_string(&path).unwrap(), "b");
        assert!(fs::metadata(&path).unwrap().permissions().readonly());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_if_changed(&folder.path().join("no/such/folder"), "a").is_err());
        assert!(write_if_changed(folder.path(), "a").is_err());
    }
}
