//! From the weights of a run to the literals of the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use tuner_base::counted;

use tuner_source::{Const, Entry, Literal, RepeatedArray};

use super::Sources;
use super::change::{number, placed};
use super::files::{SourceFile, shown};
use super::import::constant_of;
use super::mistakes::{Cause, SourceError, SourceMistake, settle};
use super::repeats::{RepeatWriter, RepeatedValue, are_equal};
use super::run::{Run, Tuned, Weight};
use super::write::{Replacement, replace_all};
use crate::edit::{Edit, apply, is_aligned, unified_diff};

/// Changes to sources, not written yet.
#[derive(Clone, Debug)]
pub struct Patch {
    files: Vec<Changes>,
}

#[derive(Clone, Debug)]
struct Changes {
    path: PathBuf,
    old: String,
    /// The edits of a generated file's header that keep it true: of the line on its spec, and of
    /// the lines on its values; `None` in other files.
    header: [Option<Edit>; 2],
    /// Whether the file has weights that are not in the run, or that are not to be written.
    is_partial: bool,
    tables: Vec<TableEdit>,
}

/// One edit, the parameters that it changes, and how many literals.
#[derive(Clone, Debug)]
struct TableEdit {
    names: String,
    edit: Edit,
    literals: usize,
}

/// A patched file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patched {
    /// The file.
    pub path: PathBuf,
    /// Number of literals that change.
    pub literals: usize,
}

/// A literal that gets a new value, its weight, and whether its table has columns.
struct NewLiteral<'a> {
    parameter: &'a str,
    weight: &'a Weight,
    literal: &'a Literal,
    aligned: bool,
}

/// A literal: the number of its const in the scan, and its number within the const. In an array
/// `[x; N]` each entry is a weight, so the one literal has several ids.
type LiteralId = (usize, usize);

const STALE: Cause = Cause {
    what: "literals are others than when they were traced",
    cure: "fit again, or patch the source that was traced",
};
const REFUSED: Cause = Cause {
    what: "literals cannot be their new numbers",
    cure: "round with --round where they are whole; widen the type, or bound the weights and fit \
           again, where they do not fit it",
};
const MISSING: Cause = Cause {
    what: "parameters of the run are no weights in these files",
    cure: "give all files of the evaluation, or take them out of the spec and fit again",
};
const TWICE: Cause = Cause {
    what: "names are declared twice",
    cure: "give only the files of one of the two, or leave one out with --except",
};
const SHAPE: Cause = Cause {
    what: "tables have another shape than the run",
    cure: "fit again, or patch the source that was traced",
};
const TIED: Cause = Cause {
    what: "weights have no literal, as their entries are other consts, and the run gives them \
           other values",
    cure: "write the entries out, or tie them in the spec and fit again",
};

const CONSTANT: Cause = Cause {
    what: "weights have no literal, as their entries are consts that are no weights, and the run \
           gives them other values",
    cure: "write the entries out, or freeze them in the spec",
};

impl Patch {
    /// Finds the literal of each weight of a run in the sources, and the edits that write its new
    /// value there. Nothing is written yet.
    ///
    /// `round`: whether values are rounded to whole numbers where the literal is one. An array
    /// `[x; N]` is written out if its entries get different values.
    ///
    /// # Errors
    ///
    /// A weight without a literal, a const found twice or of another shape, a
    /// literal that is no longer what the run started from, a number that does
    /// not fit its literal: all of them, with their places.
    pub fn new(sources: &Sources, run: &Run, round: bool) -> Result<Self, SourceError> {
        let mut mistakes = Vec::new();
        let mut wanted: BTreeMap<LiteralId, NewLiteral<'_>> = BTreeMap::new();
        for tuned in &run.parameters {
            let only = only_one(sources, tuned).map_err(|mistake| mistakes.push(mistake));
            let Ok((number, found)) = only else { continue };
            let starts = found.literals.iter().map(|literal| literal.bytes.start);
            let aligned = is_aligned(&sources.files[found.file].text, starts);
            let pairs = places(found).into_iter().zip(&tuned.weights);
            // A weight that stays has no value in the run: the source keeps its own.
            for (place, weight) in pairs.filter(|(_, weight)| !weight.stays) {
                // A weight has no literal of its own if its entry is another const.
                let Some((position, literal)) = place else {
                    mistakes.extend(tied(sources, run, found, tuned, weight));
                    continue;
                };
                let new = NewLiteral {
                    parameter: &tuned.name,
                    weight,
                    literal,
                    aligned,
                };
                wanted.insert((number, position), new);
            }
        }
        settle(mistakes)?;
        Self::of(sources, &wanted, round, run)
    }

    /// Makes the edits that write the wanted values: one for each literal, or one for an array
    /// `[x; N]` that is written out. There is no edit if the sources have all values already. A
    /// literal that has neither its new value nor the one that the run started from is a mistake.
    ///
    /// `wanted`: by the number of a const among those of the sources and that of a literal in it,
    /// the weight that the literal is; `round`: whether whole literals get rounded values; `run`:
    /// for the head of generated files.
    fn of(
        sources: &Sources,
        wanted: &BTreeMap<LiteralId, NewLiteral<'_>>,
        round: bool,
        run: &Run,
    ) -> Result<Self, SourceError> {
        let news = new_texts(sources, wanted, round)?;
        let mut files: BTreeMap<usize, Vec<TableEdit>> = BTreeMap::new();
        // The arrays `[x; N]` that have their edit already: at the first of its literals.
        let mut in_arrays = BTreeSet::new();
        for (&id, new) in &news {
            let found = &sources.scan.consts[id.0];
            let wanted_here = &wanted[&id];
            let Some(array) = wanted_here.literal.array else {
                let text = &sources.files[found.file].text;
                files.entry(found.file).or_default().push(TableEdit {
                    names: wanted_here.parameter.to_owned(),
                    edit: placed(text, wanted_here.literal, new.clone(), wanted_here.aligned),
                    literals: 1,
                });
                continue;
            };
            if in_arrays.insert(array) {
                let edits = array_edits(sources, array, &news, wanted);
                files.entry(found.file).or_default().extend(edits);
            }
        }
        // Tells whether a file has literals of weights that are not in this patch.
        let is_partial = |file: usize| {
            let consts = sources.scan.consts.iter().enumerate();
            let mut own = consts.filter(|(_, found)| found.file == file);
            own.any(|(number, found)| {
                sources.can_be_weights(found)
                    && (0..found.literals.len()).any(|at| !wanted.contains_key(&(number, at)))
            })
        };
        let changes = |(file, mut tables): (usize, Vec<TableEdit>)| {
            let SourceFile { path, text } = &sources.files[file];
            tables.sort_by_key(|table| table.edit.bytes.start);
            Changes {
                path: path.clone(),
                old: text.clone(),
                header: header(text, run),
                is_partial: is_partial(file),
                tables,
            }
        };
        Ok(Self {
            files: files.into_iter().map(changes).collect(),
        })
    }

    /// Returns the files that change, and how many literals change in each.
    pub fn changes(&self) -> Vec<Patched> {
        let patched = |file: &Changes| Patched {
            path: file.path.clone(),
            literals: file.tables.iter().map(|table| table.literals).sum(),
        };
        self.files.iter().map(patched).collect()
    }

    /// Returns the names of the parameters that change, in the order of the sources. Parameters
    /// that change in one edit, as fields of an array of structs, are one name, with commas in it.
    pub fn tables(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for table in self.files.iter().flat_map(|file| &file.tables) {
            if !names.contains(&table.names) {
                names.push(table.names.clone());
            }
        }
        names
    }

    /// Returns a patch with the changes of one parameter alone. `table`: its name in
    /// [`Self::tables`]. Edits of the heads of generated files are left out, as they are about all
    /// changes together.
    #[must_use]
    pub fn only(&self, table: &str) -> Self {
        let mut only = self.clone();
        only.retain(|name| name == table);
        for file in &mut only.files {
            file.header = [None, None];
        }
        only
    }

    /// Keeps only the changes of parameters for whose names, as [`Self::tables`] has them, `wanted`
    /// is true. A file without a change left is not touched.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        for file in &mut self.files {
            let before = file.tables.len();
            file.tables.retain(|table| wanted(&table.names));
            file.is_partial |= file.tables.len() < before;
        }
        self.files.retain(|file| !file.tables.is_empty());
    }

    /// Returns the changes of all files as a unified diff.
    pub fn diff(&self) -> String {
        let one = |file: &Changes| {
            let name = shown(&file.path);
            unified_diff([&name, &name], &file.old, &file.new_text())
        };
        self.files.iter().map(one).collect()
    }

    /// Writes all files that change. If one cannot be written, or was changed since it was read, no
    /// file is changed.
    ///
    /// # Errors
    ///
    /// The error of the file system, with the file.
    pub fn write(&self) -> Result<(), (PathBuf, io::Error)> {
        let all = self.files.iter().map(|file| Replacement {
            path: &file.path,
            old: &file.old,
            new: file.new_text(),
        });
        replace_all(&all.collect::<Vec<_>>())
    }
}

/// Returns the new texts of the literals that change, by the number of a const among those of the
/// sources and that of a literal in it. A literal that has its new value already does not change:
/// the run left it as it was, or the patch was applied before, perhaps in part. Fails with all
/// literals that have neither their new value nor the one that the run started from, or that cannot
/// be their new number. `wanted`: the literals with their weights; `round`: whether whole literals
/// get rounded values.
fn new_texts(
    sources: &Sources,
    wanted: &BTreeMap<LiteralId, NewLiteral<'_>>,
    round: bool,
) -> Result<BTreeMap<LiteralId, String>, SourceError> {
    let mut mistakes = Vec::new();
    let mut news: BTreeMap<LiteralId, String> = BTreeMap::new();
    for (&id, wanted) in wanted {
        let value = match wanted.literal.number {
            tuner_source::Number::Int(_) if round => wanted.weight.value.round(),
            _ => wanted.weight.value,
        };
        let held = wanted.literal.number.value();
        if !differ(held, value) {
            continue;
        }
        let found = &sources.scan.consts[id.0];
        let text = &sources.files[found.file].text;
        let at = sources.at(found, wanted.literal.location);
        let name = &wanted.weight.name;
        // Without a value that the run started from, any number is written over.
        if let Some(initial) = wanted.weight.initial
            && differ(held, initial)
        {
            let what = format!("{name} is {held} in the source, and was {initial}");
            mistakes.push(SourceMistake::of(STALE, at, what + " when it was traced"));
            continue;
        }
        match number(text, wanted.literal, value) {
            Ok(new) => drop(news.insert(id, new)),
            Err(reason) => {
                let what = format!("{name}: {reason}");
                mistakes.push(SourceMistake::of(REFUSED, at, what));
            }
        }
    }
    settle(mistakes)?;
    Ok(news)
}

impl Changes {
    /// Returns the new text of the file: its old one with all edits made. If only some of its
    /// weights change, the lines at its head on spec and values stay, and one is added on the new
    /// values.
    fn new_text(&self) -> String {
        let tables = self.tables.iter().map(|table| table.edit.clone());
        let [mut spec, mut values] = self.header.clone();
        if self.is_partial {
            // What the head says of spec and values stays true of the weights that do not change.
            spec = None;
            if let Some(values) = &mut values {
                values.text = format!(
                    "{}//! - of these in part: {}",
                    &self.old[values.bytes.clone()],
                    values.text.trim_start_matches("//! - values: ")
                );
            }
        }
        let edits: Vec<Edit> = spec.into_iter().chain(values).chain(tables).collect();
        apply(&self.old, &edits)
    }
}

/// Returns the edits of an array `[x; N]`: one for each literal in `x` as long as all entries get
/// the same numbers, or else one that writes the array out.
///
/// `array`: its number among those of the sources; `news`: the new texts of the literals that
/// change; `wanted`: all literals that have a weight; both by the number of a const and that of a
/// literal in it.
fn array_edits(
    sources: &Sources,
    array: usize,
    news: &BTreeMap<LiteralId, String>,
    wanted: &BTreeMap<LiteralId, NewLiteral<'_>>,
) -> Vec<TableEdit> {
    let scan = &sources.scan;
    let repeat = &scan.repeats[array];
    let text = &sources.files[repeat.file].text;
    let consts = scan.consts.iter().enumerate();
    // The literals of all weights in the array, the same one several times, in the order of
    // weights; the fields of a struct in it are consts of their own.
    let ids = consts.flat_map(|(number, found)| {
        let all = found.literals.iter().enumerate();
        let inside = all.filter(move |(_, literal)| literal.array == Some(array));
        inside.map(move |(position, _)| (number, position))
    });
    let ids: Vec<LiteralId> = ids.collect();
    let value = |id: &LiteralId| {
        let literal = &scan.consts[id.0].literals[id.1];
        let old = || text[literal.bytes.clone()].to_owned();
        let new = news.get(id).cloned().unwrap_or_else(old);
        RepeatedValue { literal, new }
    };
    let values: Vec<RepeatedValue<'_>> = ids.iter().map(value).collect();
    let changed = || ids.iter().filter(|id| news.contains_key(*id));
    if are_equal(&values) {
        // Each literal once, by the byte where it begins.
        let mut places = BTreeMap::new();
        for id in changed() {
            let literal = &scan.consts[id.0].literals[id.1];
            places.entry(literal.bytes.start).or_insert((id, literal));
        }
        let one = |(id, literal): (&LiteralId, &Literal)| {
            let owner = wanted.get(id)?;
            Some(TableEdit {
                names: owner.parameter.to_owned(),
                edit: placed(text, literal, news.get(id)?.clone(), owner.aligned),
                literals: 1,
            })
        };
        return places.into_values().filter_map(one).collect();
    }
    let owners = changed().filter_map(|id| wanted.get(id));
    let mut names: Vec<&str> = owners.map(|owner| owner.parameter).collect();
    names.dedup();
    // This array and those nested in it.
    let inside = scan.repeats.iter();
    let inside = inside.filter(|other| {
        other.file == repeat.file
            && other.bytes.start >= repeat.bytes.start
            && other.bytes.end <= repeat.bytes.end
    });
    let inside: Vec<&RepeatedArray> = inside.collect();
    let repeats = &inside;
    let writer = RepeatWriter { text, repeats };
    let (bytes, text) = (repeat.bytes.clone(), writer.array(repeat, &values));
    vec![TableEdit {
        names: names.join(", "),
        edit: Edit { bytes, text },
        literals: changed().count(),
    }]
}

/// Returns the edits that keep the head of a generated file true: of its line on the spec, and of
/// its lines on where the values come from. Both are `None` where the text is not that of a
/// generated file; the first is `None` if the run does not know its spec.
fn header(text: &str, run: &Run) -> [Option<Edit>; 2] {
    // The bytes of the line on the spec, and of all lines behind that on the unit.
    let lines = || -> Option<[std::ops::Range<usize>; 2]> {
        if !text.starts_with("//! The weights of `") {
            return None;
        }
        let line = |from: usize| Some(from..from + text[from..].find('\n')? + 1);
        let spec = line(text.find("\n//! - spec: ")? + 1)?;
        let unit = line(text.find("\n//! - unit: ")? + 1)?;
        let facts = text[unit.end..].split_inclusive('\n');
        let facts = facts.take_while(|line| line.starts_with("//! - "));
        let length = facts.map(str::len).sum::<usize>();
        (length > 0).then(|| [spec, unit.end..unit.end + length])
    };
    let Some([spec, values]) = lines() else {
        return [None, None];
    };
    let origin = &run.origin;
    let edit = |bytes, text| Edit { bytes, text };
    let new = format!("//! - values: {origin}, patched into this file\n");
    let of_spec = run.spec.as_ref();
    let of_spec = of_spec.map(|words| edit(spec, format!("//! - spec: {words}\n")));
    [of_spec, Some(edit(values, new))]
}

/// Tells whether two values differ at all; 0 and −0 do not.
fn differ(a: f64, b: f64) -> bool {
    (a - b).abs() > 0.0
}

/// Finds the const of a parameter of a run: returns it and its number among the consts of the
/// sources. A mistake if no const of this name holds literals, if several do, or if the const has
/// another shape than the parameter. Dimensions of length 1 do not count in that, since the run has
/// one for the phases of each untapered parameter.
fn only_one<'a>(sources: &'a Sources, of: &'a Tuned) -> Result<(usize, &'a Const), SourceMistake> {
    let name = &of.name;
    // `with`: the consts of this name that hold literals.
    let named: Vec<(usize, &Const)> = sources.numbered(name).collect();
    let mut with = named.clone();
    with.retain(|(_, c)| !c.literals.is_empty());
    let (number, found) = match with.as_slice() {
        [] => {
            let count = counted(of.weights.len(), "weight");
            let reason = named.first().map_or_else(
                || "no const or static of this name is a weight in these files".to_owned(),
                |(_, c)| format!("{}: it holds no literals", sources.at_name(c)),
            );
            let what = format!("the run has {count} of this name, but {reason}");
            return Err(SourceMistake::of(MISSING, name, what));
        }
        [one] => *one,
        [(_, first), (_, second), ..] => {
            let (first, second) = (sources.at_path(first), sources.at_path(second));
            let what = format!("`{name}` is declared twice, first at {first}");
            return Err(SourceMistake::of(TWICE, second, what));
        }
    };
    let flat = |mut dims: Vec<usize>| {
        dims.retain(|&len| len != 1);
        dims
    };
    // The shape of the const, with the numbers of an entry as its last dimension.
    let lanes = found.lanes();
    let dims = lanes.map(|lanes| [found.dims.as_slice(), &[lanes]].concat());
    if dims.is_none_or(|dims| flat(dims) != flat(of.dims.clone())) {
        let at = sources.at_name(found);
        let what = format!(
            "`{name}` holds {} literals in another shape than the {} weights of the run",
            found.literals.len(),
            of.weights.len()
        );
        return Err(SourceMistake::of(SHAPE, at, what));
    }
    Ok((number, found))
}

/// Returns for each weight of a const its literal, with the number of the literal in the const;
/// `None` where the entry of the weight is another const.
fn places(found: &Const) -> Vec<Option<(usize, &Literal)>> {
    let mut literals = found.literals.iter().enumerate();
    // A const whose entries have different numbers of weights has another shape than any parameter,
    // which the caller has refused.
    let lanes = found.lanes().unwrap_or(1);
    let mut places = Vec::new();
    for entry in &found.entries {
        match entry {
            Entry::Weights(count) => places.extend(literals.by_ref().take(*count).map(Some)),
            _ => places.extend(vec![None; lanes]),
        }
    }
    places
}

/// Returns the number, counted row-major from 0, of the entry of a const at `indices`; `None` if
/// there is no such entry.
pub(super) fn entry_at(found: &Const, indices: &[usize]) -> Option<usize> {
    if indices.len() != found.dims.len() {
        return None;
    }
    let mut pairs = found.dims.iter().zip(indices);
    pairs.try_fold(0, |entry, (&len, &index)| {
        (index < len).then_some(entry * len + index)
    })
}

/// Checks a weight that has no literal, as its entry in the const `found` is another const. Returns
/// a mistake if the run gives the weight another value than the other const gets from the run, or
/// has, if that is not a weight. `tuned`: the parameter of the weight.
fn tied(
    sources: &Sources,
    run: &Run,
    found: &Const,
    tuned: &Tuned,
    weight: &Weight,
) -> Option<SourceMistake> {
    let position = tuned.weights.iter().position(|w| w.name == weight.name)?;
    let lanes = found.lanes()?;
    let Entry::Same(other) = &found.entries[position / lanes] else {
        return None;
    };
    let name = &other.name;
    let its_const = sources.named(name).next();
    // The number of the entry of the other const, and the parameter that this const is in the run.
    let entry = its_const.and_then(|its| entry_at(its, &other.indices));
    let others = run.parameters.iter().find(|p| p.name == *name);
    let pair = entry.zip(others);
    // What the weight should be to follow: the run's value for the weight of the other const in the
    // same phase, with the sign that the entry has.
    let followed = pair.and_then(|(entry, p)| p.weights.get(entry * lanes + position % lanes));
    let value = followed.map(|w| other.value(w.value));
    if value.is_some_and(|value| !differ(value, weight.value)) {
        return None;
    }
    let (at, weight, value) = (sources.at_name(found), &weight.name, weight.value);
    // The other const is no parameter of the run: it may be one without weights, whose value
    // counts.
    if others.is_none() {
        let Some(constant) = constant_of(sources, other, lanes) else {
            return Some(SourceMistake::from(format!(
                "{at}: {weight} has no literal, as its entry is `{name}`, which is left out; take \
                 `{name}` as well, or give the file that declares it"
            )));
        };
        let constant = other.value(constant[position % lanes]);
        let what = format!("{weight} is to be {value}, but its entry is `{name}`");
        let what = format!("{what}, which is no weight and {constant}");
        return differ(constant, value).then(|| SourceMistake::of(CONSTANT, at, what));
    }
    let what = format!("{weight} has no literal, as its entry is `{name}`");
    let what = format!("{what}, and the run gives it {value} instead");
    Some(SourceMistake::of(TIED, at, what))
}
