//! What reads a weight without a twin: its value is a plain number, through
//! which no derivative goes.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Expr, Item, Type};
use tuner_source::{Locals, Reader, Use, UseKind, UsePlace, entry, uses};

use super::Facts;
use super::body::BodyRef;
use super::methods::Effect;
use crate::diagnostics::{Diagnostic, Message, messages};
use crate::model::{
    Location, computed, has_attribute, is_operator, location_of, name_of, names_of, path_names,
    table,
};

/// What is known of a reader, an item that may read a weight.
pub(super) struct Reading {
    standing: Standing,
    /// The name of a weight that it reads, itself or through others, if any.
    pub(super) weight: Option<String>,
    /// The name of the pair (a struct of scores) that it gives without having a twin, if any.
    pair: Option<String>,
}

/// What the twin makes of a reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// No annotation reaches it.
    Unmarked,
    /// Annotated, but without twin, because it gives no score.
    Plain,
    /// It has a twin, and its value is traced.
    Traced,
    /// It has a twin in which each weight is accounted for.
    Closed,
}

/// A reader of weights that a use leads to.
#[derive(Clone, Copy)]
struct Read {
    reader: usize,
    /// Whether another method of the name reads no weight and may be meant instead.
    is_one_of_several: bool,
}

/// How deep aliases may lead to aliases.
const DEEPEST: usize = 16;

impl Facts {
    /// Returns what each reader (an item that may read a weight outside the twin) reads: a weight
    /// by itself, or by a reader that it calls, until nothing new is found. The shapes of all
    /// functions must be known.
    pub(super) fn all_readings(&self) -> Vec<Reading> {
        let all = &self.readers.all;
        let mut readings: Vec<_> = all.iter().map(|reader| self.reading_of(reader)).collect();
        loop {
            let mut found = Vec::new();
            for (index, reader) in all.iter().enumerate() {
                let reading = &readings[index];
                if reading.weight.is_some() || reading.standing == Standing::Closed {
                    continue;
                }
                let place = UsePlace::of(index, reader);
                let mut uses = reader.uses.iter();
                let read = uses.find_map(|used| self.read_by(&readings, &place, used));
                if let Some(weight) = read.and_then(|read| readings[read.reader].weight.clone()) {
                    found.push((index, weight));
                }
            }
            if found.is_empty() {
                return readings;
            }
            for (index, weight) in found {
                readings[index].weight = Some(weight);
            }
        }
    }

    /// What is known of a reader from its own text, before what it calls is known.
    fn reading_of(&self, reader: &Reader) -> Reading {
        let (standing, weight) = standing(self, reader);
        let may_give = standing == Standing::Unmarked && reader.owner.is_none() && !reader.is_macro;
        let pair_of = |used: &Use| {
            let (module, name) = self.item_of_type(reader.module, &used.path)?;
            let is_traced = self.traced_item((module, name.clone())).is_some();
            (is_traced && self.is_copied(&name)).then_some(name)
        };
        let mut gives = reader.gives.iter().filter(|_| may_give);
        let pair = gives.find_map(pair_of);
        Reading {
            standing,
            weight,
            pair,
        }
    }

    /// The module and the name of the item that a type is, or that its entries are, through
    /// aliases; `None` if it is of no item of the crate, or aliases lead in a circle.
    fn item_of_type(&self, mut from: usize, path: &[String]) -> Option<(usize, String)> {
        let mut path = path.to_vec();
        for _ in 0..DEEPEST {
            let (module, name) = self.item_behind(from, &path)?;
            let Some(Type::Path(to)) = self.modules[module].aliases.get(&name).map(entry) else {
                return Some((module, name));
            };
            (from, path) = (module, path_names(&to.path));
        }
        None
    }

    /// The reader behind a use, if it reads a weight. If the type of a receiver is unknown, one
    /// method of the name that reads is enough, unless the standard library has the name too: then
    /// all must read. A reader that leads back to `place` does not count, as that would never end.
    fn read_by(&self, readings: &[Reading], place: &UsePlace<'_>, used: &Use) -> Option<Read> {
        let reads = |&n: &usize| readings[n].weight.is_some();
        let comes_back = |n| place.reader.is_some_and(|to| self.leads(n, to));
        let (mut behind, is_sure) = self.behind(place, used)?;
        behind.retain(|&n| is_sure || !reads(&n) || !comes_back(n));
        let reader = behind.iter().copied().find(reads)?;
        let is_one_of_several = !is_sure && !behind.iter().all(reads);
        let is_method = matches!(used.kind, UseKind::Method(_));
        // No method of the standard library that evaluations call.
        let is_own = is_method && Effect::of(&used.path[0]) == Effect::Unknown;
        let is_meant = !is_one_of_several || is_own || self.is_of_parameter(place.module, used);
        is_meant.then_some(Read {
            reader,
            is_one_of_several,
        })
    }

    /// Whether a reader uses another one for sure, itself or by what it uses.
    fn leads(&self, from: usize, to: usize) -> bool {
        let (mut seen, mut waiting) = (HashSet::new(), vec![from]);
        while let Some(reader) = waiting.pop() {
            if reader == to {
                return true;
            }
            if seen.insert(reader) {
                waiting.extend(&self.uses[reader]);
            }
        }
        false
    }

    /// The name of the struct of scores that the function or const without twin behind a use gives;
    /// `None` if the use leads to none.
    fn given_pair(&self, place: &UsePlace<'_>, used: &Use) -> Option<&str> {
        let (module, name) = self.item_used(place, used)?;
        let all = &self.readers.all;
        let mut named = self.readers.named(&name)?.iter().copied();
        let giver = named.find(|&n| all[n].module == module && all[n].owner.is_none())?;
        self.readings[giver].pair.as_deref()
    }

    /// The mistakes of uses in a twin's body or initialiser that give a weight as a plain number,
    /// or that call such code without its name. `at`: the location of the function's name, if it is
    /// one: readers that lead back to it do not count.
    pub(super) fn plain_reads(
        &self,
        of: BodyRef<'_>,
        tokens: &impl ToTokens,
        locals: &Locals,
        at: Option<Location>,
    ) -> Vec<Diagnostic> {
        let module = self.units[of.unit].place;
        let place = UsePlace {
            reader: at.and_then(|at| self.reader_at(module, at)),
            module,
            owner: of.owner,
            locals,
        };
        let mut diagnostics = Vec::new();
        let uses = uses(tokens, locals);
        let called = self.implicit_read(&place, &uses);
        diagnostics.extend(
            called.map(|(at, message, of)| Diagnostic::new(at, message).once(format!("{of}"))),
        );
        for used in uses {
            let message = if let Some(pair) = self.given_pair(&place, &used) {
                Some(messages::pair_without_twin(&used.path.join("::"), pair))
            } else {
                let read = self.read_by(&self.readings, &place, &used);
                read.and_then(|read| {
                    let through = || self.read_through_trait(&used, read.reader);
                    self.plain_read(read).or_else(through)
                })
            };
            diagnostics.extend(message.map(|message| Diagnostic::new(used.at, message)));
        }
        diagnostics
    }

    /// For each function of these names, the name of a weight that it reads, if any.
    pub(super) fn weights_read_by(&self, names: &HashSet<String>) -> BTreeSet<String> {
        let all = self.readers.all.iter().zip(&self.readings);
        let called = all.filter(|(one, _)| one.signature.is_some() && names.contains(&one.name));
        let weights = called.filter_map(|(_, reading)| reading.weight.clone());
        weights.collect()
    }

    /// A weight that a function reads, itself or by what it calls; `None` if it reads none.
    pub(super) fn weight_read_by(&self, body: usize) -> Option<&str> {
        self.readings[self.reader_of(body)?].weight.as_deref()
    }

    /// The number of the reader that a function is; `None` of an initialiser.
    pub(super) fn reader_of(&self, body: usize) -> Option<usize> {
        let function = self.function(body);
        let module = self.units[function.unit].place;
        self.reader_at(module, function.location?)
    }

    /// The number of the reader of a module whose name is at a location.
    fn reader_at(&self, module: usize, at: Location) -> Option<usize> {
        let mut all = self.readers.all.iter();
        all.position(|reader| reader.module == module && reader.location == at)
    }

    /// The message on a use of a reader without twin that reads weights; `None` if its twin has
    /// these weights, or another check refuses it.
    fn plain_read(&self, read: Read) -> Option<Message> {
        let reading = &self.readings[read.reader];
        let reader = &self.readers.all[read.reader];
        let unit = self.unit_of(reader.module);
        let function = unit.and_then(|unit| self.function_at(unit, reader.location));
        // A call of what the author leaves without twin is refused by `refuse_call`.
        if function.is_some_and(|function| self.is_untraced(function)) {
            return None;
        }
        let (name, weight) = (&reader.name, reading.weight.as_deref().unwrap_or_default());
        match reading.standing {
            Standing::Unmarked if reader.is_macro => Some(messages::macro_of_weights(name, weight)),
            Standing::Unmarked | Standing::Plain if holds_functions(self, reader) => {
                Some(messages::functions_in_table(name, weight))
            }
            Standing::Unmarked => Some(match (&reader.written_by, &reader.owner) {
                (Some(by), _) => messages::written_reader(name, by, weight),
                (None, _) if reader.is_provided => messages::provided_reader(name, weight),
                (None, Some(owner)) if read.is_one_of_several => {
                    messages::unmarked_reader_of(name, owner, weight)
                }
                (None, _) => messages::unmarked_reader(name, weight),
            }),
            Standing::Plain => Some(messages::plain_reader(name, weight)),
            Standing::Traced | Standing::Closed => None,
        }
    }
}

/// Tells whether a reader is a const or static of functions, `[fn(&Board) -> i32; 2]`.
fn holds_functions(facts: &Facts, reader: &Reader) -> bool {
    let unit = facts.unit_of(reader.module).into_iter();
    let mut tables = unit.flat_map(|unit| facts.units[unit].items.iter().filter_map(table));
    let is_it = |(name, ..): &(&Ident, &Type, &Expr)| **name == reader.name;
    let table = tables.find(is_it);
    table.is_some_and(|(_, ty, _)| names_of(ty).contains("fn"))
}

/// What the twin makes of an item, and the name of the weight that it is; `None` unless it is a
/// table of weights.
fn standing(facts: &Facts, reader: &Reader) -> (Standing, Option<String>) {
    let Some(unit) = facts.unit_of(reader.module) else {
        return (Standing::Unmarked, None);
    };
    // Several may have one name, each under another `cfg`.
    let mut of_unit = facts.constants.iter().filter(|c| c.unit == unit);
    let constant = of_unit.find(|c| c.location == reader.location && c.name == reader.name);
    if let Some(constant) = constant {
        let is_weight = !constant.leaves.leaves.is_empty();
        return (Standing::Traced, is_weight.then(|| reader.name.clone()));
    }
    if let Some(function) = facts.function_at(unit, reader.location) {
        let standing = match facts.has_twin(function) {
            false => Standing::Plain,
            true if facts.meets_scores(function) => Standing::Traced,
            true => Standing::Closed,
        };
        return (standing, None);
    }
    if facts.units[unit].frozen.contains(&reader.name) {
        return (Standing::Closed, None);
    }
    let holds = |item: &&Item| {
        let at = location_of(item);
        Some(at) == reader.block || at == reader.location && name_of(item).is_some()
    };
    match facts.units[unit].items.iter().find(holds) {
        Some(Item::Impl(block)) => {
            let copied = reader.owner.as_deref().is_some_and(|o| facts.is_copied(o));
            let is_whole = facts.units[unit].whole || has_attribute(&block.attrs, "tunable");
            let standing = match is_whole {
                _ if copied && is_whole || is_operator(block) => Standing::Traced,
                true => Standing::Plain,
                false => Standing::Unmarked,
            };
            (standing, None)
        }
        // Refused at its declaration.
        Some(item) if table(item).is_some_and(|(_, ty, _)| computed::is_lazy(ty)) => {
            (Standing::Closed, None)
        }
        Some(_) => (Standing::Plain, None),
        None => (Standing::Unmarked, None),
    }
}
