//! Games that are over, as plain values and as text: what goes from the process that
//! plays to the one that counts.

use super::contest::Thinking;
use super::game::{GameEnd, Played};
use super::pgn::{PgnTags, game_file, pgn};
use super::player::PlayerFault;
use super::sampling::{Left, SampledPosition};
use super::selfplay::{GameRecord, Spent};
use super::settings::ContestSettings;
use super::words::{FieldReader, FieldWriter, Fields, Word, fields, joined};
use tuner_base::{interned, unexpected};
use tuner_game::Outcome;
use tuner_game::rules::{EndReason, Game, GameFile, Rules};

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

impl FinishedGame {
    /// Keeps of a game of pair `number`, counted from 0, what is counted, with the texts that the
    /// settings want; `index`: 0 or 1, its place in the pair, which decides who is the first
    /// player.
    pub(super) fn of<R: Rules + ?Sized>(
        game: &Game<'_, R>,
        played: &Played<R::Move>,
        settings: &ContestSettings,
        number: u64,
        index: usize,
    ) -> Self {
        let texts = &settings.texts;
        let mut players = texts.names.each_ref().map(String::as_str);
        let mut controls = settings.thinking.map(Thinking::control);
        if index == 1 {
            players.reverse();
            controls.reverse();
        }
        // Rounds are counted from 1; the number of a pair may be the largest that `u64` has.
        let tags = PgnTags {
            event: &texts.event,
            round: format!("{}.{}", u128::from(number) + 1, index + 1),
            players,
            controls,
        };
        Self {
            outcome: played.outcome,
            end: played.end.clone(),
            plies: game.moves().len(),
            text: texts.text.then(|| pgn(&tags, game, played)),
            file: texts.files.then(|| game_file(&tags, game, played)),
        }
    }
}

fields!(FinishedGame {
    outcome "outcome",
    end "end",
    plies "plies",
    text if "text",
    file,
});

impl Fields for Option<GameFile> {
    /// Writes two lines, the ending of the file's name and its text; nothing if there is no file.
    fn put(&self, to: &mut FieldWriter) {
        if let Some(file) = self {
            to.word("file-ending", &file.ending.to_owned());
            to.word("file", &file.text);
        }
    }

    /// Reads the ending of the file's name and its text; `None` if there is no such line.
    fn take(from: &mut FieldReader<'_>) -> Result<Self, String> {
        let ending = from.word_if::<String>("file-ending")?;
        let file = ending.map(|ending| {
            let (ending, text) = (interned(&ending), from.word("file")?);
            Ok(GameFile { ending, text })
        });
        file.transpose()
    }
}

/// Games that are over as text, by which they go from process to process: lines of a key and a
/// value. Of a [`PairRecord`]:
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
/// The last three of a game are there if they were wanted. Ends are `rules` and the reason,
/// `resigned`, `adjudicated`, `too-long`, or `fault`, the player (`first` or `second`),
/// the kind and the words. In texts a backslash is `\\`, the end of a line `\n`, a
/// carriage return `\r`. Of a [`GameRecord`], where a sample is its score, its ply and its
/// position:
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
pub trait GameText: Send + Sized {
    /// Writes the games so that [`read`](Self::read) reads them again.
    fn write(&self) -> String;

    /// Reads what [`write`](Self::write) wrote.
    ///
    /// # Errors
    /// If the text is not such a record; the message says what was found in which line, and what
    /// was expected.
    fn read(text: &str) -> Result<Self, String>;
}

impl PairRecord {
    /// Returns the half points, 0 to 2, of the side whose results are counted, in the first game,
    /// in which it is the first player, and in the second, in which it is not.
    pub fn half_points(&self) -> [u8; 2] {
        let [one, two] = &self.0;
        [one.outcome, two.outcome.flipped()].map(|outcome| match outcome {
            Outcome::Win => 2,
            Outcome::Draw => 1,
            Outcome::Loss => 0,
        })
    }

    /// Tells whether both games have the same result, the same end and as many moves, as where one
    /// engine plays both sides; never if a player was at fault.
    pub fn is_twice_the_same(&self) -> bool {
        let [one, two] = &self.0;
        let is_same = (one.outcome, one.plies, &one.end) == (two.outcome, two.plies, &two.end);
        is_same && !matches!(one.end, GameEnd::Fault { .. })
    }

    /// Returns how many games of the pair were lost on time, by the side whose results are counted
    /// and by the other side.
    pub fn late(&self) -> [u8; 2] {
        let is_late = |fault: &&PlayerFault| matches!(fault, PlayerFault::Late(_));
        (self.faults()).map(|faults| faults.into_iter().filter(is_late).count() as u8)
    }

    /// Returns the faults of the side whose results are counted, and those of the other side, one a
    /// game at most. The counted side is the first player in the first game and the second in the
    /// other.
    pub fn faults(&self) -> [Vec<&PlayerFault>; 2] {
        let mut found = [Vec::new(), Vec::new()];
        for (number, game) in self.0.iter().enumerate() {
            // `first`: whether the fault is of the player who moves first in this game.
            if let GameEnd::Fault { first, fault } = &game.end {
                found[usize::from(*first != (number == 0))].push(fault);
            }
        }
        found
    }

    /// Returns the texts of both games, one after the other; empty where texts were not wanted.
    pub fn text(&self) -> String {
        let texts = self.0.iter().filter_map(|game| game.text.as_deref());
        texts.collect()
    }
}

impl<T: Fields + Send> GameText for T {
    /// Writes the fields as lines, a key and its value each.
    fn write(&self) -> String {
        let mut lines = FieldWriter::default();
        self.put(&mut lines);
        lines.into_lines()
    }

    /// Reads the fields from such lines as `write` makes, which must have nothing else.
    fn read(text: &str) -> Result<Self, String> {
        FieldReader::of_lines(text).whole()
    }
}

/// The first game and then the second, each after a line `game`.
impl Fields for PairRecord {
    /// Writes both games, each after a line `game` with its number.
    fn put(&self, to: &mut FieldWriter) {
        for (number, game) in (1_usize..).zip(&self.0) {
            to.word("game", &number);
            game.put(to);
        }
    }

    /// Reads both games, each after a line `game` with its number.
    fn take(from: &mut FieldReader<'_>) -> Result<Self, String> {
        let mut game = |number: &str| {
            from.marker("game", number)?;
            Fields::take(from)
        };
        Ok(Self([game("1")?, game("2")?]))
    }
}

fields!(GameRecord {
    outcome "outcome",
    end "end",
    plies "plies",
    nodes "nodes",
    spent "times",
    left "left",
    samples,
});

joined!(" " Spent { searching, playing } "two times");
joined!(" " SampledPosition { score, ply, position } "a score, a ply and a position");

impl Word for Left {
    /// Writes why positions were left out, and how many for each reason: `early 8 mates 3 …`.
    fn word(&self) -> String {
        let words = self.counts().map(|(name, count)| format!("{name} {count}"));
        words.join(" ")
    }

    /// Reads `early 8 mates 3 …`: all reasons for which positions are left out, in their order,
    /// each with its count.
    fn of_word(text: &str) -> Result<Self, String> {
        let mut words = text.split(' ');
        let mut left = Self::default();
        let wrong = || unexpected(text, "a count for each reason, in their order");
        for (name, count) in left.counts_mut() {
            if words.next() != Some(name) {
                return Err(wrong());
            }
            // A count that is missing is read as an empty word, which is not a number.
            *count = Word::of_word(words.next().unwrap_or_default())?;
        }
        words.next().map_or(Ok(left), |_| Err(wrong()))
    }
}

impl Fields for Vec<SampledPosition> {
    /// Writes a line `sample` for each position.
    fn put(&self, to: &mut FieldWriter) {
        for sample in self {
            to.word("sample", sample);
        }
    }

    /// Reads all lines `sample` that follow.
    fn take(from: &mut FieldReader<'_>) -> Result<Self, String> {
        std::iter::from_fn(|| from.word_if("sample").transpose()).collect()
    }
}

/// A kind of fault, and what makes one of its words.
type FaultKind = (&'static str, fn(String) -> PlayerFault);

/// Kinds of faults.
const FAULTS: [FaultKind; 6] = [
    ("resigned", |_| PlayerFault::Resigned),
    ("unusable", PlayerFault::Unusable),
    ("silent", PlayerFault::Silent),
    ("late", PlayerFault::Late),
    ("ended", PlayerFault::Ended),
    ("illegal", PlayerFault::Illegal),
];

impl Word for GameEnd {
    /// Writes why a game ended: `rules` and the reason, `resigned`, `adjudicated`, `too-long`, or
    /// `fault`, the player (`first` or `second`), the kind of fault and its words.
    fn word(&self) -> String {
        match self {
            Self::Rules(reason) => format!("rules {}", reason.0),
            Self::Fault { first, fault } => {
                let side = if *first { "first" } else { "second" };
                let words = fault.words();
                // The kind that makes this very fault of these words; there always is one.
                let kind = (FAULTS.iter()).find(|(_, of)| of(words.to_owned()) == *fault);
                format!("fault {side} {} {words}", kind.map_or("", |(kind, _)| kind))
            }
            Self::Resigned => "resigned".to_owned(),
            Self::Adjudicated => "adjudicated".to_owned(),
            Self::TooLong => "too-long".to_owned(),
        }
    }

    /// Reads why a game ended: `rules` and the reason, `resigned`, `adjudicated`, `too-long`, or
    /// `fault`, the player (`first` or `second`), the kind of fault and its words.
    fn of_word(text: &str) -> Result<Self, String> {
        if let Some(reason) = text.strip_prefix("rules ") {
            return Ok(Self::Rules(EndReason(interned(reason))));
        }
        let fault = match text {
            "resigned" => return Ok(Self::Resigned),
            "adjudicated" => return Ok(Self::Adjudicated),
            "too-long" => return Ok(Self::TooLong),
            text => text.strip_prefix("fault "),
        };
        let fault = fault.ok_or_else(|| unexpected(text, "why a game ended"))?;
        // A part that is missing is empty: side and kind are then refused, words may be empty.
        let mut parts = fault.splitn(3, ' ');
        let mut part = || parts.next().unwrap_or_default();
        let (side, kind, words) = (part(), part(), part());
        let first = match side {
            "first" => true,
            "second" => false,
            _ => return Err(unexpected(side, "first or second")),
        };
        let known = FAULTS.iter().find(|(known, _)| *known == kind);
        let (_, of) = known.ok_or_else(|| unexpected(kind, "a kind of fault"))?;
        let fault = of(words.to_owned());
        Ok(Self::Fault { first, fault })
    }
}
