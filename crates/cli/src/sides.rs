//! Sides of a match as they are typed: weights, programs, or engines in fastchess' words.

use std::time::Duration;

use crate::play_args::{MARGIN, Pair, ProgramArgs};
use tuner_jobs::{JobFailure as Failure, MatchSide};
use tuner_play::{Limit, Thinking, TimeControl};

/// Reads a side of a match: weights, a command, or fastchess' words for an engine, each `KEY=VALUE`
/// and one of them `cmd=`. `all`: options for the programs of both sides; `options`: those to set
/// in this program. Words of the engine itself win over both.
pub(crate) fn side(
    text: &str,
    all: &ProgramArgs,
    mut options: Vec<Pair>,
) -> Result<MatchSide, Failure> {
    let is_fastchess = |words: &Vec<String>| {
        words.first().is_some_and(|word| word.contains('='))
            && words.iter().any(|word| word.starts_with("cmd="))
    };
    let words = shlex::split(text).filter(is_fastchess).unwrap_or_default();
    let mut side = MatchSide {
        named: text.to_owned(),
        ..MatchSide::default()
    };
    let (mut args, mut limit, mut margin) = (String::new(), None, None);
    for word in &words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let refused =
            |expected: &str| Failure::Usage(format!("{text}: found {word}, expected {expected}"));
        match (key, key.strip_prefix("option.")) {
            ("cmd", _) if value.is_empty() => return Err(refused("the program of an engine")),
            ("cmd", _) => side.named = tuner_base::shell_words(&[value]),
            ("args", _) => args = format!(" {value}"),
            ("name", _) => side.name = Some(value.to_owned()),
            ("timemargin", _) => {
                let read = value.parse().ok().filter(|&ms| ms <= 60_000);
                margin = Some(read.ok_or_else(|| refused("milliseconds up to 60000"))?);
            }
            (_, Some(name)) if word.contains('=') => {
                options.push((name.to_owned(), value.to_owned()));
            }
            ("tc" | "st" | "nodes" | "depth", _) => {
                let read = own_limit(key, value).map_err(|expected| refused(&expected))?;
                if limit.replace(read).is_some() {
                    return Err(refused("one limit, of tc=, st=, nodes= and depth="));
                }
            }
            _ => {
                let expected =
                    "cmd=, args=, name=, tc=, st=, nodes=, depth=, timemargin= or option.NAME=";
                return Err(refused(expected));
            }
        }
    }
    if margin.is_some() && !matches!(limit, Some(Thinking::Game(_))) {
        let expected = "tc= beside timemargin=, or --tc and --time-margin for all engines";
        return Err(Failure::Usage(format!("{text}: expected {expected}")));
    }
    let margin = margin.or(all.time_margin);
    side.named += &args;
    side.thinking = limit.map(|limit| match limit {
        Thinking::Game(control) => Thinking::Game(TimeControl {
            margin: Duration::from_millis(margin.unwrap_or(MARGIN).into()),
            ..control
        }),
        limit @ Thinking::Move(_) => limit,
    });
    side.treatment = all.treatment(options);
    Ok(side)
}

/// Reads the limit of an engine in fastchess' words: `tc`, a time control; `nodes` or `depth`, a
/// whole number above 0; any other key as `st`, seconds a move. `Err` says what was expected.
fn own_limit(key: &str, value: &str) -> Result<Thinking, String> {
    if key == "tc" {
        return value.parse().map(Thinking::Game);
    }
    let number = value.parse().ok().filter(|&number: &u64| number > 0);
    let number = number.ok_or("a number above 0");
    Ok(Thinking::Move(match key {
        "nodes" => Limit::Nodes(number?),
        "depth" => Limit::Depth(number?.try_into().map_err(|_| "a depth")?),
        // `st`: seconds.
        _ => {
            let time = Duration::try_from_secs_f64(value.parse().unwrap_or(0.0)).ok();
            let time = time.filter(|time| time.as_millis() > 0);
            Limit::Time(time.ok_or("seconds a move, such as st=0.5")?)
        }
    }))
}
