//! Files written atomically: a reader, or a crash, sees the old file or the new
//! one, never a part.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// A file that is being written atomically.
///
/// All writes go to a temporary file in the same folder, which
/// [`finish`](Self::finish) renames, so that at any moment there is the old
/// file or the complete new one. Dropped before, it leaves nothing.
///
/// A link stays a link, what it points to is replaced; permissions stay as they
/// were. A device or a pipe is never replaced: it is written to directly.
///
/// ```
/// use std::io::Write as _;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("weights.txt");
/// let mut file = tuner_base::AtomicFile::create(&path)?;
/// file.write_all(b"ROOK 500\n")?;
/// assert!(!path.exists());
/// file.finish()?;
/// assert!(path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    file: File,
    /// The temporary name and the final one; `None` for a device, and once the file is renamed.
    names: Option<(PathBuf, PathBuf)>,
}

impl AtomicFile {
    /// Begins a file under a temporary name, with the permissions of the file that is there; a
    /// device or a pipe is opened itself.
    ///
    /// # Errors
    /// If it cannot be created; a folder cannot.
    pub fn create(path: &Path) -> io::Result<Self> {
        let permissions = match fs::metadata(path) {
            Ok(there) if there.is_file() => Some(there.permissions()),
            // A device or a pipe is written to directly; a folder cannot be opened.
            Ok(_) => {
                let file = OpenOptions::new().write(true).open(path)?;
                return Ok(Self { file, names: None });
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = resolved_target(path)?;
        let (file, temporary) = temporary(&target)?;
        let atomic = Self {
            file,
            names: Some((temporary, target)),
        };
        if let Some(permissions) = permissions {
            atomic.file.set_permissions(permissions)?;
        }
        Ok(atomic)
    }

    /// Waits until all that was written is on the disk; after that [`finish`](Self::finish) has
    /// only to rename. A device is only flushed.
    ///
    /// # Errors
    /// If it does not get to the disk.
    pub fn sync(&mut self) -> io::Result<()> {
        self.file.flush()?;
        match self.names {
            Some(_) => self.file.sync_all(),
            None => Ok(()), // a device
        }
    }

    /// Ends the file: waits until it is on the disk, and renames it to its final name.
    ///
    /// # Errors
    /// If it does not get to the disk; the old file is then as it was.
    pub fn finish(mut self) -> io::Result<()> {
        self.sync()?;
        if let Some((temporary, target)) = &self.names {
            fs::rename(temporary, target)?;
        }
        self.names = None;
        Ok(())
    }
}

impl Write for AtomicFile {
    /// Writes to the temporary file, or to the device.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    /// Flushes the temporary file, or the device; the final file stays as it was.
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for AtomicFile {
    /// Removes the temporary file, unless it was renamed.
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.names {
            // It may be gone, and nothing else could be done.
            let _ = fs::remove_file(temporary);
        }
    }
}

/// The effect of [`write_if_changed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It had this text already; it was not touched, not even its time.
    Unchanged,
    /// It has this text now.
    Changed,
}

crate::impl_fmt! { Display for Written, |self, f| f.write_str(match self {
    Self::Unchanged => "unchanged",
    Self::Changed => "written",
}) }

/// Writes `text` to `path` unless the file has this text already; returns which of the two.
///
/// A reader (a running `cargo build`, say) sees the old or the new file.
///
/// # Errors
/// The error of the system; the file is then as it was.
pub fn write_if_changed(path: &Path, text: &str) -> io::Result<Written> {
    // Only plain files are compared: a device may have no end.
    if path.is_file() && fs::read(path)? == text.as_bytes() {
        return Ok(Written::Unchanged);
    }
    write_atomically(path, text).map(|()| Written::Changed)
}

/// Writes `text` to `path` atomically: to a temporary file that is renamed once it is on the disk,
/// so that at any moment there is the old file or the complete new one.
///
/// # Errors
/// The error of the system; the file is then as it was.
pub fn write_atomically(path: &Path, text: &str) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.finish()
}

/// Returns the file that a path names, whether or not it exists yet: the target
/// of all links, from the root of the file system.
///
/// # Errors
/// If there is no such folder, or links lead nowhere.
pub fn resolved_target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    loop {
        match fs::canonicalize(&target) {
            // The file is not there yet, or is a link to one that is not.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => return found,
        }
        // Links in a circle are another error.
        let Ok(next) = fs::read_link(&target) else {
            let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
            return Ok(fs::canonicalize(folder_of(&target))?.join(name));
        };
        target = target.with_file_name(next);
    }
}

/// Returns the folder of a file; `.` if the path is a name alone.
fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Creates a temporary file next to `target`; returns the file, which is locked, and its name,
/// `NAME.tuner-PROCESS-NUMBER.tmp`. The number is the first that is free, as a killed process of
/// the same number may have left files behind. Files of killed processes are removed first.
fn temporary(target: &Path) -> io::Result<(File, PathBuf)> {
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    remove_abandoned(folder_of(target));
    let mut number = 0_u64;
    loop {
        let mut temporary = name.to_owned();
        temporary.push(format!("{MARK}{}-{number}{ENDING}", std::process::id()));
        let temporary = target.with_file_name(temporary);
        match File::create_new(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            created => {
                let file = created?;
                // Between creation and lock another process may have taken the file for an
                // abandoned one and removed it: then another is made. Where there are no locks,
                // nothing is removed.
                let _ = file.lock();
                if temporary.exists() {
                    return Ok((file, temporary));
                }
            }
        }
    }
}

/// Temporary files are named `NAME.tuner-PROCESS-NUMBER.tmp`: nobody else names files so.
const MARK: &str = ".tuner-";
const ENDING: &str = ".tmp";

/// How old a file without a lock must be to be one that was left, chosen: between its creation and
/// its lock there are microseconds.
const LEFT: Duration = Duration::from_millis(50);

/// Removes the temporary files in a folder whose writers were killed: a living writer holds a lock.
/// A file that cannot be opened, locked or removed stays. *Cost*: the folder is listed; for a file
/// that was left a moment ago, 50 ms.
pub fn remove_abandoned(folder: &Path) {
    // Whether a name is `NAME.tuner-PROCESS-NUMBER.tmp`.
    let is_ours = |name: &OsStr| {
        let name = name.to_string_lossy();
        let name = name.strip_suffix(ENDING);
        let rest = name.and_then(|name| name.rsplit_once(MARK));
        let numbers = rest.and_then(|(_, rest)| rest.split_once('-'));
        let is_number = |text: &str| text.parse::<u64>().is_ok();
        numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
    };
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let entries = entries.flatten();
    for entry in entries.filter(|entry| is_ours(&entry.file_name())) {
        // The file, locked, and its age; `None` while its writer holds the lock.
        let locked = || {
            let file = File::open(entry.path()).ok()?;
            file.try_lock().ok()?;
            let age = file.metadata().ok()?.modified().ok()?.elapsed().ok()?;
            Some((file, age))
        };
        let mut found = locked();
        // The file is younger than `LEFT`: its writer may be about to lock it.
        if let Some(left) = (found.as_ref()).and_then(|(_, age)| LEFT.checked_sub(*age)) {
            // Unlocked meanwhile.
            drop(found);
            sleep(left);
            found = locked();
        }
        if let Some((_file, _)) = found {
            let _ = fs::remove_file(entry.path());
        }
    }
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
    fn a_file_has_its_name_once_it_is_complete() {
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

    #[test]
    fn files_that_a_killed_process_left_behind_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        // Held, as they would be removed on a machine that is slow.
        let held = (0..150).map(|number| {
            let name = format!("a.tuner-{}-{number}.tmp", std::process::id());
            let file = File::create(folder.path().join(name)).unwrap();
            file.lock().unwrap();
            file
        });
        let _held: Vec<File> = held.collect();
        written(&path, "whole").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 151);
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
        assert_eq!(
            resolved_target(&link).unwrap(),
            resolved_target(&path).unwrap()
        );
        let [there, again] =
            ["c", "./c"].map(|name| resolved_target(&folder.path().join(name)).unwrap());
        assert_eq!(there, again);
        symlink("circle", folder.path().join("circle")).unwrap();
        assert!(written(&folder.path().join("circle"), "x").is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

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

    #[test]
    fn what_a_killed_writer_left_is_removed_and_what_one_writes_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let writing = AtomicFile::create(&path).unwrap();
        // Whatever it was to be, and however soon.
        let left = ["a.txt.tuner-1-0.tmp", "other.tuner-1-12.tmp"];
        let others = [
            "a.txt.mine.tmp",
            "a.1-0.tmp",
            "a.2024-01.tmp",
            "a.tuner-1.tmp",
        ];
        for name in left.iter().chain(&others) {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        write_atomically(&path, "whole").unwrap();
        assert!(left.iter().all(|name| !folder.path().join(name).exists()));
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        writing.finish().unwrap();
    }
}
