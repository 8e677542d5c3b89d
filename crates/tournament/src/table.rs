//! The file that self-play writes: a table, plain or zstd, that can be
//! resumed.
//!
//! Games are written in blocks of 256, each a zstd frame of its own, so that
//! the bytes depend on the games and on nothing else: not on threads, not on
//! interruptions. Next to the file is `FILE.json` with the settings, the
//! length of the complete blocks, and the text of the block that is not complete
//! yet; it is written atomically. What the file holds beyond that length is
//! a block that was cut off, and is written again.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record_error::RecordError;
use tuner_base::write_atomically;
use tuner_game::Outcome;
use tuner_play::{GameRecord, Left};

/// Games of a block. Chosen: small against what anybody plays, large enough to
/// compress well.
const BLOCK: u64 = 256;

/// How often `FILE.json` is written in the middle of a block. Chosen: what a
/// crash may cost.
const KEEP: Duration = Duration::from_secs(10);

/// zstd's strength. Chosen: a game takes far longer than its text.
const COMPRESSION: i32 = 19;

/// Version of `FILE.json`; another one is refused.
const FORMAT: u64 = 1;

/// What is saved next to the table. Fields have these names in the file: one that
/// gets another name keeps its old one there.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct State {
    format: u64,
    settings: Value,
    /// What ids of games begin with.
    prefix: String,
    /// Games written, those of the tail included.
    games: u64,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    #[serde(with = "LeftFields")]
    left: Left,
    /// Length of the whole blocks in the file.
    bytes: u64,
    /// Text after them.
    tail: String,
    /// Games of the tail.
    tail_games: u64,
}

/// The fields of [`Left`], as files name them.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Left", deny_unknown_fields)]
struct LeftFields {
    early: u64,
    mates: u64,
    checks: u64,
    tactical: u64,
    noisy: u64,
    repeated: u64,
    surplus: u64,
}

impl State {
    fn read(beside: &Path) -> Result<Self, RecordError> {
        let text = std::fs::read_to_string(beside).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => RecordError::Nothing(beside.to_path_buf()),
            _ => RecordError::io(beside, error),
        })?;
        let damaged = |error: serde_json::Error| {
            let words = format!("{error}; it is damaged: begin another table");
            RecordError::other(beside, format!(" {words}"))
        };
        let any: Value = serde_json::from_str(&text).map_err(damaged)?;
        if let Some(words) = other_format(&any, FORMAT) {
            let cure = "resume with the tuner that began the table, or begin another one";
            return Err(RecordError::other(beside, format!(" {words}: {cure}")));
        }
        serde_json::from_value(any).map_err(damaged)
    }
}

/// A table of positions on its way.
#[derive(Debug)]
pub struct GameTable {
    path: PathBuf,
    file: File,
    zstd: bool,
    state: State,
    kept: Instant,
}

impl GameTable {
    /// Begins a table; `notation` is the name of the column with positions.
    /// Ids of games are `PREFIX.NUMBER`, so that those of several tables differ.
    ///
    /// # Errors
    /// If there is a file of this name, or of the one beside it, or it cannot be
    /// written.
    pub fn create(
        path: &Path,
        settings: Value,
        notation: &str,
        prefix: &str,
    ) -> Result<Self, RecordError> {
        let beside = beside(path);
        if !path.exists() && beside.exists() {
            return Err(RecordError::Exists(beside));
        }
        let file = create(path)?;
        lock(path, &file)?;
        let column = notation.to_lowercase();
        let state = State {
            format: FORMAT,
            settings,
            prefix: prefix.to_owned(),
            tail: format!("{column}\tresult\tscore_cp\tgame\tply\n"),
            ..State::default()
        };
        let mut table = Self::of(path, file, state);
        table.keep()?;
        Ok(table)
    }

    fn of(path: &Path, file: File, state: State) -> Self {
        let extension = path.extension();
        Self {
            path: path.to_path_buf(),
            file,
            zstd: extension.is_some_and(|e| e.eq_ignore_ascii_case("zst")),
            state,
            kept: Instant::now(),
        }
    }

    /// Tells whether there is a table to resume, or what looks like one.
    pub fn is_begun(path: &Path) -> bool {
        beside(path).exists() || (path.exists() && !is_empty(path))
    }

    /// Resumes a table that was begun with the same settings.
    ///
    /// # Errors
    /// If there is none, it was begun with others, or is damaged.
    pub fn resume(path: &Path, settings: &Value) -> Result<Self, RecordError> {
        let beside = beside(path);
        let opened = OpenOptions::new().write(true).open(path);
        // Before it is read how far the table got.
        if let Ok(file) = &opened {
            lock(path, file)?;
        }
        let state = State::read(&beside)?;
        if let Some(difference) = difference(&state.settings, settings) {
            return Err(RecordError::other(&beside, format!(" {difference}")));
        }
        let file = opened.map_err(|error| RecordError::io(path, error))?;
        let mut table = Self::of(path, file, state);
        let found = table.io(|table| table.file.metadata())?.len();
        if found < table.state.bytes {
            let words = format!(
                "found {found} bytes, expected the {} that {} speaks of; the table was cut: \
                 begin another one",
                table.state.bytes,
                beside.display()
            );
            return Err(RecordError::other(&table.path, format!(" {words}")));
        }
        table.cut()?;
        Ok(table)
    }

    /// Returns the games won, drawn and lost by the first player in a table.
    ///
    /// # Errors
    /// If `FILE.json` cannot be read, is damaged or of another version.
    pub fn results_of(path: &Path) -> Result<[u64; 3], RecordError> {
        let state = State::read(&beside(path))?;
        Ok([state.wins, state.draws, state.losses])
    }

    /// Games that the table holds.
    pub fn games(&self) -> u64 {
        self.state.games
    }

    /// Positions that the table holds.
    pub fn positions(&self) -> u64 {
        self.state.positions
    }

    /// Games won, drawn and lost by the first player.
    pub fn results(&self) -> [u64; 3] {
        [self.state.wins, self.state.draws, self.state.losses]
    }

    /// What was left out.
    pub fn left(&self) -> &Left {
        &self.state.left
    }

    /// What was left out, as the file next to the table has it.
    pub fn left_json(&self) -> Value {
        // Of numbers JSON refuses none.
        LeftFields::serialize(&self.state.left, serde_json::value::Serializer).unwrap_or_default()
    }

    /// Adds the next game.
    ///
    /// # Errors
    /// If writing fails; what was written before stays, and can be resumed.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), RecordError> {
        use std::fmt::Write as _;
        let state = &mut self.state;
        for sample in &record.samples {
            // Writing to a text cannot fail.
            let _ = writeln!(
                state.tail,
                "{}\t{}\t{}\t{}.{}\t{}",
                sample.position,
                record.outcome,
                sample.score,
                state.prefix,
                state.games,
                sample.ply
            );
        }
        state.positions += record.samples.len() as u64;
        state.left.add(&record.left);
        *match record.outcome {
            Outcome::Win => &mut state.wins,
            Outcome::Draw => &mut state.draws,
            Outcome::Loss => &mut state.losses,
        } += 1;
        state.games += 1;
        state.tail_games += 1;
        if state.tail_games == BLOCK {
            let length = self.append()?;
            self.state.bytes += length;
            self.state.tail.clear();
            self.state.tail_games = 0;
            self.keep()
        } else if self.kept.elapsed() >= KEEP {
            self.keep()
        } else {
            Ok(())
        }
    }

    /// Ends for now: the file is complete, and can be resumed.
    ///
    /// # Errors
    /// If writing fails; then the table can be resumed all the same.
    pub fn finish(mut self) -> Result<(), RecordError> {
        self.keep()?;
        self.append()?;
        self.cut_to_end()
    }

    /// Writes the tail behind the whole blocks; returns its length.
    fn append(&mut self) -> Result<u64, RecordError> {
        self.io(|table| {
            table.file.seek(SeekFrom::Start(table.state.bytes))?;
            let text = table.state.tail.as_bytes();
            let bytes = if table.zstd {
                zstd::encode_all(text, COMPRESSION)?
            } else {
                text.to_vec()
            };
            table.file.write_all(&bytes)?;
            table.file.sync_data()?;
            Ok(bytes.len() as u64)
        })
    }

    /// Removes what stands behind the whole blocks.
    fn cut(&mut self) -> Result<(), RecordError> {
        self.io(|table| table.file.set_len(table.state.bytes))
    }

    /// Removes what stands behind the place that was written last.
    fn cut_to_end(&mut self) -> Result<(), RecordError> {
        self.io(|table| {
            let end = table.file.stream_position()?;
            table.file.set_len(end)?;
            table.file.sync_all()
        })
    }

    /// Writes the file beside the table.
    fn keep(&mut self) -> Result<(), RecordError> {
        let beside = beside(&self.path);
        let text = serde_json::to_string(&self.state).map_err(io::Error::from);
        let written = text.and_then(|text| write_atomically(&beside, &text));
        self.kept = Instant::now();
        written.map_err(|error| RecordError::io(&beside, error))
    }

    fn io<T>(&mut self, f: impl FnOnce(&mut Self) -> io::Result<T>) -> Result<T, RecordError> {
        f(self).map_err(|error| RecordError::io(&self.path, error))
    }
}

/// Begins a file. There must be none, or an empty one: what was killed before
/// it wrote anything.
pub(super) fn create(path: &Path) -> Result<File, RecordError> {
    let of = |error| RecordError::io(path, error);
    if is_empty(path) {
        return OpenOptions::new().write(true).open(path).map_err(of);
    }
    File::create_new(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => RecordError::Exists(path.to_path_buf()),
        _ => of(error),
    })
}

/// Locks a file until it is closed, or the process has ended: a second command that writes
/// there would mix its games with the first one's.
pub(super) fn lock(path: &Path, file: &File) -> Result<(), RecordError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let words = " another command is writing there; wait for its end, or name another file";
            Err(RecordError::other(path, words.to_owned()))
        }
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

pub(super) fn is_empty(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// `FILE.json`.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}

/// Which format a file has and which is expected, if it has another one.
pub(super) fn other_format(file: &Value, expected: u64) -> Option<String> {
    let found = file.get("format");
    if found.and_then(Value::as_u64) == Some(expected) {
        return None;
    }
    let found = found.map_or_else(|| "none".to_owned(), Value::to_string);
    Some(format!("found format {found}, expected format {expected}"))
}

/// The first setting that differs, in words.
pub(super) fn difference(then: &Value, now: &Value) -> Option<String> {
    if then == now {
        return None;
    }
    let names = |value: &Value| -> Vec<String> {
        value
            .as_object()
            .map_or_else(Vec::new, |object| object.keys().cloned().collect())
    };
    let differs = names(then)
        .into_iter()
        .chain(names(now))
        .find(|name| then[name] != now[name]);
    let name = differs.unwrap_or_else(|| "settings".to_owned());
    Some(format!(
        "{name} was {}, and is {} now; give the same, or begin anew without --resume",
        then[&name], now[&name]
    ))
}
