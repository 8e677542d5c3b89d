//! Paths name weights: `MATERIAL`, `PST[pawn][12].eg`.
//!
//! A path that stops early means everything below it. Inside `frozen` the
//! parameter's own name is left out and a first index name may be without
//! brackets: `knight.mg`, `[0][3]`, `eg`.

use super::parameter::{self, Dim, PHASE, Parameter, Phases};
use super::text::{did_you_mean, listed, quoted};

/// Why a path names no weight.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found}; expected {expected}; {cure}")]
pub struct PathError {
    pub(super) found: String,
    pub(super) expected: String,
    pub(super) cure: String,
    /// Whether no parameter has the name in the path; else the rest of the path is wrong.
    pub is_unknown_parameter: bool,
}

impl PathError {
    /// Makes an error in three parts: what was found, what was expected, what to do.
    pub(super) fn new(found: String, expected: impl Into<String>, cure: impl Into<String>) -> Self {
        Self {
            found,
            expected: expected.into(),
            cure: cure.into(),
            is_unknown_parameter: false,
        }
    }
}

/// The selection of a path: an entry or a sub-table of one parameter.
#[derive(Clone, Debug)]
pub(super) struct Selection<'p> {
    parameter: &'p Parameter,
    /// Number of the first selected entry, from 0 within the parameter.
    first_entry: usize,
    /// The dimensions that the path names no index of: all their entries are selected.
    rest: &'p [Dim],
    /// Index of the phase that the path names; `None`: both phases, or an untapered parameter.
    phase: Option<usize>,
}

impl Selection<'_> {
    /// Returns the step of the selected weights, which is that of their parameter.
    pub(super) const fn step(&self) -> parameter::WeightStep {
        self.parameter.step
    }

    /// Returns the shape of what is selected: the lengths of the dimensions that the path gives no
    /// index for, and a 2 at the end if it selects both phases. Empty for a single weight.
    pub(super) fn shape(&self) -> Vec<usize> {
        let pair = self.parameter.phases == Phases::Tapered && self.phase.is_none();
        let dims = self.rest.iter().map(Dim::len);
        dims.chain(pair.then_some(2)).collect()
    }

    /// Returns the numbers of the selected weights among all weights of the spec, ascending.
    pub(super) fn weights(&self) -> impl Iterator<Item = usize> + use<> {
        let phases = self.parameter.phases.count();
        let entries: usize = self.rest.iter().map(Dim::len).product();
        let first = self.parameter.first_weight + self.first_entry * phases;
        let (start, step) = match self.phase {
            Some(phase) => (first + phase, phases),
            None => (first, 1),
        };
        (start..first + entries * phases).step_by(step)
    }
}

/// What a path selects in a parameter, or why it selects nothing.
type Selected<'p> = Result<Selection<'p>, PathError>;

/// Finds the weights that a path such as `PST[pawn].eg` names, which begins with the name of a
/// parameter; or why it names no weight.
pub(super) fn resolve<'p>(parameters: &'p [Parameter], text: &str) -> Selected<'p> {
    let (name, steps) = split(text)?;
    let known = || parameters.iter().map(Parameter::name);
    let parameter = parameters.iter().find(|parameter| parameter.name == name);
    let parameter = parameter.ok_or_else(|| PathError {
        is_unknown_parameter: true,
        ..PathError::new(
            format!("no parameter {} in path {}", quoted(name), quoted(text)),
            listed(known()),
            did_you_mean(name, known(), "name a parameter of this spec"),
        )
    })?;
    walk(parameter, text, &steps)
}

/// Finds the weights that a path inside a parameter names, as the key `frozen` has them: without
/// the parameter's name. A first word without brackets is a phase, `mg`, or an index, as in
/// `knight.mg`.
pub(super) fn resolve_in<'p>(parameter: &'p Parameter, text: &str) -> Selected<'p> {
    let (first, mut steps) = split(text)?;
    if Phases::NAMES.contains(&first) {
        steps.insert(0, Step::Phase(first));
    } else if !first.is_empty() {
        steps.insert(0, Step::Index(first));
    }
    if steps.is_empty() {
        return Err(malformed(text));
    }
    walk(parameter, text, &steps)
}

/// A piece of a path behind the name: `[knight]` or `.mg`, without brackets and dot.
enum Step<'t> {
    Index(&'t str),
    Phase(&'t str),
}

/// Returns the error of a text that is not built like a path.
fn malformed(text: &str) -> PathError {
    let found = format!("{} is no path", quoted(text));
    let cure = "write indices in brackets and the phase after a dot";
    PathError::new(found, "a path like `PST[pawn][12].eg`", cure)
}

/// Splits a path `NAME[index][index].phase` into its name, which may be empty, and the indices and
/// the phase behind it. Whether they exist is not checked.
fn split(text: &str) -> Result<(&str, Vec<Step<'_>>), PathError> {
    let word_end = |text: &str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(text.len())
    };
    let (name, mut rest) = text.split_at(word_end(text));
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (word, after) = inside.split_at(word_end(inside));
            rest = after.strip_prefix(']').ok_or_else(|| malformed(text))?;
            steps.push(Step::Index(word));
        } else if let Some(phase) = rest.strip_prefix('.') {
            steps.push(Step::Phase(phase));
            rest = "";
        } else {
            return Err(malformed(text));
        }
    }
    Ok((name, steps))
}

/// Finds the weights of a parameter that the indices and the phase of a path select; `text`: the
/// path, for messages.
fn walk<'p>(parameter: &'p Parameter, text: &str, steps: &[Step<'_>]) -> Selected<'p> {
    let mut selection = Selection {
        parameter,
        first_entry: 0,
        rest: &parameter.dims,
        phase: None,
    };
    for step in steps {
        let word = match *step {
            Step::Phase(phase) => {
                selection.phase = Some(phase_of(parameter, text, phase)?);
                continue;
            }
            Step::Index(word) => word,
        };
        let (dim, rest) = selection.rest.split_first().ok_or_else(|| {
            let found = format!("path {} has too many indices", quoted(text));
            let expected = format!("at most {} for `{}`", parameter.dims.len(), parameter.name);
            PathError::new(found, expected, "take the last ones out")
        })?;
        // Entries below one index of this dimension.
        let below: usize = rest.iter().map(Dim::len).product();
        selection.first_entry += index_of(dim, text, word)? * below;
        selection.rest = rest;
    }
    Ok(selection)
}

/// Returns the number of the phase that a path names: 0 for `mg`, 1 for `eg`. Fails if the
/// parameter is not tapered; three or more phases of the author's own are indices of its last
/// dimension. `text`: the path, for messages.
fn phase_of(parameter: &Parameter, text: &str, phase: &str) -> Result<usize, PathError> {
    let last = parameter.dims.last();
    let own = last.filter(|dim| dim.list() == Some(PHASE));
    let own = own.and_then(Dim::names);
    let refused = |expected: String, cure: &str| {
        let found = format!("path {} asks for phase {}", quoted(text), quoted(phase));
        Err(PathError::new(found, expected, cure))
    };
    let name = &parameter.name;
    if let Some(names) = own {
        let expected = format!("an index for each phase of `{name}`, {}", names.join(", "));
        let cure = "write the phase as the last index, as in `[0][opening]`";
        return refused(expected, cure);
    }
    if parameter.phases == Phases::Untapered {
        let expected = format!("no phase, since `{name}` is untapered");
        return refused(expected, "take the phase out");
    }
    let known = Phases::NAMES.iter().position(|name| *name == phase);
    known.ok_or_else(|| {
        let found = format!("no phase {} in path {}", quoted(phase), quoted(text));
        PathError::new(found, "`mg` or `eg`", "correct the phase")
    })
}

/// Returns the index along a dimension that `word` names, by its name or by its number from 0.
/// `text`: the path that it is in, for messages.
fn index_of(dim: &Dim, text: &str, word: &str) -> Result<usize, PathError> {
    let names = dim.names().unwrap_or_default();
    let number = word.parse().ok().filter(|&index| index < dim.len);
    let index = names.iter().position(|name| name == word).or(number);
    index.ok_or_else(|| {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let (word_quoted, text) = (quoted(word), quoted(text));
        if !is_number && !names.is_empty() {
            let known = || names.iter().map(String::as_str);
            let found = format!("no index {word_quoted} in path {text}");
            let cure = did_you_mean(word, known(), "correct the index");
            return PathError::new(found, listed(known()), cure);
        }
        let (mistake, cure) = if is_number {
            ("is too large", "indices count from 0")
        } else {
            ("is no number", "this dimension has no index names")
        };
        let found = format!("index {word_quoted} in path {text} {mistake}");
        PathError::new(found, format!("0 to {}", dim.len - 1), cure)
    })
}
