//! The weights of a run: what a `summary.json` or a spec says.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::mistakes::{Cause, SourceError, SourceMistake, settle};
use crate::{Dim, Layout};

const NO_VALUE: Cause = Cause {
    what: "weights that the spec declares have no value",
    cure: "give the spec of this fit",
};

/// Weights by parameter, with the values that the sources held and those that
/// they are to hold.
#[derive(Clone, Debug, Default)]
pub struct Run {
    pub(super) parameters: Vec<Tuned>,
    /// Where the weights come from, in one line, for the header of a generated file that is
    /// patched.
    pub origin: String,
    /// The spec of all weights, as `NAME, hash HASH`, for the header of a generated file; `None` if
    /// they are not all of one spec.
    pub spec: Option<String>,
}

/// One parameter.
#[derive(Clone, Debug)]
pub(super) struct Tuned {
    pub(super) name: String,
    /// Lengths of its dimensions, the phases last.
    pub(super) dims: Vec<usize>,
    /// Its weights, row-major, phases innermost.
    pub(super) weights: Vec<Weight>,
}

#[derive(Clone, Debug)]
pub(super) struct Weight {
    /// `MATERIAL[knight].mg`.
    pub(super) name: String,
    pub(super) value: f64,
    /// The value that the source held; `None` where it is not known.
    pub(super) initial: Option<f64>,
    /// Whether the run has no value for it, so that the source keeps its own.
    pub(super) stays: bool,
}

impl Run {
    /// Makes a run of the initial values of a spec, which are written into sources whatever these
    /// hold.
    pub fn of_spec(layout: &Layout) -> Self {
        let mut run = Self::default();
        let initial = layout.initial();
        for parameter in layout.parameters() {
            let mut dims: Vec<usize> = parameter.dims.iter().map(Dim::len).collect();
            dims.push(parameter.phases.count());
            let weights = parameter.weights().map(|weight| Weight {
                name: layout.name(weight),
                value: initial[weight.index()],
                initial: None,
                stays: false,
            });
            run.parameters.push(Tuned {
                name: parameter.name().to_owned(),
                dims,
                weights: weights.collect(),
            });
        }
        run
    }

    /// Reads the weights of a fit from its `summary.json`, which has the new values as `weights`,
    /// and those that the sources held as `initial`, both by name. `file`: the name of the summary,
    /// for messages.
    ///
    /// The `layout` of a spec says how names of indices are ordered; if the summary has no
    /// `initial`, the initial values of that spec are taken for it. Without a layout the names must
    /// be in the order of a spec, and `initial` must be there.
    ///
    /// # Errors
    ///
    /// If names are not those of weights, values are not numbers, or the order is not that of
    /// tables.
    pub fn of_summary(
        file: &str,
        summary: &Value,
        layout: Option<&Layout>,
    ) -> Result<Self, SourceError> {
        let object = |key: &str| summary.get(key).and_then(Value::as_object);
        let Some(weights) = object("weights") else {
            return Err(SourceError::one(format!(
                "{file}: found no `weights`, an object of names and numbers; give the \
                 summary.json of a fit"
            )));
        };
        let mut mistakes = Vec::new();
        let values = numbers(file, weights, &mut mistakes);
        let initial = object("initial").map(|initial| numbers(file, initial, &mut mistakes));
        settle(mistakes)?;
        let by_name = |list: Vec<(String, f64)>| list.into_iter().collect::<HashMap<_, _>>();
        let held = initial.map(by_name);
        if let Some(layout) = layout {
            return Self::in_order_of(layout, file, &by_name(values), held.as_ref());
        }
        let Some(held) = held else {
            return Err(SourceError::one(format!(
                "{file}: found no `initial`, the values that the sources held, so nothing tells \
                 whether they changed since; give the spec that the fit started from with --spec"
            )));
        };
        Self::in_order(file, values, Some(&held))
    }

    /// Makes a run of weights by name, which are written into sources whatever these hold. `file`:
    /// where the weights are from, for messages.
    ///
    /// With the `layout` of a spec, which says how names of indices are ordered, weights that are
    /// not named keep the value of the source. Without one, the names must be those of whole
    /// tables, in the order of a spec.
    ///
    /// # Errors
    ///
    /// If names are not those of weights, or the order is not that of tables.
    pub fn of_values(
        file: &str,
        values: Vec<(String, f64)>,
        layout: Option<&Layout>,
    ) -> Result<Self, SourceError> {
        let Some(layout) = layout else {
            // `None`: what the sources held is not known, so any number is written over.
            return Self::in_order(file, values, None);
        };
        let mut run = Self::of_spec(layout);
        let values = values.into_iter().collect();
        let stray = run.set(file, &values, |weight| weight.stays = true);
        settle(stray.into_iter().collect())?;
        Ok(run)
    }

    /// Removes the parameters for whose names `wanted` is false.
    pub fn retain(&mut self, wanted: impl Fn(&str) -> bool) {
        self.parameters.retain(|tuned| wanted(&tuned.name));
    }

    /// Tells whether the run has no parameter.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// Makes a run of weights, names and values, that are in the order of a spec: those of a
    /// parameter are next to each other, and its dimensions are found by the names. `held`: the
    /// values that the sources held, which must name all weights; `None` where they are not known.
    /// `file`: for messages.
    fn in_order(
        file: &str,
        values: Vec<(String, f64)>,
        held: Option<&HashMap<String, f64>>,
    ) -> Result<Self, SourceError> {
        // The weights of one parameter, which are next to each other.
        let mut groups: Vec<Vec<Weight>> = Vec::new();
        for (name, value) in values {
            let initial = held.and_then(|held| held.get(&name).copied());
            let parameter = |name: &str| name.split(['[', '.']).next().map(str::to_owned);
            let weight = Weight {
                name,
                value,
                initial,
                stays: false,
            };
            match groups.last_mut() {
                Some(group) if parameter(&group[0].name) == parameter(&weight.name) => {
                    group.push(weight);
                }
                _ => groups.push(vec![weight]),
            }
        }
        let mut run = Self::default();
        let mut mistakes = Vec::new();
        for weights in groups {
            let unnamed = |weight: &&Weight| held.is_some() && weight.initial.is_none();
            for weight in weights.iter().filter(unnamed) {
                mistakes.push(format!(
                    "{file}: `initial` does not name {}; give the summary.json as the fit wrote it",
                    weight.name
                ));
            }
            // A parameter that occurs twice is not in the order of a spec either.
            match dims(&weights) {
                Some((name, dims)) if !run.parameters.iter().any(|p| p.name == name) => {
                    run.parameters.push(Tuned {
                        name,
                        dims,
                        weights,
                    });
                }
                _ => mistakes.push(format!(
                    "{file}: the weights around {} are no whole table in its order; give the spec \
                     with --spec, which says what is where and lets the rest stay",
                    weights[0].name
                )),
            }
        }
        settle(mistakes)?;
        Ok(run)
    }

    /// Makes a run of all weights of a layout. `values`: the new values by name, which must name
    /// all weights; `held`: the values that the sources held, by name; a weight that it does not
    /// name had its initial value in the spec. `file`: for messages.
    fn in_order_of(
        layout: &Layout,
        file: &str,
        values: &HashMap<String, f64>,
        held: Option<&HashMap<String, f64>>,
    ) -> Result<Self, SourceError> {
        let mut run = Self::of_spec(layout);
        for weight in run.parameters.iter_mut().flat_map(|p| &mut p.weights) {
            // Without `held`, the fit started from the values of its spec.
            let initial = held.and_then(|held| held.get(&weight.name).copied());
            weight.initial = initial.or(Some(weight.value));
        }
        let mut mistakes = Vec::new();
        let stray = run.set(file, values, |weight| {
            let name = &weight.name;
            let what = format!("found no value for {name}, which the spec declares");
            mistakes.push(SourceMistake::of(NO_VALUE, file, what));
        });
        mistakes.extend(stray);
        settle(mistakes)?;
        Ok(run)
    }

    /// Gives the weights of the run new values, by name; calls `missing` for each weight without
    /// one. Returns a mistake if some names in `values` are not those of weights of the run.
    /// `file`: for that message.
    fn set(
        &mut self,
        file: &str,
        values: &HashMap<String, f64>,
        mut missing: impl FnMut(&mut Weight),
    ) -> Option<SourceMistake> {
        let mut stray = values.len();
        for weight in self.parameters.iter_mut().flat_map(|p| &mut p.weights) {
            let Some(&value) = values.get(&weight.name) else {
                missing(weight);
                continue;
            };
            stray -= 1;
            weight.value = value;
        }
        let words = format!(
            "{file}: {stray} of its weights are not declared in the spec; give the spec of this fit"
        );
        (stray > 0).then(|| words.into())
    }
}

/// Returns the numbers in a JSON object with their names, in its order. Adds a mistake to `wrong`
/// for each value that is not a finite number. `file`: for these messages.
fn numbers(file: &str, object: &Map<String, Value>, wrong: &mut Vec<String>) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    for (name, value) in object {
        match value.as_f64().filter(|value| value.is_finite()) {
            Some(number) => found.push((name.clone(), number)),
            None => wrong.push(format!("{file}: {name} is {value}; expected a number")),
        }
    }
    found
}

/// Finds a parameter's name and the lengths of its dimensions, the phases last, by the names of its
/// weights: `A[x][0].mg`, `A[x][0].eg`, `A[x][1].mg` and so on. `None` if the weights are not
/// complete and in row-major order.
fn dims(weights: &[Weight]) -> Option<(String, Vec<usize>)> {
    let paths: Vec<Vec<&str>> = weights.iter().map(|w| path(&w.name)).collect();
    let (name, depth) = (paths[0][0], paths[0].len() - 1);
    // The indices of each dimension, numbered in the order in which they occur.
    let mut lists: Vec<HashMap<&str, usize>> = vec![HashMap::new(); depth];
    for path in &paths {
        if path.len() != depth + 1 {
            return None;
        }
        for (list, index) in lists.iter_mut().zip(&path[1..]) {
            let next = list.len();
            list.entry(index).or_insert(next);
        }
    }
    // In row-major order the last index of a path is the remainder of its position divided by the
    // length of the last dimension, and so on with the quotient. An index that is a number must be
    // that number.
    for (position, path) in paths.iter().enumerate() {
        let mut rest = position;
        for (list, index) in lists.iter().zip(&path[1..]).rev() {
            let at = rest % list.len();
            let in_place = index.parse::<usize>().map_or(true, |number| number == at);
            if list[index] != at || !in_place {
                return None;
            }
            rest /= list.len();
        }
        if rest > 0 {
            return None;
        }
    }
    let lengths: Vec<usize> = lists.iter().map(HashMap::len).collect();
    let complete = lengths.iter().product::<usize>() == paths.len();
    complete.then(|| (name.to_owned(), lengths))
}

/// Cuts the name of a weight into parameter, indices and phase: `A[x][0].mg` into `A`, `x`, `0`,
/// `mg`.
fn path(name: &str) -> Vec<&str> {
    let (stem, phase) = match name.rsplit_once('.') {
        Some((stem, phase)) if !phase.contains(']') => (stem, Some(phase)),
        _ => (name, None),
    };
    let pieces = stem.split('[').map(|piece| piece.trim_end_matches(']'));
    pieces.chain(phase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(names: &[&str]) -> Option<(String, Vec<usize>)> {
        let weight = |name: &&str| Weight {
            name: (*name).to_owned(),
            value: 0.0,
            stays: false,
            initial: None,
        };
        dims(&names.iter().map(weight).collect::<Vec<_>>())
    }

    #[test]
    fn shapes_are_told_from_names_in_order() {
        let found = shape;
        let some = |dims: &[usize]| Some(("A".to_owned(), dims.to_vec()));
        assert_eq!(found(&["A"]), some(&[]));
        assert_eq!(found(&["A.mg", "A.eg"]), some(&[2]));
        let table = ["A[x][0].mg", "A[x][0].eg", "A[y][0].mg", "A[y][0].eg"];
        assert_eq!(found(&table), some(&[2, 1, 2]));
        for wrong in [
            &["A[1]", "A[0]"][..],
            &["A[0]", "A[2]"],
            &["A[0]", "A[0]"],
            &["A[0]", "A[0][1]"],
            &["A[x].mg", "A[x].eg", "A[y].mg"],
            &["A[x].mg", "A[x].eg", "A[y].eg", "A[y].mg"],
        ] {
            assert_eq!(found(wrong), None, "{wrong:?}");
        }
    }
}
