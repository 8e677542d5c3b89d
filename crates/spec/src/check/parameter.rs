//! Checks one parameter: name, doc, shape, phases, bounds, frozen, mirror, prior.

use std::collections::{BTreeMap, BTreeSet};

use super::initial;
use super::{Checked, MOST_WEIGHTS, constraint, head, prior, tie};
use crate::decimal::{self, Decimal, MOST_DECIMALS};
use crate::parameter::{Dim, IndexNames, PHASE, Parameter, Phases, WeightStep};
use crate::path::resolve_in;
use crate::raw::{RawDim, RawFrozen, RawParameter};
use crate::read::At;
use crate::spec::Integer;
use crate::text::{did_you_mean, doc_lines, is_const_name, is_word, listed, quoted};

/// The numbers of the next parameter's first weight and first slot.
#[derive(Default)]
pub(super) struct Place {
    weight: usize,
    slot: usize,
}

/// Checks a section `[[parameter]]`, and makes the parameter. `None` after noting a mistake in what
/// its layout depends on, such as name, shape, step or initial values; other mistakes are noted,
/// and the parameter is returned. `names`: the lists of the section `[names]`; `integer`: the
/// integer type of generated code; `place`: the numbers of the parameter's first weight and first
/// slot, which are moved on to those of the next parameter.
pub(super) fn check(
    section: &At<RawParameter>,
    names: &BTreeMap<String, Option<IndexNames>>,
    integer: Integer,
    place: &mut Place,
) -> Option<Checked> {
    let raw = &section.value;
    let name = name(raw);
    let doc = doc(raw);
    let group = head::text(&raw.group);
    let phases = phases(raw);
    let dims = shape(raw, names);
    let own_phases = own_phases(raw);
    let dims = dims.map(|dims| dims.into_iter().chain(own_phases).collect());
    let step = step(raw)?;
    let bounds = bounds(raw, integer, step);
    let mut parameter = Parameter {
        name: name?,
        doc,
        dims: dims?,
        phases: phases?,
        group,
        step,
        bounds,
        prior: prior::deviation(&raw.prior),
        smooth: None,
        pool: None,
        laplace: prior::laplace(raw),
        first_weight: 0,
        first_slot: 0,
        symbol: None,
    };
    // Up to the initial values, weights count from 0 in the parameter, as `first_weight` is 0.
    let (slots, weights) = size(section, &parameter, place)?;
    let frozen = frozen(raw, &parameter, weights);
    let mirrors = tie::mirrors(raw, &parameter);
    parameter.smooth = prior::smooth(raw, &parameter);
    parameter.pool = prior::pool(raw, &parameter);
    let mut initial = initial::check(raw.initial.get()?, &parameter)?;
    initial.whole = raw.initial.get()?.place.clone();
    initial.check_range(&parameter, integer);
    parameter.first_weight = place.weight;
    parameter.first_slot = place.slot;
    place.weight += weights;
    place.slot += slots;
    let orders = constraint::orders(raw, &parameter);
    Some(Checked {
        parameter,
        initial,
        frozen,
        mirrors,
        orders,
    })
}

/// Returns the name of a parameter; `None` if it has none, or after noting that it cannot be that
/// of a const in generated code.
fn name(raw: &RawParameter) -> Option<String> {
    let At { place, value } = raw.name.get()?;
    if is_const_name(value) {
        return Some(value.clone());
    }
    let found = format!("{} is no name of a parameter", quoted(value));
    let expected = "an upper-case letter, then upper-case letters, digits and `_`, at most 100";
    place.refuse(found, expected, "rename the parameter")
}

/// Returns the lines of a parameter's doc text; empty if it has no such text, or after noting that
/// the text cannot be a doc comment of generated code.
fn doc(raw: &RawParameter) -> Vec<String> {
    let Some(At { place, value }) = raw.doc.get() else {
        return Vec::new();
    };
    doc_lines(value).unwrap_or_else(|found| {
        let found = format!("{found} in a doc text");
        place.note(found, "plain words", "take it out");
        Vec::new()
    })
}

/// Returns whether a parameter is tapered, which it is with `phases = ["mg", "eg"]`. Three or more
/// phases of the author's own count as untapered: they are the last dimension of the shape. `None`
/// after noting a mistake.
fn phases(raw: &RawParameter) -> Option<Phases> {
    raw.phases.or(Phases::Untapered, |list| {
        let names: Vec<&str> = list.value.iter().map(|phase| &*phase.value).collect();
        match names.as_slice() {
            ["mg", "eg"] => Some(Phases::Tapered),
            // `own_phases` makes a dimension of three or more phases.
            [] | [_, _, _, ..] => Some(Phases::Untapered),
            _ => list.place.refuse(
                format!("phases {}", listed(names.iter().copied())),
                "`[\"mg\", \"eg\"]`, three or more names of your own, or `[]` for an untapered \
                 parameter",
                "correct the phases",
            ),
        }
    })
}

/// Returns the dimension that three or more phases of the author's own are, the last one of the
/// parameter's shape; its indices have the names of the phases. `None` if there are fewer phases,
/// or after noting a mistake. The engine's source has an array with a number for each phase there,
/// and combines them in its own way.
fn own_phases(raw: &RawParameter) -> Option<Dim> {
    let list = raw.phases.get().filter(|list| list.value.len() > 2)?;
    let mut seen = BTreeSet::new();
    let mut name = |name: &At<String>| {
        if is_word(&name.value) && seen.insert(name.value.clone()) {
            return Some(name.value.clone());
        }
        let found = format!("{} as the name of a phase", quoted(&name.value));
        let expected = "ASCII letters, digits and `_`, no digit first, each name once";
        name.place.refuse(found, expected, "rename the phase")
    };
    let names: Vec<Option<String>> = list.value.iter().map(&mut name).collect();
    let names = names.into_iter().collect::<Option<_>>()?;
    let (len, list) = (list.value.len(), PHASE.into());
    let names = Some(IndexNames { list, names });
    Some(Dim { len, names })
}

/// Returns the dimensions that the key `shape` of a parameter gives, without one for phases; `None`
/// after noting all mistakes in them. `names`: the lists of names of indices in the section
/// `[names]`; a list that is `None` had a mistake, which was noted before.
fn shape(raw: &RawParameter, names: &BTreeMap<String, Option<IndexNames>>) -> Option<Vec<Dim>> {
    let mut dim = |At { place, value }: &At<RawDim>| match value {
        RawDim::Length(length) => {
            if let Ok(len @ 1..) = usize::try_from(*length) {
                return Some(Dim { len, names: None });
            }
            let found = format!("a dimension of length {length}");
            place.refuse(found, "at least 1", "correct the length")
        }
        RawDim::Names(word) => {
            let Some(list) = names.get(word) else {
                let known = || names.keys().map(String::as_str);
                let found = format!("no list {} in `[names]`", quoted(word));
                let expected = match names.len() {
                    0 => "a length, since there are no lists".to_owned(),
                    _ => listed(known()),
                };
                let cure = did_you_mean(word, known(), "declare it in `[names]`");
                return place.refuse(found, expected, cure);
            };
            // A list that is `None` had a mistake, which was noted before.
            let names = list.clone()?;
            let (len, names) = (names.names.len(), Some(names));
            Some(Dim { len, names })
        }
    };
    raw.shape.or(Vec::new(), |list| {
        let dims: Vec<Option<Dim>> = list.value.iter().map(&mut dim).collect();
        dims.into_iter().collect()
    })
}

/// Returns how many slots a parameter has, one for each entry, and how many weights. `None` after
/// noting that the spec would have more than [`MOST_WEIGHTS`] (10 million) weights with it.
/// `place`: the numbers of its first weight and slot.
fn size(raw: &At<RawParameter>, parameter: &Parameter, place: &Place) -> Option<(usize, usize)> {
    let mut lengths = parameter.dims.iter().map(Dim::len);
    let slots = lengths.try_fold(1, usize::checked_mul);
    let weights = slots.and_then(|slots| slots.checked_mul(parameter.phases.count()));
    let room = MOST_WEIGHTS - place.weight;
    if let (Some(slots), Some(weights)) = (slots, weights.filter(|weights| *weights <= room)) {
        return Some((slots, weights));
    }
    let found = match weights {
        Some(weights) => format!("a shape of {weights} weights"),
        None => "a shape of more weights than can be counted".to_owned(),
    };
    let shape = raw.value.shape.get();
    let place = shape.map_or(&raw.place, |shape| &shape.place);
    let expected = format!("at most {MOST_WEIGHTS} in a spec");
    place.refuse(found, expected, "correct the shape")
}

/// Returns the step of a parameter's weights, and with how many decimals they are written, by the
/// key `step`; without it they are whole numbers. A step with a point makes them floats. `None`
/// after noting a mistake.
fn step(raw: &RawParameter) -> Option<WeightStep> {
    raw.step.or(WeightStep::ONE, |At { place, value }| {
        if value.count > 0 && value.decimals <= MOST_DECIMALS {
            return Some(WeightStep {
                counts: value.count,
                decimals: value.decimals,
                is_float: value.has_point,
            });
        }
        let found = format!("a step of {}", value.value());
        let expected = format!("more than 0, of at most {MOST_DECIMALS} decimals");
        place.refuse(found, expected, "correct it; to fix weights, use `frozen`")
    })
}

/// Returns the lower and the upper limit of a parameter's weights, by the key `bounds`, in units of
/// the last decimal that the step has. `None` if there is no such key, or after noting a mistake. A
/// limit beyond the integer type of generated code is noted, and returned.
fn bounds(raw: &RawParameter, integer: Integer, step: WeightStep) -> Option<(i64, i64)> {
    let list = raw.bounds.get()?;
    let [lower, upper] = list.value.as_slice() else {
        let found = format!("bounds of {} numbers", list.value.len());
        let expected = "two: the lower and the upper limit";
        return list.place.refuse(found, expected, "write `[lower, upper]`");
    };
    let range = step.range(integer);
    let count = |At { place, value }: &At<Decimal>| {
        let found = format!("limit {}", decimal::text(value.count, value.decimals));
        let Some(count) = value.at(step.decimals) else {
            let expected = match step.decimals {
                0 => "a whole number".to_owned(),
                most => format!("at most {most} decimals, as `step` has"),
            };
            return place.refuse(found, expected, "correct the limit or the step");
        };
        if !range.contains(&count) {
            let (expected, cure) = step.in_range(integer);
            place.note(found, expected, format!("correct it, or {cure}"));
        }
        Some(count)
    };
    let (lower, upper) = (count(lower)?, count(upper)?);
    if lower <= upper {
        return Some((lower, upper));
    }
    let (lower, upper) = (step.text(lower), step.text(upper));
    let found = format!("lower limit {lower} above upper limit {upper}");
    list.place.refuse(found, "the lower one first", "swap them")
}

/// Returns for each weight of a parameter, in their order, whether it is frozen: all, or those that
/// the paths of the key `frozen` name. A path that leads nowhere is noted. `weights`: how many
/// weights the parameter has.
fn frozen(raw: &RawParameter, parameter: &Parameter, weights: usize) -> Vec<bool> {
    let mut each = vec![false; weights];
    let paths = match raw.frozen.get().map(|frozen| &frozen.value) {
        None => return each,
        Some(RawFrozen::All(all)) => return vec![*all; weights],
        Some(RawFrozen::Paths(paths)) => paths,
    };
    // Weights are counted from 0 in the parameter, as its place in the spec is not set yet.
    for path in paths {
        match resolve_in(parameter, &path.value) {
            Ok(selection) => selection.weights().for_each(|weight| each[weight] = true),
            Err(error) => path.place.note(error.found, error.expected, error.cure),
        }
    }
    each
}
