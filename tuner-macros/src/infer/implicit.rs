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
    /// The numbers of the readers (items that may read a weight) that do read one, that have no
    /// twin, and that may be called without their names. These are methods of traits of other
    /// crates, but not of those that only write a value down, such as `Debug`, and methods of
    /// operators, loops and conversions that a macro of the crate writes.
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

    /// The functions that give a number and read a weight though no score is seen in them, so that
    /// their twins would be production's code: by the number of the body, the name of such a
    /// weight. They are public, of a module that is traced as a whole, and no function with a twin
    /// calls them. Methods of traits, operators, functions that read a `static mut` that is written
    /// to, and those that the author leaves without twin are not among them.
    pub(super) fn lost_scores(&self) -> HashMap<usize, String> {
        let is_lost = |&body: &usize| {
            let function = self.function(body);
            // `numbers`: for each argument, and last for the result, whether it is declared a
            // number.
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
        // The body with the weight that its code reads by name, or by a method that it calls
        // unnamed.
        let read = |body: usize| {
            let own = self.weight_read_by(body).map(str::to_owned);
            let weight = own.or_else(|| self.weight_read_unseen(body))?;
            Some((body, weight))
        };
        lost.filter_map(read).collect()
    }

    /// The name of a weight that a body reads only through a method that it calls without the
    /// method's name, as `index` of `a[i]`; `None` if there is none. In the body, `own` is the item
    /// with that body among the readers (items that may read a weight), and `index` the number of
    /// the method.
    fn weight_read_unseen(&self, body: usize) -> Option<String> {
        let reader = self.reader_of(body)?;
        let own = &self.readers.all[reader];
        let (_, _, index) = self.implicit_read(&UsePlace::of(reader, own), &own.uses)?;
        self.readings[index].weight.clone()
    }

    /// The names of the traits that occur behind `dyn` in annotated modules.
    pub(super) fn dynamic_traits(&self) -> HashSet<String> {
        let mut found = HashSet::new();
        let items = self.units.iter().flat_map(|unit| &unit.items);
        // Consts and statics are left out: their tables are long, and have no `dyn` in them.
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

    /// The message about a call of the method `name` on a value of unknown type, if the value may
    /// be behind `dyn Trait` and a weight would be read in production's code. `candidates`: the
    /// functions, by number, that the call may mean. The message is on the first of them that
    /// reads a weight and whose trait occurs behind `dyn` in annotated modules; `None` if there is
    /// none.
    pub(super) fn read_through_object(&self, name: &str, candidates: &[usize]) -> Option<Message> {
        let is_dynamic = |&&f: &&usize| {
            let of_trait = self.function(f).of_trait.as_ref();
            of_trait.is_some_and(|of_trait| self.dynamic.contains(of_trait))
        };
        let mut dynamic = candidates.iter().filter(is_dynamic);
        let (found, weight) = dynamic.find_map(|&f| Some((f, self.weight_read_by(f)?)))?;
        let of_trait = self.function(found).of_trait.as_deref()?;
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

    /// Tells whether the twin has a method of its own for `reader`, a method of an operator or a
    /// conversion: the impl block of the method has a twin, or the macro call that writes the
    /// method is made for types of the twin too.
    fn has_operator(&self, reader: &Reader) -> bool {
        self.items_of(reader).any(|item| match item {
            Item::Impl(block) if Some(location_of(item)) == reader.block => {
                is_operator(block) && self.has_twin_block(block)
            }
            Item::Macro(call) => {
                // A method that a macro writes is located at the `!` of the call.
                let at = location(call.mac.bang_token.span);
                at == reader.location && self.writes_for_twins(&call.mac)
            }
            _ => false,
        })
    }

    /// The annotated items of the module that declares `reader`; empty if the module has no
    /// annotations.
    fn items_of(&self, reader: &Reader) -> impl Iterator<Item = &Item> {
        let unit = self.unit_of(reader.module);
        unit.into_iter().flat_map(|unit| &self.units[unit].items)
    }

    /// The types of which values must be there for a method to be called without its name, as `add`
    /// of `a + b`: its own type, those of its arguments, and those in the name of its trait,
    /// `Sum<Struct>`. For a method that a macro writes they are all types in the macro call. Only
    /// types that the crate declares are listed.
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

    /// Finds the first of `uses`, the uses of names in a twin's body at `place`, that may lead to a
    /// method that reads a weight and is called without its name, as `index` of `a[i]`. Returns the
    /// extent of the use, the message about it, and the number of the method among the readers
    /// (items that may read a weight). `None` if there is no such method. A method counts only if
    /// all types that its call needs are named in the signature, in the uses up to this one, or in
    /// what is called there; a method `default` only if some use may also call the `default` of its
    /// type. The method with this very body does not count.
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
            // The types that the use names, then those of all that is called there.
            reach.add(self, place, used);
            reach.close(self);
            // Whether the method of this number may be called by what was followed so far.
            let is_here = |&&reader: &&usize| {
                let (implicit, types) = (&self.readers.all[reader], &reach.types);
                Some(reader) != place.reader
                    && (implicit.name != "default" || reach.makes_default(self, implicit))
                    && self.types_of(implicit).iter().all(|ty| types.contains(ty))
            };
            if let Some(&index) = self.implicit.iter().find(is_here) {
                let reader = &self.readers.all[index];
                // Each method among `self.implicit` reads a weight.
                let weight = self.readings[index].weight.as_deref().unwrap_or_default();
                // The message names the type of the method, and its trait or the macro that writes
                // it.
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

    /// The message about a use that calls a method through its trait or a type parameter, as
    /// `Tr::value(…)` or `T::value(…)`, if the method reads a weight: from a twin such a call leads
    /// to production's method. `reader`: the number of the method among the readers (items that may
    /// read a weight). `None` if the use names the method's own type, if the twin has a copy of
    /// that type, if the method reads no weight, and for an item that is in no impl block.
    pub(super) fn read_through_trait(&self, used: &Use, reader: usize) -> Option<Message> {
        let owner = self.readers.all[reader].owner.as_deref()?;
        let (of, name) = match (&used.path[..], &used.kind) {
            ([.., of, name], UseKind::Path) => (of, name),
            // `<T as Trait>::value(…)`, or `x.value()` of a variable of type `T`: refused where `T`
            // is the trait itself, or a type parameter (one letter, and the crate declares no such
            // name). Of `x.field.value()` the type is not known.
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

    /// Whether a use is a path `T::value` of a type parameter, as far as names tell: `T` begins
    /// with a capital letter, and neither the crate, an import in the module with the number
    /// `module`, nor the standard library has a type of this name.
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
    /// Numbers of functions and methods that are called, but whose own uses have not been followed
    /// yet.
    waiting: Vec<usize>,
    /// Whether some use may call `default` without naming the type: `Default::default()`,
    /// `unwrap_or_default()`, `mem::take(…)`.
    makes_defaults: bool,
    /// Names of the types whose `default` some use calls, so that it is called for their fields
    /// too.
    made: HashSet<String>,
}

impl Reach {
    /// Adds the types that a use of a name at `place` has in its path, and the items of the crate
    /// that it calls: those that it surely means, or the only one that it may mean, unless the
    /// standard library has a method of the name too. What these items use is added only by
    /// `close`.
    fn add(&mut self, facts: &Facts, place: &UsePlace<'_>, used: &Use) {
        self.named(used);
        let Some((readers, is_sure)) = facts.behind(place, used) else {
            return;
        };
        // No method of the standard library that evaluations call has the name.
        let is_own = || Effect::of(used.path.last().map_or("", String::as_str)) == Effect::Unknown;
        if is_sure || readers.len() == 1 && is_own() {
            let readers = readers.into_iter();
            let new = readers.filter(|&reader| self.readers.insert(reader));
            self.waiting.extend(new);
        }
    }

    /// Adds the types in the path of a use, told by their capital letters, and notes a call of
    /// `default`: in `made` the type if the path names it, `Board::default`; else, as for
    /// `Default::default`, `T::default` of a type parameter (one letter), `unwrap_or_default` or
    /// `mem::take`, that one of any type may be called.
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

    /// Adds the types that the head of a function or method names: its own type, those of its
    /// arguments, and those in its result.
    fn signature(&mut self, reader: &Reader) {
        self.types.extend(reader.owner.clone());
        let types = reader.parameters().into_iter().map(|(_, ty)| ty);
        self.types.extend(types);
        reader.gives.iter().for_each(|used| self.named(used));
    }

    /// Tells whether some use that was followed may call the method `default` of the type of
    /// `reader`: as `Default::default()` and the like, which name no type; or for a field of that
    /// type, in the `default` of a struct. `true` too if the type is unknown.
    fn makes_default(&self, facts: &Facts, reader: &Reader) -> bool {
        let mut made = Self {
            types: self.made.clone(),
            ..Self::default()
        };
        made.close(facts);
        let owner = reader.owner.as_ref();
        self.makes_defaults || owner.is_none_or(|owner| made.types.contains(owner))
    }

    /// Follows the calls in `waiting`, and all calls in what they lead to, and then adds the types
    /// of the fields of all types that were named, and of their fields, until nothing new is
    /// reached.
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
            // Each of `fields` is the name of a struct and that of the type of one of its fields.
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
