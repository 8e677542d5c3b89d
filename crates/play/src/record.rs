//! Games that are over, as plain values and as text: what goes from the process that
//! plays to the one that counts.

use super::contest::Pair;
use super::game::GameEnd;
use super::pgn::{PgnTags, game_file, pgn};
use super::player::PlayerFault;
use super::sampling::{Left, SampledPosition};
use super::selfplay::GameRecord;
use super::words::{LineReader, Lines, lasting, number, unexpected};
use super::{GameOfPair, TimeControl};
use tuner_base::{escaped_line, unescaped};
use tuner_game::Outcome;
use tuner_game::rules::{EndReason, GameFile, Rules};

/// A game that is over, without its moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// The result for the first player.
    pub outcome: Outcome,
    /// Why it is over.
    pub end: GameEnd,
    /// Its moves, those of the opening counted.
    pub plies: usize,
    /// The game as PGN, or as records of the game are written, if that was wanted.
    pub text: Option<String>,
    /// The game as a file of its own, if that was wanted.
    pub file: Option<GameFile>,
}

/// Two games from one opening: in the first, the side whose results are counted
/// is the first player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairRecord(pub [FinishedGame; 2]);

/// What the texts of a match say of it.
#[derive(Clone, Copy, Debug)]
pub struct MatchTags<'a> {
    /// The event.
    pub event: &'a str,
    /// The side whose results are counted, and the other one.
    pub names: [&'a str; 2],
    /// Where clocks run.
    pub time_control: Option<TimeControl>,
}

/// Which texts of a pair are made.
#[derive(Clone, Copy, Debug, Default)]
pub struct GameTexts<'a> {
    /// What they say of the match. Without them no text is made.
    pub tags: Option<MatchTags<'a>>,
    /// Whether to write each game as [`pgn()`] does.
    pub text: bool,
    /// Whether to write each game as [`game_file()`] does.
    pub files: bool,
    /// The number of the pair, from 0.
    pub number: u64,
}

impl MatchTags<'_> {
    /// What the first or second game of pair `number` says of itself.
    fn of_game(&self, number: u64, index: usize) -> PgnTags<'_> {
        let [first, second] = self.names;
        PgnTags {
            event: self.event,
            round: format!("{}.{}", u128::from(number) + 1, index + 1),
            players: if index == 0 {
                [first, second]
            } else {
                [second, first]
            },
            time_control: self.time_control,
        }
    }
}

impl FinishedGame {
    /// Keeps of a game of a pair what is counted, with its texts; `index` is its place in
    /// the pair.
    fn of<R: Rules>(game: &GameOfPair<'_, R>, texts: &GameTexts<'_>, index: usize) -> Self {
        let GameOfPair { game, played } = game;
        let tags = (texts.tags.as_ref()).map(|tags| tags.of_game(texts.number, index));
        let tags = |is_wanted: bool| tags.as_ref().filter(|_| is_wanted);
        Self {
            outcome: played.outcome,
            end: played.end.clone(),
            plies: game.moves().len(),
            text: tags(texts.text).map(|tags| pgn(tags, game, played)),
            file: tags(texts.files).map(|tags| game_file(tags, game, played)),
        }
    }

    fn write(&self, lines: &mut Lines) {
        lines.add("outcome", self.outcome);
        lines.add("end", end_words(&self.end));
        lines.add("plies", self.plies);
        if let Some(text) = &self.text {
            lines.add_text("text", text);
        }
        if let Some(file) = &self.file {
            lines.add_text("file-ending", file.ending);
            lines.add_text("file", &file.text);
        }
    }

    fn read(lines: &mut LineReader<'_>) -> Result<Self, String> {
        let outcome = lines.read("outcome", outcome)?;
        let end = lines.read("end", end)?;
        let plies = lines.read("plies", number)?;
        let text = lines.read_if("text", unescaped)?;
        let file = match lines.read_if("file-ending", unescaped)? {
            None => None,
            Some(ending) => Some(GameFile {
                ending: lasting(ending),
                text: lines.read("file", unescaped)?,
            }),
        };
        Ok(Self {
            outcome,
            end,
            plies,
            text,
            file,
        })
    }
}

impl PairRecord {
    /// Keeps of a pair what is counted, with the texts that are wanted.
    pub fn of<R: Rules>(pair: &Pair<'_, R>, texts: &GameTexts<'_>) -> Self {
        let [one, two] = &pair.0;
        Self([
            FinishedGame::of(one, texts, 0),
            FinishedGame::of(two, texts, 1),
        ])
    }

    /// Half points of the side whose results are counted, by game.
    pub fn half_points(&self) -> [u8; 2] {
        let [one, two] = &self.0;
        [one.outcome, two.outcome.flipped()].map(|outcome| match outcome {
            Outcome::Win => 2,
            Outcome::Draw => 1,
            Outcome::Loss => 0,
        })
    }

    /// Games lost on time, by both sides.
    pub fn late(&self) -> [u8; 2] {
        let is_late = |fault: &&PlayerFault| matches!(fault, PlayerFault::Late(_));
        (self.faults()).map(|faults| faults.into_iter().filter(is_late).count() as u8)
    }

    /// The faults of the side whose results are counted, and of the other, one a
    /// game at most.
    pub fn faults(&self) -> [Vec<&PlayerFault>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        for (number, game) in self.0.iter().enumerate() {
            if let GameEnd::Fault { first, fault } = &game.end {
                found[usize::from(*first != (number == 0))].push(fault);
            }
        }
        found
    }

    /// The texts of both games, one after the other.
    pub fn text(&self) -> String {
        let texts = self.0.iter().filter_map(|game| game.text.as_deref());
        texts.collect()
    }

    /// Writes a pair so that [`read`](Self::read) reads it again: lines of a key and a
    /// value, of the first game and then of the second, each after a line `game`.
    ///
    /// ```text
    /// game 1
    /// outcome 1-0
    /// end rules checkmate
    /// plies 57
    /// text [Event "a match"]\n…
    /// file-ending pgn
    /// file [Event "a match"]\n…
    /// game 2
    /// …
    /// ```
    ///
    /// The last three are there if they were wanted. Ends are `rules` and the reason,
    /// `resigned`, `adjudicated`, `too-long`, or `fault`, the player (`first` or `second`),
    /// the kind and the words. In texts a backslash is `\\`, the end of a line `\n`, a
    /// carriage return `\r`.
    pub fn write(&self) -> String {
        let mut lines = Lines::default();
        for (number, game) in (1..).zip(&self.0) {
            lines.add("game", number);
            game.write(&mut lines);
        }
        lines.into_text()
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// What was found in which line, and what was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut lines = LineReader::new(text);
        let mut game = |wanted: &str| {
            lines.read("game", |found| match found {
                found if found == wanted => Ok(()),
                found => Err(unexpected(found, wanted)),
            })?;
            FinishedGame::read(&mut lines)
        };
        let pair = Self([game("1")?, game("2")?]);
        lines.finish()?;
        Ok(pair)
    }
}

/// Counts of [`Left`] with their names, in their order.
fn counts(left: &Left) -> [(&'static str, u64); 7] {
    [
        ("early", left.early),
        ("mates", left.mates),
        ("checks", left.checks),
        ("tactical", left.tactical),
        ("noisy", left.noisy),
        ("repeated", left.repeated),
        ("surplus", left.surplus),
    ]
}

impl GameRecord {
    /// Writes a game so that [`read`](Self::read) reads it again: lines of a key and a
    /// value.
    ///
    /// ```text
    /// outcome 1-0
    /// end rules checkmate
    /// plies 57
    /// nodes 45600
    /// times 70100300 70200400
    /// left early 8 mates 3 checks 5 tactical 12 noisy 9 repeated 0 surplus 10
    /// sample 31 9 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
    /// ```
    ///
    /// Ends are as in [`PairRecord::write`], a sample is its score, its ply and its
    /// position.
    pub fn write(&self) -> String {
        let mut lines = Lines::default();
        lines.add("outcome", self.outcome);
        lines.add("end", end_words(&self.end));
        lines.add("plies", self.plies);
        lines.add("nodes", self.nodes);
        let (searching, playing) = self.times;
        lines.add("times", format!("{searching} {playing}"));
        let left = counts(&self.left).map(|(name, count)| format!("{name} {count}"));
        lines.add("left", left.join(" "));
        for sample in &self.samples {
            let position = escaped_line(&sample.position);
            lines.add(
                "sample",
                format!("{} {} {position}", sample.score, sample.ply),
            );
        }
        lines.into_text()
    }

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// What was found in which line, and what was expected.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut lines = LineReader::new(text);
        let record = Self {
            outcome: lines.read("outcome", outcome)?,
            end: lines.read("end", end)?,
            plies: lines.read("plies", number)?,
            nodes: lines.read("nodes", number)?,
            times: lines.read("times", times)?,
            left: lines.read("left", left)?,
            samples: samples(&mut lines)?,
        };
        lines.finish()?;
        Ok(record)
    }
}

fn times(value: &str) -> Result<(u64, u64), String> {
    let two = value.split_once(' ');
    let (searching, playing) = two.ok_or_else(|| unexpected(value, "two times"))?;
    Ok((number(searching)?, number(playing)?))
}

fn left(value: &str) -> Result<Left, String> {
    let words: Vec<&str> = value.split(' ').collect();
    let expected = counts(&Left::default()).map(|(name, _)| name);
    let (pairs, rest) = words.as_chunks::<2>();
    let names = pairs.iter().map(|[name, _]| *name);
    if !rest.is_empty() || !names.eq(expected) {
        return Err(unexpected(value, "a count for each reason, in their order"));
    }
    let mut counts = [0; 7];
    for (count, [_, text]) in counts.iter_mut().zip(pairs) {
        *count = number(text)?;
    }
    let [early, mates, checks, tactical, noisy, repeated, surplus] = counts;
    Ok(Left {
        early,
        mates,
        checks,
        tactical,
        noisy,
        repeated,
        surplus,
    })
}

fn samples(lines: &mut LineReader<'_>) -> Result<Vec<SampledPosition>, String> {
    let mut samples = Vec::new();
    while let Some(sample) = lines.read_if("sample", sample)? {
        samples.push(sample);
    }
    Ok(samples)
}

fn sample(value: &str) -> Result<SampledPosition, String> {
    let mut parts = value.splitn(3, ' ');
    let (Some(score), Some(ply), Some(position)) = (parts.next(), parts.next(), parts.next())
    else {
        return Err(unexpected(value, "a score, a ply and a position"));
    };
    Ok(SampledPosition {
        position: unescaped(position)?,
        score: number(score)?,
        ply: number(ply)?,
    })
}

fn outcome(text: &str) -> Result<Outcome, String> {
    let mut outcomes = [Outcome::Win, Outcome::Draw, Outcome::Loss].into_iter();
    let found = outcomes.find(|outcome| outcome.to_string() == text);
    found.ok_or_else(|| unexpected(text, "1-0, 1/2-1/2 or 0-1"))
}

/// The end of a game as the value of a line.
fn end_words(end: &GameEnd) -> String {
    match end {
        GameEnd::Rules(reason) => format!("rules {}", escaped_line(reason.0)),
        GameEnd::Resigned => "resigned".to_owned(),
        GameEnd::Adjudicated => "adjudicated".to_owned(),
        GameEnd::TooLong => "too-long".to_owned(),
        GameEnd::Fault { first, fault } => {
            let side = if *first { "first" } else { "second" };
            let (kind, words) = fault_words(fault);
            format!("fault {side} {kind} {}", escaped_line(words))
        }
    }
}

fn fault_words(fault: &PlayerFault) -> (&'static str, &str) {
    match fault {
        PlayerFault::Resigned => ("resigned", ""),
        PlayerFault::Unusable(words) => ("unusable", words),
        PlayerFault::Silent(words) => ("silent", words),
        PlayerFault::Late(words) => ("late", words),
        PlayerFault::Ended(words) => ("ended", words),
        PlayerFault::Illegal(words) => ("illegal", words),
    }
}

/// Reads what [`end_words`] wrote.
fn end(value: &str) -> Result<GameEnd, String> {
    let (word, rest) = value.split_once(' ').unwrap_or((value, ""));
    match (word, rest) {
        ("rules", reason) => Ok(GameEnd::Rules(EndReason(lasting(unescaped(reason)?)))),
        ("resigned", "") => Ok(GameEnd::Resigned),
        ("adjudicated", "") => Ok(GameEnd::Adjudicated),
        ("too-long", "") => Ok(GameEnd::TooLong),
        ("fault", rest) => fault(rest),
        _ => Err(unexpected(value, "why a game ended")),
    }
}

fn fault(rest: &str) -> Result<GameEnd, String> {
    let mut parts = rest.splitn(3, ' ');
    let mut part = || parts.next().unwrap_or_default();
    let (side, kind, words) = (part(), part(), unescaped(part())?);
    let first = match side {
        "first" => true,
        "second" => false,
        _ => return Err(unexpected(side, "first or second")),
    };
    let fault = match kind {
        "resigned" => PlayerFault::Resigned,
        "unusable" => PlayerFault::Unusable(words),
        "silent" => PlayerFault::Silent(words),
        "late" => PlayerFault::Late(words),
        "ended" => PlayerFault::Ended(words),
        "illegal" => PlayerFault::Illegal(words),
        _ => return Err(unexpected(kind, "a kind of fault")),
    };
    Ok(GameEnd::Fault { first, fault })
}
