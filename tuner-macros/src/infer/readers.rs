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

/// Most aliases that are followed from one to the next: more are taken for a circle. Chosen, and
/// more than any crate needs.
const DEEPEST: usize = 16;

impl Facts {
    /// Returns what is known of each reader (an item that may read a weight), by number: above all
    /// the name of a weight that it reads itself, or through another reader, followed until nothing
    /// new is found. A reader of which the twin accounts for each weight (`Closed`) reads through
    /// others without harm, and is left out. The shapes (what in a value depends on weights) of all
    /// functions must be known.
    pub(super) fn all_readings(&self) -> Vec<Reading> {
        let all = &self.readers.all;
        let mut readings: Vec<_> = all.iter().map(|reader| self.reading_of(reader)).collect();
        loop {
            // Number of a reader, and the weight that it is now known to read.
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

    /// What the text of one reader (an item that may read a weight) says by itself: what the twin
    /// makes of it, whether it is a table of weights, and whether it gives a pair (a struct of
    /// scores) without having a twin. What it calls is not looked at.
    fn reading_of(&self, reader: &Reader) -> Reading {
        let (standing, weight) = standing(self, reader);
        // Only free functions and consts without annotation are asked for a pair: what a method
        // gives is judged where a body that calls it is walked, as the receiver's type is known
        // there.
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

    /// The item that a type is after all aliases, or that the entries of an array behind an alias
    /// are: number of the module, and name. `path` is the type as the module with the number `from`
    /// names it. `None` if the type is not of this crate, or there are so many aliases that they
    /// lead in a circle.
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

    /// The reader (an item that may read a weight) that a use of a name leads to, if it does read
    /// one; else `None`. If the type of a receiver is unknown, one method of the name that reads a
    /// weight is enough, unless the standard library has a method of the name too: then all must
    /// read one. For a path `T::value` of a type parameter one is enough as well. A method that may
    /// be meant there but itself leads to the body of the use does not count, as the call would
    /// never return. `readings` is what is known so far, `place` where the use is.
    fn read_by(&self, readings: &[Reading], place: &UsePlace<'_>, used: &Use) -> Option<Read> {
        let reads = |&n: &usize| readings[n].weight.is_some();
        let comes_back = |n| place.reader.is_some_and(|to| self.leads(n, to));
        // The readers that the use may mean, and whether it surely means one of them.
        let (mut behind, is_sure) = self.behind(place, used)?;
        behind.retain(|&n| is_sure || !reads(&n) || !comes_back(n));
        let reader = behind.iter().copied().find(reads)?;
        // Whether a method that reads no weight may be meant instead.
        let is_one_of_several = !is_sure && !behind.iter().all(reads);
        let is_method = matches!(used.kind, UseKind::Method(_));
        // The standard library has no method of this name that evaluations call.
        let is_own = is_method && Effect::of(&used.path[0]) == Effect::Unknown;
        let is_meant = !is_one_of_several || is_own || self.is_of_parameter(place.module, used);
        is_meant.then_some(Read {
            reader,
            is_one_of_several,
        })
    }

    /// Whether one reader (an item that may read a weight), `from`, surely uses another, `to`,
    /// itself or through what it uses. Both are numbers; each reader leads to itself.
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

    /// The name of the pair (a struct of scores) that a use of a name at `place` gives, if it leads
    /// to a free function or a const that has no twin; else `None`.
    fn given_pair(&self, place: &UsePlace<'_>, used: &Use) -> Option<&str> {
        let (module, name) = self.item_used(place, used)?;
        let all = &self.readers.all;
        let mut named = self.readers.named(&name)?.iter().copied();
        let giver = named.find(|&n| all[n].module == module && all[n].owner.is_none())?;
        self.readings[giver].pair.as_deref()
    }

    /// The mistakes in a body or initialiser with a twin, `tokens`, that are about uses of names:
    /// uses that give a weight as a plain number of production, because the item that they lead to
    /// has no twin; and methods that read weights and are called without their names. `at`: the
    /// location of the function's name, by which the function is found, as a method that leads back
    /// to it does not count; `None` for an initialiser.
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
        // Of each method that is called without its name one mistake is told, by its number.
        let called = self.implicit_read(&place, &uses);
        diagnostics.extend(
            called.map(|(at, message, n)| Diagnostic::new(at, message).once(format!("{n}"))),
        );
        for used in uses {
            let message = if let Some(pair) = self.given_pair(&place, &used) {
                Some(messages::pair_without_twin(&used.path.join("::"), pair))
            } else {
                // The item has no twin; or it has one, but the use leads to production's method by
                // naming a trait or a type parameter.
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

    /// The weights that functions of these names read: of each function the name of one, if it
    /// reads any.
    pub(super) fn weights_read_by(&self, names: &HashSet<String>) -> BTreeSet<String> {
        let all = self.readers.all.iter().zip(&self.readings);
        let called = all.filter(|(one, _)| one.signature.is_some() && names.contains(&one.name));
        let weights = called.filter_map(|(_, reading)| reading.weight.clone());
        weights.collect()
    }

    /// The name of a weight that the function with the body of this number reads, itself or by what
    /// it calls; `None` if it reads no weight.
    pub(super) fn weight_read_by(&self, body: usize) -> Option<&str> {
        self.readings[self.reader_of(body)?].weight.as_deref()
    }

    /// The number, among the readers (items that may read a weight), of the function with the body
    /// of this number; `None` of an initialiser.
    pub(super) fn reader_of(&self, body: usize) -> Option<usize> {
        let function = self.function(body);
        let module = self.units[function.unit].place;
        self.reader_at(module, function.location?)
    }

    /// The number of the reader (an item that may read a weight) in the module with the number
    /// `module` whose name is at the location `at`; `None` if there is none.
    fn reader_at(&self, module: usize, at: Location) -> Option<usize> {
        let mut all = self.readers.all.iter();
        all.position(|reader| reader.module == module && reader.location == at)
    }

    /// The message that a use leads to an item that reads weights and has no twin. `None` if the
    /// item has a twin with these weights, or another check refuses the use.
    fn plain_read(&self, read: Read) -> Option<Message> {
        let reading = &self.readings[read.reader];
        let reader = &self.readers.all[read.reader];
        let unit = self.unit_of(reader.module);
        let function = unit.and_then(|unit| self.function_at(unit, reader.location));
        // A function that the author leaves without twin: its calls are refused by `refuse_call`.
        if function.is_some_and(|function| self.is_untraced(function)) {
            return None;
        }
        // A `Read` leads only to readers that read a weight.
        let (name, weight) = (&reader.name, reading.weight.as_deref().unwrap_or_default());
        // `Unmarked`: no annotation reaches the item. `Plain`: it is annotated, but gives no score.
        // `Traced`, `Closed`: it has a twin.
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

/// Tells whether a reader (an item that may read a weight) is a const or static with functions in
/// it, by its type: `[fn(&Board) -> i32; 2]`. Those of modules without annotation do not count.
fn holds_functions(facts: &Facts, reader: &Reader) -> bool {
    let unit = facts.unit_of(reader.module).into_iter();
    let mut tables = unit.flat_map(|unit| facts.units[unit].items.iter().filter_map(table));
    let is_it = |(name, ..): &(&Ident, &Type, &Expr)| **name == reader.name;
    let table = tables.find(is_it);
    table.is_some_and(|(_, ty, _)| names_of(ty).contains("fn"))
}

/// What the twin makes of a reader (an item that may read a weight); and, if the reader is itself a
/// table of weights, its name as that of a weight it reads, else `None`. `Unmarked`: no annotation
/// reaches the item; `Plain`: it is annotated, but has no twin; `Traced`: it has a twin with a
/// traced value; `Closed`: no weight leaves it uncounted.
fn standing(facts: &Facts, reader: &Reader) -> (Standing, Option<String>) {
    let Some(unit) = facts.unit_of(reader.module) else {
        return (Standing::Unmarked, None);
    };
    // Several consts may have one name, each under another `cfg`.
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
        // A member of an impl block that is not among the functions of the tables, as a const. It
        // is in the twin if the block is an operator's, or is annotated and its struct copied.
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
        // A `LazyLock` or the like: what is wrong with it is told where it is declared.
        Some(item) if table(item).is_some_and(|(_, ty, _)| computed::is_lazy(ty)) => {
            (Standing::Closed, None)
        }
        Some(_) => (Standing::Plain, None),
        None => (Standing::Unmarked, None),
    }
}
