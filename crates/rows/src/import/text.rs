//! Traces in text: lines of rows behind a head, CSV with a header line, and lines
//! `outcome index:coefficient …`.

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use tuner_base::quote;
use tuner_data::{Input, LineBlock, LineBlocks, Perspective, lines};
use tuner_protocol::row::read_labelled;
use tuner_trace::Trace;

use super::head::{MARK, RowsHead};
use super::keys::{Keys, check_names};
use super::parts::{Part, RowSink};
use super::row::{FACTS, GameId, RawRow, TracedRow};
use super::units::Precision;
use super::{ImportError, Source, TracePlace};

/// Longest line, in bytes: it keeps a file that is not text from filling the memory.
const LONGEST_LINE: usize = 1 << 24;

/// A text of rows whose first lines were read and are right.
#[derive(Debug)]
pub(super) struct TextSource {
    input: Input,
    blocks: LineBlocks,
    /// Blocks that were read for the first lines, and whose rows are still to be read.
    front: VecDeque<LineBlock>,
    /// If the text can be read only once but may be needed again: all blocks so far; else `None`.
    kept: Option<Vec<LineBlock>>,
    head: Option<RowsHead>,
    text: Arc<TextFormat>,
    keys: Keys,
}

/// How to read the rows, by the first lines.
#[derive(Debug)]
struct TextFormat {
    format: Format,
    /// The number of the last line before the rows.
    header: u64,
    /// The index of feature 0 in a libsvm text.
    first: u32,
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
    /// Rows as an evaluator answers them, of so many weights.
    Rows {
        weights: usize,
        /// Whose view scores have.
        view: Perspective,
    },
}

/// What a column of a CSV text holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// A fact, by its number in [`FACTS`].
    Fact(usize),
    /// The id of the game.
    Game,
    /// The coefficient of a feature, by its number.
    Feature(usize),
}

impl Column {
    /// The column of a CSV text that has this name: a fact (a number of each row, such as `outcome`
    /// or `weight`) or the game. `None` of any other name, which is that of a feature.
    fn named(name: &str) -> Option<Self> {
        let fact = FACTS.iter().position(|(fact, ..)| *fact == name);
        fact.map(Self::Fact)
            .or_else(|| (name == "game").then_some(Self::Game))
    }
}

/// The first lines of a text, and the blocks that they are in.
struct FirstLines<'a> {
    blocks: &'a mut LineBlocks,
    front: VecDeque<LineBlock>,
    /// How many lines of the last block were returned, and the byte where the next one begins.
    returned: (u64, usize),
}

impl FirstLines<'_> {
    /// Returns the next line with its number. `None` at the end; where reading fails, which
    /// `LineBlocks::broken` tells; and where the line is too long or not text, which is reported.
    /// The blocks of the lines stay in `front`, to be read as rows.
    fn next(&mut self, problems: &mut ImportError) -> Option<(u64, String)> {
        let is_left = |block: &LineBlock| self.returned.1 < block.bytes.len();
        if !self.front.back().is_some_and(is_left) {
            self.front.push_back(self.blocks.next()?);
            self.returned = (0, 0);
        }
        let block = self.front.back()?;
        let rest = &block.bytes[self.returned.1..];
        let end = rest.iter().position(|&byte| byte == b'\n');
        let end = end.map_or(rest.len(), |end| end + 1);
        let number = block.first + self.returned.0;
        self.returned = (self.returned.0 + 1, self.returned.1 + end);
        match line(&rest[..end], number) {
            Ok(line) => Some((number, line.to_owned())),
            Err(what) => {
                problems.at(TracePlace::Line(number), what);
                None
            }
        }
    }

    /// Returns the first line that is neither empty nor a comment, with its number. Appends to
    /// `pairs` the key and the value of each comment `# KEY: VALUE` in front of it. `None` if there
    /// is no such line or reading fails, which is reported.
    fn data(
        &mut self,
        pairs: &mut Vec<(String, String)>,
        problems: &mut ImportError,
    ) -> Option<(u64, String)> {
        loop {
            let Some((number, line)) = self.next(problems) else {
                // A line that is too long or not text has been reported already.
                if problems.count == 0 {
                    let broken = self.blocks.broken();
                    let found =
                        (broken.as_ref()).map_or("has no line of data".to_owned(), unreadable);
                    problems.file(format!(
                        "{found}; expected Arrow IPC, CSV with a header line, lines `outcome \
                         index:coefficient …`, or rows behind the head that an evaluator answers"
                    ));
                }
                return None;
            };
            match line.strip_prefix('#') {
                None if line.is_empty() => {}
                None => return Some((number, line)),
                Some(comment) => {
                    if let Some((key, value)) = comment.split_once(':') {
                        pairs.push((key.trim().to_owned(), value.trim().to_owned()));
                    }
                }
            }
        }
    }
}

impl TextSource {
    /// Opens a text: reads the lines `# tuner.KEY: VALUE` at its start, and finds out from the
    /// first line behind them which format it has. `None` if there is no such line or something is
    /// wrong, which is reported.
    pub(super) fn open(input: &Input, problems: &mut ImportError) -> Option<Self> {
        let reader = input.plain();
        let unread = |error: std::io::Error| problems.file(format!("cannot be opened: {error}"));
        let mut blocks = LineBlocks::new(reader.map_err(unread).ok()?, LONGEST_LINE);
        let mut first = FirstLines {
            blocks: &mut blocks,
            front: VecDeque::new(),
            returned: (0, 0),
        };
        let mut pairs = Vec::new();
        let (number, line) = first.data(&mut pairs, problems)?;
        let pairs = pairs.iter().map(|(key, value)| (&**key, &**value));
        // `true`: a text may have the key `tuner.first`.
        let mut keys = Keys::read(pairs, true, problems);
        let (mut head, mut header) = (None, number);
        // Rows behind a head, lines `outcome index:coefficient …`, else CSV, of which this is the
        // header.
        let format = if line.as_bytes().starts_with(MARK) {
            let mut lines = Some((number, line));
            let read = RowsHead::read(|| {
                let (number, line) = lines.take().or_else(|| first.next(problems))?;
                header = number;
                Some((number, line))
            });
            let read = read.map_err(|(number, words)| problems.at(TracePlace::Line(number), words));
            let read = read.ok()?;
            keys.linearised |= read.linearised;
            let (weights, view) = (read.weights.len(), read.about.view);
            head = Some(read);
            Format::Rows { weights, view }
        } else if is_libsvm(&line) {
            // The line is a row itself.
            header -= 1;
            let games = line.split_whitespace().any(|word| word.starts_with("qid:"));
            Format::Libsvm { games }
        } else {
            self::header(&line, TracePlace::Line(number), &mut keys, problems)
        };
        // Features without names are read twice: standard input and pipes are kept in memory for
        // that.
        let is_read_once = !matches!(input, Input::File(path) if path.is_file());
        let may_restart = matches!(format, Format::Libsvm { .. }) && keys.features.is_none();
        let front = first.front;
        (problems.count == 0).then(|| Self {
            input: input.clone(),
            blocks,
            front,
            kept: (is_read_once && may_restart).then(Vec::new),
            head,
            text: Arc::new(TextFormat {
                format,
                header,
                // Features are counted from 0 where the text does not say.
                first: keys.first.unwrap_or(0),
            }),
            keys,
        })
    }
}

/// Says why reading failed.
fn unreadable(error: &std::io::Error) -> String {
    format!("cannot be read: {error}")
}

impl Source for TextSource {
    fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Tells whether the text has a column of this name; lines `outcome index:coefficient …` can
    /// have the game.
    fn has(&self, column: &str) -> bool {
        match &self.text.format {
            Format::Csv { columns, .. } => {
                Column::named(column).is_some_and(|column| columns.contains(&column))
            }
            Format::Libsvm { games } => *games && column == "game",
            Format::Rows { .. } => false,
        }
    }

    /// Tells whether the text leaves open if features are counted from 0 or from 1: lines
    /// `outcome index:coefficient …` without a key `tuner.first` do.
    fn may_count_from_1(&self) -> bool {
        matches!(self.text.format, Format::Libsvm { .. }) && self.keys.first.is_none()
    }

    fn head(&self) -> Option<&RowsHead> {
        self.head.as_ref()
    }

    /// Returns the next block of lines as a part: first the blocks that were read to find out the
    /// format of the text. `None` behind the last one, or where reading fails, which is reported.
    /// If the text may be needed again and can be read only once, each block is kept in memory too.
    fn next(&mut self, problems: &mut ImportError) -> Option<Box<dyn Part>> {
        let block = self.front.pop_front().or_else(|| self.blocks.next());
        if block.is_none()
            && let Some(error) = self.blocks.broken()
        {
            let words = unreadable(&error);
            problems.file(format!("{words}; it is cut off or damaged, write it again"));
        }
        let block = block?;
        if let Some(kept) = &mut self.kept {
            kept.push(block.clone());
        }
        let text = Arc::clone(&self.text);
        Some(Box::new(TextPart { block, text }))
    }

    /// Begins again at the first line: with the blocks in memory if the text can be read only once,
    /// else with the file opened anew.
    fn restart(&mut self, problems: &mut ImportError) {
        if let Some(kept) = self.kept.take() {
            self.front = kept.into();
            return;
        }
        match self.input.plain() {
            Ok(reader) => self.blocks = LineBlocks::new(reader, LONGEST_LINE),
            Err(error) => problems.file(format!("cannot be read again: {error}")),
        }
    }
}

/// Lines of a text.
struct TextPart {
    block: LineBlock,
    text: Arc<TextFormat>,
}

impl Part for TextPart {
    /// Hands over the rows of the lines, as the format of the text says, without empty lines,
    /// comments and the header. A line that is wrong is reported and left out; after one that is
    /// not text nothing more is read.
    fn rows(&self, problems: &mut ImportError, each: &mut RowSink<'_>) -> ControlFlow<()> {
        let (block, text) = (&self.block, &*self.text);
        let mut buffers = Buffers::default();
        for (number, bytes) in lines::lines(&block.bytes) {
            let number = block.first + number;
            let place = TracePlace::Line(number);
            let line = match line(bytes, number) {
                Ok(line) => line,
                Err(what) => {
                    problems.at(place, what);
                    return ControlFlow::Break(());
                }
            };
            if number <= text.header || line.is_empty() || line.starts_with('#') {
                continue;
            }
            let before = problems.count;
            buffers.features.clear();
            buffers.coefficients.clear();
            let row = match &text.format {
                Format::Csv { separator, columns } => {
                    buffers.csv(line, place, *separator, columns, problems)
                }
                // A comment behind white space.
                Format::Libsvm { .. } if line.trim_start().split('#').next() == Some("") => {
                    continue;
                }
                Format::Libsvm { games } => buffers.libsvm(line, place, text.first, *games),
                Format::Rows { weights, view } => buffers.traced(line, place, *weights, *view),
            };
            match row {
                Ok(row) if problems.count == before => each(&row, problems),
                Ok(_) => {}
                Err(what) => problems.at(place, what),
            }
        }
        ControlFlow::Continue(())
    }
}

/// Returns the text of a line without its end, spaces around it, and, in line 1, a byte order mark.
/// `Err`: what is wrong with it, in words that follow its number. `number`: of the line, from 1.
fn line(bytes: &[u8], number: u64) -> Result<&str, String> {
    if bytes.len() > LONGEST_LINE {
        return Err("is longer than 16 MiB; expected a text of lines".to_owned());
    }
    let text = str::from_utf8(bytes)
        .map_err(|_| "is no text in UTF-8; expected rows, Arrow IPC, CSV or libsvm".to_owned())?;
    let mark = text.strip_prefix('\u{feff}').filter(|_| number == 1);
    let line = mark.unwrap_or(text).trim_end_matches(['\r', '\n']);
    // Tabs at an end stay: they are empty cells of a CSV text.
    Ok(line.trim_matches(' '))
}

/// Tells whether a line is `outcome index:coefficient …`: a number, then only words with a colon; a
/// comment behind `#` is left out.
fn is_libsvm(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default();
    let mut words = line.split_whitespace();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    words.next().is_some_and(is_number) && words.all(|word| word.contains(':'))
}

/// Reads the header of a CSV text. Returns its columns, and puts the names of its features into
/// `keys`: of every column that is neither a fact (a number such as `outcome` or `weight`) nor
/// `game`. Reports what is wrong with it. The separator is a tab if the line has one, else a comma.
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
            let number = number + 1;
            let what = format!("column {number} has no name; leave it out, or name it");
            problems.at(place, what);
            continue;
        }
        // A name of neither a fact nor the game is that of a feature.
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
        let what = "is missing; expected a header line with outcome and names of features";
        problems.cell(place, "outcome", what);
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

/// Splits a line into cells without white space around them, which replace what is in `cells`.
/// Between quotation marks a separator counts for nothing, and two quotation marks are one. Fails
/// if a quotation does not end.
fn cells(line: &str, separator: char, cells: &mut Vec<String>) -> Result<(), String> {
    cells.clear();
    let mut cell = String::new();
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // Two quotation marks within a quotation are one.
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
    features: Vec<f64>,
    coefficients: Vec<f64>,
    trace: Trace,
}

impl Buffers {
    /// The row of the features and coefficients that are in the buffers, without steps. `facts`:
    /// its other numbers, in the order of [`FACTS`]: outcome, constant, phase, scale of the
    /// endgame, weight, search score, score; `None` where the row has none.
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
            steps: None,
            traced: None,
        }
    }

    /// Reads a line `OUTCOME … row SCORE …`. `weights`: how many weights the head lists; `view`:
    /// whose view the scores of the rows have. If that is the side to move, the line must say who
    /// moves. `Err`: what is wrong with the line.
    fn traced<'a>(
        &'a mut self,
        line: &'a str,
        place: TracePlace,
        weights: usize,
        view: Perspective,
    ) -> Result<RawRow<'a>, String> {
        let found = read_labelled(line, weights, &mut self.trace)?;
        let is_turned = match (view, found.first_to_move) {
            (Perspective::FirstPlayer, _) => false,
            (Perspective::SideToMove, Some(first)) => !first,
            (Perspective::SideToMove, None) => {
                let what = "has neither first nor second in front of `row`; the head says `view \
                            side-to-move`, so say who is to move";
                return Err(what.to_owned());
            }
        };
        let mut facts = [None; FACTS.len()];
        // In the order of `FACTS`: 0 is the outcome, 4 the weight, 5 the search score.
        facts[0] = Some(found.outcome);
        (facts[4], facts[5]) = (found.weight, found.search);
        Ok(RawRow {
            traced: Some(TracedRow {
                trace: &self.trace,
                is_turned,
                position: found.position,
            }),
            ..self.row(place, facts, found.game.map(GameId::of))
        })
    }

    /// Reads a line of a CSV text, whose header has the columns `columns`. An empty cell of a
    /// feature is 0, an empty `score` or `search_score` means that the row has none; anything else
    /// that is wrong with a cell is reported, and the caller leaves the row out. `Err`: the line
    /// has not as many cells as the header, or a quotation without end.
    fn csv<'a>(
        &'a mut self,
        line: &'a str,
        place: TracePlace,
        separator: char,
        columns: &[Column],
        problems: &mut ImportError,
    ) -> Result<RawRow<'a>, String> {
        let mut facts = [None; FACTS.len()];
        let mut game = None;
        let mut cells: Vec<Cow<'a, str>> = Vec::with_capacity(columns.len());
        // Only a line with quotations needs copies of its cells.
        if line.contains('"') {
            let mut quoted = Vec::new();
            self::cells(line, separator, &mut quoted)?;
            cells.extend(quoted.into_iter().map(Cow::Owned));
        } else {
            let plain = line.split(separator);
            cells.extend(plain.map(|cell| Cow::Borrowed(cell.trim())));
        }
        if cells.len() != columns.len() {
            let (found, wanted) = (cells.len(), columns.len());
            return Err(format!(
                "has {found} cells, the header {wanted}; expected equal numbers"
            ));
        }
        for (number, (cell, column)) in cells.into_iter().zip(columns).enumerate() {
            let is_score = |fact: usize| FACTS[fact].0.ends_with("score");
            match column {
                Column::Feature(_) if cell.is_empty() => {}
                Column::Fact(fact) if cell.is_empty() && is_score(*fact) => {}
                Column::Game if !cell.is_empty() => game = Some(GameId::of(cell)),
                Column::Game => problems.cell(place, "game", "is \"\"; expected a number"),
                Column::Fact(fact) => {
                    facts[*fact] = cell.parse().ok();
                    if facts[*fact].is_none() {
                        let what = format!("is {}; expected a number", quote(&cell));
                        problems.cell(place, FACTS[*fact].0, what);
                    }
                }
                // A coefficient of 0 is left out.
                Column::Feature(feature) => match cell.parse() {
                    Ok(0.0) => {}
                    Ok(value) => {
                        self.features.push(*feature as f64);
                        self.coefficients.push(value);
                    }
                    Err(_) => {
                        let (number, cell) = (number + 1, quote(&cell));
                        let what =
                            format!("cell {number} is {cell}; expected a number, or nothing");
                        problems.at(place, what);
                    }
                },
            }
        }
        Ok(self.row(place, facts, game))
    }

    /// Reads a line `outcome index:coefficient …`, whose indices must ascend. `first`: the index of
    /// feature 0; `games`: whether the game must be behind the outcome, as `qid:NUMBER`; else it
    /// must not be there. `Err`: what is wrong with the line.
    fn libsvm(
        &mut self,
        line: &str,
        place: TracePlace,
        first: u32,
        games: bool,
    ) -> Result<RawRow<'_>, String> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace().peekable();
        let outcome = words.next().unwrap_or_default();
        let Ok(outcome) = outcome.parse::<f64>() else {
            return Err(format!(
                "begins with {}; expected the outcome, then index:coefficient",
                quote(outcome)
            ));
        };
        // `qid:NUMBER` behind the outcome is the game.
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
        // Of the facts the line has the outcome alone, which is number 0 of `FACTS`.
        facts[0] = Some(outcome);
        Ok(self.row(place, facts, game))
    }
}
