//! Files that are there whole, or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many temporary names are tried. Chosen: names are taken only by what a
/// killed process of the same number left behind.
const NAMES: u32 = 100;

/// A file on its way: what is written goes to a temporary file in the same
/// folder, which [`finish`](Self::finish) renames, so that at any moment there
/// is the old file or the new one, whole. Dropped before, it leaves nothing.
///
/// A link stays a link, what it points to is replaced; rights stay as they
/// were. What is there and is no regular file (a device, a pipe) is never
/// replaced: it is written to as it is.
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// Where it is written, and what it is to be called; none of what is
    /// written to as it is, or has its name.
    names: Option<(PathBuf, PathBuf)>,
}

impl AtomicFile {
    /// Begins a file.
    ///
    /// # Errors
    /// If it cannot be created; a folder cannot.
    pub fn create(path: &Path) -> io::Result<Self> {
        let permissions = match fs::metadata(path) {
            Ok(there) if there.is_file() => Some(there.permissions()),
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(Self { file, names: None });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = resolved_target(path)?;
        let (file, temporary) = temporary(&target)?;
        let whole = Self {
            file,
            names: Some((temporary, target)),
        };
        if let Some(permissions) = permissions {
            whole.file.set_permissions(permissions)?;
        }
        Ok(whole)
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// If it does not get to the disk; then the old file stands.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some((temporary, target)) = &self.names {
            self.file.sync_all()?;
            fs::rename(temporary, target)?;
        }
        self.names = None;
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.names {
            // It may be gone, and nothing else could be done.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// The file that a path stands for, whether or not it is there yet: where links
/// lead, to the end, from the root of the file system.
///
/// # Errors
/// If there is no such folder, or links lead nowhere.
pub fn resolved_target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    loop {
        match fs::canonicalize(&target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        // Links in a circle are another error.
        let Ok(next) = fs::read_link(&target) else {
            let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            let folder = match target.parent() {
                Some(folder) if folder != Path::new("") => folder,
                _ => Path::new("."),
            };
            return Ok(fs::canonicalize(folder)?.join(name));
        };
        target = target.with_file_name(next);
    }
}

/// Creates a file beside another.
fn temporary(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut taken = io::ErrorKind::AlreadyExists.into();
    for number in 0..NAMES {
        let mut temporary = name.to_owned();
        temporary.push(format!(".{}-{number}.tmp", std::process::id()));
        let temporary = target.with_file_name(temporary);
        match File::create_new(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn written(path: &Path, text: &str) -> io::Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.finish()
    }

    #[test]
    fn a_file_has_its_name_once_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut first = AtomicFile::create(&path).unwrap();
        first.write_all(b"first").unwrap();
        assert!(!path.exists());
        // Another of the same name has another temporary file.
        written(&path, "second").unwrap();
        first.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        drop(AtomicFile::create(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(AtomicFile::create(folder.path()).is_err());
        assert!(AtomicFile::create(&folder.path().join("no/a")).is_err());
        assert!(AtomicFile::create(&path.join("a")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_and_rights_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let other = tempfile::tempdir().unwrap();
        let [path, link, hanging] = ["a", "link", "hanging"].map(|name| folder.path().join(name));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("a", &link).unwrap();
        symlink(other.path().join("b"), &hanging).unwrap();
        written(&link, "new").unwrap();
        written(&hanging, "there").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        let there = fs::read_to_string(other.path().join("b"));
        assert_eq!(there.unwrap(), "there");
        assert!(link.is_symlink() && hanging.is_symlink());
        assert_eq!(target(&link).unwrap(), target(&path).unwrap());
        let [there, again] = ["c", "./c"].map(|name| target(&folder.path().join(name)).unwrap());
        assert_eq!(there, again);
        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(written(&folder.path().join("circle"), "x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }
}
