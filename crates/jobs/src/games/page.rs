//! The page of a match, of one that was just played or of its file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::Value;

use super::GamesStanding;
use crate::Failure;
use tuner_record::MatchHead;
use tuner_report::{MatchEnd, MatchRecord};
use tuner_tournament::{Journal, JournalPair, Tally};

/// Most points of the picture of the test's course. Chosen: more than its pixels tell apart.
const POINTS: usize = 200;

/// Tells whether a file is one of a match, by its first line; `false` where it cannot be read.
pub fn is_match(path: &Path) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut line = String::new();
    // A first line is short; of another file no more is read than that.
    let read = BufReader::new(file.take(1 << 16)).read_line(&mut line);
    let first: Option<Value> = read.ok().and_then(|_| serde_json::from_str(&line).ok());
    first.is_some_and(|first| first.get("match").is_some())
}

/// Reads the file of a match, also of one that was killed.
///
/// # Errors
/// If it is not one, or is damaged.
pub fn read_match(path: &Path) -> Result<MatchRecord, Failure> {
    let journal = Journal::read(path)?;
    let head = MatchHead::of(journal.about());
    let head = head.ok_or_else(|| format!("{}:1: found no head of a match", path.display()))?;
    Ok(match_record(head, journal.played()))
}

/// Returns the opponents of a match, and what the games against each have come to. `pairs`: all
/// pairs in order, which are against the opponents in turn.
pub fn opponents(head: &MatchHead, pairs: &[JournalPair]) -> Vec<(String, GamesStanding)> {
    let several = head.opponents.len();
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

/// Returns the record of these pairs, which the page of a match shows: points of the test after
/// some pairs, games by how they ended, results of the first player, and the openings, counted from
/// 1, of pairs in which one colour won both games: first those of the player who begins, then those
/// of the other.
pub(crate) fn match_record(head: MatchHead, pairs: &[JournalPair]) -> MatchRecord {
    let sprt = head.sprt.as_ref();
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
        // The side whose results are counted begins the first game alone.
        let of_first = [pair.half_points[0], 2 - pair.half_points[1].min(2)];
        for points in of_first {
            first_player[lost(points)] += 1;
        }
        match of_first {
            [2, 2] => one_sided[0].push(number.div_ceil(several) as u64),
            [0, 0] => one_sided[1].push(number.div_ceil(several) as u64),
            _ => {}
        }
    }
    let mut ends: Vec<MatchEnd> = ends.into_values().collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.games.iter().sum::<u64>()));
    let mut result = GamesStanding::from(&tally).words(sprt);
    // What decides comes first: the test, else Elo.
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

/// The place of a result among wins, draws and losses: 0 for a win, 1 for a draw, 2 for a loss.
fn lost(half_points: u8) -> usize {
    usize::from(2 - half_points.min(2))
}
