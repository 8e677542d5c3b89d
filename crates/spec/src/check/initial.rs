//! Checks initial values against the shape, the integer type and the bounds.

use std::collections::BTreeSet;
use std::ops::Range;
use std::slice;

use crate::decimal::{self, Decimal};
use crate::diagnostic::TextPlace;
use crate::parameter::{Dim, PHASE, Parameter, Phases, WeightStep};
use crate::raw::Nested;
use crate::read::At;
use crate::spec::Integer;
use crate::text::{did_you_mean, quoted};

/// Initial values of one parameter: one per weight, each with its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Initial {
    /// The values in units of the last decimal of the parameter's step, in the order of the
    /// weights.
    pub(crate) numbers: Vec<i64>,
    /// The values as written; [`settle`](Self::settle) turns them into `numbers`.
    written: Vec<Decimal>,
    /// The bytes of each value in the file; weights that one number is for have equal ranges.
    places: Vec<Range<u32>>,
    /// The place of the whole value of the key `initial`.
    pub(crate) whole: TextPlace,
    /// The bytes of the values of each phase, in the order of phases; empty if not written by
    /// phase.
    pub(crate) by_phase: Vec<Range<usize>>,
}

impl Initial {
    /// Returns where the initial value of a weight is in the spec's file. `offset`: the number of
    /// the weight in its parameter, from 0.
    pub(crate) fn place(&self, offset: usize) -> TextPlace {
        let bytes = &self.places[offset];
        self.whole
            .mistakes
            .at(bytes.start as usize..bytes.end as usize)
    }

    /// Adds the value of the next weight in the order of the parameter's weights, and its place.
    fn push(&mut self, place: &TextPlace, number: Decimal) {
        self.written.push(number);
        // Files of specs are at most 64 MiB, so 32 bits suffice; in a longer text, of another
        // source, messages would name a wrong place.
        let bytes = &place.bytes;
        self.places.push(bytes.start as u32..bytes.end as u32);
    }

    /// Turns the values as they are written into whole numbers in units of the last decimal of the
    /// parameter's step. `None` after noting values that are not multiples of the step; a number
    /// that is for many weights is noted once.
    fn settle(mut self, parameter: &Parameter) -> Option<Self> {
        // The step 0.25 has two decimals, and is 25 units of the second one: `step` is 25.
        let WeightStep {
            counts: step,
            decimals,
            ..
        } = parameter.step;
        // Where numbers begin in the text that were noted.
        let mut seen = BTreeSet::new();
        for (offset, number) in std::mem::take(&mut self.written).into_iter().enumerate() {
            let count = number.at(decimals).filter(|count| count % step == 0);
            self.numbers.push(count.unwrap_or_default());
            let place = self.place(offset);
            if count.is_some() || !seen.insert(place.bytes.start) {
                continue;
            }
            let number = decimal::text(number.count, number.decimals);
            if parameter.step.is_one() {
                let cure = "correct the value, or write `step = 0.01`, say, for floats";
                let found = format!("found the number `{number}`");
                place.note(found, "a whole number", cure);
            } else {
                let found = format!("{} starts at {number}", parameter.weight_name(offset));
                let expected = format!("a multiple of {}, its step", parameter.step.text(step));
                place.note(found, expected, "correct the value or the step");
            }
        }
        seen.is_empty().then_some(self)
    }

    /// Notes initial values that the integer type of generated code or the bounds of the parameter
    /// do not allow. A number that is for many weights is noted once.
    pub(super) fn check_range(&self, parameter: &Parameter, integer: Integer) {
        let range = parameter.step.range(integer);
        let say = |count: i64| parameter.step.text(count);
        let (lower, upper) = parameter.bounds.unwrap_or((*range.start(), *range.end()));
        // Where numbers begin in the text that were noted; `wide`: beyond the integer type.
        let mut seen = BTreeSet::new();
        for (offset, &number) in self.numbers.iter().enumerate() {
            let wide = !range.contains(&number);
            if !wide && (lower..=upper).contains(&number) {
                continue;
            }
            let place = self.place(offset);
            if !seen.insert(place.bytes.start) {
                continue;
            }
            let name = parameter.weight_name(offset);
            let found = format!("{name} starts at {}", say(number));
            let (expected, cure) = if wide {
                let (expected, cure) = parameter.step.in_range(integer);
                (expected, format!("correct it, or {cure}"))
            } else {
                let expected = format!("{} to {}, its bounds", say(lower), say(upper));
                (expected, "correct the value or widen the bounds".to_owned())
            };
            place.note(found, expected, cure);
        }
    }
}

/// Reads the initial values of a parameter, and brings them into the order of its weights, in units
/// of the last decimal of its step. `None` after noting that they do not fit its shape or its step.
pub(super) fn check(initial: &At<Nested>, parameter: &Parameter) -> Option<Initial> {
    let arranged = arranged(initial, parameter)?;
    let whole = initial.place.clone();
    Initial { whole, ..arranged }.settle(parameter)
}

/// Returns the initial values of all weights of a parameter, in their order. They may be written as
/// a table with values for each phase, as one number for all weights, as one pair `[mg, eg]` for
/// all entries, or as lists in lists. `None` after noting that they do not fit the parameter.
fn arranged(initial: &At<Nested>, parameter: &Parameter) -> Option<Initial> {
    let tapered = parameter.phases == Phases::Tapered;
    let weights = parameter.weight_range().len();
    match &initial.value {
        Nested::Phases(phases) => {
            // `inner`: the parameter as if it had one phase.
            let mut inner = parameter.clone();
            if tapered {
                inner.phases = Phases::Untapered;
                return by_phase(&initial.place, phases, &inner, &Phases::NAMES);
            }
            // Phases of the author's own are the last dimension.
            if let Some(dim) = inner.dims.pop().filter(|dim| dim.list() == Some(PHASE)) {
                let names = dim.names().unwrap_or_default();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                return by_phase(&initial.place, phases, &inner, &names);
            }
            let expected = format!("numbers alone, since `{}` is untapered", parameter.name);
            let cure = "write one number per entry, or add `phases = [\"mg\", \"eg\"]`";
            let place = &initial.place;
            place.refuse("initial values by phase", expected, cure)
        }
        Nested::Number(_) => Some(repeated(slice::from_ref(initial), weights)),
        Nested::List(list) if tapered && is_pair(list) => Some(repeated(list, weights)),
        Nested::List(_) => Filling::of(parameter, initial),
    }
}

/// Tells whether a list is a pair of numbers, `[mg, eg]`.
fn is_pair(list: &[At<Nested>]) -> bool {
    let number = |entry: &At<Nested>| matches!(entry.value, Nested::Number(_));
    list.len() == 2 && list.iter().all(number)
}

/// Returns values for `count` weights: one number repeated, or the two numbers of a pair by turns.
fn repeated(numbers: &[At<Nested>], count: usize) -> Initial {
    let mut all = Initial::default();
    for number in numbers.iter().cycle().take(count) {
        if let Nested::Number(value) = number.value {
            all.push(&number.place, value);
        }
    }
    all
}

/// Returns the initial values of all weights from a table `{ mg = …, eg = … }` at `place`, whose
/// values by phase are `phases`. It must have all phases in `known` and no other, or else that is
/// noted and `None` returned. `inner`: the parameter as if it had one phase.
fn by_phase(
    place: &TextPlace,
    phases: &[(At<String>, At<Nested>)],
    inner: &Parameter,
    known: &[&str],
) -> Option<Initial> {
    let is_known = |key: &At<String>| known.contains(&key.value.as_str());
    for (key, _) in phases.iter().filter(|(key, _)| !is_known(key)) {
        let found = format!("no phase {}", quoted(&key.value));
        let cure = did_you_mean(&key.value, known.iter().copied(), "take it out");
        key.place.note(found, all_of(known), cure);
    }
    // All phases are read before a mistake in one of them ends this, so that all mistakes are
    // noted.
    let values = known.iter().map(|phase| {
        let Some((_, values)) = phases.iter().find(|(key, _)| key.value == *phase) else {
            let found = format!("initial values without `{phase}`");
            return place.refuse(found, all_of(known), format!("add `{phase} = …`"));
        };
        let of_phase = match &values.value {
            Nested::Number(_) => repeated(slice::from_ref(values), inner.entries()),
            _ => Filling::of(inner, values)?,
        };
        let whole = values.place.clone();
        Some(Initial { whole, ..of_phase })
    });
    let values: Vec<Option<Initial>> = values.collect();
    let values: Vec<Initial> = values.into_iter().collect::<Option<_>>()?;
    let mut all = Initial {
        by_phase: values.iter().map(|one| one.whole.bytes.clone()).collect(),
        ..Initial::default()
    };
    // In the order of weights phases are innermost.
    for entry in 0..inner.entries() {
        for of_phase in &values {
            all.push(&of_phase.place(entry), of_phase.written[entry]);
        }
    }
    Some(all)
}

/// Returns the names of phases joined for a message: `` `mg` and `eg` ``.
fn all_of(phases: &[&str]) -> String {
    let names: Vec<String> = phases.iter().map(|phase| format!("`{phase}`")).collect();
    match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        names => names.concat(),
    }
}

/// Walks nested lists along the dimensions of a parameter.
struct Filling<'p> {
    parameter: &'p Parameter,
    filled: Initial,
    /// The indices of the lists that are open, the outermost first.
    indices: Vec<usize>,
}

impl<'p> Filling<'p> {
    /// Returns initial values that are written as lists in lists, in the order of the weights of
    /// `parameter`; `None` after noting that they do not fit its shape.
    fn of(parameter: &'p Parameter, values: &At<Nested>) -> Option<Initial> {
        let mut filling = Self {
            parameter,
            filled: Initial::default(),
            indices: Vec::new(),
        };
        values.place.mistakes.unless_noted(|| {
            filling.fill(values);
            Some(filling.filled)
        })
    }

    /// Takes the values at the indices `self.indices`: those of an inner list, or of one entry.
    /// Returns `false`, after noting it, if `values` is not the list, number or pair that must be
    /// there, so that the caller stops. A list of a wrong length is noted, and `true` is returned.
    fn fill(&mut self, values: &At<Nested>) -> bool {
        // The dimension along which `values` must be a list; `None` if it must be one entry.
        let dim = self.parameter.dims.get(self.indices.len());
        let tapered = self.parameter.phases == Phases::Tapered;
        let found = match (&values.value, dim) {
            (Nested::List(list), Some(dim)) => {
                self.fill_list(&values.place, list, dim);
                return true;
            }
            (Nested::Number(number), None) if !tapered => {
                self.filled.push(&values.place, *number);
                return true;
            }
            (Nested::List(list), None) if tapered && is_pair(list) => {
                let pair = repeated(list, 2);
                self.filled.written.extend(pair.written);
                self.filled.places.extend(pair.places);
                return true;
            }
            (Nested::Number(number), _) => {
                let number = decimal::text(number.count, number.decimals);
                format!("the number {number}")
            }
            (Nested::List(list), None) => format!("a list of {}", list.len()),
            (Nested::Phases(_), _) => "a table".to_owned(),
        };
        let expected = match dim {
            Some(dim) => format!("a list of {}", dim.len),
            None if tapered => "one pair `[mg, eg]`".to_owned(),
            None => "one number".to_owned(),
        };
        let found = format!("{} is {found}", self.name());
        let cure = "make the values fit `shape` and `phases`, or correct those";
        values.place.note(found, expected, cure);
        false
    }

    /// Takes the entries of a list along the dimension `dim`, and notes at `place` if they are too
    /// many or too few.
    fn fill_list(&mut self, place: &TextPlace, list: &[At<Nested>], dim: &Dim) {
        if list.len() != dim.len {
            let by = dim.list().map(|list| format!(", one per `{list}`"));
            let (verb, difference) = if list.len() < dim.len {
                ("add", dim.len - list.len())
            } else {
                ("take out", list.len() - dim.len)
            };
            let found = format!("{} has {} entries", self.name(), list.len());
            let expected = format!("{}{}", dim.len, by.unwrap_or_default());
            let cure = format!("{verb} {difference} or correct `shape`");
            place.note(found, expected, cure);
        }
        for (index, entry) in list.iter().enumerate() {
            self.indices.push(index);
            let right = self.fill(entry);
            self.indices.pop();
            if !right {
                // Further entries are mostly wrong in the same way: one mistake is enough.
                break;
            }
        }
    }

    /// Returns the part of the parameter whose values are being read, for messages: `PST[pawn]`.
    fn name(&self) -> String {
        let mut name = self.parameter.name.clone();
        for (index, dim) in self.indices.iter().zip(&self.parameter.dims) {
            name.push('[');
            name.push_str(&dim.index_name(*index));
            name.push(']');
        }
        name
    }
}
