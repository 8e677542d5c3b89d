//! Results of games in PGN: tags alone, in constant memory.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

use super::GamesStanding;
use crate::{Failure, Result};
use tuner_data::open_text;
use tuner_tournament::Pentanomial;

/// The results in a file of games.
#[derive(Debug, Default)]
pub struct PgnResults {
    player: String,
    opponents: Vec<String>,
    /// Won, drawn, lost by the player.
    games: [u64; 3],
    pairs: Pentanomial,
    unfinished: u64,
    /// Games in which the player does not play, or is both sides.
    others: u64,
    /// The first games of pairs, by [`pair_key`]: whether the player had White, and the player's
    /// half points.
    waiting: HashMap<String, (bool, u8)>,
}

/// The tags of a game.
type Tags = HashMap<String, String>;

/// Returns the value of the PGN tag `name`, empty where there is none.
fn get<'t>(tags: &'t Tags, name: &str) -> &'t str {
    tags.get(name).map_or("", |value| value)
}

/// Most games that may wait for the other half of their pair: of a file without pairs
/// none comes.
const WAITING: usize = 100_000;

/// Most opponents that are named.
const NAMED: usize = 4;

/// Reads the name and the value of a line `[Name "value"]`, in which `\"` is a quote and `\\` a
/// backslash; `None` if the line is not of this form.
fn tag(line: &str) -> Option<(String, String)> {
    let inside = line.strip_prefix('[')?.trim_end().strip_suffix(']')?;
    let (key, value) = inside.trim().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
    Some((key.to_owned(), value))
}

impl PgnResults {
    /// Reads the results of a player in a file of games in PGN; where `player` is `None`, of the
    /// one who has White in the first game. Games of others, and unfinished ones, are counted
    /// apart.
    ///
    /// # Errors
    /// If it cannot be read, is not PGN, or has no game of the player.
    pub fn read(path: &Path, player: Option<&str>) -> Result<Self> {
        let name = path.display();
        let fault = |error: std::io::Error| Failure::Error(format!("{name}: {error}"));
        let mut reader = open_text(path).map_err(fault)?;
        let mut found = Self {
            player: player.unwrap_or_default().to_owned(),
            ..Self::default()
        };
        let mut tags = Tags::default();
        // A line that begins with `[` is a tag, unless it is within a comment in braces
        // (`comment`). The first tag behind moves (`moves`) begins the next game, so the game
        // before it is counted then.
        let mut comment = false;
        let mut moves = false;
        let (mut line, mut number) = (Vec::new(), 0_u64);
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).map_err(fault)? == 0 {
                break;
            }
            number += 1;
            let text = String::from_utf8_lossy(&line);
            let text = text.trim().trim_start_matches('\u{feff}');
            if !comment && text.starts_with('[') {
                if moves {
                    found.game(&std::mem::take(&mut tags));
                    moves = false;
                }
                let (key, value) = tag(text).ok_or_else(|| {
                    format!(
                        "{name}:{number}: found a line of tags that is none; expected [Name \"value\"]"
                    )
                })?;
                tags.insert(key, value);
            } else if !text.is_empty() {
                moves = true;
                for c in text.chars() {
                    match c {
                        '{' => comment = true,
                        '}' => comment = false,
                        ';' if !comment => break,
                        _ => {}
                    }
                }
            }
        }
        if !tags.is_empty() {
            found.game(&tags);
        }
        if found.total() == 0 {
            let words = match player {
                Some(player) if found.others > 0 => {
                    format!(
                        "{name}: found no game of {player}; --player names White or Black of some"
                    )
                }
                None if found.others > 0 => {
                    format!(
                        "{name}: White and Black have the same name in all games, so nobody can be told apart"
                    )
                }
                _ => format!("{name}: found no game that is over; expected PGN, or counts"),
            };
            return Err(words.into());
        }
        Ok(found)
    }

    /// Returns how many games of the player are over.
    fn total(&self) -> u64 {
        self.games.iter().sum()
    }

    /// Counts a game by its tags, and its pair once both games of it are read. A first game that
    /// comes while `WAITING` (100 000) others wait for their second is not kept, so its pair is
    /// not counted. A game of other players, or of the player against itself, and one that is not
    /// over are counted apart.
    fn game(&mut self, tags: &Tags) {
        let [white, black] = ["White", "Black"].map(|name| get(tags, name));
        if self.player.is_empty() {
            white.clone_into(&mut self.player);
        }
        let is_white = white == self.player;
        if is_white == (black == self.player) {
            // The player is neither side, or both.
            self.others += 1;
            return;
        }
        let points = match get(tags, "Result") {
            "1-0" => 2,
            "0-1" => 0,
            "1/2-1/2" => 1,
            _ => {
                self.unfinished += 1;
                return;
            }
        };
        // Half points of the player: 2 for a win.
        let points = if is_white { points } else { 2 - points };
        self.games[usize::from(2 - points)] += 1;
        let opponent = if is_white { black } else { white };
        if !self.opponents.iter().any(|name| name == opponent) && self.opponents.len() < NAMED {
            self.opponents.push(opponent.to_owned());
        }
        let Some(key) = pair_key(tags, opponent) else {
            return;
        };
        match self.waiting.remove(&key) {
            Some((was_white, before)) if was_white != is_white => {
                self.pairs.add([before, points]);
            }
            // Either no game waited; or one did in which the player had the same colour, which is
            // then in no pair. In both cases this game is the first of a pair, and waits.
            _ if self.waiting.len() < WAITING => {
                self.waiting.insert(key, (is_white, points));
            }
            _ => {}
        }
    }

    /// Returns the results as counts for Elo: pairs by half points where at least nine tenths of
    /// the games are in a pair, else single games lost, drawn and won.
    pub fn standing(&self) -> GamesStanding {
        let [wins, draws, losses] = self.games;
        let games = [losses, draws, wins];
        let counts: &[u64] = if self.in_pairs() {
            &self.pairs.0
        } else {
            &games
        };
        GamesStanding::new(Some(self.games), counts)
    }

    /// Tells whether Elo is counted by pairs: at least nine tenths of the games are in one. A match
    /// that was broken off has a few games without their other half, and these are left out.
    fn in_pairs(&self) -> bool {
        let paired = 2 * self.pairs.pairs();
        paired > 0 && 10 * paired >= 9 * self.total()
    }

    /// Returns the name of the player, and those of up to four opponents with commas between them.
    pub fn names(&self) -> [String; 2] {
        [self.player.clone(), self.opponents.join(", ")]
    }

    /// Returns a line on what was found in the file `path`: games, pairs, and what is left out of
    /// Elo.
    pub fn words(&self, path: &Path) -> String {
        let [player, opponents] = self.names();
        let (total, pairs) = (self.total(), self.pairs.pairs());
        let mut parts = vec![format!(
            "{}: {total} games of {player} against {opponents}",
            path.display()
        )];
        let alone = total.saturating_sub(2 * pairs);
        if self.in_pairs() {
            parts.push(format!("{pairs} pairs"));
            if alone > 0 {
                parts.push(format!(
                    "{alone} games without their other half are left out of Elo"
                ));
            }
        } else {
            let words =
                "not in pairs (one opening with both colours), so each game counts for itself";
            parts.push(words.to_owned());
        }
        if self.unfinished > 0 {
            parts.push(format!("{} unfinished", self.unfinished));
        }
        if self.others > 0 {
            parts.push(format!("{} of other players", self.others));
        }
        parts.join("; ")
    }
}

/// Returns a text that both games of a pair have in common and other games do not: the opponent,
/// and of the tag `Round "12.1"` the 12, else the position they begin with, else the round. `None`
/// where the tags have none of the three, so that the game is in no pair.
fn pair_key(tags: &Tags, opponent: &str) -> Option<String> {
    let (round, start) = (get(tags, "Round"), get(tags, "FEN"));
    let key = match round.split_once('.') {
        Some((pair, _)) => pair,
        None if !start.is_empty() => start,
        None if !matches!(round, "" | "?" | "-") => round,
        None => return None,
    };
    Some(format!("{opponent}\n{key}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(text: &str, player: Option<&str>) -> Result<PgnResults, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        PgnResults::read(file.path(), player).map_err(|failure| failure.words().to_owned())
    }

    fn game(white: &str, black: &str, round: &str, result: &str) -> String {
        format!(
            "[White \"{white}\"]\n[Black \"{black}\"]\n[Round \"{round}\"]\n[Result \"{result}\"]\n\n\
             1. e4 {{a comment with\n[Result \"0-1\"] in it}} e5 {result}\n\n"
        )
    }

    #[test]
    fn games_become_pairs_whatever_their_order() {
        let text = [
            game("a", "b", "1.1", "1-0"),
            game("a", "b", "2.1", "1/2-1/2"),
            game("b", "a", "1.2", "1-0"),
            game("b", "a", "2.2", "0-1"),
            game("a", "b", "3.1", "*"),
            game("c", "b", "4.1", "1-0"),
        ];
        let found = read(&text.concat(), None).unwrap();
        assert_eq!(found.games, [2, 1, 1]);
        assert_eq!(found.pairs.0, [0, 0, 1, 1, 0]);
        assert!(found.in_pairs());
        assert_eq!((found.unfinished, found.others), (1, 1));
        let of_b = read(&text.concat(), Some("b")).unwrap();
        assert_eq!(of_b.games, [1, 1, 3]);
    }

    #[test]
    fn games_without_pairs_count_for_themselves() {
        let text: String = (1..=4)
            .map(|n| game("a", "b", &n.to_string(), "1-0"))
            .collect();
        let found = read(&text, None).unwrap();
        assert!(!found.in_pairs());
        assert_eq!(found.standing().counts, [0, 0, 4]);
    }

    #[test]
    fn what_is_no_pgn_is_refused() {
        assert!(read("", None).unwrap_err().contains("no game that is over"));
        assert!(
            read("[White a]\n", None)
                .unwrap_err()
                .contains(":1: found a line of tags")
        );
        let text = game("a", "b", "1", "1-0");
        assert!(read(&text, Some("z")).unwrap_err().contains("no game of z"));
    }
}
