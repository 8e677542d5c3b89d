//! The report of a reading, in numbers that add up.

use std::fmt::Write as _;
use std::path::PathBuf;

use super::evidence::Evidence;
use super::truncated::Spellings;
use super::{BadLine, Fault, Format, LEFT_OUT, RecordUnit};
use tuner_base::{Fingerprint, Location, Ranks, escaped_line, unescaped};

/// How many bad lines are listed; all are counted.
pub(super) const LISTED: usize = 10;

/// The report of a reading of all inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadReport {
    /// One report per input, in the order given.
    pub files: Vec<FileReport>,
    /// The first ten bad lines, in the order of the inputs.
    pub bad_lines: Vec<BadLine>,
}

/// The report of a reading of one input.
///
/// Of lines, `lines = headers + blank + positions + rejected`; of records,
/// `units = positions + rejected + left_out`; of games and chains, `units` = those read to
/// their end + `unfinished` + `rejected_units`, and `rejected` counts both units
/// and single positions that the caller refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileReport {
    /// The input as the user named it.
    pub file: PathBuf,
    /// The format, stated or recognised; `None` if the input has no lines or could not be
    /// recognised.
    pub format: Option<Format>,
    /// Lines in all.
    pub lines: u64,
    /// Lines that name columns: 1 for a table, else 0.
    pub headers: u64,
    /// Lines with nothing but white space.
    pub blank: u64,
    /// Lines that became positions.
    pub positions: u64,
    /// Bad lines, records, games, positions.
    pub rejected: u64,
    /// The unit that the format counts besides positions, if not lines.
    pub unit: Option<RecordUnit>,
    /// Games, records or chains found.
    pub units: u64,
    /// Games without result; their positions were not read.
    pub unfinished: u64,
    /// Games, records or chains that are bad.
    pub rejected_units: u64,
    /// Positions that its makers left out, by a score that says so, and those without a score
    /// where it is to stand for the result.
    pub left_out: u64,
    /// Texts before and between games.
    pub texts: u64,
    /// Whether the input has more positions than were asked for, or as many.
    pub full: bool,
    /// Positions that came with the id of their game.
    pub with_game: u64,
    /// Positions that came with the score of a search.
    pub with_search_score: u64,
    /// Columns of a table that nobody reads.
    pub ignored_columns: Vec<String>,
    /// Fingerprint of all bytes, decompressed; 0 where there is none.
    pub fingerprint: u64,
    /// Statistics that show whether results and scores look flipped.
    pub(super) evidence: Evidence,
    /// The first bad result that shows that the input writes results in another way, so that even
    /// those that can be read may be wrong.
    pub(super) other_coding: Option<Fault>,
    /// Scores that are not read: how many, the line of the first, and what is said of them.
    pub(super) unread_scores: Option<(u64, u64, Box<str>)>,
    /// How results are written in lines.
    pub(super) spellings: Spellings,
    /// Of the bad ones those that other ranks have not looked at: how many, how many with a
    /// game, how many with a score.
    pub(super) refused: [u64; 3],
    /// Of the bad ones the positions that could be read and that the caller refused.
    pub(super) unusable: u64,
}

impl FileReport {
    /// Keeps `fault` if it is the first bad result that shows that the input writes results in
    /// another way, so that those that could be read are doubtful, too.
    pub(super) fn note_coding(&mut self, fault: &Fault) {
        if fault.is_of_coding() {
            self.other_coding.get_or_insert_with(|| fault.clone());
        }
    }

    /// Adds the counts of the next part of the input. The unit, the fault of a result written in
    /// another way, and the words on unread scores are those of the first part that has them;
    /// fingerprints are joined in the order of the parts.
    pub(super) fn add(&mut self, part: &Self) {
        self.lines += part.lines;
        self.headers += part.headers;
        self.blank += part.blank;
        self.positions += part.positions;
        self.rejected += part.rejected;
        self.unit = self.unit.or(part.unit);
        self.units += part.units;
        self.unfinished += part.unfinished;
        self.rejected_units += part.rejected_units;
        self.left_out += part.left_out;
        self.texts += part.texts;
        if self.other_coding.is_none() {
            self.other_coding.clone_from(&part.other_coding);
        }
        // Scores that are not read: how many, the line of the first, and the words about it.
        if let Some((count, line, first)) = &part.unread_scores {
            let unread = self.unread_scores.get_or_insert((0, *line, first.clone()));
            unread.0 += count;
        }
        self.evidence += part.evidence;
        self.spellings.join(part.spellings);
        for (sum, more) in self.refused.iter_mut().zip(part.refused) {
            *sum += more;
        }
        self.unusable += part.unusable;
        self.with_game += part.with_game;
        self.with_search_score += part.with_search_score;
        let mut joined = Fingerprint::new();
        joined.u64(self.fingerprint);
        joined.u64(part.fingerprint);
        self.fingerprint = joined.value();
    }

    /// Tells whether all of the input was read and nothing was left out, so that its number of
    /// positions is all there is to say.
    fn is_read_whole(&self) -> bool {
        let left_out = self.rejected + self.rejected_units + self.unfinished + self.left_out;
        let is_whole = self.format.is_some() && left_out == 0 && !self.full;
        is_whole && self.ignored_columns.is_empty()
    }

    /// Returns the counts of the input in a sentence: its lines, records, games or chains, as the
    /// sum of what became of them, and then what was not read of it.
    fn words(&self) -> String {
        if self.format.is_none() && self.lines + self.units == 0 {
            return format!("{}: the file is empty", self.file.display());
        }
        let format = self.format.map_or("no format", Format::name);
        let counts = match self.unit {
            None => {
                let header = if self.headers > 0 { " + 1 header" } else { "" };
                format!(
                    "{} lines = {} positions + {} rejected + {} blank{header}",
                    self.lines, self.positions, self.rejected, self.blank
                )
            }
            Some(RecordUnit::Records) => format!(
                "{} records = {} positions + {} rejected",
                self.units, self.positions, self.rejected
            ),
            Some(RecordUnit::Games) => self.unit_words("games"),
            Some(RecordUnit::Chains) => self.unit_words("chains"),
        };
        let mut words = format!("{}: {format}, {counts}", self.file.display());
        if self.left_out > 0 {
            // Writing to a string cannot fail.
            let left_out = self.left_out;
            let _ = write!(words, " + {left_out} left out (no score, or {LEFT_OUT})");
        }
        if self.texts > 0 {
            let _ = write!(words, "; {} texts between games", self.texts);
        }
        if self.full {
            words += "; no more were asked for";
        }
        if !self.ignored_columns.is_empty() {
            words += "; columns not read: ";
            words += &self.ignored_columns.join(", ");
        }
        words
    }

    /// Returns the counts of games or chains (runs of positions of one game, as in a binpack),
    /// which the word `units` names, and of their positions. Bad units are in `rejected` as well;
    /// the others in it are single positions that the caller refused.
    fn unit_words(&self, units: &str) -> String {
        let read = self.units - self.unfinished - self.rejected_units;
        let refused = self.rejected - self.rejected_units;
        let mut words = format!(
            "{} {units} = {read} read + {} rejected",
            self.units, self.rejected_units
        );
        if self.unfinished > 0 {
            // Writing to a string cannot fail.
            let _ = write!(words, " + {} unfinished", self.unfinished);
        }
        let _ = write!(words, "; {} positions", self.positions);
        if refused > 0 {
            let _ = write!(words, " + {refused} rejected");
        }
        words
    }
}

/// Most files that are reported one by one; of more, those of which all was read share one line.
const FILES: usize = 10;

impl ReadReport {
    /// Returns the sums over all inputs; as a report of a file its name is empty.
    pub fn total(&self) -> FileReport {
        let mut total = FileReport::default();
        for file in &self.files {
            total.add(file);
        }
        total
    }

    /// Counts what all ranks have rejected, where each has looked at its part, and lists the first
    /// of all their bad lines. Each rank has counted as good what the others have looked at; that
    /// is corrected by what those refused. All ranks must call it.
    #[must_use]
    pub fn among(mut self, ranks: Ranks) -> Self {
        if ranks.is_alone() {
            return self;
        }
        let here = self.bad_lines.iter().map(|bad_line| self.sent(bad_line));
        let here: Vec<String> = here.collect();
        let mut listed = Vec::new();
        for there in ranks.gather_bytes(here.join("\n").as_bytes()) {
            let there = String::from_utf8_lossy(&there);
            listed.extend(there.lines().filter_map(|sent| self.received(sent)));
        }
        // A bad line that every rank has found was sent by each of them, and is listed once.
        let place = |of: &BadLine| (of.location.line, of.location.column);
        listed.sort_by(|(one, first), (other, second)| {
            (one, place(first), &first.message).cmp(&(other, place(second), &second.message))
        });
        listed.dedup();
        listed.truncate(LISTED);
        self.bad_lines = listed.into_iter().map(|(_, bad_line)| bad_line).collect();
        for file in &mut self.files {
            let here = file.refused;
            let mut all = here.map(|count| count as f64);
            ranks.sum(&mut all);
            let [positions, with_game, with_score] =
                [0, 1, 2].map(|kind| all[kind] as u64 - here[kind]);
            file.positions -= positions;
            file.rejected += positions;
            file.with_game -= with_game;
            file.with_search_score -= with_score;
        }
        self
    }

    /// Writes a bad line as one line of text for other ranks: the number of its input, from 0, its
    /// line, its column and the message, with spaces between them.
    fn sent(&self, bad_line: &BadLine) -> String {
        let BadLine { location, message } = bad_line;
        let mut files = self.files.iter();
        // Every bad line is of one of the inputs.
        let input = files.position(|file| file.file == location.file);
        let (input, message) = (input.unwrap_or(0), escaped_line(message));
        format!("{input} {} {} {message}", location.line, location.column)
    }

    /// Reads a bad line that another rank has sent: the number of its input, its line, its column
    /// and the message, with spaces between them. Returns it with the number of the input; `None`
    /// if the text is not of this form.
    fn received(&self, sent: &str) -> Option<(usize, BadLine)> {
        let mut parts = sent.splitn(4, ' ');
        let mut number = || parts.next()?.parse::<u64>().ok();
        let (input, line, column) = (number()? as usize, number()?, number()?);
        let location = Location {
            file: self.files.get(input)?.file.clone(),
            line,
            column,
        };
        let message = unescaped(parts.next()?).ok()?;
        Some((input, BadLine { location, message }))
    }

    /// Returns the fingerprint of the bytes of all inputs in their order, decompressed, whatever
    /// the files are called; 16 hexadecimal digits, the same on every machine. *Cost*: small, as
    /// the fingerprints of the inputs were made while they were read.
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", self.total().fingerprint)
    }

    /// Returns what a person should know, one sentence each: the counts of every input, ignored
    /// columns, results that look flipped, scores that are not read, positions without game. Of
    /// more than ten inputs those of which all was read share one sentence.
    pub fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let is_many = self.files.len() > FILES;
        let is_told_together = |file: &&FileReport| is_many && file.is_read_whole();
        let whole: Vec<&FileReport> = self.files.iter().filter(is_told_together).collect();
        if let [first, .., last] = whole[..] {
            let positions: u64 = whole.iter().map(|file| file.positions).sum();
            let (count, first, last) = (whole.len(), first.file.display(), last.file.display());
            words.push(format!(
                "{count} files, of which all was read, from {first} to {last}: {positions} positions"
            ));
        }
        for file in &self.files {
            if whole.len() < 2 || !file.is_read_whole() {
                words.push(file.words());
            }
            let name = file.file.display();
            let is_games = file.unit == Some(RecordUnit::Games);
            words.extend((file.evidence.words(is_games)).map(|w| format!("warning: {name}: {w}")));
            if let Some((count, line, what)) = &file.unread_scores {
                words.push(format!("warning: {name}:{line}: {count} {what}"));
            }
        }
        let total = self.total();
        if total.with_game < total.positions {
            words.push(format!(
                "{} positions come without the id of a game: each counts as a game of its own",
                total.positions - total.with_game
            ));
        }
        words
    }

    /// Returns the bad lines that are listed, one text each, and then how many more there are, if
    /// any.
    pub fn bad_line_words(&self) -> impl Iterator<Item = String> {
        let rejected = self.total().rejected;
        let unlisted = rejected - self.bad_lines.len() as u64;
        let summary =
            (unlisted > 0).then(|| format!("… and {unlisted} more bad lines, {rejected} in all"));
        let listed = self.bad_lines.iter().map(ToString::to_string);
        listed.chain(summary)
    }
}
