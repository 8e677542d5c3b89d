//! Labelled positions to files.

use std::ffi::OsStr;
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use super::{KeyedPosition, mixed};
use crate::format::TABLE_COLUMNS;
use crate::{Expected, GameKey, Outcome, RecordWriter};
use tuner_base::AtomicFile;

/// How positions are written; `data` reads all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineLayout {
    /// Columns by tabs: position, `result`, `score_cp`, `game`, `ply`, and what
    /// is [around](crate::Around) the position. Nothing that a
    /// [`Sample`](crate::Sample) tells is lost, but weight and place of
    /// its input, and the [tags](crate::GameTags) of its game.
    #[default]
    Table,
    /// `POSITION [0.5]`.
    Bracketed,
    /// `POSITION | 63 | 0.5`; every position needs a score.
    Piped,
    /// `BOARD w KQkq - hmvc 0; fmvn 1; ce 63; c9 "1-0";`, with `ce` where there is a score, the
    /// side to move's.
    C9,
    /// Records of Stockfish's `.plain`, by the game's [`RecordWriter`].
    Plain,
    /// Records of bulletformat, by the game's [`RecordWriter`]; every position needs a score.
    Bulletformat,
    /// Games of viriformat, which no writer makes of positions.
    Viriformat,
}

impl LineLayout {
    /// The name of the game's record format that this layout is, such as bulletformat; `None` of
    /// lines that every game has.
    pub fn records(self) -> Option<&'static str> {
        match self {
            Self::Plain => Some("plain"),
            Self::Bulletformat => Some("bulletformat"),
            Self::Viriformat => Some("viriformat"),
            Self::Table | Self::Bracketed | Self::Piped | Self::C9 => None,
        }
    }
}

/// Writes positions to one output; nothing is there under its name before
/// [`finish`](Self::finish), unless it is a device or a pipe.
pub struct Writer {
    sink: Sink,
    layout: LineLayout,
    /// Writes a position as a record, for layouts of records; `None` for all others.
    record: Option<RecordWriter>,
}

tuner_base::impl_fmt! { Debug for Writer }

/// What bytes go through.
enum Sink {
    Stream(Box<dyn Write + Send>),
    Plain(BufWriter<AtomicFile>),
    Gzip(GzEncoder<BufWriter<AtomicFile>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<AtomicFile>>),
}

impl Writer {
    /// Begins a file, compressed if its name ends with `.zst` or `.gz`.
    ///
    /// `header`: the name of the game's notation, for the first line of a table; without it
    /// there is no such line.
    ///
    /// # Errors
    /// If it cannot be created, or its name ends with `.xz`, `.bz2` or `.zip`.
    pub fn create(path: &Path, layout: LineLayout, header: Option<&str>) -> io::Result<Self> {
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if matches!(extension, "xz" | "bz2" | "zip") {
            let words = format!("found .{extension}, expected .zst, .gz, or a plain name");
            return Err(refused(words));
        }
        let file = BufWriter::new(AtomicFile::create(path)?);
        let sink = match extension {
            // 0 is zstd's usual level.
            "zst" => Sink::Zstd(zstd::stream::write::Encoder::new(file, 0)?),
            "gz" => Sink::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            _ => Sink::Plain(file),
        };
        Self::new(sink, layout, header)
    }

    /// Writes to a stream, not compressed. `header`: the name of the game's notation, for the first
    /// line of a table; without it there is no such line.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn stream(
        to: Box<dyn Write + Send>,
        layout: LineLayout,
        header: Option<&str>,
    ) -> io::Result<Self> {
        Self::new(Sink::Stream(to), layout, header)
    }

    /// Begins with the first line of a table, if the layout is one and `header`, the name of the
    /// game's notation, is there.
    fn new(mut sink: Sink, layout: LineLayout, header: Option<&str>) -> io::Result<Self> {
        if let (LineLayout::Table, Some(notation)) = (layout, header) {
            let (notation, names) = (notation.to_ascii_lowercase(), TABLE_COLUMNS.join("\t"));
            sink.write_all(format!("{notation}\t{names}\n").as_bytes())?;
        }
        Ok(Self {
            sink,
            layout,
            record: None,
        })
    }

    /// Sets the function of the game that writes a position as a record, which layouts such as
    /// bulletformat need; `None`: lines are written.
    #[must_use]
    pub fn with_records(mut self, record: Option<RecordWriter>) -> Self {
        self.record = record;
        self
    }

    /// Writes a position, by the writer of records if one was set, whatever the layout; without
    /// one, a layout of records is written as a table.
    ///
    /// # Errors
    /// If it cannot be written, or the layout needs a score that it has not.
    pub fn write(&mut self, kept: &KeyedPosition) -> io::Result<()> {
        let position = &kept.labelled.position;
        if let Some(record) = self.record {
            let bytes = record(&kept.labelled);
            let bytes = bytes.map_err(|words| refused(format!("{position}: {words}")))?;
            return self.sink.write_all(&bytes);
        }
        let line = match self.layout {
            LineLayout::Bracketed => format!("{position} [{}]\n", number(kept.labelled.outcome)),
            LineLayout::Piped => {
                let Some(score) = kept.labelled.search_score else {
                    return Err(refused(format!(
                        "{position} has no score, which this layout needs; write a table, or \
                         leave such positions out"
                    )));
                };
                format!("{position} | {score} | {}\n", number(kept.labelled.outcome))
            }
            LineLayout::C9 => operations(kept),
            LineLayout::Table
            | LineLayout::Plain
            | LineLayout::Bulletformat
            | LineLayout::Viriformat => {
                let labelled = &kept.labelled;
                let (around, game) = (&labelled.around, labelled.game);
                // The column is never empty: a position without a game has a text by its key.
                let game = match (game, &kept.game_id) {
                    (None, _) => GameKey::none(kept.key),
                    (Some(_), Some(id)) => id.to_string(),
                    (Some(game), None) => game.id(),
                };
                let truth = |value: Option<bool>| value.map(u32::from);
                let numbers = [
                    labelled.ply,
                    truth(around.last_tactical),
                    truth(around.next_tactical),
                    around.plies_left,
                    truth(around.forfeit),
                    truth(around.book),
                ];
                let text = |value: Option<u32>| value.map_or_else(String::new, |n| n.to_string());
                format!(
                    "{position}\t{}\t{}\t{}\t{}\n",
                    labelled.outcome,
                    (labelled.search_score).map_or_else(String::new, |score| score.to_string()),
                    game,
                    numbers.map(text).join("\t")
                )
            }
        };
        self.sink.write_all(line.as_bytes())
    }

    /// Ends the file, which has its name only from now on; a stream is flushed.
    ///
    /// # Errors
    /// If it cannot be written to its end; no file is there under its name then.
    pub fn finish(self) -> io::Result<()> {
        let file = match self.sink {
            Sink::Stream(mut to) => return to.flush(),
            Sink::Plain(file) => file,
            Sink::Gzip(encoder) => encoder.finish()?,
            Sink::Zstd(encoder) => encoder.finish()?,
        };
        let file = file.into_inner().map_err(IntoInnerError::into_error)?;
        file.finish()
    }
}

impl Sink {
    /// Writes bytes, compressed if the output is.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Stream(to) => to.write_all(bytes),
            Self::Plain(to) => to.write_all(bytes),
            Self::Gzip(to) => to.write_all(bytes),
            Self::Zstd(to) => to.write_all(bytes),
        }
    }
}

/// Makes the error of a position that the layout cannot hold, or of a name of a file that is not
/// supported; `words` say what is wrong.
fn refused(words: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, words)
}

/// Returns a position as a line of EPD, with clocks, score and result as operations. A position of
/// six fields has its clocks in the last two; of any other the text stays as it is.
fn operations(kept: &KeyedPosition) -> String {
    let labelled = &kept.labelled;
    let fields: Vec<&str> = labelled.position.split(' ').collect();
    let (position, clocks) = match fields.as_slice() {
        [board @ .., idle, number] if board.len() == 4 => {
            (board.join(" "), format!("hmvc {idle}; fmvn {number}; "))
        }
        _ => (labelled.position.clone(), String::new()),
    };
    // Scores are the first player's, `ce` is that of the side to move.
    let sign = if kept.first_to_move { 1 } else { -1 };
    let score = labelled.search_score.map(|score| sign * score);
    let score = score.map_or_else(String::new, |score| format!("ce {score}; "));
    format!("{position} {clocks}{score}c9 \"{}\";\n", labelled.outcome)
}

/// Writes a result as a number with a point: 1.0, 0.5 or 0.0, or a probability with its digits.
fn number(outcome: Expected) -> String {
    match outcome.outcome() {
        Some(Outcome::Win) => "1.0".to_owned(),
        Some(Outcome::Draw) => "0.5".to_owned(),
        Some(Outcome::Loss) => "0.0".to_owned(),
        None => outcome.to_string(),
    }
}

/// One part of a data set that is split.
#[derive(Clone, Debug, PartialEq)]
pub struct SplitPart {
    /// The file.
    pub path: PathBuf,
    /// Its share of the games.
    pub share: f64,
}

impl SplitPart {
    /// Returns the number of the part that a position goes to, drawn by the seed with the shares of
    /// the parts as chances. Whole games go to one part; positions without a game are drawn by
    /// their key, so that equal ones go to one part. `None` if the shares add up to less than 1 and
    /// the draw is beyond them.
    pub fn of(parts: &[Self], seed: u64, kept: &KeyedPosition) -> Option<usize> {
        let key = kept.labelled.game.map_or(kept.key, |game| game.0);
        // The upper 53 bits of the hash make a fraction from 0 to 1, which a float holds exactly.
        let draw = (mixed(seed, key) >> 11) as f64 / (1_u64 << 53) as f64;
        let mut end = 0.0;
        parts.iter().position(|part| {
            end += part.share;
            draw < end
        })
    }
}
