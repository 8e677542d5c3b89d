//! The file that self-play writes: a table, plain or zstd, that can be
//! resumed.
//!
//! Games are written in blocks of 256, each a zstd frame of its own, so that
//! the bytes depend on the games and on nothing else: not on threads, not on
//! interruptions. Next to the file is `FILE.json` with the settings, the
//! length of the complete blocks, and the text of the block that is not complete
//! yet; it is written atomically. What the file holds beyond that length is
//! a block that was cut off, and is written again.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::record_error::{RecordError, RecordResult};
use super::resumable::{check_settings, create, is_begun, lock, read_state, write_state};
use tuner_game::Outcome;
use tuner_play::{GameEnd, GameRecord, Left};

/// How often `FILE.json` is written in the middle of a block. Chosen: what a
/// crash may cost.
const KEEP: Duration = Duration::from_secs(10);

/// zstd's strength. Chosen: a game takes far longer than its text.
const COMPRESSION: i32 = 19;

/// Version of `FILE.json`; another one is refused.
const FORMAT: u64 = 1;

/// The state that is saved next to the table. Fields have these names in the file: one that
/// gets another name keeps its old one there.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct State {
    format: u64,
    settings: Value,
    /// The prefix of ids of games.
    prefix: String,
    /// The number of the first game.
    first: u64,
    /// Games written, including the games of the tail.
    games: u64,
    positions: u64,
    /// Games won, drawn and lost by the first player.
    results: [u64; 3],
    #[serde(with = "LeftCounts")]
    left: Left,
    /// Length of the whole blocks in the file, in bytes.
    bytes: u64,
    /// Text of the games after the whole blocks.
    tail: String,
    /// Number of games in the tail.
    tail_games: u64,
}

/// The counts of [`Left`], as files name them.
#[derive(Deserialize, Serialize)]
#[serde(remote = "Left", deny_unknown_fields)]
struct LeftCounts {
    early: u64,
    mates: u64,
    checks: u64,
    tactical: u64,
    noisy: u64,
    repeated: u64,
    surplus: u64,
}

impl State {
    /// Reads the state of a table from `beside`, the file beside it; fails if there is none.
    fn read(beside: &Path) -> RecordResult<Self> {
        let state = read_state(beside, FORMAT, "begin another table")?;
        state.ok_or_else(|| RecordError::Nothing(beside.to_path_buf()))
    }
}

/// A table of positions that is being written.
#[derive(Debug)]
pub struct GameTable {
    path: PathBuf,
    file: File,
    zstd: bool,
    state: State,
    kept: Instant,
}

impl GameTable {
    /// Games of a block. Chosen: small against what anybody plays, large enough to
    /// compress well.
    pub const BLOCK: u64 = 256;

    /// Begins a table; `notation` is the name of the column with positions. Ids of games are
    /// `PREFIX.NUMBER`, so that those of several tables differ. `first`: the number of its first
    /// game; a table with a number above 0 is a part of another one, behind its beginning, and has
    /// no line with the names of columns.
    ///
    /// # Errors
    /// If there is a file of this name that is not empty, or one beside it, which may have games of
    /// an empty table, or it cannot be written.
    pub fn create(
        path: &Path,
        settings: Value,
        notation: &str,
        prefix: &str,
        first: u64,
    ) -> RecordResult<Self> {
        let beside = beside(path);
        if beside.exists() {
            return Err(RecordError::Exists(beside));
        }
        let file = create(path)?;
        let column = notation.to_lowercase();
        let state = State {
            format: FORMAT,
            settings,
            prefix: prefix.to_owned(),
            first,
            tail: match first {
                0 => format!("{column}\tresult\tscore_cp\tgame\tply\n"),
                _ => String::new(),
            },
            ..State::default()
        };
        let mut table = Self::of(path, file, state);
        table.keep()?;
        Ok(table)
    }

    /// Makes the table of an open file with the state that was saved beside it; it is compressed if
    /// its name ends in `.zst`.
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

    /// Tells whether there is a table to resume, or what looks like one: the file beside it,
    /// `FILE.json`, or a file that is not empty.
    pub fn is_begun(path: &Path) -> bool {
        beside(path).exists() || is_begun(path)
    }

    /// Resumes a table that was begun with the same settings, by the state in `FILE.json` beside
    /// it. What the table holds behind its whole blocks of games is cut off; the state has the text
    /// of the games after these.
    ///
    /// # Errors
    /// If there is no such table or state, the table was begun with other settings, or it is
    /// damaged.
    pub fn resume(path: &Path, settings: &Value) -> RecordResult<Self> {
        let beside = beside(path);
        let opened = OpenOptions::new().write(true).open(path);
        // Locked before its state is read, as another command may be writing it. If it could not be
        // opened, that is returned only where its state has been found to fit.
        if let Ok(file) = &opened {
            lock(path, file)?;
        }
        let state = State::read(&beside)?;
        check_settings(&state.settings, settings)
            .map_err(|words| RecordError::other(&beside, format!(" {words}")))?;
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
        table.io(|table| table.file.set_len(table.state.bytes))?;
        Ok(table)
    }

    /// Returns the games won, drawn and lost by the first player in a table.
    ///
    /// # Errors
    /// If `FILE.json` cannot be read, is damaged or of another version.
    pub fn results_of(path: &Path) -> RecordResult<[u64; 3]> {
        State::read(&beside(path)).map(|state| state.results)
    }

    /// Returns how many games were played, those in which the engine failed counted.
    pub fn games(&self) -> u64 {
        self.state.games
    }

    /// Positions that the table holds.
    pub fn positions(&self) -> u64 {
        self.state.positions
    }

    /// Games won, drawn and lost by the first player, without games in which the engine failed.
    pub fn results(&self) -> [u64; 3] {
        self.state.results
    }

    /// Returns how many positions were left out, by the reason.
    pub fn left(&self) -> &Left {
        &self.state.left
    }

    /// Adds the next game: a line for each of its positions goes to the text of the block that is
    /// not complete yet, which is written to the file once it has [`BLOCK`](Self::BLOCK) games. A
    /// game in which the engine failed is counted, but has no result. The state beside the table is
    /// written after each block, and every ten seconds.
    ///
    /// # Errors
    /// If writing fails; what was written before stays, and can be resumed.
    pub fn add(&mut self, record: &GameRecord) -> RecordResult<()> {
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
                state.first + state.games,
                sample.ply
            );
        }
        state.positions += record.samples.len() as u64;
        state.left.add(&record.left);
        if !matches!(record.end, GameEnd::Fault { .. }) {
            state.results[match record.outcome {
                Outcome::Win => 0,
                Outcome::Draw => 1,
                Outcome::Loss => 2,
            }] += 1;
        }
        state.games += 1;
        state.tail_games += 1;
        let is_whole = state.tail_games == Self::BLOCK;
        if is_whole {
            let length = self.append()?;
            self.state.bytes += length;
            self.state.tail.clear();
            self.state.tail_games = 0;
        }
        if is_whole || self.kept.elapsed() >= KEEP {
            self.keep()?;
        }
        Ok(())
    }

    /// Writes the games of the last block, which is not complete, to the table. The state beside it
    /// still has their text, so that the table, though complete, can be resumed with further games.
    ///
    /// # Errors
    /// If writing fails; then the table can be resumed all the same.
    pub fn finish(mut self) -> RecordResult<()> {
        self.keep()?;
        let end = self.state.bytes + self.append()?;
        self.io(|table| {
            table.file.set_len(end)?;
            table.file.sync_all()
        })
    }

    /// Writes the text of the last block (`tail`) behind the whole blocks of the table, compressed
    /// as the table is, and returns how many bytes that took. The state stays as it is: the caller
    /// adds these bytes to it if the block is complete.
    fn append(&mut self) -> RecordResult<u64> {
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

    /// Writes the state, from which the table is resumed, into the file beside the table.
    fn keep(&mut self) -> RecordResult<()> {
        let written = write_state(&beside(&self.path), &self.state);
        self.kept = Instant::now();
        written
    }

    /// Calls `f` with the table; an error of the system gets the name of the table's file.
    fn io<T>(&mut self, f: impl FnOnce(&mut Self) -> io::Result<T>) -> RecordResult<T> {
        f(self).map_err(|error| RecordError::io(&self.path, error))
    }
}

/// The file beside a table that says how far it got, `FILE.json`.
fn beside(path: &Path) -> PathBuf {
    path.with_added_extension("json")
}
