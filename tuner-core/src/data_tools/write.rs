//! Labelled positions to files.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::write::GzEncoder;

use super::{Kept, mixed};
use crate::outcome::{Expected, Outcome};

/// How positions are written; `data` reads all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// Columns by tabs: position, `result`, `score_cp`, `game`, `ply`. Nothing
    /// that is known is lost.
    #[default]
    Table,
    /// `POSITION [0.5]`.
    Bracketed,
    /// `POSITION | 63 | 0.5`; every position needs a score.
    Piped,
}

/// Writes positions to one output; nothing is there under its name before
/// [`finish`](Self::finish).
pub struct Writer {
    sink: Sink,
    layout: Layout,
    /// Where it is written, and what it is to be called; none of a stream.
    files: Option<(PathBuf, PathBuf)>,
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

/// What bytes go through.
enum Sink {
    Plain(Box<dyn Write + Send>),
    Gzip(GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
}

impl Writer {
    /// Begins a file, compressed if its name ends with `.zst` or `.gz`.
    ///
    /// `notation` is the name of the game's notation, for the header.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(path: &Path, layout: Layout, notation: &str) -> io::Result<Self> {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let temporary = PathBuf::from(name);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        if matches!(extension, "xz" | "bz2" | "zip") {
            let words = format!("found .{extension}, expected .zst, .gz, or a plain name");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        let file = BufWriter::new(File::create(&temporary)?);
        let sink = match extension {
            "zst" => Sink::Zstd(zstd::stream::write::Encoder::new(file, 0)?),
            "gz" => Sink::Gzip(GzEncoder::new(file, flate2::Compression::default())),
            _ => Sink::Plain(Box::new(file)),
        };
        let files = Some((temporary, path.to_path_buf()));
        Self::new(sink, files, layout, notation)
    }

    /// Writes to a stream, plain.
    ///
    /// # Errors
    /// If it cannot be written to.
    pub fn stream(to: Box<dyn Write + Send>, layout: Layout, notation: &str) -> io::Result<Self> {
        Self::new(Sink::Plain(to), None, layout, notation)
    }

    fn new(
        sink: Sink,
        files: Option<(PathBuf, PathBuf)>,
        layout: Layout,
        notation: &str,
    ) -> io::Result<Self> {
        let mut writer = Self {
            sink,
            layout,
            files,
        };
        if layout == Layout::Table {
            let notation = notation.to_ascii_lowercase();
            let header = format!("{notation}\tresult\tscore_cp\tgame\tply\n");
            writer.sink.write_all(header.as_bytes())?;
        }
        Ok(writer)
    }

    /// Writes a position.
    ///
    /// # Errors
    /// If it cannot be written, or the layout needs a score that it has not.
    pub fn write(&mut self, kept: &Kept) -> io::Result<()> {
        let position = &kept.position;
        let line = match self.layout {
            Layout::Bracketed => format!("{position} [{}]\n", number(kept.outcome)),
            Layout::Piped => {
                let Some(score) = kept.search_score else {
                    let words = format!(
                        "{position} has no score, which this layout needs; write a table, or \
                         leave such positions out"
                    );
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
                };
                format!("{position} | {score} | {}\n", number(kept.outcome))
            }
            Layout::Table => {
                let text = |value: Option<String>| value.unwrap_or_default();
                let score = text(kept.search_score.map(|score| score.to_string()));
                // A position without game is a game of its own.
                let game = kept.game.map_or_else(
                    || format!("position-{:016x}", kept.key),
                    |game| format!("{:016x}", game.0),
                );
                let ply = text(kept.ply.map(|ply| ply.to_string()));
                format!("{position}\t{}\t{score}\t{game}\t{ply}\n", kept.outcome)
            }
        };
        self.sink.write_all(line.as_bytes())
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    /// If it cannot be written to its end; nothing is there then.
    pub fn finish(mut self) -> io::Result<()> {
        self.sink.finish()?;
        if let Some((temporary, path)) = self.files.take() {
            fs::rename(&temporary, path).inspect_err(|_| {
                // Nothing more can be done about it.
                let _ = fs::remove_file(&temporary);
            })?;
        }
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.files {
            // It may be gone, and nothing else could be done.
            let _ = fs::remove_file(temporary);
        }
    }
}

impl Sink {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.write_all(bytes),
            Self::Gzip(to) => to.write_all(bytes),
            Self::Zstd(to) => to.write_all(bytes),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(to) => to.flush(),
            Self::Gzip(to) => {
                to.try_finish()?;
                to.get_mut().flush()
            }
            Self::Zstd(to) => {
                to.do_finish()?;
                to.get_mut().flush()
            }
        }
    }
}

/// A result as a number.
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
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// Its share of the games.
    pub share: f64,
}

impl Part {
    /// Returns the part that a position belongs to: whole games go to one part,
    /// positions without game go with their equals. `None` beyond all shares.
    pub fn of(parts: &[Self], seed: u64, kept: &Kept) -> Option<usize> {
        let key = kept.game.map_or(kept.key, |game| game.0);
        // 53 bits are a fraction exactly.
        let draw = (mixed(seed, key) >> 11) as f64 / (1_u64 << 53) as f64;
        let mut end = 0.0;
        parts.iter().position(|part| {
            end += part.share;
            draw < end
        })
    }
}
