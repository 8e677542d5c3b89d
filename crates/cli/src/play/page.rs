//! The page of a match, of one that was just played or of its file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde_json::{Value, json};

use super::super::Failure;
use super::scoreboard::Standing;
use tuner_report::{MatchEnd, MatchPoint, MatchRecord, MatchTest};
use tuner_tournament::{
    EloUnit, Frequencies, Journal, JournalPair, Pentanomial, Sprt, Tally, Verdict,
};

/// Most points of a picture. Chosen: more than its pixels tell apart.
const POINTS: usize = 200;

/// What the file of a match says of it, so that its page can be made again.
pub(super) fn about(
    names: [&str; 2],
    setup: &[(&str, String)],
    sprt: Option<(&Sprt, [f64; 2], EloUnit)>,
) -> Value {
    let sprt = sprt.map(|(test, risks, unit)| {
        let (elo0, elo1) = test.hypotheses();
        json!({ "elo": [elo0, elo1], "risks": risks, "logistic": unit == EloUnit::Logistic })
    });
    json!({ "names": names, "setup": setup, "sprt": sprt })
}

/// Tells whether a file is one of a match.
pub(crate) fn is_match(path: &Path) -> bool {
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
pub(crate) fn read(path: &Path) -> Result<MatchRecord, Failure> {
    let journal = Journal::read(path)?;
    Ok(record(journal.about(), journal.played()))
}

/// What is to be said of these pairs; `about` as [`about()`] makes it.
pub(super) fn record(about: &Value, pairs: &[JournalPair]) -> MatchRecord {
    let sprt = test(&about["sprt"]);
    let mut tally = Tally::default();
    let mut points = Vec::new();
    let mut ends: BTreeMap<&str, MatchEnd> = BTreeMap::new();
    let mut first_player = [0; 3];
    let mut one_sided = [Vec::new(), Vec::new()];
    let every = pairs.len().div_ceil(POINTS).max(1);
    for (number, pair) in (1_usize..).zip(pairs) {
        tally.add(pair.half_points, pair.faults, pair.late());
        // The last one is among them.
        if (pairs.len() - number).is_multiple_of(every) {
            points.push(point(&tally.pairs, sprt.as_ref()));
        }
        for game in 0..2 {
            let end = ends.entry(&pair.ends[game]).or_default();
            end.games[lost(pair.half_points[game])] += 1;
            end.plies += u64::from(pair.plies[game]);
        }
        // The side whose results are counted begins the first game alone.
        let of_first = [pair.half_points[0], 2 - pair.half_points[1].min(2)];
        for points in of_first {
            first_player[lost(points)] += 1;
        }
        match of_first {
            [2, 2] => one_sided[0].push(number as u64),
            [0, 0] => one_sided[1].push(number as u64),
            _ => {}
        }
    }
    let mut ends: Vec<MatchEnd> = (ends.into_iter())
        .map(|(reason, end)| MatchEnd {
            reason: reason.to_owned(),
            ..end
        })
        .collect();
    ends.sort_by_key(|end| std::cmp::Reverse(end.games.iter().sum::<u64>()));
    let name = |number: usize| {
        let name = about["names"][number].as_str();
        name.unwrap_or(["first", "second"][number]).to_owned()
    };
    let mut result = Standing::from(&tally).words(sprt.as_ref());
    // What decides comes first: the test, else Elo.
    let most = if sprt.is_some() { 2 } else { 1 };
    let most = most.min(result.len() - 1);
    result[..=most].rotate_right(1);
    MatchRecord {
        names: [name(0), name(1)],
        setup: setup(&about["setup"]),
        test: sprt.map(|sprt| {
            let (elo0, elo1) = sprt.hypotheses();
            let (fails, passes) = sprt.bounds();
            let verdict = sprt.verdict(sprt.llr(&tally.pairs));
            MatchTest {
                hypotheses: [elo0, elo1],
                bounds: [fails, passes],
                passed: verdict.map(|verdict| verdict == Verdict::Passed),
            }
        }),
        result,
        games: tally.games,
        pairs: tally.pairs.0,
        points,
        ends,
        first_player,
        one_sided,
    }
}

/// 0 for a win, 1 for a draw, 2 for a loss.
fn lost(half_points: u8) -> usize {
    usize::from(2 - half_points.min(2))
}

fn point(pairs: &Pentanomial, sprt: Option<&Sprt>) -> MatchPoint {
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    MatchPoint {
        pairs: pairs.pairs(),
        elo: pairs.elo().and_then(|elo| finite(elo.value)),
        interval: (pairs.interval()).and_then(|(low, high)| Some([finite(low)?, finite(high)?])),
        llr: sprt.and_then(|sprt| finite(sprt.llr(pairs))),
    }
}

fn test(said: &Value) -> Option<Sprt> {
    let number = |field: &str, place: usize| said[field][place].as_f64();
    let unit = if said["logistic"].as_bool()? {
        EloUnit::Logistic
    } else {
        EloUnit::Normalised
    };
    let (elo0, elo1) = (number("elo", 0)?, number("elo", 1)?);
    Sprt::new(elo0, elo1, number("risks", 0)?, number("risks", 1)?, unit).ok()
}

fn setup(said: &Value) -> Vec<(String, String)> {
    let pairs = said.as_array().into_iter().flatten();
    pairs
        .filter_map(|pair| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned())))
        .collect()
}
