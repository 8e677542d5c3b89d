//! The tags of a game.

use shakmaty::Chess;
use tuner_data::in_games::unexpected;
use tuner_data::{Fault, GameDate, GameTags};

use super::end::GameEnd;
use super::game::Rejection;
use super::time_control;
use crate::fen;

/// The values that are read from the tags.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// The tag `Result`; `None` without one.
    pub(super) result: Option<GameEnd>,
    /// The tag `FEN`; `None` for the initial position.
    start: Option<Chess>,
    /// Whether the game was decided by something other than its moves, if that is told.
    pub(super) forfeit: Option<bool>,
    of_game: GameTags,
    /// `UTCDate`, for games without `Date`.
    universal_date: Option<GameDate>,
}

/// Words in `Termination` and `TerminationDetails`, in lower case, that say that something other
/// than the moves decided the game; from cutechess, TCEC, lichess and chess.com.
const FORFEITS: [&[u8]; 12] = [
    b"forfeit",
    b"timeout",
    b"time out",
    b"timed out",
    b"on time",
    b"by time",
    b"of time",
    b"illegal move",
    b"abandon",
    b"stall",
    b"disconnect",
    b"rules infraction",
];

/// Words of last comments, in lower case, that say that something other than the moves decided the
/// game; from FICS, lichess and cutechess.
const FORFEITS_IN_WORDS: [&[u8]; 7] = [
    b"forfeits",
    b"time forfeit",
    b"loses on time",
    b"lost on time",
    b"wins on time",
    b"won on time",
    b"ran out of time",
];

/// Tells whether a comment, such as `White loses on time`, says that the game was decided by time
/// or forfeit and not by its moves.
pub(super) fn is_forfeit_in_words(comment: &[u8]) -> bool {
    has_any(&comment.to_ascii_lowercase(), &FORFEITS_IN_WORDS)
}

/// Tells whether one of some words is in a text.
fn has_any(text: &[u8], words: &[&[u8]]) -> bool {
    let mut words = words.iter();
    words.any(|word| memchr::memmem::find(text, word).is_some())
}

impl Tags {
    /// Returns the position that the game begins with: that of the tag FEN, else the usual one.
    pub(super) fn start(&self) -> Chess {
        self.start.clone().unwrap_or_default()
    }

    /// Takes out the tags of the game's players, event, date and clock; `None` if there are no such
    /// tags. The date is that of `UTCDate` where there is no `Date`.
    pub(super) fn of_game(&mut self) -> Option<GameTags> {
        let mut of_game = std::mem::take(&mut self.of_game);
        of_game.date = of_game.date.or(self.universal_date);
        (of_game != GameTags::default()).then_some(of_game)
    }

    /// Notes the value of the tag `name`; tags that are not read are passed over. A fault if
    /// `Result`, `FEN` or `Variant` has a value that it cannot have, or a second `Result` differs
    /// from the first.
    fn note(&mut self, name: &[u8], value: &[u8]) -> Result<(), Fault> {
        match name.to_ascii_lowercase().as_slice() {
            b"result" => {
                let result = GameEnd::parse(value).ok_or_else(|| other_result(value))?;
                if self.result.is_some_and(|other| other != result) {
                    return Err(unexpected(value, "one result, the same in all tags"));
                }
                self.result = Some(result);
            }
            b"fen" => {
                let text = String::from_utf8_lossy(value);
                self.start = Some(fen::parse(&text)?);
            }
            b"variant" => {
                // Names are compared by letters and digits alone; an empty one says nothing.
                let letters = value.iter().filter(|byte| byte.is_ascii_alphanumeric());
                let name: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
                if !CHESS.split(' ').any(|game| game.as_bytes() == name) && !name.is_empty() {
                    return Err(unexpected(value, "chess, or Chess960"));
                }
            }
            b"termination" | b"terminationdetails" => {
                let value = value.to_ascii_lowercase();
                // `insufficient` says that a player ran out of time whom the other had not the
                // material to mate: that is a draw and no forfeit.
                let drawn = has_any(&value, &[b"insufficient"]);
                let forfeit = !drawn && (has_any(&value, &FORFEITS) || value == b"time");
                // One of the two tags, in any order, suffices.
                self.forfeit = Some(self.forfeit == Some(true) || forfeit);
            }
            b"white" => self.of_game.players[0] = name_of(value),
            b"black" => self.of_game.players[1] = name_of(value),
            b"event" => self.of_game.event = name_of(value),
            b"whiteelo" => self.of_game.ratings[0] = rating(value),
            b"blackelo" => self.of_game.ratings[1] = rating(value),
            b"date" => self.of_game.date = GameDate::parse(&String::from_utf8_lossy(value)),
            b"utcdate" => {
                self.universal_date = GameDate::parse(&String::from_utf8_lossy(value));
            }
            b"timecontrol" => {
                self.of_game.seconds = time_control::seconds(&String::from_utf8_lossy(value));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The fault of an unknown result. Where it shows that the file writes all results in another way,
/// the cure says so.
fn other_result(value: &[u8]) -> Fault {
    let fault = unexpected(value, "a result (1-0, 0-1, 1/2-1/2 or *)");
    let cure = Fault::of_coding(&String::from_utf8_lossy(value)).map_or(fault.cure, Into::into);
    Fault { cure, ..fault }
}

/// Reads a name, in UTF-8 or else Latin-1; `None` where nothing, `?` or `-` says that it is not
/// known.
fn name_of(value: &[u8]) -> Option<Box<str>> {
    let value = value.trim_ascii();
    if matches!(value, b"" | b"?" | b"-") {
        return None;
    }
    Some(match std::str::from_utf8(value) {
        Ok(name) => name.into(),
        Err(_) => value.iter().copied().map(char::from).collect(),
    })
}

/// Reads a rating; `None` if it is not a number, or 0, which is written for players without one.
fn rating(value: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(value).ok()?.trim();
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|rating| digits && *rating > 0)
}

/// Reads the tags of a game; returns them, and the byte at which the moves begin. Blank lines among
/// the tags are passed over, and lines that begin with `%`, which PGN calls escapes.
pub(super) fn read(game: &[u8]) -> Result<(Tags, usize), Rejection> {
    let mut tags = Tags::default();
    let mut at = 0;
    for line in game.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii();
        if text.starts_with(b"[") {
            let offset = at + (line.len() - line.trim_ascii_start().len());
            let rest =
                read_line(text, &mut tags).map_err(|fault| Rejection { at: offset, fault })?;
            if !rest.is_empty() {
                return Ok((tags, offset + text.len() - rest.len()));
            }
        } else if !text.is_empty() && !text.starts_with(b"%") {
            break;
        }
        at += line.len();
    }
    Ok((tags, at))
}

/// Reads one line of tags, of which there may be several; returns the moves behind them, empty if
/// there are none. A comment behind them, from `;` on, is passed over. In a value the byte behind a
/// `\` is taken as it is, so that a quotation mark does not end it. A fault if a tag is not a name
/// and a value in quotation marks and brackets, or has a wrong value.
fn read_line<'a>(line: &'a [u8], tags: &mut Tags) -> Result<&'a [u8], Fault> {
    let mut rest = line;
    while let Some(text) = rest.strip_prefix(b"[") {
        let wrong = || unexpected(line, "a tag such as [Result \"1-0\"]");
        let quote = text.iter().position(|&byte| byte == b'"');
        let quote = quote.ok_or_else(wrong)?;
        let (name, text) = (text[..quote].trim_ascii(), &text[quote + 1..]);
        let mut value = Vec::new();
        let mut bytes = text.iter();
        loop {
            match bytes.next().ok_or_else(wrong)? {
                b'"' => break,
                b'\\' => value.extend(bytes.next()),
                byte => value.push(*byte),
            }
        }
        let after = bytes.as_slice().trim_ascii_start().strip_prefix(b"]");
        rest = after.ok_or_else(wrong)?.trim_ascii_start();
        tags.note(name, &value)?;
    }
    Ok(if rest.starts_with(b";") { b"" } else { rest })
}

/// Chess and Chess960 by the names that programs give them, without what is no letter or digit.
const CHESS: &str = "standard normal chess orthodox regular classical fromposition setup \
    chess960 960 fischerandom fischerrandom fischerandomchess fischerrandomchess frc dfrc \
    doublechess960 doublefischerrandom freestyle freestylechess chess9lx shufflechess shuffle";
