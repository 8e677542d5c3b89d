//! Options of a program that are moved by games: how they are written down, and whether an
//! engine heeds them.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::Value;

use crate::failure::AtPath as _;
use crate::{Failure, Job};
use tuner_data::AnyGame;
use tuner_play::{Limit, Openings, Player, PlayerFault, generator};
use tuner_tournament::{External, OptionKind, Program, offered};

/// Options that are not about how an engine searches, and are refused: games would drive them to an
/// end of their range.
const NO_SEARCH: [&str; 9] = [
    "Hash",
    "Threads",
    "Ponder",
    "MultiPV",
    "Move Overhead",
    "Skill Level",
    "UCI_Elo",
    "UCI_LimitStrength",
    "UCI_Chess960",
];

/// Openings from which an option is tried at both ends of its range. Chosen: what a search reads
/// at all changes the number of its nodes in one of them.
const TRIED: u64 = 8;

/// The depth of trial searches where games are limited by nodes: by nodes all searches would have
/// the same number of them.
const DEPTH: u32 = 8;

/// Digits that an option with a fraction has beyond those of its start, range and size.
const MORE_DIGITS: u32 = 1;

/// An option of a program that is moved by games.
#[derive(Clone, Debug, PartialEq)]
pub struct MovedOption {
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub start: f64,
    /// The least value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// How far it is moved either way at the end, or, with `is_first`, at the start.
    pub size: f64,
    /// Whether `size` is that of the first pair, as in weather-factory's files, not of the last.
    pub is_first: bool,
    /// What a won game of the end moves it by, as a part of its size; `None`: the rate of the run.
    pub rate: Option<f64>,
    /// Digits behind the point; 0 for whole numbers.
    pub digits: u32,
}

/// Largest value, in steps: floats tell no more steps apart.
const LARGEST: f64 = 1e15;

impl MovedOption {
    /// Makes an option of the texts of start, low, high and size. It has as many digits behind the
    /// point as the longest of them, and one more where that is not 0. `None` if there is no name,
    /// a text is not a finite number, low is not below high, the start is outside of low to high,
    /// the size is not above 0 or is larger than the range, or low or high is more than `LARGEST`
    /// (10¹⁵) steps from 0.
    fn new(name: &str, numbers: [&str; 4]) -> Option<Self> {
        let digits = |text: &str| text.split_once('.').map_or(0, |(_, digits)| digits.len());
        let digits = numbers.map(digits).into_iter().max().unwrap_or(0) as u32;
        let mut values = [0.0; 4];
        for (value, text) in values.iter_mut().zip(numbers) {
            let number = text.trim().parse().ok();
            *value = number.filter(|value: &f64| value.is_finite())?;
        }
        let [start, low, high, size] = values;
        let more = if digits > 0 { MORE_DIGITS } else { 0 };
        let option = Self {
            name: name.trim().to_owned(),
            digits: digits + more,
            start,
            low,
            high,
            size,
            is_first: false,
            rate: None,
        };
        let largest = low.abs().max(high.abs()) / option.step();
        let is_range = low < high
            && (low..=high).contains(&start)
            && size > 0.0
            && size <= high - low
            && largest <= LARGEST;
        (is_range && !option.name.is_empty()).then_some(option)
    }

    /// Returns the distance between two neighbouring values: 1 in the last digit that is told to
    /// the engine.
    pub(super) fn step(&self) -> f64 {
        0.1_f64.powi(self.digits as i32)
    }

    /// Returns a value as text for the engine, with as many digits behind the point as the option
    /// has.
    pub(super) fn text(&self, value: f64) -> String {
        format!("{value:.*}", self.digits as usize)
    }

    /// Returns the line of a file of options, as OpenBench has them, from which a run can start.
    /// `value` is its start; `size`: how far the option is moved in the last pair; `rate` is that
    /// of the run, for an option that has no rate of its own.
    pub(super) fn line(&self, value: f64, size: f64, rate: f64) -> String {
        let kind = if self.digits == 0 { "int" } else { "float" };
        let [start, low, high] = [value, self.low, self.high].map(|value| self.text(value));
        let name = &self.name;
        let rate = self.rate.unwrap_or(rate);
        format!("{name}, {kind}, {start}, {low}, {high}, {size}, {rate}\n")
    }

    /// Reads a file of options: lines as OpenBench and fishtest have them, or the JSON of
    /// weather-factory, which begins with a brace. Blank lines and those that begin with `#` are
    /// passed over.
    ///
    /// # Errors
    /// If it cannot be read, has no option, or has a line that is not an option.
    pub fn read(path: &Path) -> Result<Vec<Self>, Failure> {
        let name = path.display();
        let text = fs::read_to_string(path).at(path)?;
        let found = if text.trim_start().starts_with('{') {
            of_json(&text).map_err(|words| format!("{name}:{words}"))?
        } else {
            let lines = (1_usize..).zip(text.lines().map(str::trim));
            let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
            let option = |(number, line): (usize, &str)| {
                of_line(line).ok_or_else(|| {
                    format!(
                        "{name}:{number}: found {line:?}, expected NAME, int, START, LOW, HIGH, SIZE, \
                         RATE as OpenBench has it, the start within the range, a size above 0 and no \
                         greater than the range, numbers of 15 digits at most, of an int no \
                         fractions but in SIZE and RATE"
                    )
                })
            };
            lines.map(option).collect::<Result<Vec<_>, _>>()?
        };
        if found.is_empty() {
            fail!("{name}: found no option");
        }
        Ok(found)
    }
}

/// Reads an option as OpenBench has it, `NAME, TYPE, START, LOW, HIGH, SIZE, RATE`, or as fishtest
/// has it, without the type and of whole numbers. `None` if the line is not such an option, its
/// rate is not above 0 and at most 1, or start, low or high of whole numbers has a fraction.
fn of_line(line: &str) -> Option<MovedOption> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let (name, is_whole, rest) = match fields[..] {
        [name, "float", ref rest @ ..] => (name, false, rest),
        [name, "int", ref rest @ ..] | [name, ref rest @ ..] => (name, true, rest),
        [] => return None,
    };
    let &[start, low, high, size, rate] = rest else {
        return None;
    };
    let mut option = MovedOption::new(name, [start, low, high, size])?;
    let rate = rate.parse().ok();
    option.rate = Some(rate.filter(|rate| *rate > 0.0 && *rate <= 1.0)?);
    if is_whole {
        let numbers = [option.start, option.low, option.high];
        if numbers.iter().any(|number| number.fract().abs() > 0.0) {
            return None;
        }
        // The size may have a fraction, which alone would have given the option digits.
        option.digits = 0;
    } else if option.digits == 0 {
        // A float has a fraction, also where its four numbers are written without one.
        option.digits = MORE_DIGITS;
    }
    Some(option)
}

/// Reads the options of weather-factory: a JSON object whose fields are options, by name. The error
/// begins with the number of a line, or with a space and the name of the option, as it follows
/// `FILE:`.
fn of_json(text: &str) -> Result<Vec<MovedOption>, String> {
    /// An option as weather-factory has it; its `step` is the size at the start of a run.
    #[derive(Deserialize)]
    struct Entry {
        value: Value,
        min_value: Value,
        max_value: Value,
        step: Value,
    }
    let all: std::collections::BTreeMap<String, Entry> =
        serde_json::from_str(text).map_err(|error| format!("{}: {error}", error.line()))?;
    let option = |(name, of): (&String, &Entry)| {
        let numbers = [&of.value, &of.min_value, &of.max_value, &of.step];
        let texts = numbers.map(Value::to_string);
        let option = MovedOption::new(name, texts.each_ref().map(String::as_str));
        let option = option.map(|option| MovedOption {
            is_first: true,
            ..option
        });
        option.ok_or_else(|| {
            format!(
                " {name}: expected value, min_value, max_value and step, the value within the \
                     range, a step above 0 and no greater than the range, numbers of 15 digits at \
                     most"
            )
        })
    };
    all.iter().map(option).collect()
}

impl FromStr for MovedOption {
    type Err = String;

    /// Reads an option from an argument `NAME=START:LOW..HIGH:SIZE`, where `SIZE` is how far it is
    /// moved in the last pair.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = || {
            let (name, rest) = text.split_once('=')?;
            let (start, rest) = rest.split_once(':')?;
            let (range, size) = rest.rsplit_once(':')?;
            let (low, high) = range.split_once("..")?;
            Self::new(name, [start, low, high, size])
        };
        parts().ok_or_else(|| {
            "expected NAME=START:LOW..HIGH:SIZE, such as LmrBase=75:40..120:8, the start within the \
             range, the size above 0 and no greater than the range, numbers of 15 digits at most"
                .to_owned()
        })
    }
}

/// Finds out whether an engine offers options with these ranges, and whether it heeds each of them:
/// whether one of `TRIED` (8) short searches with the option at an end of its range finds
/// something else than with it at its start.
///
/// `limit`: of a search in the games; `None` where they are played by the clock. It is an error if
/// an option is not offered or takes no numbers, or the engine ends at the start values. The user
/// is told of options that are not heeded, as a short search may not read them; if all are not
/// heeded, that is an error, unless games are played by the clock. In two cases it is not found out
/// which options are heeded: where two searches at the start values differ, which the user is told;
/// and where games are played by the clock and the engine is silent in a search without one.
pub(super) fn check(
    job: &Job,
    rules: &AnyGame,
    program: &Program,
    options: &[MovedOption],
    limit: Option<Limit>,
) -> Result<(), Failure> {
    let title = program.command.first().map_or("", String::as_str);
    let mut engine = External::new(program.clone());
    are_offered(&mut engine, program, title, options)?;
    // A fixed depth in place of nodes, whose number would then tell nothing, and of the clock, by
    // which no two searches are alike.
    let by = match limit {
        Some(Limit::Nodes(_)) | None => Limit::Depth(DEPTH),
        Some(other) => other,
    };
    // Values of all options: their starts, but for option number `other.0`, if there is one, which
    // is at `other.1`.
    let values = |other: Option<(usize, f64)>| -> Vec<(String, String)> {
        let value = |(index, option): (usize, &MovedOption)| match other {
            Some((moved, value)) if moved == index => option.text(value),
            _ => option.text(option.start),
        };
        let each = options.iter().enumerate();
        each.map(|one| (one.1.name.clone(), value(one))).collect()
    };
    let mut searched = |other| searches(rules, &mut engine, values(other), by);
    let start = searched(None)?;
    if let Some(Err(PlayerFault::Ended(fault))) = start.first() {
        fail!("cannot play at the start: {fault}");
    }
    if let (None, Some(Err(PlayerFault::Silent(_)))) = (limit, start.last()) {
        // In the games it has a clock, and it may be silent in a search to a depth.
        return Ok(());
    }
    if searched(None)? != start {
        job.say(format_args!(
            "{title}: two searches of the same positions differ: set its threads to 1, or results \
             cannot be had again"
        ));
        return Ok(());
    }
    // Options with which no search changes at either end of the range.
    let mut deaf = Vec::new();
    for (index, option) in options.iter().enumerate() {
        let mut differs = false;
        for end in [option.low, option.high] {
            differs = differs || searched(Some((index, end)))? != start;
        }
        if !differs {
            deaf.push(&*option.name);
        }
    }
    if deaf.is_empty() {
        return Ok(());
    }
    let words = format!(
        "{}: {TRIED} searches are the same at both ends of the range and at the start",
        deaf.join(", ")
    );
    if deaf.len() == options.len() && limit.is_some() {
        fail!("{title} does not heed what is moved, or not in such short searches: {words}");
    }
    job.say(format_args!("{title} may not heed options: {words}"));
    Ok(())
}

/// Fails unless an engine offers each of these options, as a number and with both ends of its
/// range, each is named once, and `program` does not set it already. Fails also for an option of
/// `NO_SEARCH`, which is not about how the engine searches. `program` is how the engine is
/// started, and `title` its name in messages.
fn are_offered(
    engine: &mut External,
    program: &Program,
    title: &str,
    options: &[MovedOption],
) -> Result<(), Failure> {
    let offers = engine.offers()?;
    let mut names: Vec<String> = Vec::new();
    for option in options {
        let name = &option.name;
        let at_ends = [option.low, option.high].map(|value| option.text(value));
        let known = offered(offers, name, program).map_err(|words| format!("{title}: {words}"))?;
        match known.kind {
            OptionKind::Spin(..) if option.digits > 0 => {
                fail!("option {name}: the engine takes whole numbers; leave the fractions out");
            }
            OptionKind::Spin(..) | OptionKind::Text => {}
            OptionKind::Check | OptionKind::Combo(_) | OptionKind::Button => {
                fail!("option {name}: takes no number, and only numbers are moved");
            }
        }
        for value in &at_ends {
            known.check(value)?;
        }
        if NO_SEARCH
            .iter()
            .any(|other| other.eq_ignore_ascii_case(name))
        {
            fail!(
                "option {name}: is of the machine, or weakens the engine on purpose: games would \
                 drive it to an end of its range; leave it out"
            );
        }
        let set = program.options.iter().map(|(set, _)| set);
        if set
            .chain(&names)
            .any(|other| other.eq_ignore_ascii_case(name))
        {
            fail!("option {name}: found twice");
        }
        names.push(name.clone());
    }
    Ok(())
}

/// Returns what an engine finds with its options at `values`, for each of `TRIED` (8) openings by
/// random moves: move, score and nodes as text to compare, or its fault. A fault by silence ends
/// the searches, and is the last result. The outer error: an opening cannot be had.
fn searches(
    rules: &AnyGame,
    engine: &mut External,
    values: Vec<(String, String)>,
    limit: Limit,
) -> Result<Vec<Result<String, PlayerFault>>, Failure> {
    let openings: Openings<AnyGame> = Openings::Random {
        plies: super::super::RANDOM_PLIES,
        bound: None,
    };
    engine.set_options(values);
    let mut all = Vec::new();
    for number in 0..TRIED {
        // Seed 0, so that each call searches the same openings; they get no further moves (`0`).
        let mut rng = generator(0, number);
        let game = openings.game(rules, number, 0, &mut rng, engine)?;
        let begun = <External as Player<AnyGame>>::new_game(engine);
        // With a value that crashes the engine the fault is a result too, and differs from that at
        // the start.
        let found = begun.and_then(|()| engine.choose(&game, limit));
        let is_silent = matches!(found, Err(PlayerFault::Silent(_)));
        all.push(found.map(|found| format!("{:?} {:?} {}", found.best, found.score, found.nodes)));
        if is_silent {
            break;
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_whole_numbers_has_no_fractions_but_in_its_size() {
        let digits = |line: &str| of_line(line).map(|option| option.digits);
        assert_eq!(digits("X, int, 2, 0, 9, 0.5, 0.002"), Some(0));
        assert_eq!(digits("X, 2, 0, 9.0, 1, 0.002"), Some(0));
        assert_eq!(digits("X, float, 1.5, 0.5, 9.5, 1, 0.002"), Some(2));
        for numbers in ["1.5, 0, 9", "2, 0.5, 9", "2, 0, 9.5"] {
            for kind in ["int, ", ""] {
                let line = format!("X, {kind}{numbers}, 1, 0.002");
                assert_eq!(digits(&line), None, "{line}");
            }
        }
    }
}
