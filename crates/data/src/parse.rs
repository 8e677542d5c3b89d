//! The work of one thread: lines to positions to whatever the caller makes of them.

use super::blocks::LONGEST_LINE;
use super::field::{Fields, at_end, described, no_result_in};
use super::format::Cut;
use super::produce::{Block, Kind};
use super::read::{InputSettings, WantedLines};
use super::recognise::LONE_RETURNS;
use super::report::{FileReport, LISTED};
use super::truncated;
use super::{
    AnyPosition, Fault, GameKey, LEFT_OUT, LabelledPosition, RecordEvent, RecordPlace, Records,
    Sample, SampleLocation,
};
use crate::{Expected, Perspective};
use tuner_base::{Fingerprint, Ranks};

/// Of so many positions of games and records one is looked at for flipped
/// results. Chosen: such inputs have many, and it takes a tenth of the time of
/// reading a game.
const LOOKED_AT: u64 = 8;

/// First positions of a block that all are looked at for flipped results, so that small files tell
/// something.
const ALL_LOOKED_AT: u64 = 4_096;

/// The caller's result of the samples of a block. Its type is hidden, so that reading
/// is compiled once.
pub(super) trait BlockContent: Send {
    /// How many samples at most [`add`](Self::add) is given at a time.
    fn batch(&self) -> usize;

    /// Takes a batch of samples, in the order of the input. Appends to `found` for each, in this
    /// order, `Ok` if the caller takes it, or else the message of the bad line that the sample is
    /// counted as. The parser empties `samples` afterwards, whatever is left there.
    fn add(&mut self, samples: &mut Vec<Sample>, found: &mut Vec<Result<(), String>>);

    /// Notes that a position is read by another rank. It is called in the order of positions, with
    /// no sample added for this one: samples before it that have no game were added before.
    fn elsewhere(&mut self);

    /// Gives the caller what was made of the block; called for blocks in their order, on the thread
    /// of the caller.
    fn hand_over(self: Box<Self>);
}

/// Makes what the samples of a block are gathered in.
pub(super) type NewContent<'a> = dyn Fn() -> Box<dyn BlockContent + 'a> + Sync + 'a;

/// The result of one block.
pub(super) struct Parsed<'a> {
    pub(super) input: usize,
    /// The caller's result of the block's samples.
    pub(super) made: Box<dyn BlockContent + 'a>,
    pub(super) counts: FileReport,
    /// Line, column and message of the first bad lines.
    pub(super) bad_lines: Vec<(u64, u64, String)>,
    /// How many positions are wanted, if not all.
    most: Option<u64>,
    /// Whether the last line is truncated.
    truncated: bool,
    /// Game, half-move and score of the last position.
    last: Option<(GameKey, u32, i32)>,
    /// Samples that wait to be added together, and what is noted of each.
    samples: Vec<Sample>,
    waiting: Vec<Waiting>,
    /// Whether a sample that waits has no game, so that its number among the positions is its
    /// game's.
    is_numbered: bool,
    /// Memory for the caller's results of the samples that wait; empty between batches.
    found: Vec<Result<(), String>>,
}

/// What is noted of a sample that waits.
struct Waiting {
    line: u64,
    column: u64,
    /// 1, whether it has a game, whether it has a score.
    counted: [u64; 3],
    /// What tells whether results look flipped: balance, result, score, the first player's turn.
    evidence: Option<(i32, i64, Option<i32>, bool)>,
}

/// The state that all workers share.
pub(super) struct Parser<'a> {
    pub(super) wanted: WantedLines<'a>,
    pub(super) start: &'a NewContent<'a>,
    /// Which positions are for this process.
    pub(super) ranks: Ranks,
}

/// Lines of positions without a game that one rank reads together. Chosen: more than the
/// positions of a game.
const TOGETHER: u64 = 1024;

/// Tells whether this rank reads a position: its game decides, or without a game its line, so that
/// 1,024 lines that follow each other ([`TOGETHER`]) go to one rank.
fn is_here(ranks: Ranks, game: Option<GameKey>, line: u64) -> bool {
    // Lines near each other go to one rank, as positions without an id may be of one game.
    ranks.has(game.map_or((line / TOGETHER) as u32, GameKey::number))
}

/// Returns what a position adds to the counts of positions, of positions with a game, and of
/// positions with a score: 1, then 1 or 0 for each of the two others.
fn counted<P>(labelled: &LabelledPosition<P>) -> [u64; 3] {
    let has_score = labelled.search_score.is_some();
    [true, labelled.game.is_some(), has_score].map(u64::from)
}

impl<'a> Parser<'a> {
    /// Reads a block of lines, games or records, to its end or until it has `most` positions.
    /// `truncated`: the file was cut off within its last line, so that this is a bad one.
    pub(super) fn parse(&self, block: &Block, most: Option<u64>, truncated: bool) -> Parsed<'a> {
        let mut parsed = Parsed {
            input: block.input,
            made: (self.start)(),
            counts: FileReport {
                fingerprint: Fingerprint::of_bytes(&block.bytes),
                ..FileReport::default()
            },
            bad_lines: Vec::new(),
            most,
            truncated,
            last: None,
            samples: Vec::new(),
            waiting: Vec::new(),
            is_numbered: false,
            found: Vec::new(),
        };
        let settings = self.wanted.options.settings_of(block.input);
        match block.kind {
            Kind::Lines { cut, header } => self.lines(block, cut, header, settings, &mut parsed),
            Kind::Records(number) => {
                let records = self.wanted.game.records()[number];
                self.units(block, records, settings, &mut parsed);
            }
        }
        parsed.settle();
        parsed
    }

    /// Reads the lines of a block by the format `cut`. Where the reading names lines for this
    /// input, the others are counted as positions and not read. `header`: the first line that is
    /// not blank names the columns.
    fn lines(
        &self,
        block: &Block,
        cut: Option<Cut>,
        mut header: bool,
        settings: InputSettings,
        parsed: &mut Parsed<'_>,
    ) {
        let mut next = block.first;
        let wanted = self.wanted.lines.and_then(|lines| lines.get(block.input));
        let mut wanted = wanted.map(|lines| {
            let first = lines.partition_point(|&line| line < block.first);
            lines[first..].iter().copied().peekable()
        });
        let end = block.bytes.as_ptr_range().end;
        each_line(&block.bytes, |line| {
            let number = next;
            next += 1;
            if parsed.is_full() {
                return;
            }
            parsed.counts.lines += 1;
            // `wanted` are the lines that are still to come of those that the reading names.
            let mut is_unwanted = || {
                let lines = wanted.as_mut();
                lines.is_some_and(|lines| lines.next_if_eq(&number).is_none())
            };
            match line {
                Ok(line) if line.trim_ascii().is_empty() => parsed.counts.blank += 1,
                _ if std::mem::take(&mut header) => parsed.counts.headers += 1,
                Ok(_) if is_unwanted() => parsed.counts.positions += 1,
                Ok(line) => {
                    let location = SampleLocation {
                        input: block.input as u32,
                        line: number,
                    };
                    // A line that ends with the last byte of the block has no line end behind it.
                    let ended = line.as_bytes().as_ptr_range().end != end;
                    self.line(cut, line, ended, location, settings, parsed);
                }
                Err((column, message)) => parsed.reject(number, column, message),
            }
        });
    }

    /// Reads a line that is not blank: hands it on as a sample, leaves it to the rank that has its
    /// game, or rejects it. `cut` is the format, `None` while all lines were blank; `ended`: a line
    /// end follows, so that the line was not cut off; `at` is the place of the line.
    fn line(
        &self,
        cut: Option<Cut>,
        line: &str,
        ended: bool,
        at: SampleLocation,
        settings: InputSettings,
        parsed: &mut Parsed<'_>,
    ) {
        // A block without format holds blank lines only.
        let Some(cut) = cut else { return };
        let fields = if line.len() > LONGEST_LINE {
            let found = "a line of more than 65536 bytes";
            Err(described(line, line, found, "one position a line"))
        } else {
            cut.fields(line)
        };
        let fields = match fields {
            Ok(fields) if parsed.truncated && !ended => Err(truncated::fault(line, &fields)),
            fields => fields,
        };
        let rejected = |mut fault: Fault| {
            // A carriage return within a line shows that the file has these alone as line ends.
            if line.trim_ascii_end().contains('\r') {
                fault.cure = LONE_RETURNS.into();
            }
            (column(line, fault.offset), fault.to_string())
        };
        match fields {
            Ok(fields) => {
                parsed.counts.spellings.add(line, &fields, ended);
                let counted = counted(&fields.labelled);
                if !is_here(self.ranks, fields.labelled.game, at.line) {
                    return parsed.leave(counted);
                }
                match self.sample(line, fields, at, settings) {
                    // Messages name its first column, and each position is looked at for flipped
                    // results.
                    Ok(sample) => self.accept(sample, 1, 1, parsed),
                    Err(fault) => {
                        let (column, message) = rejected(fault);
                        // Other ranks, which do not look at it, count the line as a position, so
                        // this rank notes it as a refused position and not as a line that cannot be
                        // cut.
                        parsed.settle();
                        parsed.made.elsewhere();
                        parsed.refuse(counted, at.line, column, message);
                    }
                }
            }
            Err(fault) => {
                parsed.counts.note_coding(&fault);
                let (column, message) = rejected(fault);
                parsed.reject(at.line, column, message);
            }
        }
    }

    /// Puts a sample among those that wait to be handed to the caller, and notes what is to be
    /// counted if the caller takes it. If there are then as many as the caller takes at a time,
    /// they are handed over. `column`, from 1, is where messages say that it is. Whether results
    /// and scores look flipped is examined only of the first 4,096 positions of a block
    /// ([`ALL_LOOKED_AT`]) and of one in `every` after them; but the scores of two positions that
    /// follow each other in a game are always compared.
    fn accept(&self, sample: Sample, column: u64, every: u64, parsed: &mut Parsed<'_>) {
        let counted = counted(&sample.labelled);
        let number = parsed.counts.positions + parsed.samples.len() as u64;
        let labelled = &sample.labelled;
        let is_looked_at = number < ALL_LOOKED_AT || number.is_multiple_of(every);
        let balance = is_looked_at.then(|| self.wanted.game.balance(&labelled.position));
        let evidence = balance.flatten().map(|balance| {
            let first_moves = self.wanted.game.first_player_to_move(&labelled.position);
            let result = labelled.outcome.balance();
            (balance, result, labelled.search_score, first_moves)
        });
        let last = (labelled.game.zip(labelled.ply).zip(labelled.search_score))
            .map(|((game, ply), score)| (game, ply, score));
        if let (Some((game, ply, score)), Some((before, at, first))) = (last, parsed.last)
            && game == before
            && ply == at.saturating_add(1)
        {
            parsed.counts.evidence.add_pair(first, score);
        }
        parsed.last = last;
        // A sample without a game is known by its number among the positions, so that it has to be
        // handed over before a position of another rank is counted.
        parsed.is_numbered |= labelled.game.is_none();
        let line = sample.location.line;
        parsed.samples.push(sample);
        parsed.waiting.push(Waiting {
            line,
            column,
            counted,
            evidence,
        });
        if parsed.samples.len() >= parsed.made.batch() {
            parsed.settle();
        }
    }

    /// Reads the position of a line that was cut into `fields`, and turns result and score to the
    /// first player, by what the input's settings and the line itself say of their views. Where the
    /// settings say so they get the other sign, and the score takes the place of the result. A
    /// fault is at a byte of `line`: of the position, of a result by a colour that this game has
    /// not, of a score whose unit is not stated, or of a result or score that is missing.
    fn sample(
        &self,
        line: &str,
        fields: Fields<'_>,
        location: SampleLocation,
        settings: InputSettings,
    ) -> Result<Sample, Fault> {
        let (mut labelled, result) = (fields.labelled, fields.result);
        let game = self.wanted.game;
        // Clocks that the line has as operations behind the position are put into its text, unless
        // it has clocks of its own or the game writes none. A fault of one is at the end of the
        // position.
        let written = labelled.position;
        let clocks = fields.clocks;
        let clocked = clocks.and_then(|[idle, number]| game.with_clocks(written, idle, number));
        let position = game.parse(clocked.as_deref().unwrap_or(written));
        let position = position.map_err(|fault| {
            let within = fault.offset.min(written.len());
            fault.at(within + super::field::offset(line, written))
        })?;
        let turned = |perspective| match perspective {
            Perspective::FirstPlayer => false,
            Perspective::SideToMove => !game.first_player_to_move(&position),
        };
        // A result that names the winner's colour (`by_colour`) has no view, and was read as if `w`
        // were the first player, who is `b` in some games.
        let is_turned = if fields.by_colour {
            let first = game.first_letter().ok_or_else(|| Fault {
                cure: "write 1-0 where the first player won, else 0-1".into(),
                ..described(line, result, Fault::quote(result), "no letter in this game")
            })?;
            first == 'b'
        } else {
            turned(settings.perspective)
        };
        if is_turned {
            labelled.outcome = labelled.outcome.flipped();
        }
        if let Some((score, part)) = fields.score {
            labelled.search_score = Some(score.centipawns(line, part, settings.scores.unit)?);
        }
        // Where no view of scores is stated, the format may say that they are the mover's.
        let of_scores = match settings.scores.perspective {
            None if fields.score_of_mover => Perspective::SideToMove,
            _ => settings.score_perspective,
        };
        if turned(of_scores) {
            labelled.search_score = labelled.search_score.map(|score| -score);
        }
        settings.turn(&mut labelled);
        if let Some(scale) = settings.scores.as_results {
            let score = labelled.search_score;
            let score =
                score.ok_or_else(|| at_end(line, "no score", "one to stand for a result"))?;
            labelled.outcome = Expected::of_score(score, scale);
        } else if result.is_empty() {
            return Err(no_result_in(line));
        }
        Ok(Sample {
            labelled: labelled.with_position(|_| position),
            weight: settings.weight,
            location,
            game_id: fields.game_id.map(Box::from),
        })
    }

    /// Reads the games or records of a block, whose format tells its positions and the ends of its
    /// units one by one. A unit within which the limit of positions is reached counts as one unit.
    /// Positions that another rank reads are only counted.
    fn units(
        &self,
        block: &Block,
        records: &Records<AnyPosition>,
        settings: InputSettings,
        parsed: &mut Parsed<'_>,
    ) {
        parsed.counts.unit = Some(records.unit);
        // Whether a unit has begun whose end has not been told.
        let mut begun = false;
        (records.parse)(&block.bytes, settings.scores, &mut |found| {
            if parsed.is_full() {
                return;
            }
            // A score of 32,002 (`LEFT_OUT`) says that the position counts for nothing; so does a
            // missing score where scores take the place of results.
            let is_left_out = |labelled: &LabelledPosition<_>| match labelled.search_score {
                Some(score) => score.abs() == LEFT_OUT,
                None => settings.scores.as_results.is_some(),
            };
            match found {
                RecordEvent::Position(_, labelled) if is_left_out(&labelled) => {
                    begun = true;
                    parsed.counts.left_out += 1;
                }
                RecordEvent::Text => parsed.counts.texts += 1,
                RecordEvent::Unread(place, count, first) => {
                    let line = block.first + place.line;
                    // How many scores are not read so far, the line of the first, and the words
                    // about it.
                    let unread = &mut parsed.counts.unread_scores;
                    unread.get_or_insert((0, line, first)).0 += count;
                }
                RecordEvent::Position(place, labelled) => {
                    begun = true;
                    self.position(labelled, place, block, settings, parsed);
                }
                RecordEvent::Unit => {
                    begun = false;
                    parsed.counts.units += 1;
                }
                RecordEvent::Unfinished => {
                    parsed.counts.units += 1;
                    parsed.counts.unfinished += 1;
                }
                RecordEvent::Rejected(place, fault) => {
                    begun = false;
                    parsed.counts.units += 1;
                    parsed.counts.rejected_units += 1;
                    parsed.counts.note_coding(&fault);
                    parsed.reject(block.first + place.line, place.column, fault.to_string());
                }
            }
        });
        // A unit that has begun and whose end was not told is the one in which the limit of
        // positions was reached.
        parsed.counts.units += u64::from(begun);
    }

    /// Takes a position of a game or record, at `place` in `block`. Where the settings of its input
    /// say so, result and score get the other sign, and the score takes the place of the result. It
    /// becomes a sample that waits to be handed to the caller, or, if another rank reads it, is
    /// only counted.
    fn position(
        &self,
        mut labelled: LabelledPosition<AnyPosition>,
        place: RecordPlace,
        block: &Block,
        settings: InputSettings,
        parsed: &mut Parsed<'_>,
    ) {
        settings.turn(&mut labelled);
        let scored = settings.scores.as_results.zip(labelled.search_score);
        if let Some((scale, score)) = scored {
            labelled.outcome = Expected::of_score(score, scale);
        }
        let location = SampleLocation {
            input: block.input as u32,
            line: block.first + place.line,
        };
        let sample = Sample {
            labelled,
            weight: settings.weight,
            location,
            game_id: None,
        };
        if is_here(self.ranks, sample.labelled.game, location.line) {
            // Behind the first 4,096 of a block, one position in eight is looked at for flipped
            // results.
            self.accept(sample, place.column, LOOKED_AT, parsed);
        } else {
            parsed.leave(counted(&sample.labelled));
        }
    }
}

impl Parsed<'_> {
    /// Tells whether there are as many positions as are wanted; never if all are. Samples that were
    /// read and not yet handed to the caller may still be refused, so they are handed over before
    /// this says that there are enough.
    fn is_full(&mut self) -> bool {
        let Some(most) = self.most else {
            return false;
        };
        if self.counts.positions + self.samples.len() as u64 >= most {
            self.settle();
        }
        self.counts.positions >= most
    }

    /// Hands the samples that were read and not yet handed over to the caller, all together, and
    /// counts each as a position, or as a bad line where the caller refuses it.
    fn settle(&mut self) {
        if self.samples.is_empty() {
            return;
        }
        let mut found = std::mem::take(&mut self.found);
        self.made.add(&mut self.samples, &mut found);
        // No sample waits any more, so none that has no game.
        self.samples.clear();
        self.is_numbered = false;
        let waiting: Vec<Waiting> = self.waiting.drain(..).collect();
        for (waiting, result) in waiting.into_iter().zip(found.drain(..)) {
            match result {
                Ok(()) => {
                    self.count(waiting.counted);
                    if let Some((balance, result, score, first_moves)) = waiting.evidence {
                        let evidence = &mut self.counts.evidence;
                        evidence.add(balance, result, score, first_moves);
                    }
                }
                Err(message) => {
                    self.counts.unusable += 1;
                    self.refuse(waiting.counted, waiting.line, waiting.column, message);
                }
            }
        }
        self.found = found;
    }

    /// Adds a position to the counts: `position` is 1, `game` and `score` are 1 if it has a game
    /// and a score, else 0.
    fn count(&mut self, [position, game, score]: [u64; 3]) {
        self.counts.positions += position;
        self.counts.with_game += game;
        self.counts.with_search_score += score;
    }

    /// Counts a position that another rank reads: `counted` is 1, and whether it has a game and a
    /// score.
    ///
    /// If one of the samples that were read and not yet handed to the caller has no game, they are
    /// handed over before: such a sample has its number among all positions in the place of a game,
    /// which this position would change.
    fn leave(&mut self, counted: [u64; 3]) {
        if self.is_numbered {
            self.settle();
        }
        self.made.elsewhere();
        self.count(counted);
    }

    /// Counts a bad line, game or record, and lists it if it is one of the first ten of the block.
    /// `message` says what is wrong at this line and column, both counted from 1. Samples that were
    /// read and not yet handed to the caller are handed over first, as some may become bad lines,
    /// which are listed in their order.
    fn reject(&mut self, line: u64, column: u64, message: String) {
        self.settle();
        self.counts.rejected += 1;
        if self.bad_lines.len() < LISTED {
            self.bad_lines.push((line, column, message));
        }
    }

    /// Rejects a position that could be read and that this rank cannot use, at this line and
    /// column. Other ranks, which did not look at it, have counted it as good, so it is added to
    /// `refused` as well: `counted` is 1, and whether it has a game and a score.
    fn refuse(&mut self, counted: [u64; 3], line: u64, column: u64, message: String) {
        for (sum, one) in self.counts.refused.iter_mut().zip(counted) {
            *sum += one;
        }
        self.reject(line, column, message);
    }
}

/// Returns the column of the byte at `offset` of a line: its place in characters, counted from 1,
/// as an editor shows it.
fn column(line: &str, offset: usize) -> u64 {
    let end = line.floor_char_boundary(offset);
    line[..end].chars().count() as u64 + 1
}

/// Calls `each` with every line, without its `\n`; for a line that is not UTF-8 with the column of
/// the first bad byte, counted from 1, and what is wrong.
fn each_line(bytes: &[u8], mut each: impl FnMut(Result<&str, (u64, String)>)) {
    // One look at the whole block is faster than one per line.
    if let Ok(text) = std::str::from_utf8(bytes) {
        text.split_terminator('\n').for_each(|line| each(Ok(line)));
        return;
    }
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for line in lines.split(|&byte| byte == b'\n') {
        each(std::str::from_utf8(line).map_err(|error| {
            let good = &line[..error.valid_up_to()];
            let column = String::from_utf8_lossy(good).chars().count() as u64 + 1;
            let expected = "expected UTF-8; convert the file to UTF-8";
            let byte = line[good.len()];
            (column, format!("found the byte {byte:#04x}, {expected}"))
        }));
    }
}
