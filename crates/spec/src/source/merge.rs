//! From changed sources to a spec that its author has worked on.

use std::path::Path;

use super::choice::Choice;
use super::import::{Declaration, Declarations, LeftOutConst, brackets, sentence};
use super::mistakes::{Cause, SourceError, SourceMistake, settle};
use super::{Sources, spec_text};
use crate::{Dim, Parameter, Spec, SpecDocument};

const VANISHED: Cause = Cause {
    what: "parameters are in the spec and no weights of the sources any more",
    cure: "--vanished drop takes them out, --vanished keep leaves them",
};
const OTHER_SHAPE: Cause = Cause {
    what: "parameters have another shape here than in the spec",
    cure: "correct `shape`, `phases` and `initial` there, or take their sections out: they are \
           new then",
};

const COARSE: Cause = Cause {
    what: "parameters have numbers that are no multiples of their steps in the spec",
    cure: "write a finer `step` there",
};

/// How to treat a parameter that the sources no longer hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vanished {
    /// Nothing is written, and the user is asked.
    #[default]
    Ask,
    /// It stays in the spec.
    Keep,
    /// It is taken out, with the ties that name it.
    Drop,
}

/// A spec that agrees with the sources again.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The text of the spec.
    pub text: String,
    /// A sentence for each parameter that changed, is new, or vanished.
    pub notes: Vec<String>,
    /// The consts of the sources that are not in the spec.
    pub passed: Vec<LeftOutConst>,
}

/// Brings a spec up to date with the sources: their values, their new parameters.
/// What the author wrote stays: bounds, groups, names of indices, ties, priors,
/// docs, comments, order.
///
/// Parameters that `choice` does not take stay as they are. `vanished`: what to do about parameters
/// that are not weights of the sources any more.
///
/// # Errors
///
/// What [`import`](super::import()) refuses, a parameter that has another shape in the source, a
/// vanished one with [`Vanished::Ask`], and values that the spec does not allow.
pub fn merge(
    document: &SpecDocument,
    sources: &Sources,
    choice: &Choice,
    vanished: Vanished,
) -> Result<Merged, SourceError> {
    let found = Declarations::of(sources, choice)?;
    let layout = document.spec().layout();
    let mut values = layout.initial_counts().to_vec();
    let (mut notes, mut mistakes, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    // Each parameter of the spec gets the values that it has in the sources, or is gone there.
    for parameter in layout.parameters() {
        let name = parameter.name();
        let Some(declared) = found.taken.iter().find(|one| one.found.name == name) else {
            if choice.takes_name(name) {
                gone.push(name);
            }
            continue;
        };
        if let Some(other) = other_shape(parameter, declared) {
            mistakes.push(other);
            continue;
        }
        // The values in units of the last decimal of the parameter's step.
        let step = parameter.step;
        let counts = declared.values.iter().map(|&value| step.count(value));
        let Some(counts) = counts.collect::<Option<Vec<i64>>>() else {
            let step = step.size();
            let what = format!("{name} has numbers that are no multiples of its step, {step}");
            mistakes.push(SourceMistake::of(COARSE, &declared.place, what));
            continue;
        };
        let old = &mut values[parameter.weight_range()];
        let changed = old.iter().zip(&counts).filter(|(a, b)| a != b);
        let changed = changed.count();
        if changed > 0 {
            notes.push(format!(
                "{}: {changed} of {} values of {name} are others in the source",
                declared.place,
                old.len()
            ));
            old.copy_from_slice(&counts);
        }
    }
    for &name in &gone {
        let why = found.why_not(name);
        let why = why.unwrap_or_else(|| "no const or static of this name is in them".to_owned());
        let words = format!("{name} is in the spec and no weight of the sources any more ({why})");
        match vanished {
            Vanished::Ask => mistakes.push(SourceMistake::of(VANISHED, "the spec", words)),
            Vanished::Keep => notes.push(format!("{words}; it stays")),
            Vanished::Drop => notes.push(format!(
                "{words}; it is taken out, with what ties or sums it"
            )),
        }
    }
    settle(mistakes)?;
    // Consts that are no parameters of the spec yet are added at its end.
    let is_new = |one: &&Declaration<'_>| {
        let mut known = layout.parameters().iter();
        !known.any(|parameter| parameter.name() == one.found.name)
    };
    let new: Vec<&Declaration<'_>> = found.taken.iter().filter(is_new).collect();
    notes.extend(new.iter().map(|one| format!("new: {}", sentence(one))));

    let refused = |error: &dyn std::fmt::Display| SourceError::one(error.to_string());
    // New values are written over the old ones, parameters that are gone are taken out, new ones
    // are added; at last the text is checked as a whole.
    let changed = values != layout.initial_counts();
    let words = changed.then_some("those of the sources");
    // `None`: the scaling constant stays.
    let written = document.with_values(&values, words, None);
    let mut text = written.map_err(|error| refused(&error))?;
    if vanished == Vanished::Drop && !gone.is_empty() {
        let document = SpecDocument::parse(Path::new("the spec"), text);
        text = document.map_err(|error| refused(&error))?.without(&gone);
    }
    if !new.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text += &spec_text::sections(new.iter().copied());
    Spec::parse(Path::new("the merged spec"), &text).map_err(|error| refused(&error))?;
    Ok(Merged {
        text,
        notes,
        passed: found.left_out(sources, choice),
    })
}

/// Returns a mistake if a parameter of the spec has other dimensions, or another number of phases,
/// than the const of this name in the source; else `None`.
fn other_shape(parameter: &Parameter, declared: &Declaration<'_>) -> Option<SourceMistake> {
    let dims: Vec<usize> = parameter.dims.iter().map(Dim::len).collect();
    let phases = parameter.phases.count();
    if dims == declared.found.dims && phases == declared.lanes {
        return None;
    }
    let what = |lanes: usize| ["a number", "a pair"][lanes - 1];
    let name = parameter.name();
    let (here, here_shape) = (what(declared.lanes), brackets(declared.found.dims.iter()));
    let (there, there_shape) = (what(phases), brackets(dims.iter()));
    let what = format!("{name} is {here}{here_shape} here and {there}{there_shape} in the spec");
    Some(SourceMistake::of(OTHER_SHAPE, &declared.place, what))
}
