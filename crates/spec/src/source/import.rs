//! From the consts of sources to a spec.

use std::collections::HashMap;
use std::path::Path;

use tuner_source::{Const, Entry, Holder, Holds, Number, OtherEntry, SourceLocation, Standing};

use super::Sources;
use super::choice::{Choice, names};
use super::files::shown;
use super::mistakes::{Cause, SourceError, SourceMistake, settle};
use super::patch::entry_at;
use super::spec_text;
use crate::decimal::MOST_DECIMALS;
use crate::{Spec, is_const_name};

/// A spec, and how it came about.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The spec.
    pub text: String,
    /// A sentence for each const or static that is in it, those of most weights first.
    pub taken: Vec<String>,
    /// Each const or static that was left out, with the reason.
    pub passed: Vec<LeftOutConst>,
}

/// A const or static that becomes no parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutConst {
    /// The file.
    pub file: String,
    /// `FILE:LINE:COLUMN` of its name.
    pub place: String,
    /// The name; that of a field has the name of its struct in front: `EVAL.king.size`.
    pub name: String,
    /// The reason, as a verb phrase behind the name: `is frozen`.
    pub reason: String,
    /// Whether other files have annotations and its own has none.
    pub is_elsewhere: bool,
}

tuner_base::impl_fmt! { Display for LeftOutConst, |self, f| write!(
    f, "{}: {} {}", self.place, self.name, self.reason
) }

/// One const that becomes a parameter.
pub(super) struct Declaration<'a> {
    pub(super) found: &'a Const,
    pub(super) place: String,
    pub(super) lanes: usize,
    /// The values, row-major, the phases of an entry next to each other.
    pub(super) values: Vec<f64>,
    /// Digits behind the point of its step; `None` for whole numbers.
    pub(super) decimals: Option<u32>,
    /// Entries that equal another entry: path of the entry, path of the other, and the sign 1 or
    /// −1.
    pub(super) ties: Vec<(String, String, i64)>,
    /// Paths within the const, such as `[3]`, of entries that are consts without weights.
    pub(super) fixed: Vec<String>,
}

impl Declaration<'_> {
    /// Returns the step of the parameter that the const becomes: a power of ten for floats, such as
    /// 0.001, and 1 for whole numbers.
    pub(super) fn step(&self) -> f64 {
        self.decimals
            .map_or(1.0, |decimals| 10_f64.powi(-(decimals as i32)))
    }

    /// Returns the text of a value of the const in a spec, with the decimals of the parameter's
    /// step.
    pub(super) fn text(&self, value: f64) -> String {
        match self.decimals {
            Some(decimals) => format!("{value:.*}", decimals as usize),
            None => format!("{value:.0}"),
        }
    }
}

/// Digits that floats have in a spec beyond those in the source: a step finer than what
/// an author wrote, as the fit is to find a better number.
const FINER: u32 = 2;

/// Why a const becomes no parameter.
struct Passed {
    reason: String,
    /// Whether the reason is that it equals another const; then the spec gets a comment.
    is_tie: bool,
}

impl Passed {
    /// Makes the reason why a const becomes no parameter, where that is that it follows another
    /// const; the spec gets a comment on it.
    fn tie(reason: String) -> Self {
        let is_tie = true;
        Self { reason, is_tie }
    }
}

impl<T: Into<String>> From<T> for Passed {
    /// Makes a reason why a const becomes no parameter, where it does not follow another const.
    fn from(reason: T) -> Self {
        let (reason, is_tie) = (reason.into(), false);
        Self { reason, is_tie }
    }
}

const UNREAD: &str = "does not end in the literal of a struct of tables, `Self { … }`; if weights are in \
                      it, write it so, or make it a const";

const TWICE: Cause = Cause {
    what: "names are declared twice",
    cure: "rename one of the two, leave the names out with --except, or import the files apart",
};

/// Largest whole number up to which `f64` holds all whole numbers exactly.
const LARGEST: u128 = 1 << 53;

/// The consts that become parameters, and those that do not.
pub(super) struct Declarations<'a> {
    pub(super) taken: Vec<Declaration<'a>>,
    passed: Vec<(&'a Const, String, Passed)>,
}

impl<'a> Declarations<'a> {
    /// Sorts the consts of the sources that a choice takes into those that become parameters, and
    /// those that do not, with the reason.
    ///
    /// # Errors
    ///
    /// Two consts that become parameters and have the same name; patterns of the choice that mean
    /// no const.
    pub(super) fn of(sources: &'a Sources, choice: &Choice) -> Result<Self, SourceError> {
        let mut taken: Vec<Declaration<'_>> = Vec::new();
        let mut passed = Vec::new();
        // By name: the number in `taken`.
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut mistakes = unused(sources, choice);
        let wanted = |c: &&Const| choice.takes(c);
        for found in sources.scan.consts.iter().filter(wanted) {
            let place = sources.at_name(found);
            match take(sources, found) {
                Err(why) => passed.push((found, place, why)),
                Ok(new) => {
                    if let Some(&first) = known.get(&*found.name) {
                        mistakes.push(twice(&taken[first], &new));
                    }
                    known.entry(&found.name).or_insert(taken.len());
                    taken.push(new);
                }
            }
        }
        settle(mistakes)?;
        drop_ties_to_nothing(&mut taken, &mut passed);
        Ok(Self { taken, passed })
    }

    /// Lists the consts that become no parameters, with the reason. Consts whose value could not be
    /// read are in the list only if neither annotations nor the choice say which consts are
    /// weights.
    pub(super) fn left_out(&self, sources: &Sources, choice: &Choice) -> Vec<LeftOutConst> {
        let annotated = &sources.scan.annotated;
        // `is_elsewhere`: other files have annotations, and that of the const has not.
        let one = |(found, place, why): &(&Const, String, Passed)| LeftOutConst {
            is_elsewhere: !annotated.is_empty() && !annotated.contains(&found.file),
            file: shown(&sources.files[found.file].path),
            place: place.clone(),
            name: found.path.clone(),
            reason: why.reason.clone(),
        };
        let mut left: Vec<LeftOutConst> = self.passed.iter().map(one).collect();
        if annotated.is_empty() && choice.only.is_empty() {
            left.extend(sources.scan.unread.iter().map(|unread| {
                let file = shown(&sources.files[unread.file].path);
                let SourceLocation { line, column } = unread.location;
                LeftOutConst {
                    place: format!("{file}:{line}:{column}"),
                    file,
                    name: unread.path.clone(),
                    reason: UNREAD.to_owned(),
                    is_elsewhere: false,
                }
            }));
        }
        left
    }

    /// Returns why the const of this name becomes no parameter, with its place; `None` if no const
    /// of this name was left out.
    pub(super) fn why_not(&self, name: &str) -> Option<String> {
        let mut passed = self.passed.iter();
        let (_, place, why) = passed.find(|(found, _, _)| found.name == name)?;
        Some(format!("{place}: it {}", why.reason))
    }
}

/// Makes a spec called `name` of the weights in the sources, those of the consts that a choice
/// takes; returns its text, and which consts are in it and which are not.
///
/// # Errors
///
/// Two consts with the same name, patterns of the choice that mean no const, no const that becomes
/// a parameter, and whatever a spec refuses.
pub fn import(sources: &Sources, choice: &Choice, name: &str) -> Result<Imported, SourceError> {
    let found = Declarations::of(sources, choice)?;
    let words = found.left_out(sources, choice);
    let Declarations { taken, passed } = found;
    if taken.is_empty() {
        let first = "found no const or static whose literals are weights; give the files that \
                     declare them";
        let mut mistakes = vec![SourceMistake::from(first)];
        let left_out = words.iter();
        mistakes.extend(left_out.map(|left| SourceMistake::from(left.to_string())));
        return Err(SourceError { mistakes });
    }
    // Sentences on consts that follow others, for comments in the spec.
    let followers = passed.iter().zip(&words);
    let followers = followers.filter(|((_, _, why), _)| why.is_tie);
    let followers: Vec<String> = followers.map(|(_, words)| words.to_string()).collect();
    let mut files: Vec<usize> = taken.iter().map(|t| t.found.file).collect();
    files.dedup();
    let files = files.iter().map(|&file| shown(&sources.files[file].path));
    let files: Vec<String> = files.collect();
    // The text is read back, so that what a spec refuses is an error now.
    let text = spec_text::write(name, &files, &taken, &followers);
    Spec::parse(Path::new("the imported spec"), &text)
        .map_err(|errors| SourceError::one(errors.to_string()))?;
    let mut largest: Vec<&Declaration<'_>> = taken.iter().collect();
    largest.sort_by_key(|one| std::cmp::Reverse(one.values.len()));
    Ok(Imported {
        text,
        taken: largest.into_iter().map(sentence).collect(),
        passed: words,
    })
}

/// Returns a sentence on a const that becomes a parameter: its place, its name and its shape, and
/// its type if the sources do not declare that.
pub(super) fn sentence(taken: &Declaration<'_>) -> String {
    let shape = brackets(taken.found.dims.iter());
    let what = ["a number", "a pair"][taken.lanes - 1];
    let doubt = match &taken.found.holds {
        Holds::Unknown(name) => format!(", of type `{name}`, which these files do not declare"),
        _ => String::new(),
    };
    let name = named(taken.found).replace('`', "");
    format!("{}: {name} is {what}{shape}{doubt}", taken.place)
}

/// Returns the name of a const in quotes, for a message; of a field of a struct also its path in
/// parentheses, as the source writes it.
fn named(found: &Const) -> String {
    if found.is_field() {
        format!("`{}` ({})", found.name, found.path)
    } else {
        format!("`{}`", found.name)
    }
}

/// Makes the mistake that two consts have the same name, so that they cannot both be parameters.
fn twice(first: &Declaration<'_>, second: &Declaration<'_>) -> SourceMistake {
    let (here, there, name) = (&second.place, &first.place, named(second.found));
    // Of two structs in impl blocks, such as `A::default()` and `A::new()`, the second can be left
    // out by its path in the source, if that is not the one of the first too.
    let roots = (first.found.root(), second.found.root());
    let cure = if second.found.holder == Holder::Impl && roots.0 != roots.1 {
        &*format!("leave one of the two out: --except '{}'", roots.1)
    } else {
        TWICE.cure
    };
    let what = format!("{name} is declared twice, first at {there}");
    SourceMistake::cured(TWICE, here, what, cure)
}

/// Returns a mistake for each pattern of the choice that means no const of the sources.
fn unused(sources: &Sources, choice: &Choice) -> Vec<SourceMistake> {
    let fits_nothing = |pattern: &&String| {
        let mut consts = sources.scan.consts.iter();
        !consts.any(|c| names(pattern, c))
    };
    let all = choice.only.iter().chain(&choice.except);
    all.filter(fits_nothing)
        .map(|pattern| {
            format!("`{pattern}` is the name of no const or static in these files; correct it")
                .into()
        })
        .collect()
}

/// Returns the declaration that a const becomes, or why it becomes none.
///
/// Entries of the const are literals, or other consts. An entry that is another const with weights,
/// or an entry of one, is tied to that; an entry that is a const without weights is frozen at its
/// value.
fn take<'a>(sources: &'a Sources, found: &'a Const) -> Result<Declaration<'a>, Passed> {
    candidate(sources, found)?;
    let lanes = match found.lanes() {
        Some(lanes @ (1 | 2)) => lanes,
        Some(lanes) => {
            return Err(format!("has {lanes} numbers in an entry, not one or two").into());
        }
        None => return Err("has entries that are neither all numbers nor all pairs".into()),
    };
    let (own, decimals) = numbers(sources, found)?;
    // The numbers of the const's literals, which are taken in turn by the entries that are
    // literals.
    let mut own = own.into_iter();
    let mut values = Vec::new();
    let (mut ties, mut fixed) = (Vec::new(), Vec::new());
    for (position, entry) in found.entries.iter().enumerate() {
        let Entry::Same(other) = entry else {
            values.extend(own.by_ref().take(lanes));
            continue;
        };
        // The entry is another const, with a sign, which `other.value` applies.
        if let Some(constant) = constant_of(sources, other, lanes) {
            values.extend(constant.iter().map(|value| other.value(*value)));
            fixed.push(path(found, position)[found.name.len()..].to_owned());
            continue;
        }
        let its_const = sources.named(&other.name).next();
        let literals = its_const.and_then(|its| literals_at(its, &other.indices, lanes));
        let followed = literals.ok_or_else(|| {
            let at = spelt(other) + " (" + &path(found, position) + ")";
            Passed::tie(format!(
                "has an entry that is {at}, which is no weight here; write its numbers out"
            ))
        })?;
        if decimals.is_some() {
            let entry = spelt(other);
            return Err(Passed::tie(format!(
                "has an entry that is {entry}, which floats cannot follow here; write the number"
            )));
        }
        values.extend(followed.iter().map(|value| other.value(*value)));
        let to = format!("{}{}", other.name, brackets(other.indices.iter()));
        let sign = if other.negative { -1 } else { 1 };
        ties.push((path(found, position), to, sign));
    }
    Ok(Declaration {
        found,
        place: sources.at_name(found),
        lanes,
        values,
        decimals,
        ties,
        fixed,
    })
}

/// Fails, with the reason, if a const cannot become a parameter because of its annotations, its
/// kind or its name. Its numbers are not looked at.
fn candidate(sources: &Sources, found: &Const) -> Result<(), Passed> {
    if found.standing == Standing::Frozen {
        return Err("is frozen".into());
    }
    if !sources.can_be_weights(found) {
        let reason = match found.holder {
            Holder::Item => "is not annotated, as others here are",
            Holder::Impl => {
                "is in an impl block, which the annotations do not read; move the literal into a \
                 const of the module, which a function may return"
            }
        };
        return Err(reason.into());
    }
    if let Holds::Nothing(name) = &found.holds {
        return Err(format!("holds no signed numbers (`{name}`)").into());
    }
    // A copy of another const, or of an entry of one.
    if let ([Entry::Same(other)], []) = (&found.entries[..], &found.dims[..]) {
        let reason = format!("is {} and has no weights of its own", spelt(other));
        return Err(Passed::tie(reason));
    }
    if let Some(place) = found.derived {
        let at = sources.at(found, place);
        let cure = match found.literals.len() {
            0 => "and follows them",
            _ => "and holds literals as well; make them consts of their own, or freeze it",
        };
        return Err(format!("is computed from weights at {at}, {cure}").into());
    }
    if let Some(place) = found.unknown_length {
        let at = sources.at(found, place);
        return Err(format!("has a length that is no small number at {at}").into());
    }
    if found.is_hidden {
        let reason = "is an array that a macro or a function makes; write the array out";
        return Err(reason.into());
    }
    if found.literals.is_empty() {
        let reason =
            "is computed from weights, or holds none: no literal in it is a number of its own";
        return Err(reason.into());
    }
    if !is_const_name(&found.name) {
        return Err("is no upper-case name, as a spec needs".into());
    }
    Ok(())
}

/// Returns the numbers of a const's own literals, and how many decimals the step of its parameter
/// has: [`FINER`] (2) more than the longest literal, or `None` for whole numbers. Fails if a number
/// is beyond what a spec holds, or if it is written in hexadecimal, binary or octal and the const
/// has a type that the sources do not declare: then it is likely no weight.
fn numbers(sources: &Sources, found: &Const) -> Result<(Vec<f64>, Option<u32>), Passed> {
    let text = &sources.files[found.file].text;
    let is_bits = |digits: &str| ["0x", "0b", "0o"].iter().any(|p| digits.starts_with(p));
    let mut own = Vec::new();
    let mut decimals = None;
    for literal in &found.literals {
        let (line, column) = (literal.location.line, literal.location.column);
        if matches!(found.holds, Holds::Unknown(_)) && is_bits(&text[literal.bytes.clone()]) {
            return Err(format!("holds bits at {line}:{column}, not weights").into());
        }
        let value = literal.number.value();
        let (is_held, most) = match literal.number {
            Number::Int(i) => (i.unsigned_abs() <= LARGEST, "whole numbers up to 2^53"),
            Number::Float(x) => {
                // The shortest decimal text that is read as this number.
                let text = x.to_string();
                let split = text.split_once('.');
                let digits = split.map_or(0, |(_, digits)| digits.len() as u32);
                decimals = decimals.max(Some(digits + FINER));
                // In units of the last decimal of the step.
                let count = x.abs() * 10_f64.powi((digits + FINER) as i32);
                let is_held = digits + FINER <= MOST_DECIMALS && count <= LARGEST as f64;
                (is_held, "floats of up to 7 decimals")
            }
        };
        if !is_held {
            let words = format!("holds {value} at {line}:{column}, where a spec takes {most}");
            return Err(words.into());
        }
        own.push(value);
    }
    Ok((own, decimals))
}

/// Returns the text of an entry that is another const, or an entry of one, with its sign, for a
/// message: `` `-BASE[1]` ``.
fn spelt(other: &OtherEntry) -> String {
    let sign = if other.negative { "-" } else { "" };
    format!("`{sign}{}{}`", other.name, brackets(other.indices.iter()))
}

/// Returns the values, `count` of them, of an entry that is a const without weights: a const of the
/// type of entries itself, such as `S::NULL`, or a frozen one. The sign of the entry is not
/// applied. `None` if its name means no such const.
pub(super) fn constant_of(sources: &Sources, of: &OtherEntry, count: usize) -> Option<Vec<f64>> {
    let consts = sources.scan.consts.iter().chain(&sources.scan.associated);
    let mut frozen = consts.filter(|c| c.standing == Standing::Frozen && c.name == of.name);
    literals_at(frozen.next()?, &of.indices, count)
}

/// Returns the numbers of the entry of the const `other` at `indices`; `None` if there is no such
/// entry, or if not all entries of that const are literals with `count` numbers each.
fn literals_at(other: &Const, indices: &[usize], count: usize) -> Option<Vec<f64>> {
    let whole = other.entries.len() * count == other.literals.len() && other.lanes() == Some(count);
    let first = entry_at(other, indices).filter(|_| whole)? * count;
    let literals = other.literals.get(first..first + count)?;
    Some(literals.iter().map(|l| l.number.value()).collect())
}

/// Returns indices or lengths, each in brackets: `[1][2]`.
pub(super) fn brackets<'a>(numbers: impl Iterator<Item = &'a usize>) -> String {
    let pieces: Vec<String> = numbers.map(|number| format!("[{number}]")).collect();
    pieces.concat()
}

/// Returns the path, such as `A[1][2]`, of an entry of a const. `entry`: its number, counted
/// row-major from 0.
fn path(found: &Const, mut entry: usize) -> String {
    let mut indices = String::new();
    for len in found.dims.iter().rev() {
        indices = format!("[{}]{indices}", entry % len);
        entry /= len;
    }
    format!("{}{indices}", found.name)
}

/// Moves consts from `taken` to `passed` if an entry of theirs follows a const that is not in
/// `taken`, or that has entries which follow others itself: a spec cannot tie them to it.
fn drop_ties_to_nothing<'a>(
    taken: &mut Vec<Declaration<'a>>,
    passed: &mut Vec<(&'a Const, String, Passed)>,
) {
    let untied = taken.iter().filter(|t| t.ties.is_empty());
    let names: Vec<&str> = untied.map(|t| &*t.found.name).collect();
    let is_known = |to: &str| names.contains(&to.split('[').next().unwrap_or(to));
    taken.retain(|t| {
        let missing = t.ties.iter().find(|(_, to, _)| !is_known(to));
        if let Some((_, to, _)) = missing {
            let reason = format!("has an entry that is `{to}`, which is no weight here");
            passed.push((t.found, t.place.clone(), Passed::tie(reason)));
        }
        missing.is_none()
    });
}
