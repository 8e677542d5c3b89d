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
use super::resumable::{LineFile, LineFormat, Lines, create};
use super::tally::Tally;
use tuner_base::Fingerprint;
use tuner_play::{PairRecord, pgn_tag};

/// Fields have the names of [`Line`]: a field that gets another name keeps its old one in the
/// file.
const FORMAT: LineFormat = LineFormat {
    name: "match",
    version: 1,
    unit: 1,
    cure: "begin another match",
};

/// More than the games of a pair take, in bytes.
const LONGEST_PAIR: u64 = 1 << 20;

/// The pairs of a match, on file or only in memory.
#[derive(Debug)]
pub struct Journal {
    file: Option<LineFile>,
    /// The file of the games in PGN, and its name.
    games: Option<(PathBuf, File)>,
    /// How many bytes were written to the file of games, and their fingerprint.
    written: (u64, Fingerprint),
    about: Value,
    pairs: Vec<JournalPair>,
    tally: Tally,
}

/// A pair as the file has it.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JournalPair {
    /// Its number, from 0.
    pair: u64,
    /// Half points of the side whose results are counted, by game: it is the first
    /// player in the first one.
    pub half_points: [u8; 2],
    /// Why the games ended.
    pub ends: [Box<str>; 2],
    /// The half-moves of each game.
    pub plies: [u32; 2],
    /// How many of the games were lost by a fault: by the side whose results are counted, and by
    /// the other one.
    pub faults: [u8; 2],
    /// Bytes of the games of all pairs up to this one, in the file of games.
    games_bytes: u64,
    /// Fingerprint of these bytes, 16 hexadecimal digits.
    games: Box<str>,
}

impl JournalPair {
    /// Returns how many of both games were lost on time, by the side whose results are counted,
    /// which has no half point then, and by the other one.
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

impl Journal {
    /// Makes a journal that is only in memory; the games are written to the file that `games`
    /// names, if it does.
    ///
    /// # Errors
    /// If that file is there already, or cannot be written.
    pub fn new(games: Option<&Path>) -> Result<Self, RecordError> {
        let games = games.map(|path| Ok((path.to_path_buf(), create(path)?)));
        Ok(Self {
            file: None,
            games: games.transpose()?,
            written: (0, Fingerprint::new()),
            about: Value::Null,
            pairs: Vec::new(),
            tally: Tally::default(),
        })
    }

    /// Makes a journal with a new file. `settings`: what must be the same where the match resumes;
    /// `about`: further facts of the match, which may differ there, for who [reads](Self::read) the
    /// file; `games`: the file of the games, if they are written.
    ///
    /// # Errors
    /// If a file of that name is there already, or cannot be written.
    pub fn create(
        path: &Path,
        settings: &Value,
        about: &Value,
        games: Option<&Path>,
    ) -> Result<Self, RecordError> {
        let file = FORMAT.create(path, settings, about)?;
        let journal = Self::new(games).inspect_err(|_| {
            // The file of a match that cannot begin is removed again.
            let _ = std::fs::remove_file(path);
        })?;
        Ok(Self {
            file: Some(file),
            ..journal
        })
    }

    /// Reads the file of a match, also of one that was killed.
    ///
    /// # Errors
    /// If it cannot be read, is not such a file, or holds a line that makes no sense.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        Self::of(FORMAT.read(path)?)
    }

    /// Makes a journal in memory of the lines of a file behind its first one, the head: a pair
    /// each. The numbers of the pairs must follow each other from 0, half points must be 2 at most
    /// a game, and the length of the file of games must not become less.
    fn of(mut lines: Lines) -> Result<Self, RecordError> {
        let mut journal = Self::new(None)?;
        journal.about = lines.about.take();
        while let Some(line) = lines.next_line()? {
            let refused = |words: String| lines.refuse(&format!("{words}; {}", FORMAT.cure));
            let pair: JournalPair =
                serde_json::from_str(&line).map_err(|error| refused(error.to_string()))?;
            let (expected, before) = (journal.pairs(), journal.games_bytes());
            let (points, bytes) = (pair.half_points, pair.games_bytes);
            if pair.pair != expected {
                let words = format!("found pair {}, expected {expected}", pair.pair);
                return Err(refused(words));
            }
            if points.iter().any(|&points| points > 2) {
                let words =
                    format!("found the half points {points:?}, expected 0 to 2 of each game");
                return Err(refused(words));
            }
            if bytes < before {
                let expected = format!("expected the {before} of the pair before, or more");
                let words = format!("found {bytes} bytes of games, {expected}");
                return Err(refused(words));
            }
            journal.take(pair);
        }
        Ok(journal)
    }

    /// Counts a pair in the tally, and keeps it in memory.
    fn take(&mut self, pair: JournalPair) {
        self.tally.add(pair.half_points, pair.faults, pair.late());
        self.pairs.push(pair);
    }

    /// Returns how many bytes the file of games has up to and with the last pair that was played.
    fn games_bytes(&self) -> u64 {
        self.pairs.last().map_or(0, |pair| pair.games_bytes)
    }

    /// Resumes a match of the same settings: reads its pairs, and adds further ones behind them.
    /// `games`: its file of games, behind which further games are written; without it they are not
    /// written.
    ///
    /// # Errors
    /// If the file cannot be read, is of another format, or holds a line that makes no sense; if it
    /// is of other settings, or the file of games is shorter than it should be.
    pub fn resume(
        path: &Path,
        settings: &Value,
        games: Option<&Path>,
    ) -> Result<Self, RecordError> {
        let (file, lines) = FORMAT.resume(path, settings)?;
        let mut journal = Self::of(lines)?;
        journal.file = Some(file);
        // Lines of further pairs repeat this length, also where no further games are written.
        journal.written.0 = journal.games_bytes();
        if let Some(path) = games {
            journal.resume_games(path)?;
        }
        Ok(journal)
    }

    /// Pairs that have been played.
    pub fn pairs(&self) -> u64 {
        self.pairs.len() as u64
    }

    /// Returns the pairs that have been played, in their order.
    pub fn played(&self) -> &[JournalPair] {
        &self.pairs
    }

    /// Returns the description of the match from when it began.
    pub fn about(&self) -> &Value {
        &self.about
    }

    /// Returns the tally of the match.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Adds the next pair, with the text of its games (mostly [`PairRecord::text`]).
    ///
    /// # Errors
    /// If writing fails; the pair is counted all the same.
    pub fn add(&mut self, pair: &PairRecord, games: &str) -> Result<(), RecordError> {
        let (bytes, hash) = &mut self.written;
        let written = self.games.as_mut().map_or(Ok(()), |(path, file)| {
            file.write_all(games.as_bytes())
                .map_err(|error| RecordError::io(path, error))?;
            *bytes += games.len() as u64;
            hash.bytes(games.as_bytes());
            Ok(())
        });
        let pair = JournalPair {
            pair: self.pairs(),
            half_points: pair.half_points(),
            ends: [0, 1].map(|game: usize| pair.0[game].end.to_string().into()),
            plies: [0, 1].map(|game: usize| pair.0[game].plies as u32),
            faults: pair.faults().map(|faults| faults.len() as u8),
            games_bytes: self.written.0,
            games: self.written.1.hex().into(),
        };
        let line = json!(pair).to_string();
        self.take(pair);
        written?;
        match &mut self.file {
            // Line and line end are written at once, so that a line is hardly ever cut.
            Some(file) => file.add(&line).and_then(|()| file.flush()),
            None => Ok(()),
        }
    }

    /// Tells whether a file of games holds nothing but games of the first pair of this match: it
    /// begins with the event that the match's head names, and has two games at most. That is the
    /// case if the program was killed after it had written the pair's games and before it wrote the
    /// pair's line. False where the head names no event. What is read next of the file begins at
    /// its start.
    fn is_first_pair(&self, mut file: &File) -> bool {
        // The setup is a list of names and values, of which one is the event.
        let setup = self.about["setup"].as_array();
        let mut setup = setup.into_iter().flatten();
        let event = setup.find(|one| one[0] == "event");
        let Some(event) = event.and_then(|one| one[1].as_str()) else {
            return false;
        };
        let tag = pgn_tag("Event", event);
        let mut text = Vec::new();
        let read = (&mut file).take(LONGEST_PAIR).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text);
        // It may be cut off within its first tag.
        let is_ours = text.starts_with(&tag) || tag.starts_with(&*text);
        let is_at_start = file.seek(SeekFrom::Start(0)).is_ok();
        // A file that is longer than the games of any pair has more than one.
        let is_short = read.is_ok_and(|bytes| (bytes as u64) < LONGEST_PAIR);
        is_ours && is_short && is_at_start && text.matches("[Event ").count() <= 2
    }

    /// Opens the file of games to write behind the games of the last pair, if it holds what the
    /// match has written, by length and fingerprint. Bytes behind that are of a pair that was not
    /// finished, and are cut off.
    fn resume_games(&mut self, path: &Path) -> Result<(), RecordError> {
        let written = self.written.0;
        let of = |error| RecordError::io(path, error);
        let other = |words: String| {
            let cure = "name that file, or begin another match";
            RecordError::other(path, format!(" {words}; {cure}"))
        };
        // Before a pair is over there may be no file of games yet.
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
        // Games of the first pair, whose line was not written, may be there, and are cut off below.
        if written == 0 && found > 0 && !self.is_first_pair(&file) {
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
        let expected = self.pairs.last().map(|pair| &pair.games);
        if expected.is_some_and(|expected| **expected != *hash.hex()) {
            let words = "found other games than the match has written";
            return Err(other(words.to_owned()));
        }
        file.set_len(written).map_err(of)?;
        file.seek(SeekFrom::End(0)).map_err(of)?;
        self.games = Some((path.to_path_buf(), file));
        self.written.1 = hash;
        Ok(())
    }
}
