//! Files that are written bit by bit and resumed where they were cut off.
//!
//! Each says its format, and what it depends on: settings that must be the same when it is
//! resumed. A [`LineFile`] grows by lines, of which the first, its head, says so:
//! `{"format": 1, "match": {settings}, "about": {what may differ}}`; a state is one JSON value
//! that is written anew each time. A second command that would write to either is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::record_error::{RecordError, RecordResult};
use tuner_base::write_atomically;

/// A kind of file that grows by lines.
#[derive(Clone, Copy, Debug)]
pub struct LineFormat {
    /// What the file is of, such as `match`: the name of the settings in its first line.
    pub name: &'static str,
    /// The version of the format; another one is refused.
    pub version: u64,
    /// Number of lines that mean something only together; a file is cut off only behind all of
    /// them.
    pub unit: u64,
    /// The cure where it cannot be resumed.
    pub cure: &'static str,
}

/// A file of lines that is being written.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: BufWriter<File>,
}

/// The lines of a file of a [`LineFormat`], without a last one that was cut off.
#[derive(Debug)]
pub struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    /// The number of the line that was read last, from 1.
    number: usize,
    /// The settings that a run that resumes must have in common.
    pub settings: Value,
    /// Other facts from when it began.
    pub about: Value,
    /// Number of lines behind the first one, up to where the file is resumed; 0 of a file that is
    /// only read.
    pub whole: u64,
}

impl LineFormat {
    /// Begins a file of lines with its first one, the head, which has the version of the format,
    /// the settings and `about`. `settings`: what must be the same where the file is resumed;
    /// `about`: what may differ.
    ///
    /// # Errors
    /// If a file of that name is there already, or it cannot be written.
    pub fn create(&self, path: &Path, settings: &Value, about: &Value) -> RecordResult<LineFile> {
        let file = create(path)?;
        let mut first = json!({ "format": self.version, (self.name): settings });
        if !about.is_null() {
            first["about"] = about.clone();
        }
        let mut file = LineFile {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
        };
        file.add(&first.to_string())?;
        file.flush()?;
        Ok(file)
    }

    /// Opens a file of lines to be read, also one whose writer was killed, and reads its first
    /// line, the head with format and settings. The next line is then the first one behind that.
    ///
    /// # Errors
    /// If it cannot be read, or is not such a file.
    pub fn read(&self, path: &Path) -> RecordResult<Lines> {
        let file = File::open(path).map_err(|error| RecordError::io(path, error))?;
        let mut lines = Lines {
            path: path.to_path_buf(),
            reader: BufReader::new(file),
            number: 0,
            settings: Value::Null,
            about: Value::Null,
            whole: 0,
        };
        let first = lines.next_line()?;
        let first: Option<Value> = first.and_then(|line| serde_json::from_str(&line).ok());
        // 1 is the number of the line.
        let wrong = |words: String| RecordError::other(path, format!("1: {words}"));
        let (name, cure) = (self.name, self.cure);
        let mut first =
            first.ok_or_else(|| wrong(format!("found no settings of a {name}; {cure}")))?;
        check_format(&first, self.version).map_err(|words| {
            wrong(format!(
                "{words}: finish with the tuner that began it, or {cure}"
            ))
        })?;
        lines.settings = first[self.name].take();
        lines.about = first["about"].take();
        Ok(lines)
    }

    /// Resumes a file of lines that was begun with the same settings. What is behind its last whole
    /// unit, the lines that mean something only together, is cut off, and new lines are added
    /// there. The lines before are to be read from [`Lines`].
    ///
    /// # Errors
    /// If it cannot be read, is of another format or of other settings, or another command writes
    /// it.
    pub fn resume(&self, path: &Path, settings: &Value) -> RecordResult<(LineFile, Lines)> {
        let of = |error| RecordError::io(path, error);
        let opened = OpenOptions::new().write(true).open(path);
        // Locked before it is read, as another command may be writing it. If it could not be
        // opened, that is returned only where reading it has found nothing wrong.
        if let Ok(file) = &opened {
            lock(path, file)?;
        }
        let mut lines = self.read(path)?;
        check_settings(&lines.settings, settings)
            .map_err(|words| RecordError::other(path, words))?;
        let mut file = opened.map_err(of)?;
        let (length, whole) = self.whole(path).map_err(of)?;
        lines.whole = whole;
        file.set_len(length).map_err(of)?;
        file.seek(SeekFrom::End(0)).map_err(of)?;
        let file = LineFile {
            path: path.to_path_buf(),
            file: BufWriter::new(file),
        };
        Ok((file, lines))
    }

    /// Returns how long the part of a file is, in bytes, that has its first line and the whole
    /// units behind it, each of `unit` lines; and how many lines these units have.
    fn whole(&self, path: &Path) -> io::Result<(u64, u64)> {
        let mut reader = BufReader::new(File::open(path)?);
        let (mut read, mut whole, mut line) = (0, (0, 0), Vec::new());
        // The head is line 0, so `number` says how many lines are behind it.
        for number in 0.. {
            line.clear();
            read += reader.read_until(b'\n', &mut line)? as u64;
            if !line.ends_with(b"\n") {
                break;
            }
            if number % self.unit == 0 {
                whole = (read, number);
            }
        }
        Ok(whole)
    }
}

impl LineFile {
    /// Adds a line, which is on its way to the disk after [`flush`](Self::flush).
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn add(&mut self, line: &str) -> RecordResult<()> {
        let written = writeln!(self.file, "{line}");
        written.map_err(|error| RecordError::io(&self.path, error))
    }

    /// Writes the lines that were added.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn flush(&mut self) -> RecordResult<()> {
        let written = self.file.flush();
        written.map_err(|error| RecordError::io(&self.path, error))
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Lines {
    /// Reads the next line, without its line end; `None` at the end of the file, and at a last line
    /// that was cut off.
    ///
    /// # Errors
    /// If it cannot be read, or is not text.
    pub fn next_line(&mut self) -> RecordResult<Option<String>> {
        let mut line = String::new();
        let read = self.reader.read_line(&mut line);
        read.map_err(|error| RecordError::io(&self.path, error))?;
        self.number += 1;
        // What has no line end was cut off.
        Ok(line.strip_suffix('\n').map(str::to_owned))
    }

    /// Makes the error that the line that was read last makes no sense, with its number in the
    /// file.
    pub fn refuse(&self, words: &str) -> RecordError {
        RecordError::other(&self.path, format!("{}: {words}", self.number))
    }
}

/// Tells whether there is a file to resume, or what looks like one: a file without bytes does not
/// count, as it is begun anew.
pub fn is_begun(path: &Path) -> bool {
    path.exists() && !is_empty(path)
}

/// Reads a state, a file of one JSON value from which work is resumed; `None` if there is no such
/// file. `version`: the number that its field `format` must have; `cure`: words on what to do where
/// it is of another format or damaged.
///
/// # Errors
/// If it cannot be read, is of another format, or damaged.
pub fn read_state<T: DeserializeOwned>(
    path: &Path,
    version: u64,
    cure: &str,
) -> RecordResult<Option<T>> {
    let text = match std::fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        text => text.map_err(|error| RecordError::io(path, error))?,
    };
    let damaged = |error: serde_json::Error| {
        RecordError::other(path, format!(" {error}; it is damaged: {cure}"))
    };
    let any: Value = serde_json::from_str(&text).map_err(damaged)?;
    check_format(&any, version).map_err(|words| {
        let words = format!(" {words}: resume with the tuner that began it, or {cure}");
        RecordError::other(path, words)
    })?;
    // Read from the text once more, so that errors have their place in it.
    serde_json::from_str(&text).map(Some).map_err(damaged)
}

/// Writes a state, from which work is resumed, atomically to a file as one JSON value. It must have
/// a field `format`, by which [`read_state`] knows it.
///
/// # Errors
/// If it cannot be written.
pub fn write_state(path: &Path, state: &impl Serialize) -> RecordResult<()> {
    let text = serde_json::to_string(state).map_err(io::Error::from);
    let written = text.and_then(|text| write_atomically(path, &text));
    written.map_err(|error| RecordError::io(path, error))
}

/// Fails where the settings `now` differ from those `then`, when the file was begun, in words that
/// name the first one that differs.
///
/// # Errors
/// The first setting that differs.
pub fn check_settings(then: &Value, now: &Value) -> Result<(), String> {
    if then == now {
        return Ok(());
    }
    let fields = [then, now].into_iter().filter_map(Value::as_object);
    let mut names = fields.flat_map(|fields| fields.keys());
    let name = names.find(|name| then[name.as_str()] != now[name.as_str()]);
    // Values that are no objects have no fields to name.
    let name = name.map_or("settings", String::as_str);
    Err(format!(
        "{name} was {}, and is {} now; give the same, or begin anew without --resume",
        then[name], now[name]
    ))
}

/// Fails if the field `format` of a JSON value is not the number `expected`; the error says what
/// was found.
fn check_format(file: &Value, expected: u64) -> Result<(), String> {
    let found = file.get("format");
    if found.and_then(Value::as_u64) == Some(expected) {
        return Ok(());
    }
    let found = found.map_or_else(|| "none".to_owned(), Value::to_string);
    Err(format!("found format {found}, expected format {expected}"))
}

/// Begins a file and locks it. There must be no file of this name, or an empty one, as a program
/// leaves it that is killed before it has written anything.
pub(super) fn create(path: &Path) -> RecordResult<File> {
    let of = |error| RecordError::io(path, error);
    let file = if is_empty(path) {
        OpenOptions::new().write(true).open(path).map_err(of)?
    } else {
        File::create_new(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => RecordError::Exists(path.to_path_buf()),
            _ => of(error),
        })?
    };
    lock(path, &file)?;
    Ok(file)
}

/// Locks a file or a folder until it is closed, or the process has ended: a second command that
/// writes there would mix its games with the first one's, or replace what that wrote. Where the
/// file system has no locks nothing is locked.
///
/// # Errors
/// If another process has locked it.
pub fn lock(path: &Path, file: &File) -> RecordResult<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let words = " another command is writing there; wait for its end, or write elsewhere";
            Err(RecordError::other(path, words.to_owned()))
        }
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Tells whether a file is there and has no bytes.
pub(super) fn is_empty(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.len() == 0)
}
