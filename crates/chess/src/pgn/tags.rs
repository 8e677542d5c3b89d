//! What the tags of a game say.

use shakmaty::Chess;
use tuner_data::Outcome;
use tuner_data::{Fault, PositionNotation};

use crate::Fen;

/// How a game ended: with a result, or not at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    With(Outcome),
    Unfinished,
}

/// What is read of the tags.
#[derive(Debug, Default)]
pub(super) struct Tags {
    pub(super) result: Option<Ended>,
    start: Option<Chess>,
    /// Whether it ended otherwise than by the moves.
    pub(super) forfeit: bool,
}

/// Words in `Termination` and `TerminationDetails` that say so, in lower case;
/// from cutechess, TCEC, and lichess.
const FORFEITS: [&[u8]; 8] = [
    b"time forfeit",
    b"timeout",
    b"loses on time",
    b"illegal move",
    b"abandoned",
    b"stall",
    b"disconnect",
    b"rules infraction",
];

impl Tags {
    /// The position that the game begins with.
    pub(super) fn start(&self) -> Chess {
        self.start.clone().unwrap_or_default()
    }

    /// Takes a tag.
    pub(super) fn take(&mut self, name: &[u8], value: &[u8]) -> Result<(), Fault> {
        match name {
            b"Result" => {
                let result = result(value)
                    .ok_or_else(|| fault(value, "a result (1-0, 0-1, 1/2-1/2 or *)"))?;
                if self.result.is_some_and(|other| other != result) {
                    return Err(fault(value, "one result, the same in all tags"));
                }
                self.result = Some(result);
            }
            b"FEN" => {
                let text = String::from_utf8_lossy(value);
                self.start = Some(Fen.parse(&text)?);
            }
            b"Variant" => {
                let known = [&b""[..], b"chess", b"standard", b"normal", b"from position"];
                let chess960 = [
                    &b"chess960"[..],
                    b"chess 960",
                    b"fischerandom",
                    b"fischer random",
                ];
                let value = value.to_ascii_lowercase();
                // TCEC puts the name of the opening's variation there, too.
                let other = OTHERS.contains(&value.as_slice());
                if !known.contains(&&*value) && !chess960.contains(&&*value) && other {
                    return Err(fault(&value, "chess, or Chess960"));
                }
            }
            b"Termination" | b"TerminationDetails" => {
                let value = value.to_ascii_lowercase();
                let has = |word: &&[u8]| value.windows(word.len()).any(|part| part == *word);
                self.forfeit |= FORFEITS.iter().any(has) || value == b"time";
            }
            _ => {}
        }
        Ok(())
    }
}

/// Other games, as lichess, cutechess and xboard name them.
const OTHERS: [&[u8]; 22] = [
    b"antichess",
    b"atomic",
    b"bughouse",
    b"capablanca",
    b"crazyhouse",
    b"duck",
    b"giveaway",
    b"gothic",
    b"grand",
    b"horde",
    b"king of the hill",
    b"kingofthehill",
    b"losers",
    b"makruk",
    b"racing kings",
    b"racingkings",
    b"shogi",
    b"suicide",
    b"three-check",
    b"3check",
    b"threecheck",
    b"xiangqi",
];

/// Reads a result.
pub(super) fn result(text: &[u8]) -> Option<Ended> {
    let outcome = match text.trim_ascii() {
        b"1-0" => Outcome::Win,
        b"0-1" => Outcome::Loss,
        b"1/2-1/2" | b"1/2" | b"\xc2\xbd-\xc2\xbd" => Outcome::Draw,
        b"*" => return Some(Ended::Unfinished),
        _ => return None,
    };
    Some(Ended::With(outcome))
}

fn fault(value: &[u8], expected: &'static str) -> Fault {
    super::game::fault(Fault::quote(&String::from_utf8_lossy(value)), expected)
}
