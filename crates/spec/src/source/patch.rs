//! From the weights of a run to the literals of the sources.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use tuner_source::{Const, Entry, Literal, Repeat, SourceLocation};

use super::change::{change, written_out};
use super::files::{SourceFile, shown};
use super::run::{Run, Tuned, Weight};
use super::write::{Replacement, replace_all};
use super::{SourceError, Sources, settle};
use crate::edit::{Edit, apply, is_aligned, unified};

/// Changes to sources, not written yet.
#[derive(Clone, Debug)]
pub struct Patch {
    files: Vec<Changes>,
}

#[derive(Clone, Debug)]
struct Changes {
    path: PathBuf,
    old: String,
    edits: Vec<Edit>,
    literals: usize,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The file.
    pub path: PathBuf,
    /// Literals that are others now.
    pub literals: usize,
}

/// What a literal is to be, and of which weight.
struct NewLiteral<'a> {
    weight: &'a Weight,
    literal: &'a Literal,
    aligned: bool,
}

/// A place of a source that is written anew.
enum NewPlace<'a> {
    /// A literal.
    One(NewLiteral<'a>),
    /// `[x; N]` whose entries differ now, with all its weights.
    Table(&'a Repeat, Vec<NewLiteral<'a>>),
}

impl<'a> NewPlace<'a> {
    fn literals(&self) -> &[NewLiteral<'a>] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Table(_, all) => all,
        }
    }
}

impl Patch {
    /// Finds the literal of each weight, and what to write there.
    ///
    /// `round` rounds to whole numbers where a literal is one.
    ///
    /// # Errors
    ///
    /// A weight without a literal, a const found twice or of another shape, a
    /// literal that is no longer what the run started from, a number that does
    /// not fit its literal: all of them, with their places.
    pub fn new(sources: &Sources, run: &Run, round: bool) -> Result<Self, SourceError> {
        let mut mistakes = Vec::new();
        // By file and first byte: a `[x; 3]` has three weights at one place.
        let mut wanted: BTreeMap<(usize, usize), NewPlace<'_>> = BTreeMap::new();
        for tuned in &run.parameters {
            let found = match only_one(sources, tuned) {
                Ok(found) => found,
                Err(mistake) => {
                    mistakes.push(mistake);
                    continue;
                }
            };
            let aligned = is_aligned(
                &sources.files[found.file].text,
                found.literals.iter().map(|literal| literal.bytes.start),
            );
            let pairs: Vec<_> = places(found).into_iter().zip(&tuned.weights).collect();
            let apart = pulled_apart(found, &pairs);
            for (position, weight) in pairs {
                let Some(literal) = position else {
                    mistakes.extend(tied(sources, run, found, tuned, weight));
                    continue;
                };
                let new = NewLiteral {
                    weight,
                    literal,
                    aligned,
                };
                let start = literal.bytes.start;
                if let Some(repeat) = apart.iter().find(|repeat| repeat.bytes.contains(&start)) {
                    let key = (found.file, repeat.bytes.start);
                    let whole = || NewPlace::Table(repeat, Vec::new());
                    if let NewPlace::Table(_, all) = wanted.entry(key).or_insert_with(whole) {
                        all.push(new);
                    }
                } else {
                    let one = NewPlace::One(new);
                    wanted.entry((found.file, start)).or_insert(one);
                }
            }
        }
        settle(mistakes)?;
        Self::of(sources, &wanted, round, &run.origin)
    }

    fn of(
        sources: &Sources,
        wanted: &BTreeMap<(usize, usize), NewPlace<'_>>,
        round: bool,
        origin: &str,
    ) -> Result<Self, SourceError> {
        let rounded = |wanted: &NewLiteral<'_>| match wanted.literal.number {
            tuner_source::Number::Int(_) if round => wanted.weight.value.round(),
            _ => wanted.weight.value,
        };
        let is_done = |w: &NewLiteral<'_>| !differ(w.literal.number.value(), rounded(w));
        if wanted.values().flat_map(NewPlace::literals).all(is_done) {
            // Patched already.
            return Ok(Self { files: Vec::new() });
        }
        let mut mistakes = Vec::new();
        let mut files: BTreeMap<usize, Changes> = BTreeMap::new();
        for (&(file, _), place) in wanted {
            let SourceFile { path, text } = &sources.files[file];
            let at = |new: &NewLiteral<'_>| {
                let SourceLocation { line, column } = new.literal.location;
                format!("{}:{line}:{column}: {}", shown(path), new.weight.name)
            };
            let changed_since = |new: &NewLiteral<'_>| {
                let held = new.literal.number.value();
                let initial = new
                    .weight
                    .initial
                    .filter(|&initial| differ(held, initial))?;
                Some(format!(
                    "{} is {held} in the source, and was {initial} when it was traced; fit again, \
                     or patch the source that was traced",
                    at(new)
                ))
            };
            let changed: Vec<String> = (place.literals().iter())
                .filter_map(changed_since)
                .collect();
            if !changed.is_empty() {
                mistakes.extend(changed);
                continue;
            }
            if place.literals().iter().all(is_done) {
                continue;
            }
            let edit = match place {
                NewPlace::One(new) => change(text, new.literal, rounded(new), new.aligned)
                    .map_err(|reason| format!("{}: {reason}", at(new))),
                NewPlace::Table(repeat, all) => {
                    let mut cells = Vec::with_capacity(all.len());
                    let mut failed = None;
                    for new in all {
                        match change(text, new.literal, rounded(new), false) {
                            Ok(edit) => cells.push(edit),
                            Err(reason) => failed = Some(format!("{}: {reason}", at(new))),
                        }
                    }
                    failed.map_or_else(|| Ok(written_out(text, repeat, cells)), Err)
                }
            };
            match edit {
                Ok(edit) => {
                    let changes = files.entry(file).or_insert_with(|| Changes {
                        path: path.clone(),
                        old: text.clone(),
                        edits: header(text, origin).into_iter().collect(),
                        literals: 0,
                    });
                    changes.edits.push(edit);
                    changes.literals += match place {
                        NewPlace::One(_) => 1,
                        NewPlace::Table(_, all) => all.iter().filter(|new| !is_done(new)).count(),
                    };
                }
                Err(mistake) => mistakes.push(mistake),
            }
        }
        settle(mistakes)?;
        let files = files.into_values().collect();
        Ok(Self { files })
    }

    /// The files that change, and how many literals of each.
    pub fn changes(&self) -> Vec<Patched> {
        let patched = |file: &Changes| Patched {
            path: file.path.clone(),
            literals: file.literals,
        };
        self.files.iter().map(patched).collect()
    }

    /// The changes as a unified diff.
    pub fn diff(&self) -> String {
        let one = |file: &Changes| unified(&shown(&file.path), &file.old, &file.edits);
        self.files.iter().map(one).collect()
    }

    /// Writes all files, or none.
    ///
    /// # Errors
    ///
    /// What the file system says, and of which file.
    pub fn write(&self) -> Result<(), (PathBuf, io::Error)> {
        let news: Vec<String> = self.files.iter().map(|f| apply(&f.old, &f.edits)).collect();
        let all = self.files.iter().zip(&news);
        let all: Vec<Replacement<'_>> = all
            .map(|(file, new)| Replacement {
                path: Path::new(&file.path),
                old: &file.old,
                new,
            })
            .collect();
        replace_all(&all)
    }
}

/// What keeps the header of a generated file true: it says where the values come from.
fn header(text: &str, origin: &str) -> Option<Edit> {
    if !text.starts_with("//! The weights of `") {
        return None;
    }
    let unit = text.find("\n//! - unit: ")? + 1;
    let start = unit + text[unit..].find('\n')? + 1;
    let facts = text[start..].split_inclusive('\n');
    let length = facts
        .take_while(|line| line.starts_with("//! - "))
        .map(str::len)
        .sum::<usize>();
    let text = format!("//! - values: {origin}, patched into this file\n");
    (length > 0).then(|| Edit {
        bytes: start..start + length,
        text,
    })
}

fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 0.0
}

/// The `[x; N]` of a const whose entries are no longer the same.
fn pulled_apart<'a>(found: &'a Const, pairs: &[(Option<&Literal>, &Weight)]) -> Vec<&'a Repeat> {
    let differs = |repeat: &&Repeat| {
        let mut first: BTreeMap<usize, f64> = BTreeMap::new();
        pairs.iter().any(|(literal, weight)| {
            let start = literal.map(|literal| literal.bytes.start);
            let start = start.filter(|start| repeat.bytes.contains(start));
            start.is_some_and(|start| {
                differ(*first.entry(start).or_insert(weight.value), weight.value)
            })
        })
    };
    found.repeats.iter().filter(differs).collect()
}

/// The const of a parameter, of the same shape.
fn only_one<'a>(sources: &'a Sources, tuned: &'a Tuned) -> Result<&'a Const, String> {
    let named: Vec<&Const> = sources.named(&tuned.name).collect();
    let with: Vec<&Const> = named
        .iter()
        .copied()
        .filter(|c| !c.literals.is_empty())
        .collect();
    let found = match with.as_slice() {
        [] => {
            let (name, count) = (&tuned.name, tuned.weights.len());
            let reason = named.first().map_or_else(
                || "no const or static of this name is a weight in these files".to_owned(),
                |c| format!("{}: it holds no literals", sources.at_name(c)),
            );
            return Err(format!(
                "{name}: the run has {count} weights of this name, but {reason}; give all files of \
                 the evaluation, or take {name} out of the spec and fit again"
            ));
        }
        [one] => *one,
        [first, second, ..] => {
            return Err(format!(
                "{}: `{}` is declared twice, first at {}; give only the files of one of the two",
                sources.at_name(second),
                tuned.name,
                sources.at_name(first)
            ));
        }
    };
    let flat = |mut dims: Vec<usize>| {
        dims.retain(|&len| len != 1);
        dims
    };
    let lanes = lanes(found);
    let dims = lanes.map(|lanes| [found.dims.as_slice(), &[lanes]].concat());
    if dims.is_none_or(|dims| flat(dims) != flat(tuned.dims.clone())) {
        return Err(format!(
            "{}: `{}` holds {} literals in another shape than the {} weights of the run; fit \
             again, or patch the source that was traced",
            sources.at_name(found),
            tuned.name,
            found.literals.len(),
            tuned.weights.len()
        ));
    }
    Ok(found)
}

/// Weights in an entry, if all entries that hold any hold equally many.
pub(super) fn lanes(found: &Const) -> Option<usize> {
    let mut lanes = None;
    for entry in &found.entries {
        match (entry, lanes) {
            (Entry::Weights(count), None) => lanes = Some(*count),
            (Entry::Weights(count), Some(known)) if *count == known => {}
            (Entry::Same { .. }, _) => {}
            _ => return None,
        }
    }
    lanes
}

/// The literal of each weight of a const; `None` where an entry is another const.
fn places(found: &Const) -> Vec<Option<&Literal>> {
    let mut literals = found.literals.iter();
    let lanes = lanes(found).unwrap_or(1);
    let mut places = Vec::new();
    for entry in &found.entries {
        match entry {
            Entry::Weights(count) => places.extend(literals.by_ref().take(*count).map(Some)),
            _ => places.extend(vec![None; lanes]),
        }
    }
    places
}

/// The entry of a const that some indices name.
pub(super) fn entry_at(found: &Const, indices: &[usize]) -> Option<usize> {
    if indices.len() != found.dims.len() {
        return None;
    }
    let pairs = found.dims.iter().zip(indices);
    pairs
        .map(|(&len, &index)| (index < len).then_some((len, index)))
        .try_fold(0, |entry, pair| pair.map(|(len, i)| entry * len + i))
}

/// A mistake if a weight whose entry is another const is not to follow it.
fn tied(
    sources: &Sources,
    run: &Run,
    found: &Const,
    tuned: &Tuned,
    weight: &Weight,
) -> Option<String> {
    let position = tuned.weights.iter().position(|w| w.name == weight.name)?;
    let lanes = lanes(found)?;
    let Entry::Same {
        name,
        indices,
        negative,
    } = &found.entries[position / lanes]
    else {
        return None;
    };
    let other = sources.named(name).next();
    let entry = other.and_then(|other| entry_at(other, indices));
    let others = run.parameters.iter().find(|p| p.name == *name);
    let value = entry
        .zip(others)
        .and_then(|(entry, p)| p.weights.get(entry * lanes + position % lanes))
        .map(|w| if *negative { -w.value } else { w.value });
    if value.is_some_and(|value| !differ(value, weight.value)) {
        return None;
    }
    Some(format!(
        "{}: {} has no literal, as its entry is `{name}`, and the run gives it {} instead; write \
         the entry out, or tie the two in the spec and fit again",
        sources.at_name(found),
        weight.name,
        weight.value
    ))
}
