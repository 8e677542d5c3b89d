//! Sides of a match as they are typed: weights, programs, or engines in fastchess' words.

use std::time::Duration;

use clap::Args;

use crate::heading;
use crate::shared_args::first_typed;
use tuner_jobs::{JobFailure as Failure, JobResult as Result, MatchSide, Treatment};
use tuner_play::{Limit, Thinking, TimeControl};

/// An option of an engine: name and value.
pub(crate) type Pair = (String, String);

/// What only programs heed.
#[derive(Args, Debug)]
#[group(skip)]
pub(crate) struct ProgramArgs {
    /// Milliseconds a move, instead of --nodes; of programs, and where [engine] of tuner.toml
    /// plays.
    #[arg(long, value_name = "MS", group = "thinking", value_parser = clap::value_parser!(u32).range(1..), help_heading = heading::GAMES)]
    pub(crate) movetime: Option<u32>,
    /// Clocks, instead of --nodes: seconds and increment, 8+0.08; for each 40 moves,
    /// 40/60+0.6; minutes, 5:00+3. Who is out of time loses. Of those that --movetime is for.
    #[arg(long, value_name = "TC", group = "thinking", help_heading = heading::GAMES)]
    pub(crate) tc: Option<TimeControl>,
    /// How late a move may come without losing the game, beside the time that asking
    /// an engine takes, which is measured and not counted [default: 20].
    #[arg(long, value_name = "MS", requires = "tc", value_parser = clap::value_parser!(u32).range(..=60_000), help_heading = heading::GAMES)]
    pub(crate) time_margin: Option<u32>,
    /// Seconds that a program may be silent, beside the time for a move [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=86_400), help_heading = heading::GAMES)]
    pub(crate) patience: Option<u32>,
}

/// How late a move may come, in milliseconds, unless told otherwise. Chosen: more than
/// a busy machine keeps an answer waiting, and less than an engine gains by it.
pub(crate) const MARGIN: u32 = 20;

impl ProgramArgs {
    /// Returns how long programs may think about a game (`--tc`) or about a move (`--movetime`);
    /// `None` where no time is typed, and a number of nodes or a depth limits them.
    pub(crate) fn thinking(&self) -> Option<Thinking> {
        let ms = |time| Duration::from_millis(u64::from(time));
        match (self.tc, self.movetime) {
            (Some(control), _) => Some(Thinking::Game(TimeControl {
                margin: ms(self.time_margin.unwrap_or(MARGIN)),
                ..control
            })),
            (None, time) => time.map(|time| Thinking::Move(Limit::Time(ms(time)))),
        }
    }

    /// Returns what a program is told and granted: the `options` that are set in it, and how long
    /// it may be silent.
    pub(crate) fn treatment(&self, options: Vec<Pair>) -> Treatment {
        let patience = self.patience;
        let patience = patience.map(|seconds| Duration::from_secs(seconds.into()));
        Treatment {
            options,
            patience: patience.unwrap_or(Treatment::default().patience),
        }
    }

    /// Returns the first typed option that only programs heed, so that weights can refuse it;
    /// `None` where there is none.
    pub(crate) fn typed(&self) -> Option<&'static str> {
        first_typed(&[
            (self.movetime.is_some(), "--movetime"),
            (self.tc.is_some(), "--tc"),
            (self.patience.is_some(), "--patience"),
        ])
    }
}

/// Reads a side of a match: weights, a command, or fastchess' words for an engine, each `KEY=VALUE`
/// and one of them `cmd=`. `all`: limits and patience that are typed for the programs of all sides;
/// `options`: options to set in this program. Options and limits in its own words override these.
pub(crate) fn side(text: &str, all: &ProgramArgs, mut options: Vec<Pair>) -> Result<MatchSide> {
    let is_fastchess = |words: &Vec<String>| {
        words.first().is_some_and(|word| word.contains('='))
            && words.iter().any(|word| word.starts_with("cmd="))
    };
    // No words for weights and commands: they are named by the whole text, without own limits.
    let words = shlex::split(text).filter(is_fastchess).unwrap_or_default();
    let mut side = MatchSide {
        named: text.to_owned(),
        ..MatchSide::default()
    };
    // Of fastchess' words: arguments of the program, its limit, and how many milliseconds late a
    // move may be.
    let (mut args, mut limit, mut margin) = (String::new(), None, None);
    for word in &words {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let refused =
            |expected: &str| Failure::Usage(format!("{text}: found {word}, expected {expected}"));
        match (key, key.strip_prefix("option.")) {
            // `named` is a command line: the program, in quotes if need be, and its arguments.
            ("cmd", _) if value.is_empty() => return Err(refused("the program of an engine")),
            ("cmd", _) => side.named = tuner_base::shell_words(&[value]),
            ("args", _) => args = format!(" {value}"),
            ("name", _) => side.name = Some(value.to_owned()),
            ("timemargin", _) => {
                let read = value.parse().ok().filter(|&ms| ms <= 60_000);
                margin = Some(read.ok_or_else(|| refused("milliseconds up to 60000"))?);
            }
            // Behind those of `options`, so that it is set last.
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
    // For a clock in its own words; those of `all` have their margin already.
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

/// Reads the limit of an engine in fastchess' words: of `tc` a time control; of `nodes` or `depth`
/// a whole number above 0; of `st`, or any other key, seconds a move. The error says what was
/// expected.
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
            // What is no number is refused as 0 is.
            let time = Duration::try_from_secs_f64(value.parse().unwrap_or(0.0)).ok();
            let time = time.filter(|time| time.as_millis() > 0);
            Limit::Time(time.ok_or("seconds a move, such as st=0.5")?)
        }
    }))
}
