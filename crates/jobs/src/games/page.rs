//! The page of a match, of one that was just played or of its file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use super::GamesStanding;
use crate::Result;
use tuner_record::MatchHead;
use tuner_report::{MatchEnd, MatchRecord};
use tuner_tournament::{Journal, JournalPair, Tally};

/// Most points of the picture of the test's course. Chosen: more than its pixels tell apart.
const POINTS: usize = 200;

/// Tells whether a file is the journal of a match: its first line is a JSON object with a field
/// `match`. `false` where it cannot be read.
pub fn is_match(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut line = String::new();
    // At most 64 KiB are read: the first line of a journal is shorter, and another file may have no
    // end of a line.
    let read = BufReader::new(file.take(1 << 16)).read_line(&mut line);
    let first: Option<Value> = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    first.is_some_and(|first| first.get("match").is_some())
}

/// Reads the journal of a match, also of one that was killed, as the record that a page shows.
///
/// # Errors
/// If the file is not the journal of a match, or is damaged.
pub fn read_match(path: &Path) -> Result<MatchRecord> {
    let journal = Journal::read(path)?;
    let head = MatchHead::of(journal.about());
    let head = head.ok_or_else(|| format!("{}:1: found no head of a match", path.display()))?;
    Ok(match_record(head, journal.played()))
}

/// Returns the opponents of a match, each with what the games against it have come to. `pairs`: all
/// pairs in order; opponents take turns in them.
pub fn opponents(head: &MatchHead, pairs: &[JournalPair]) -> Vec<(String, GamesStanding)> {
    let several = head.opponents.len();
    // With a single opponent the list of opponents is empty, and its name is the second of `names`.
    let names = match several {
        0 => &head.names[1..],
        _ => &head.opponents[..],
    };
    let standing = |at: usize| {
        let mut tally = Tally::default();
        for pair in pairs.iter().skip(at).step_by(names.len()) {
            tally.add(pair.half_points, pair.faults, pair.late());
        }
        GamesStanding::from(&tally)
    };
    let each = names.iter().enumerate();
    each.map(|(at, name)| (name.clone(), standing(at)))
        .collect()
}

/// Returns the record of a match that its page shows, made of its head and of all its pairs. It has
/// points of the course of the test, games by how they ended, and results of the player who begins
/// a game. It also has the numbers, from 1, of openings of which one colour won both games: first
/// those where the player who begins won, then those where the other one did.
pub(crate) fn match_record(head: MatchHead, pairs: &[JournalPair]) -> MatchRecord {
    let sprt = head.sprt.as_ref();
    // Opponents are listed only if there are several, as the results of one are those of the match.
    let against = opponents(&head, pairs).into_iter();
    let against = against.filter(|_| !head.opponents.is_empty());
    let against: Vec<_> = against
        .map(|(name, standing)| (name, standing.record(None)))
        .collect();
    let several = head.opponents.len().max(1);
    let mut tally = Tally::default();
    let mut points = Vec::new();
    let mut ends: BTreeMap<&str, MatchEnd> = BTreeMap::new();
    let mut first_player = [0; 3];
    let mut one_sided = [Vec::new(), Vec::new()];
    // How many pairs are between two points, so that there are at most `POINTS` (200).
    let every = pairs.len().div_ceil(POINTS).max(1);
    for (number, pair) in (1_usize..).zip(pairs) {
        tally.add(pair.half_points, pair.faults, pair.late());
        // Counted from the end, so that the last pair has a point.
        if (pairs.len() - number).is_multiple_of(every) {
            points.push(tally.pairs);
        }
        for game in 0..2 {
            let end = ends
                .entry(&pair.ends[game])
                .or_insert_with_key(|reason| MatchEnd {
                    reason: (*reason).to_owned(),
                    ..MatchEnd::default()
                });
            end.games[lost(pair.half_points[game])] += 1;
            end.plies += u64::from(pair.plies[game]);
        }
        // Half points of the player who begins, in each of the two games: in the first game that is
        // the side whose results are counted, in the second its opponent, who has the rest of 2
        // half points.
        let of_first = [pair.half_points[0], 2 - pair.half_points[1].min(2)];
        for half_points in of_first {
            first_player[lost(half_points)] += 1;
        }
        // All opponents meet one opening before the next, so the number of the opening is that of
        // the pair over the number of opponents, rounded up.
        match of_first {
            [2, 2] => one_sided[0].push(number.div_ceil(several) as u64),
            [0, 0] => one_sided[1].push(number.div_ceil(several) as u64),
            _ => {}
        }
    }
    let mut ends: Vec<MatchEnd> = ends.into_values().collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.games.iter().sum::<u64>()));
    let mut result = GamesStanding::from(&tally).words(sprt);
    // The first lines of `result` are games, Elo and the test. The one that decides is moved to the
    // front: the test where there is one, else Elo. Without games there is no line of Elo.
    let most = if sprt.is_some() { 2 } else { 1 };
    let most = most.min(result.len() - 1);
    result[..=most].rotate_right(1);
    MatchRecord {
        head,
        result,
        opponents: against,
        games: tally.games,
        points,
        ends,
        first_player,
        one_sided,
    }
}

/// Returns the place of a result among wins, draws and losses, by the half points of a game: 2
/// gives 0, a win; 1 gives 1, a draw; 0 gives 2, a loss.
fn lost(half_points: u8) -> usize {
    usize::from(2 - half_points.min(2))
}
