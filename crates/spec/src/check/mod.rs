//! From the sections of a spec to its meaning; notes every mistake on the way.
//!
//! Each step works on what the steps before it could make sense of, so one
//! wrong line is one mistake and does not hide the others.

mod constraint;
mod head;
mod initial;
mod parameter;
mod prior;
mod tie;

use std::collections::BTreeSet;

use super::diagnostic::Mistakes;
use super::layout::Layout;
use super::parameter::{Parameter, Phases};
use super::raw::{RawParameter, RawSpec};
use super::read::At;
use super::spec::{Output, Spec};
use super::text::quoted;
pub(crate) use initial::Initial;
use tuner_base::Constraint;

/// Most weights of a whole spec. Chosen: ten thousand times a large evaluation; it keeps a wrong
/// shape from filling the memory.
pub(super) const MOST_WEIGHTS: usize = 10_000_000;

/// A parameter without mistakes in its layout, with what belongs to its weights.
struct Checked {
    parameter: Parameter,
    initial: Initial,
    /// For each weight of the parameter, whether it is frozen.
    frozen: Vec<bool>,
    /// The mirrors, with their places in the spec.
    mirrors: Vec<At<tie::Mirror>>,
    /// The orders and shapes, as sums of the parameter's own weights.
    orders: Vec<constraint::Placed>,
}

/// Checks a spec that was parsed, and makes it: returns the spec, and of each parameter the initial
/// values with their places in the file. `None` if a mistake was noted, here or before.
pub(super) fn check(raw: &RawSpec, mistakes: &Mistakes) -> Option<(Spec, Vec<Initial>)> {
    head::version(raw);
    let name = head::name(raw);
    let unit = head::text(&raw.unit);
    let values = head::text(&raw.values);
    let k = head::k(raw);
    let mut output = head::output(raw);
    let names = head::names(raw);
    let sections = raw.parameter.entries();
    if let Some(list) = raw.parameter.get().filter(|list| list.value.0.is_empty()) {
        let cure = "declare one under `[[parameter]]`";
        list.place.note("no parameter", "at least one", cure);
    }
    unique_names(sections, &output);
    // The parameters without mistakes, one after the other; `place` says where the next one begins.
    let mut all = Vec::with_capacity(sections.len());
    let mut place = parameter::Place::default();
    for section in sections {
        let one = parameter::check(section, &names, output.integer, &mut place);
        all.extend(one);
    }
    // Whether parameters with mistakes are missing in `all`: what refers to them is then no
    // mistake.
    let broken = all.len() < sections.len();
    output.float_pairs = float_pairs(&all, sections, mistakes);
    // A layout without ties, in which paths of ties and constraints are looked up.
    let parameters = all.iter().map(|one| one.parameter.clone());
    let numbers = all.iter().flat_map(|one| &one.initial.numbers).copied();
    let frozen = all.iter().flat_map(|one| &one.frozen).copied();
    let layout = Layout::new(parameters.collect(), numbers.collect(), frozen.collect());
    let ties = tie::check(&all, &layout, raw, broken, mistakes);
    let constraints = constraint::check(&all, &layout, raw, broken);
    if !mistakes.is_empty() {
        return None;
    }
    // The whole layout; only in it can be checked whether constraints can be satisfied.
    let frozen = tie::frozen_together(&layout, &ties);
    let (places, constraints): (Vec<_>, Vec<Constraint>) = constraints.into_iter().unzip();
    let layout = layout.tied(frozen, ties, constraints);
    constraint::reach(&layout, &places, output.integer);
    if !mistakes.is_empty() {
        return None;
    }
    let mut spec = Spec {
        name: name?,
        unit: unit.unwrap_or_else(|| "centipawn".to_owned()),
        values,
        k,
        output,
        layout,
        hash: String::new(),
    };
    spec.hash = spec.fingerprint();
    Some((spec, all.into_iter().map(|one| one.initial).collect()))
}

/// Tells whether pairs `[mg, eg]` of the spec are of floats; `false` if it has no tapered
/// parameter. All pairs have one type in generated code, so a mistake is noted, at the section of a
/// parameter, if some parameters of `all` have pairs of floats and others pairs of integers.
fn float_pairs(all: &[Checked], sections: &[At<RawParameter>], mistakes: &Mistakes) -> bool {
    let mut pairs = (all.iter()).filter(|one| one.parameter.phases == Phases::Tapered);
    let Some(first) = pairs.next() else {
        return false;
    };
    let is_float = first.parameter.step.is_float;
    if let Some(other) = pairs.find(|one| one.parameter.step.is_float != is_float) {
        let (name, other) = (first.parameter.name(), other.parameter.name());
        let is_other = |section: &&At<RawParameter>| {
            (section.value.name.get()).is_some_and(|name| name.value == other)
        };
        // The section that declares it is always found, as the parameter was made from it.
        let section = sections.iter().find(is_other);
        let place = section.map(|section| section.place.clone());
        let place = place.unwrap_or_else(|| mistakes.at(0..0));
        let found = format!("pairs of floats and of whole numbers (`{name}`, `{other}`)");
        let expected = "pairs of one kind, as they have one type";
        let cure = "give both a `step` with a point, or neither";
        place.note(found, expected, cure);
    }
    is_float
}

/// Notes a mistake for each parameter that has the name of an earlier one, or that of the pair
/// type.
fn unique_names(sections: &[At<RawParameter>], output: &Output) {
    let mut seen = BTreeSet::new();
    for At { place, value } in sections.iter().filter_map(|one| one.value.name.get()) {
        let (name, cure) = (quoted(value), "rename one of them");
        if *value == output.pair {
            let found = format!("parameter {name} has the name of the pair type");
            place.note(found, "another name, since both are in one file", cure);
        }
        if !seen.insert(value) {
            let found = format!("a second parameter named {name}");
            place.note(found, "each name once", cure);
        }
    }
}
