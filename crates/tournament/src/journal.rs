//! The file of a match: one line a pair, so that it can be resumed.
//!
//! The first line holds the version of the format, the settings and what is said of
//! the match, as JSON. A line of a pair: its number,
//! half points of both games, why they ended, plies, and length and fingerprint
//! of the file of games, if there is one, up to and with this pair. Lines are written pair
//! by pair; a last line that was cut off is written again, and the file of
//! games is cut to where the last whole line says, if it is that file.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::record_error::RecordError;
use super::table::{create, difference, is_empty, lock, other_format};
use super::tally::Tally;
use tuner_base::Fingerprint;
use tuner_play::PairRecord;

/// Version of the format; another one is refused. Fields have the names of
/// [`Line`]: a field that gets another name keeps its old one in the file.
const FORMAT: u64 = 1;

/// The pairs of a match, on file or only in memory.
#[derive(Debug)]
pub struct Journal {
    file: Option<(PathBuf, File)>,
    games: Option<(PathBuf, File)>,
    written: u64,
    /// Fingerprint of what was written to the games.
    hash: Fingerprint,
    pairs: Vec<JournalPair>,
    tally: Tally,
}

/// A pair as the file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPair {
    /// Half points of the side whose results are counted, by game: it is the first
    /// player in the first one.
    pub half_points: [u8; 2],
    /// Why the games ended.
    pub ends: [Box<str>; 2],
    /// Their half-moves.
    pub plies: [u32; 2],
    /// Whether a game was lost by a fault, of both sides.
    pub faults: [u8; 2],
}

/// What is in the file of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct JournalRecord {
    /// What a match that resumes must have in common.
    pub settings: Value,
    /// What was said of it when it began; null of older files.
    pub about: Value,
    /// Its pairs, in their order.
    pub pairs: Vec<JournalPair>,
    /// Length of the lines that are not cut off.
    whole: usize,
    written: u64,
    hash: String,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Line {
    pair: u64,
    half_points: [u8; 2],
    ends: [String; 2],
    plies: [usize; 2],
    /// Whether a game was lost by a fault, of both sides.
    faults: [u8; 2],
    games_bytes: u64,
    /// Fingerprint of these bytes, 16 hexadecimal digits.
    games: String,
}

impl JournalPair {
    /// Games lost on time, by both sides.
    pub fn late(&self) -> [u8; 2] {
        let mut late = [0; 2];
        for (points, end) in self.half_points.iter().zip(&self.ends) {
            if **end == *"time" {
                late[usize::from(*points != 0)] += 1;
            }
        }
        late
    }
}

impl JournalRecord {
    /// Returns what the match has come to.
    pub fn tally(&self) -> Tally {
        tally(&self.pairs)
    }
}

fn tally(pairs: &[JournalPair]) -> Tally {
    let mut tally = Tally::default();
    for pair in pairs {
        tally.add(pair.half_points, pair.faults, pair.late());
    }
    tally
}

impl Journal {
    /// Keeps nothing on file, but for the games if `games` names one.
    ///
    /// # Errors
    /// If that file is there already, or cannot be written.
    pub fn new(games: Option<&Path>) -> Result<Self, RecordError> {
        Ok(Self {
            file: None,
            games: games
                .map(|path| Ok((path.to_path_buf(), create(path)?)))
                .transpose()?,
            written: 0,
            hash: Fingerprint::new(),
            pairs: Vec::new(),
            tally: Tally::default(),
        })
    }

    /// Begins a file. `about`: what [`read`](Self::read) is to tell of it; it may
    /// differ where the match resumes.
    ///
    /// # Errors
    /// If a file of that name is there already, or cannot be written.
    pub fn create(
        path: &Path,
        settings: &Value,
        about: &Value,
        games: Option<&Path>,
    ) -> Result<Self, RecordError> {
        let file = create(path)?;
        lock(path, &file)?;
        let mut journal = Self::new(games).inspect_err(|_| {
            // What was made for a match that does not begin goes again.
            let _ = std::fs::remove_file(path);
        })?;
        journal.file = Some((path.to_path_buf(), file));
        let mut first = json!({ "format": FORMAT, "match": settings });
        if !about.is_null() {
            first["about"] = about.clone();
        }
        journal.write(&format!("{first}\n"))?;
        Ok(journal)
    }

    /// Tells whether there is a match to resume, or what looks like one.
    pub fn is_begun(path: &Path) -> bool {
        path.exists() && !is_empty(path)
    }

    /// Reads the file of a match, also of one that was killed.
    ///
    /// # Errors
    /// If it cannot be read, is no such file, or holds a line that makes no sense.
    pub fn read(path: &Path) -> Result<JournalRecord, RecordError> {
        let other = |words: String| RecordError::other(path, words);
        let text = std::fs::read_to_string(path).map_err(|error| RecordError::io(path, error))?;
        // What has no line end was cut off.
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        let mut first: Value = lines
            .next()
            .and_then(|line| serde_json::from_str(line).ok())
            .ok_or_else(|| {
                other("1: found no settings of a match; begin another one".to_owned())
            })?;
        if let Some(words) = other_format(&first, FORMAT) {
            let cure = "finish the match with the tuner that began it, or begin another one";
            return Err(other(format!("1: {words}: {cure}")));
        }
        let mut record = JournalRecord {
            settings: first["match"].take(),
            about: first["about"].take(),
            pairs: Vec::new(),
            whole,
            written: 0,
            hash: Fingerprint::new().hex(),
        };
        for (index, line) in lines.enumerate() {
            let line: Line = serde_json::from_str(line)
                .map_err(|error| other(format!("{}: {error}; begin another match", index + 2)))?;
            let points = line.half_points.iter().all(|&points| points <= 2);
            let pairs = record.pairs.len();
            if line.pair != pairs as u64 || !points || line.games_bytes < record.written {
                let words = format!("{}: found pair {}, expected {pairs}", index + 2, line.pair);
                return Err(other(format!("{words}; begin another match")));
            }
            record.pairs.push(JournalPair {
                half_points: line.half_points,
                ends: line.ends.map(String::into_boxed_str),
                plies: line.plies.map(|plies| plies as u32),
                faults: line.faults,
            });
            (record.written, record.hash) = (line.games_bytes, line.games);
        }
        Ok(record)
    }

    /// Resumes a match of the same settings.
    ///
    /// # Errors
    /// As [`read`](Self::read); if it is of other settings, or the file of games is
    /// shorter than it should be.
    pub fn resume(
        path: &Path,
        settings: &Value,
        games: Option<&Path>,
    ) -> Result<Self, RecordError> {
        let of = |error| RecordError::io(path, error);
        let opened = OpenOptions::new().write(true).open(path);
        // Before it is read how far the match got.
        if let Ok(file) = &opened {
            lock(path, file)?;
        }
        let JournalRecord {
            settings: then,
            pairs,
            whole,
            written,
            hash,
            ..
        } = Self::read(path)?;
        if let Some(words) = difference(&then, settings) {
            return Err(RecordError::other(path, words));
        }
        let tally = tally(&pairs);
        let mut file = opened.map_err(of)?;
        file.set_len(whole as u64).map_err(of)?;
        file.seek(SeekFrom::End(0)).map_err(of)?;
        let games = games.map(|path| go_on(path, written, &hash)).transpose()?;
        let (games, hash) = games.map_or((None, Fingerprint::new()), |(path, file, hash)| {
            (Some((path, file)), hash)
        });
        Ok(Self {
            file: Some((path.to_path_buf(), file)),
            games,
            written,
            hash,
            pairs,
            tally,
        })
    }

    /// Pairs that have been played.
    pub fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Returns these pairs, in their order.
    pub fn played(&self) -> &[JournalPair] {
        &self.pairs
    }

    /// What the match has come to.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Adds the next pair, with the text of its games (mostly [`PairRecord::text`]).
    ///
    /// # Errors
    /// If writing fails; the pair is counted all the same.
    pub fn add(&mut self, pair: &PairRecord, games: &str) -> Result<(), RecordError> {
        let faults = pair.faults().map(|faults| faults.len() as u8);
        self.tally.add(pair.half_points(), faults, pair.late());
        let number = self.pairs();
        let played = JournalPair {
            half_points: pair.half_points(),
            ends: [0, 1].map(|game: usize| pair.0[game].end.to_string().into()),
            plies: [0, 1].map(|game: usize| pair.0[game].plies as u32),
            faults,
        };
        self.pairs.push(played.clone());
        if let Some((path, file)) = &mut self.games {
            let written = file.write_all(games.as_bytes());
            written.map_err(|error| RecordError::io(path, error))?;
            self.written += games.len() as u64;
            self.hash.bytes(games.as_bytes());
        }
        let line = Line {
            pair: number,
            half_points: played.half_points,
            ends: played.ends.map(String::from),
            plies: played.plies.map(|plies| plies as usize),
            faults,
            games_bytes: self.written,
            games: self.hash.hex(),
        };
        self.write(&format!("{}\n", json!(line)))
    }

    fn write(&mut self, line: &str) -> Result<(), RecordError> {
        let Some((path, file)) = &mut self.file else {
            return Ok(());
        };
        // One call, so that a line is hardly ever cut.
        file.write_all(line.as_bytes())
            .map_err(|error| RecordError::io(path, error))
    }
}

/// Opens the file of games behind the last pair, if it holds what the match has
/// written; whatever stands behind that is of a pair that was not finished.
fn go_on(
    path: &Path,
    written: u64,
    expected: &str,
) -> Result<(PathBuf, File, Fingerprint), RecordError> {
    let of = |error| RecordError::io(path, error);
    let other = |words: String| {
        let cure = "name that file, or begin another match";
        RecordError::other(path, format!(" {words}; {cure}"))
    };
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(written == 0)
        .truncate(false)
        .open(path)
        .map_err(of)?;
    let found = file.metadata().map_err(of)?.len();
    if found < written {
        let words =
            format!("found {found} bytes, expected the {written} that the match has written");
        return Err(other(words));
    }
    if written == 0 && found > 0 {
        let words = format!("found {found} bytes, expected none: no pair of the match is over");
        return Err(other(words));
    }
    let mut hash = Fingerprint::new();
    let mut reader = io::BufReader::new(&file).take(written);
    loop {
        let bytes = reader.fill_buf().map_err(of)?;
        if bytes.is_empty() {
            break;
        }
        hash.bytes(bytes);
        let read = bytes.len();
        reader.consume(read);
    }
    if hash.hex() != expected {
        return Err(other(
            "found other games than the match has written".to_owned(),
        ));
    }
    file.set_len(written).map_err(of)?;
    file.seek(SeekFrom::End(0)).map_err(of)?;
    Ok((path.to_path_buf(), file, hash))
}
