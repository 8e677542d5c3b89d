//! Calls that lead to production unseen: of methods that nobody names, such as `index` of
//! `a[i]`, and by paths that name a trait or a type parameter.

use std::collections::{HashMap, HashSet};

use quote::ToTokens;
use syn::Item;
use tuner_source::{Reader, Use, UseKind, UsePlace, is_among};

use super::Facts;
use super::methods::Effect;
use crate::diagnostics::{Extent, Message, messages};
use crate::model::{each_token, is_operator, location, location_of, names_of, table};

/// Traits of other crates of which no score comes: their methods write a value down.
const SHOWING: [&str; 6] = ["Debug", "Display", "Error", "Hash", "Serialize", "Write"];

/// Methods that are called without their names, by an operator, a loop or a conversion.
const UNNAMED: &str = "add add_assign bitand bitor bitxor cmp default deref div div_assign \
    drop eq from from_iter index into_iter mul mul_assign neg next not partial_cmp rem shl sub \
    sub_assign sum";

/// Names of the standard library that are in sight without a `use`, beside plain types.
const PRELUDE: &str = "AsMut AsRef Box Clone Default Extend From FromIterator Into \
    IntoIterator Iterator Option Ord PartialEq PartialOrd Result ToString TryFrom";

impl Facts {
    /// Readers by number that read weights, that no twin replaces, and that may be called without
    /// their names: methods of other crates' traits, and those that a macro of the author writes.
    pub(super) fn implicit_readers(&self) -> Vec<usize> {
        let all = self.readers.all.iter().enumerate();
        let reads = all.filter(|(index, reader)| {
            let of_trait = reader.of_trait.as_deref();
            let is_foreign = |name: &str| !SHOWING.contains(&name) && !self.declares(name);
            let is_unseen = match &reader.written_by {
                Some(_) => is_among(UNNAMED, &reader.name),
                None => of_trait.is_some_and(is_foreign),
            };
            self.readings[*index].weight.is_some() && is_unseen && !self.has_operator(reader)
        });
        reads.map(|(index, _)| index).collect()
    }

    /// Bodies that no twin calls but any crate may call, and that give a number and read a weight,
    /// though no score is seen in them; each with the name of that weight. Their twins would be
    /// production's code.
    pub(super) fn lost_scores(&self) -> HashMap<usize, String> {
        let is_lost = |&body: &usize| {
            let function = self.function(body);
            let is_number = function.numbers.last() == Some(&true);
            let mut callers = self.bodies[body].callers.iter().flatten();
            self.units[function.unit].whole
                && function.public
                && is_number
                && function.of_trait.is_none()
                && !function.operator
                && !function.reads_state
                && !self.has_twin(body)
                && !self.is_untraced(body)
                && !callers.any(|&caller| self.has_twin(caller))
        };
        let lost = (0..self.bodies.len()).filter(is_lost);
        let read = |body: usize| {
            let own = self.weight_read_by(body).map(str::to_owned);
            let weight = own.or_else(|| self.weight_read_unseen(body))?;
            Some((body, weight))
        };
        lost.filter_map(read).collect()
    }

    /// The name of a weight that a function reads only through what it calls without a name; `None`
    /// if there is none.
    fn weight_read_unseen(&self, body: usize) -> Option<String> {
        let reader = self.reader_of(body)?;
        let own = &self.readers.all[reader];
        let (_, _, index) = self.implicit_read(&UsePlace::of(reader, own), &own.uses)?;
        self.readings[index].weight.clone()
    }

    /// The names of the traits that occur behind `dyn` in the units, the annotated modules.
    pub(super) fn dynamic_traits(&self) -> HashSet<String> {
        let mut found = HashSet::new();
        let items = self.units.iter().flat_map(|unit| &unit.items);
        // Tables are long, and have none.
        for item in items.filter(|item| table(item).is_none()) {
            let mut is_behind = false;
            each_token(item.to_token_stream(), &mut |token| {
                let name = token.to_string();
                if is_behind {
                    found.insert(name.clone());
                }
                is_behind = name == "dyn";
            });
        }
        found
    }

    /// The message on a method call of a value of unknown type, if one of `candidates`, the
    /// functions that it may mean, reads a weight and is of a trait that occurs behind `dyn`; else
    /// `None`.
    pub(super) fn read_through_object(&self, name: &str, candidates: &[usize]) -> Option<Message> {
        let is_dynamic = |&&f: &&usize| {
            let of_trait = self.function(f).of_trait.as_ref();
            of_trait.is_some_and(|of_trait| self.dynamic.contains(of_trait))
        };
        let &found = candidates.iter().find(is_dynamic)?;
        let of_trait = self.function(found).of_trait.as_deref()?;
        let weight = self.weight_read_by(found)?;
        let path = format!("dyn {of_trait}");
        Some(messages::through_trait(name, &path, weight))
    }

    /// Whether a struct, an enum or a union of the crate has this name.
    fn is_type(&self, name: &str) -> bool {
        let mut modules = self.modules.iter();
        modules.any(|module| module.types.contains(name))
    }

    /// Whether an item of the crate other than a module has this name.
    pub(super) fn declares(&self, name: &str) -> bool {
        let mut modules = self.modules.iter();
        modules.any(|module| module.declared.contains(name))
    }

    /// Tells whether the twin has the impl block of a method, of an operator or a conversion, or
    /// the macro call that writes it.
    fn has_operator(&self, reader: &Reader) -> bool {
        self.items_of(reader).any(|item| match item {
            Item::Impl(block) if Some(location_of(item)) == reader.block => {
                is_operator(block) && self.has_twin_block(block)
            }
            Item::Macro(call) => {
                let at = location(call.mac.bang_token.span);
                at == reader.location && self.writes_for_twins(&call.mac)
            }
            _ => false,
        })
    }

    /// The annotated items of the module of a reader.
    fn items_of(&self, reader: &Reader) -> impl Iterator<Item = &Item> {
        let unit = self.unit_of(reader.module);
        unit.into_iter().flat_map(|unit| &self.units[unit].items)
    }

    /// The types that must meet for a method to be called without its name: its own, those
    /// of its arguments, and that of `Sum<Struct>`, as far as the crate declares them.
    fn types_of(&self, reader: &Reader) -> Vec<String> {
        if reader.written_by.is_some() {
            let used = reader.uses.iter().filter_map(|used| used.path.last());
            return used.filter(|name| self.is_type(name)).cloned().collect();
        }
        let own = reader.owner.iter().cloned();
        let given = reader.parameters().into_iter().map(|(_, ty)| ty);
        let of_trait = self.items_of(reader).find_map(|item| match item {
            Item::Impl(block) if Some(location_of(item)) == reader.block => {
                Some(names_of(&block.trait_.as_ref()?.0))
            }
            _ => None,
        });
        let all = own.chain(given).chain(of_trait.into_iter().flatten());
        all.filter(|ty| self.declares(ty)).collect()
    }

    /// The reader of weights that is called without its name and may be reached by some uses of a
    /// twin: the extent of the use, the message, and the reader's number. It counts only if all
    /// types that must meet for the call are named on the way. `None` if there is none.
    pub(super) fn implicit_read(
        &self,
        place: &UsePlace<'_>,
        uses: &[Use],
    ) -> Option<(Extent, Message, usize)> {
        if self.implicit.is_empty() {
            return None;
        }
        let mut reach = Reach::default();
        let own = place.reader.map(|reader| &self.readers.all[reader]);
        if let Some(own) = own {
            reach.signature(own);
        }
        reach.types.extend(place.owner.map(str::to_owned));
        for used in uses {
            reach.add(self, place, used);
            reach.close(self);
            let is_here = |&&reader: &&usize| {
                let (implicit, types) = (&self.readers.all[reader], &reach.types);
                Some(reader) != place.reader
                    && (implicit.name != "default" || reach.makes_default(self, implicit))
                    && self.types_of(implicit).iter().all(|ty| types.contains(ty))
            };
            if let Some(&index) = self.implicit.iter().find(is_here) {
                let reader = &self.readers.all[index];
                let weight = self.readings[index].weight.as_deref().unwrap_or_default();
                let types = self.types_of(reader);
                let owner = types.first().or(reader.owner.as_ref());
                let owner = owner.map_or("", String::as_str);
                let place = match (&reader.written_by, &reader.of_trait) {
                    (Some(by), _) => format!("{by}!"),
                    (None, of_trait) => of_trait.clone().unwrap_or_default(),
                };
                let message = messages::implicit_reader(&reader.name, &place, owner, weight);
                return Some((used.at, message, index));
            }
        }
        None
    }

    /// The message on a use that leads to a reader of weights, given by its number, through its
    /// trait or a type parameter: `Tr::value(…)`, `T::value(…)`. The twin would call production's.
    /// `None` if the use names the type itself.
    pub(super) fn read_through_trait(&self, used: &Use, reader: usize) -> Option<Message> {
        let owner = self.readers.all[reader].owner.as_deref()?;
        let (of, name) = match (&used.path[..], &used.kind) {
            ([.., of, name], UseKind::Path) => (of, name),
            ([name], UseKind::Method(method)) => {
                let of = method.on.as_ref()?;
                let of_trait = self.readers.all[reader].of_trait.as_ref();
                let is_parameter = of.len() == 1 && !self.declares(of);
                if !method.fields.is_empty() || !(is_parameter || of_trait == Some(of)) {
                    return None;
                }
                (of, name)
            }
            _ => return None,
        };
        let is_its_type = of == "Self" || owner == of || self.is_copied(owner);
        let weight = self.readings[reader].weight.as_deref()?;
        let path = format!("{of}::{name}");
        (!is_its_type).then(|| messages::through_trait(name, &path, weight))
    }

    /// Whether a path is of a type parameter, `T::value`, as far as names tell.
    pub(super) fn is_of_parameter(&self, module: usize, used: &Use) -> bool {
        let ([of, _], UseKind::Path) = (&used.path[..], &used.kind) else {
            return false;
        };
        let module = &self.modules[module];
        let is_known = of == "Self"
            || is_among(PRELUDE, of)
            || self.declares(of)
            || module.import(of).is_some()
            || tuner_source::is_standard_type(of);
        of.starts_with(char::is_uppercase) && !is_known
    }
}

/// What some uses lead to, directly and through what is called.
#[derive(Default)]
struct Reach {
    /// Names of the types on the way.
    types: HashSet<String>,
    /// Numbers of the functions and methods that are called.
    readers: HashSet<usize>,
    /// Numbers of those among them whose own uses have not been followed yet.
    waiting: Vec<usize>,
    /// Whether some use may call `default` without naming the type: `Default::default()`,
    /// `unwrap_or_default()`, `mem::take(…)`.
    makes_defaults: bool,
    /// Names of the types whose `default` some use calls, so that it is called for their fields
    /// too.
    made: HashSet<String>,
}

impl Reach {
    /// Adds what a use leads to: what it surely names, or the one method that it can be, unless the
    /// standard library has the name as well. What these readers use is followed by `close`.
    fn add(&mut self, facts: &Facts, place: &UsePlace<'_>, used: &Use) {
        self.named(used);
        let Some((readers, is_sure)) = facts.behind(place, used) else {
            return;
        };
        let is_own = || Effect::of(used.path.last().map_or("", String::as_str)) == Effect::Unknown;
        if is_sure || readers.len() == 1 && is_own() {
            let readers = readers.into_iter();
            let new = readers.filter(|&reader| self.readers.insert(reader));
            self.waiting.extend(new);
        }
    }

    /// Adds the types that a path names, and whether the path calls `default`.
    fn named(&mut self, used: &Use) {
        match &used.path[..] {
            [.., of, name] if name == "default" && of.len() > 1 && of != "Default" => {
                self.made.insert(of.clone());
            }
            [.., name] => self.makes_defaults |= name.contains("default") || name == "take",
            [] => {}
        }
        let names = used.path.iter();
        let types = names.filter(|name| name.starts_with(char::is_uppercase));
        self.types.extend(types.cloned());
    }

    /// Adds the types in a signature.
    fn signature(&mut self, reader: &Reader) {
        self.types.extend(reader.owner.clone());
        let types = reader.parameters().into_iter().map(|(_, ty)| ty);
        self.types.extend(types);
        reader.gives.iter().for_each(|used| self.named(used));
    }

    /// Tells whether some use may call this `default`, of the type of `reader`, without its name: a
    /// use that names no type, or the default of a struct with such a field.
    fn makes_default(&self, facts: &Facts, reader: &Reader) -> bool {
        let mut made = Self {
            types: self.made.clone(),
            ..Self::default()
        };
        made.close(facts);
        let owner = reader.owner.as_ref();
        self.makes_defaults || owner.is_none_or(|owner| made.types.contains(owner))
    }

    /// Follows calls, from those in `waiting`, and fields of the types that were named, until
    /// nothing new is reached.
    fn close(&mut self, facts: &Facts) {
        while let Some(index) = self.waiting.pop() {
            let reader = &facts.readers.all[index];
            self.signature(reader);
            let place = UsePlace::of(index, reader);
            for used in &reader.uses {
                self.add(facts, &place, used);
            }
        }
        loop {
            let has = |name: &str| self.types.contains(name);
            let new = facts.fields().filter(|(of, ty)| has(of) && !has(ty));
            let new: Vec<String> = new.map(|(_, ty)| ty.to_owned()).collect();
            if new.is_empty() {
                return;
            }
            self.types.extend(new);
        }
    }
}
