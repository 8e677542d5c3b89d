//! Which consts are counts: numbers of pieces, phases, limits of them, that the macros take for
//! weights as long as nobody freezes them.

use std::collections::HashMap;

use super::annotations::Annotation;
use super::modules::Modules;
use tuner_source::{Const, Holds, Number, Scan, Standing};

/// Words in names of consts that no evaluation adds up, whatever it does with them.
const NEVER_WEIGHTS: [&str; 9] = [
    "PHASE",
    "PHASES",
    "MATE",
    "CHECKMATE",
    "MATED",
    "INF",
    "INFINITY",
    "DEPTH",
    "PLY",
];

/// Words in names of consts that are counts if a score is compared with them, limited by them or
/// divided by them.
const OFTEN_COUNTS: [&str; 13] = [
    "MAX", "MAXIMUM", "MIN", "MINIMUM", "LIMIT", "OFFSET", "OFFSETS", "SCALE", "SIZE", "TOTAL",
    "BOUND", "DIVISOR", "GRAIN",
];

/// Longest table that may hold counts: one for each piece of both colours.
const LONGEST: usize = 16;

/// Most consts of one expression that are all taken for counts: a value for each piece.
const MOST: usize = 6;

/// Largest entry, without its sign, of a table of small numbers that is taken for counts or steps.
const LARGEST: i128 = 12;

/// A const of a traced file that is a weight so far, with its numbers.
#[derive(Debug)]
struct Plain {
    file: usize,
    name: String,
    values: Vec<i128>,
    /// Whether it has pairs that are steps on the board, such as `(1, -1)`.
    is_steps: bool,
}

impl Plain {
    /// Returns the annotation that freezes this const, so that it is not a weight, with the number
    /// of its file.
    fn frozen(&self) -> (usize, Annotation) {
        (self.file, Annotation::Frozen(self.name.clone()))
    }
}

/// The consts of the traced files.
#[derive(Debug, Default)]
pub(super) struct Counts {
    /// The consts of numbers of one phase, at most [`LONGEST`], and of steps.
    plain: Vec<Plain>,
    /// How many other consts there are of each name.
    others: HashMap<String, usize>,
}

impl Counts {
    /// Gathers the consts of annotated files that are weights so far. Those that might be counts
    /// are kept with their values (`plain`): consts of signed numbers that are not fields of a
    /// struct, and have one phase and at most [`LONGEST`] (16) numbers, or are steps on the board.
    /// Of all others it counts how many there are of each name. If a file cannot be read as Rust,
    /// no const is found.
    pub(super) fn of(modules: &Modules) -> Self {
        let texts: Vec<&str> = modules.files.iter().map(|file| &*file.text).collect();
        let mut found = Self::default();
        for one in Scan::of(&texts).unwrap_or_default().consts {
            let is_weight = one.standing == Standing::Annotated && !one.literals.is_empty();
            if !is_weight || matches!(one.holds, Holds::Nothing(_)) {
                continue;
            }
            // Of types such as `i32` or `f64`, and no field of a struct.
            let is_number = |kind: &String| kind.starts_with('i') || kind.starts_with('f');
            let is_signed = !one.is_field()
                && matches!(&one.holds, Holds::Numbers(kinds) if kinds.iter().all(is_number));
            let values = one.literals.iter().map(|literal| match literal.number {
                Number::Int(value) => value,
                #[allow(
                    clippy::cast_possible_truncation,
                    reason = "phases and limits are small"
                )]
                Number::Float(value) => value as i128,
            });
            let values: Vec<i128> = values.collect();
            // One number an entry, so no pairs of phases.
            let is_plain = one.lanes() == Some(1) && values.len() <= LONGEST;
            let is_steps = has_steps(&one);
            if is_signed && (is_plain || is_steps) {
                found.plain.push(Plain {
                    file: one.file,
                    name: one.item.clone(),
                    values,
                    is_steps,
                });
            } else {
                *found.others.entry(one.item.clone()).or_default() += 1;
            }
        }
        found
    }

    /// Lists the consts that are not weights by their names alone: those with a word such as
    /// `PHASE` or `MATE` ([`NEVER_WEIGHTS`]) and tables of steps on the board. Each is the number
    /// of its file and its name.
    pub(super) fn by_name(&self) -> Vec<(usize, String)> {
        let all = self.plain.iter();
        let counts = all.filter(|one| one.is_steps || has_word(&one.name, &NEVER_WEIGHTS));
        counts.map(|one| (one.file, one.name.clone())).collect()
    }

    /// Returns the annotations that freeze the consts `names`, each with the number of its file;
    /// those with pairs of phases, long tables and fields are passed over. Empty where there are
    /// more than [`MOST`] (6) names, as then most are weights.
    pub(super) fn plain(&self, names: &[String]) -> Vec<(usize, Annotation)> {
        let all = self.plain.iter().filter(|one| names.contains(&one.name));
        let few = all.filter(|_| names.len() <= MOST);
        few.map(Plain::frozen).collect()
    }

    /// Returns the annotations that freeze those among the consts `names` that are likely counts,
    /// where all of them are in one nonlinear expression; each with the number of its file. A const
    /// is likely a count if
    ///
    /// 1. its name has a word such as `MAX` or `LIMIT` ([`OFTEN_COUNTS`]), or
    /// 2. it is a table of more than two numbers, and these are steps on the board by its name, or
    ///    all from 0 to [`LARGEST`] (12), or
    /// 3. it is at most two numbers of one phase, the only such const among `names`, and another of
    ///    them is of another kind, such as a table of pairs of phases.
    pub(super) fn used_as_counts(&self, names: &[String]) -> Vec<(usize, Annotation)> {
        let all = self.plain.iter();
        let all: Vec<&Plain> = all.filter(|one| names.contains(&one.name)).collect();
        // What a pair of phases is multiplied with is a count.
        let has_pair = names.iter().any(|name| self.others.contains_key(name));
        let is_count = |one: &&&Plain| {
            let is_table = one.values.len() > 2;
            has_word(&one.name, &OFTEN_COUNTS)
                || is_table && names_steps(&one.name)
                || is_table && one.values.iter().all(|value| (0..=LARGEST).contains(value))
                || has_pair && all.len() == 1 && !is_table
        };
        let counts = all.iter().filter(is_count);
        counts.map(|one| one.frozen()).collect()
    }
}

/// Tells whether a const is a count by a word of its name, such as `PHASE`, or is a table of steps
/// on the board.
pub(super) fn is_one(one: &Const) -> bool {
    has_word(&one.item, &NEVER_WEIGHTS) || has_steps(one)
}

/// Tells whether a const is a table of steps on the board, such as `(1, -1)`: its name says so
/// (`OFFSETS`, `DIRECTIONS`), it has two or more pairs of whole numbers, none larger than
/// [`LARGEST`] (12) without its sign, and some of them are negative or none is larger than 1.
fn has_steps(one: &Const) -> bool {
    let are = |is: fn(i128) -> bool| {
        let mut literals = one.literals.iter();
        literals.all(|it| matches!(it.number, Number::Int(value) if is(value)))
    };
    one.lanes() == Some(2)
        && one.literals.len() > 2
        && names_steps(&one.item)
        && are(|value| value.abs() <= LARGEST)
        && (!are(|value| value >= 0) || are(|value| value <= 1))
}

/// Tells whether the last word of a name, between underscores, means steps on the board, such as
/// `OFFSET` or `DIRECTIONS`; in capitals or not, in the singular or the plural.
fn names_steps(name: &str) -> bool {
    let name = name.to_uppercase();
    let last = name.rsplit('_').next().unwrap_or_default();
    let last = last.strip_suffix('S').unwrap_or(last);
    matches!(last, "OFFSET" | "DIRECTION" | "RING" | "ARC")
}

/// Tells whether one of the words of a name, between underscores, is among `words`, which are in
/// capitals; the name may be in any case.
fn has_word(name: &str, words: &[&str]) -> bool {
    let name = name.to_uppercase();
    name.split('_').any(|part| words.contains(&part))
}
