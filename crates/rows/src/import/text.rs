//! Traces in text: CSV with a header line, and lines `outcome index:coefficient …`.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _};
use std::path::Path;

use tuner_base::quote;

use super::keys::{Keys, check_names};
use super::row::{FACTS, GameId, RawRow};
use super::units::Precision;
use super::{ImportError, RowSink, Source, TracePlace};

/// Longest line, in bytes: it keeps a file that is not text from filling the memory.
const LONGEST_LINE: u64 = 1 << 24;

/// A text whose first lines are as they should be.
#[derive(Debug)]
pub(super) struct TextSource {
    lines: Lines,
    format: Format,
    keys: Keys,
}

#[derive(Debug)]
enum Format {
    Csv {
        separator: char,
        columns: Vec<Column>,
    },
    Libsvm {
        /// Whether each line has the id of its game.
        games: bool,
    },
}

/// The meaning of a column of a CSV text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// One of [`FACTS`].
    Fact(usize),
    /// The id of the game.
    Game,
    /// A feature.
    Feature(usize),
}

impl Column {
    /// The column of this name, if it is of no feature.
    fn named(name: &str) -> Option<Self> {
        let fact = FACTS.iter().position(|(fact, ..)| *fact == name);
        fact.map(Self::Fact)
            .or_else(|| (name == "game").then_some(Self::Game))
    }
}

impl TextSource {
    /// Reads the keys and the header, or what tells the format.
    pub(super) fn open(path: &Path, problems: &mut ImportError) -> Option<Self> {
        let mut lines = match File::open(path) {
            Ok(file) => Lines {
                file: BufReader::new(file),
                text: Vec::new(),
                number: 0,
            },
            Err(error) => {
                problems.file(format!("cannot be opened: {error}"));
                return None;
            }
        };
        let mut keys = Vec::new();
        let first = loop {
            let Some((_, line)) = lines.next(problems) else {
                if problems.count == 0 {
                    problems.file(
                        "has no line of data; expected Arrow IPC, CSV with a header line, or lines \
                         `outcome index:coefficient …`",
                    );
                }
                return None;
            };
            match line.strip_prefix('#') {
                None if line.is_empty() => {}
                None => break line.to_owned(),
                Some(comment) => {
                    if let Some((key, value)) = comment.split_once(':') {
                        keys.push((key.trim().to_owned(), value.trim().to_owned()));
                    }
                }
            }
        };
        let pairs = keys.iter().map(|(key, value)| (&**key, &**value));
        let mut keys = Keys::read(pairs, true, problems);
        let is_libsvm = is_libsvm(&first);
        let format = if is_libsvm {
            let games = first
                .split_whitespace()
                .any(|word| word.starts_with("qid:"));
            Format::Libsvm { games }
        } else {
            let place = TracePlace::Line(lines.number);
            header(&first, place, &mut keys, problems)
        };
        (problems.count == 0).then_some(Self {
            lines,
            format,
            keys,
        })
    }
}

impl Source for TextSource {
    fn keys(&self) -> &Keys {
        &self.keys
    }

    fn has(&self, column: &str) -> bool {
        match &self.format {
            Format::Csv { columns, .. } => {
                Column::named(column).is_some_and(|column| columns.contains(&column))
            }
            Format::Libsvm { games } => *games && column == "game",
        }
    }

    /// Features may be counted from 1 in a libsvm text that does not say.
    fn may_count_from_1(&self) -> bool {
        matches!(self.format, Format::Libsvm { .. }) && self.keys.first.is_none()
    }

    fn rows(&mut self, problems: &mut ImportError, each: &mut RowSink<'_>) {
        if let Err(error) = self.lines.restart() {
            problems.file(format!(
                "cannot be read again ({error}); give a file, not a pipe"
            ));
            return;
        }
        let mut buffers = Buffers::default();
        let mut in_header = matches!(self.format, Format::Csv { .. });
        while let Some((number, line)) = self.lines.next(problems) {
            let place = TracePlace::Line(number);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if std::mem::take(&mut in_header) {
                continue;
            }
            let before = problems.count;
            let row = match &self.format {
                Format::Csv { separator, columns } => {
                    buffers.csv(line, place, *separator, columns, problems)
                }
                // White space before a comment.
                Format::Libsvm { .. } if line.trim_start().split('#').next() == Some("") => {
                    continue;
                }
                Format::Libsvm { games } => {
                    let first = self.keys.first.unwrap_or(0);
                    buffers.libsvm(line, place, first, *games)
                }
            };
            match row {
                Ok(row) if problems.count == before => each(&row, problems),
                Ok(_) => {}
                Err(what) => problems.at(place, what),
            }
        }
    }
}

/// The lines of a file, without white space around them.
#[derive(Debug)]
struct Lines {
    file: BufReader<File>,
    text: Vec<u8>,
    /// The line that was read last, counted from 1.
    number: u64,
}

impl Lines {
    /// Returns the next line with its number; `None` at the end, and where it cannot be read, which
    /// is reported.
    fn next(&mut self, problems: &mut ImportError) -> Option<(u64, &str)> {
        self.text.clear();
        let mut limited = self.file.by_ref().take(LONGEST_LINE);
        let read = limited.read_until(b'\n', &mut self.text);
        self.number += 1;
        let what = match (read, std::str::from_utf8(&self.text)) {
            (Ok(0), _) => return None,
            (Err(error), _) => format!("cannot be read: {error}"),
            (Ok(_), _) if self.text.len() as u64 == LONGEST_LINE => {
                "is longer than 16 MiB; expected a text of lines".to_owned()
            }
            (Ok(_), Err(_)) => "is no text in UTF-8; expected Arrow IPC, CSV or libsvm".to_owned(),
            (Ok(_), Ok(text)) => {
                let mark = text.strip_prefix('\u{feff}').filter(|_| self.number == 1);
                let line = mark.unwrap_or(text).trim_end_matches(['\r', '\n']);
                // Tabs at an end are empty cells.
                return Some((self.number, line.trim_matches(' ')));
            }
        };
        problems.at(TracePlace::Line(self.number), what);
        None
    }

    /// Begins again.
    fn restart(&mut self) -> std::io::Result<()> {
        self.number = 0;
        self.file.rewind()
    }
}

/// Whether a line is `outcome index:coefficient …`.
fn is_libsvm(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    words.next().is_some_and(is_number) && words.all(|word| word.contains(':'))
}

/// Reads the header of a CSV text.
fn header(line: &str, place: TracePlace, keys: &mut Keys, problems: &mut ImportError) -> Format {
    let separator = if line.contains('\t') { '\t' } else { ',' };
    let mut names = Vec::new();
    if let Err(words) = cells(line, separator, &mut names) {
        problems.at(place, words);
    }
    if keys.features.is_some() {
        problems.file("has a key `tuner.features`; the features of CSV are named by its header");
    }
    if keys.first.is_some() {
        problems.file("has a key `tuner.first`, which is for libsvm; leave it out");
    }
    let mut features = Vec::new();
    let mut columns = Vec::with_capacity(names.len());
    let mut seen = HashSet::new();
    for (number, name) in names.iter().enumerate() {
        if name.is_empty() {
            let what = format!(
                "column {} has no name; leave it out, or name it",
                number + 1
            );
            problems.at(place, what);
            continue;
        }
        match Column::named(name) {
            Some(_) if !seen.insert(name) => {
                problems.cell(place, name, "is there twice; keep one");
            }
            Some(column) => columns.push(column),
            None => {
                columns.push(Column::Feature(features.len()));
                features.push(name.clone());
            }
        }
    }
    if !names.iter().any(|name| name == "outcome") {
        problems.cell(
            place,
            "outcome",
            "is missing; expected a header line with outcome and names of features",
        );
    } else if features.is_empty() {
        problems.at(place, "names no feature; expected a column for each weight");
    }
    let has = |name: &str| names.iter().any(|other| other == name);
    if has("eg_scale") && !has("phase") {
        let what = "needs a column `phase`; add it, or leave both out";
        problems.cell(place, "eg_scale", what);
    }
    check_names(&features, problems);
    keys.features = Some(features);
    Format::Csv { separator, columns }
}

/// Splits a line into cells: between quotation marks a separator counts for nothing,
/// and two of them are one.
fn cells(line: &str, separator: char, cells: &mut Vec<String>) -> Result<(), String> {
    cells.clear();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => quoted = !quoted,
            _ if c == separator && !quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(c),
        }
    }
    cells.push(cell);
    if quoted {
        return Err("has a quotation mark that nothing ends; end it in the same line".to_owned());
    }
    for cell in cells.iter_mut() {
        let trimmed = cell.trim();
        if trimmed.len() != cell.len() {
            *cell = trimmed.to_owned();
        }
    }
    Ok(())
}

/// Memory of a line that is read.
#[derive(Debug, Default)]
struct Buffers {
    cells: Vec<String>,
    features: Vec<f64>,
    coefficients: Vec<f64>,
}

impl Buffers {
    /// The row that has been read; its coefficients have all digits.
    fn row<'a>(
        &'a self,
        place: TracePlace,
        facts: [Option<f64>; FACTS.len()],
        game: Option<GameId<'a>>,
    ) -> RawRow<'a> {
        RawRow {
            place,
            facts,
            game,
            features: &self.features,
            coefficients: &self.coefficients,
            precision: Precision::Double,
        }
    }

    /// Reads a line of a CSV text; what is wrong with single cells is reported.
    fn csv(
        &mut self,
        line: &str,
        place: TracePlace,
        separator: char,
        columns: &[Column],
        problems: &mut ImportError,
    ) -> Result<RawRow<'_>, String> {
        self.features.clear();
        self.coefficients.clear();
        let mut facts = [None; FACTS.len()];
        let mut game = None;
        if line.contains('"') {
            cells(line, separator, &mut self.cells)?;
        } else {
            self.cells.clear();
            let cells = line.split(separator).map(|cell| cell.trim().to_owned());
            self.cells.extend(cells);
        }
        if self.cells.len() != columns.len() {
            return Err(format!(
                "has {} cells, the header {}; expected equal numbers",
                self.cells.len(),
                columns.len()
            ));
        }
        for (number, (cell, column)) in self.cells.iter().zip(columns).enumerate() {
            let value = cell.parse::<f64>();
            match (column, value) {
                (Column::Game, _) if !cell.is_empty() => {
                    game = Some(match cell.parse::<u32>() {
                        Ok(number) => GameId::Number(f64::from(number)),
                        Err(_) => GameId::Name(cell),
                    });
                }
                (Column::Fact(fact), Ok(value)) => facts[*fact] = Some(value),
                (Column::Fact(fact), Err(_))
                    if cell.is_empty() && FACTS[*fact].0.ends_with("score") => {}
                (Column::Fact(_) | Column::Game, _) => {
                    let name = match column {
                        Column::Fact(fact) => FACTS[*fact].0,
                        _ => "game",
                    };
                    let what = format!("is {}; expected a number", quote(cell));
                    problems.cell(place, name, what);
                }
                (Column::Feature(feature), Ok(value)) => {
                    if value != 0.0 {
                        self.features.push(*feature as f64);
                        self.coefficients.push(value);
                    }
                }
                (Column::Feature(_), Err(_)) if cell.is_empty() => {}
                (Column::Feature(_), Err(_)) => problems.at(
                    place,
                    format!(
                        "cell {} is {}; expected a number, or nothing",
                        number + 1,
                        quote(cell)
                    ),
                ),
            }
        }
        Ok(self.row(place, facts, game))
    }

    /// Reads a line `outcome index:coefficient …`. `first`: the index of feature 0.
    fn libsvm(
        &mut self,
        line: &str,
        place: TracePlace,
        first: u32,
        games: bool,
    ) -> Result<RawRow<'_>, String> {
        self.features.clear();
        self.coefficients.clear();
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace().peekable();
        let outcome = words.next().unwrap_or_default();
        let Ok(outcome) = outcome.parse::<f64>() else {
            return Err(format!(
                "begins with {}; expected the outcome, then index:coefficient",
                quote(outcome)
            ));
        };
        let game = words.peek().and_then(|word| word.strip_prefix("qid:"));
        let game = match game.map(str::parse::<u32>) {
            None if games => {
                return Err(
                    "has no qid:NUMBER behind the outcome, as other lines have; add the game"
                        .to_owned(),
                );
            }
            Some(Ok(game)) if games => {
                words.next();
                Some(GameId::Number(f64::from(game)))
            }
            Some(_) => {
                return Err(
                    "has a qid that is no number from 0 to 4294967295, or that the first line has \
                     not; give all lines one"
                        .to_owned(),
                );
            }
            None => None,
        };
        let mut last = None;
        for word in words {
            let pair = word.split_once(':');
            let pair = pair
                .and_then(|(index, c)| Some((index.parse::<u32>().ok()?, c.parse::<f64>().ok()?)));
            let Some((index, coefficient)) = pair else {
                return Err(format!("has {}; expected index:coefficient", quote(word)));
            };
            if last.is_some_and(|last| last >= index) {
                return Err(format!(
                    "has index {index} again, or behind a larger one; write each once, ascending"
                ));
            }
            let Some(feature) = index.checked_sub(first) else {
                let what = "has index 0, but `tuner.first` is 1; correct one of the two";
                return Err(what.to_owned());
            };
            last = Some(index);
            self.features.push(f64::from(feature));
            self.coefficients.push(coefficient);
        }
        let mut facts = [None; FACTS.len()];
        facts[0] = Some(outcome);
        Ok(self.row(place, facts, game))
    }
}
