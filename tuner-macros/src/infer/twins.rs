//! What has a twin, and under which name.

use syn::ItemImpl;

use super::{Body, Facts};
use crate::model::shape::Shape;
use crate::model::{
    identifiers, is_operator, last_name, location, methods, names_of, path_names, type_name,
};

impl Facts {
    /// Whether the twin needs its own copy of a struct: some field holds a score, also inside other
    /// structs.
    pub(crate) fn is_copied(&self, name: &str) -> bool {
        self.copied(name, &mut Vec::new())
    }

    /// Tells whether some field of a struct holds a score, also inside other structs, so that the
    /// twin needs its own copy; `false` if no annotated module declares the struct. `above`: the
    /// structs around in this search; for one of them, in a circle, the answer is `false`.
    pub(super) fn copied<'a>(&'a self, name: &'a str, above: &mut Vec<&'a str>) -> bool {
        let index = self.structure(name);
        let Some(index) = index.filter(|_| !above.contains(&name)) else {
            return false;
        };
        above.push(name);
        let mut fields = self.fields[index].iter();
        let copied = fields.any(|shape| self.is_traced(shape, above));
        above.pop();
        copied
    }

    /// Tells whether a value of this shape has a score in it. `above`: the structs around in this
    /// search, which are not searched again.
    fn is_traced<'a>(&'a self, shape: &'a Shape, above: &mut Vec<&'a str>) -> bool {
        match shape {
            Shape::Score => true,
            Shape::Named(name) => self.copied(name, above),
            Shape::Tuple(parts) => parts.iter().any(|part| self.is_traced(part, above)),
            Shape::Plain | Shape::Never => false,
        }
    }

    /// Tells whether values of this shape have another type in the twin.
    pub(crate) fn differs(&self, shape: &Shape) -> bool {
        self.is_traced(shape, &mut Vec::new())
    }

    /// Whether the author says, by `untraced(…)`, that a function is to have no twin: it is listed,
    /// or its trait, or the struct that it makes. What it stores is not checked then.
    pub(crate) fn is_untraced(&self, index: usize) -> bool {
        let function = self.function(index);
        let listed = &self.units[function.unit].untraced;
        let of_trait = function.of_trait.as_ref();
        function.makes.is_some()
            || listed.contains(&function.name)
            || of_trait.is_some_and(|of_trait| listed.contains(of_trait))
    }

    /// Tells whether a function has a twin: scores go in or come out, or its type is copied; a free
    /// function that is marked itself always has one. A function that is listed as untraced, or
    /// reads a `static mut` that others write to, has none.
    pub(crate) fn has_twin(&self, index: usize) -> bool {
        let function = self.function(index);
        if function.reads_state || self.is_untraced(index) {
            return false;
        }
        let marked_free = !self.units[function.unit].whole && function.owner.is_none();
        marked_free || self.meets_scores(index)
    }

    /// Whether scores go into a function or come out, or its type is one that the twin copies.
    pub(super) fn meets_scores(&self, index: usize) -> bool {
        let (owner, body) = (&self.function(index).owner, &self.bodies[index]);
        owner.as_ref().is_some_and(|owner| self.is_copied(owner))
            || self.differs(&body.returned)
            || body.params.iter().any(|p| self.differs(p))
    }

    /// The paths of the types whose impls of the block's trait have no twin and read no weight. A
    /// call in the twin may be of one of these, so they get the renamed methods too. Empty unless
    /// this block's twin declares the trait, as the first of its impls, and its methods give one
    /// score each.
    pub(crate) fn plain_types(&self, unit: usize, block: &ItemImpl) -> Vec<Vec<String>> {
        let renamed = methods(block).filter_map(|f| self.function_of(unit, &f.sig));
        let renamed: Vec<usize> = renamed.filter(|&f| self.is_renamed(f)).collect();
        let here = self.units[unit].place;
        let of_trait = block.trait_.as_ref().map(|(path, _)| path_names(path));
        let of_trait = of_trait.and_then(|path| self.item_behind(here, &path));
        let gives_number = |&f: &usize| {
            let body = &self.bodies[f];
            body.returned == Shape::Score && !body.params.iter().any(|p| self.differs(p))
        };
        let (Some(&first), Some(of_trait)) = (renamed.first(), of_trait) else {
            return Vec::new();
        };
        if !block.generics.params.is_empty() || !renamed.iter().all(gives_number) {
            return Vec::new();
        }
        let name = &self.function(first).name;
        let named = self.readers.named(name).into_iter().flatten();
        let of_same = named.filter(|&&reader| {
            let of = &self.readers.all[reader];
            of.of_trait.as_ref().is_some_and(|name| {
                let found = self.item_behind(of.module, std::slice::from_ref(name));
                // Of `impl super::Value for …` no name of the module leads there.
                let by_path = found.is_none() && self.modules[of.module].import(name).is_none();
                found.as_ref() == Some(&of_trait) || by_path && *name == of_trait.1
            })
        });
        // Paths of types, and the bodies of all twins of the trait's method.
        let (mut plain, mut earlier) = (Vec::new(), Vec::new());
        for &reader in of_same {
            let of = &self.readers.all[reader];
            let body = self.unit_of(of.module);
            let body = body.and_then(|unit| self.function_at(unit, of.location));
            if body.is_some_and(|body| self.has_twin(body)) {
                earlier.extend(body);
            } else if (self.readings.get(reader)).is_none_or(|read| read.weight.is_none()) {
                let owner = of.owner.as_ref();
                plain.extend(owner.and_then(|owner| self.path_seen(here, of.module, owner)));
            }
        }
        if earlier.iter().min() == Some(&first) {
            plain
        } else {
            Vec::new()
        }
    }

    /// A path by which the module `here` can name what `module` calls `name`; `None` if it cannot
    /// be named.
    fn path_seen(&self, here: usize, module: usize, name: &str) -> Option<Vec<String>> {
        let there = &self.modules[module];
        if let Some((module, name)) = self.item_behind(module, &[name.to_owned()]) {
            let path = &self.modules[module].path;
            let is_seen = self.hidden_module(&self.modules[here].path, path).is_none();
            let declared = is_seen.then(|| self.modules[module].path_of(&name));
            let shown = || self.seen_path(here, module, &name);
            return declared.or_else(|| Some([&["crate".to_owned()], &shown()?[..]].concat()));
        }
        // A macro writes it, or it is of another crate.
        let path = there.import(name)?;
        let crate_ = there.is_inside(path).then(|| "crate".to_owned());
        Some(crate_.into_iter().chain(there.absolute(path)).collect())
    }

    /// Whether an impl block can have a twin.
    ///
    /// An inherent block always can; a block of a trait, not an operator, if the twin has no copy
    /// of its type; a block of an operator if the twin has a copy of a type in its head, or a score
    /// is an operand ([`names_copied`](Self::names_copied)), but not of `From` or `Into` if no
    /// score comes out.
    pub(crate) fn has_twin_block(&self, block: &ItemImpl) -> bool {
        let copied = type_name(&block.self_ty).is_some_and(|owner| self.is_copied(&owner));
        match (block.trait_.is_some(), is_operator(block)) {
            (true, false) => !copied,
            // What a score is turned into may be no score, as the text of another crate.
            (_, true) if self.turns_into_none(block) => false,
            // An operator whose types are all production's has no block of its own.
            (_, true) => copied || self.names_copied(block),
            (false, false) => true,
        }
    }

    /// Tells whether an impl block is of `From` or `Into` and gives no score.
    fn turns_into_none(&self, block: &ItemImpl) -> bool {
        let name = block.trait_.as_ref().map(|(path, _)| last_name(path));
        let is_conversion = name.is_some_and(|name| name == "From" || name == "Into");
        let mut bodies = self.bodies_of(block);
        is_conversion && !bodies.any(|body| self.differs(&body.returned))
    }

    /// The bodies of an impl block's methods, also those for a score in place of a number.
    fn bodies_of(&self, block: &ItemImpl) -> impl Iterator<Item = &Body> {
        let locations = methods(block).map(|f| Some(location(f.sig.ident.span())));
        let locations: Vec<_> = locations.collect();
        let bodies = self.bodies.iter();
        bodies.filter(move |body| locations.contains(&self.functions[body.function].location))
    }

    /// Whether the head of an operator's impl block names a struct that the
    /// twin has a copy of, or some body needs the operator for a score.
    fn names_copied(&self, block: &ItemImpl) -> bool {
        let mut names = names_of(&block.self_ty);
        if let Some((path, _)) = &block.trait_ {
            names.extend(names_of(path));
        }
        names.iter().any(|name| self.is_copied(name))
            || self.bodies_of(block).any(|body| body.scored.is_some())
    }

    /// Whether a call of one of the crate's own macros writes items, operators
    /// mostly, for structs that the twin has a copy of: it is made there too.
    pub(crate) fn writes_for_twins(&self, mac: &syn::Macro) -> bool {
        let Some(name) = mac.path.get_ident().map(ToString::to_string) else {
            return false;
        };
        let Some(output) = self.outputs.get(&name) else {
            return false;
        };
        let mut names = output.clone();
        identifiers(mac.tokens.clone(), &mut names);
        let structs = self.structs.iter().map(|s| &s.name);
        let mut named = structs.filter(|s| names.contains(*s)).peekable();
        names.contains("impl")
            && named.peek().is_some()
            && named.all(|s| self.is_copied(s))
            && (names.contains("for") || self.uses_functions_of(&name, mac))
    }

    /// Tells whether some twin names a function that this call of the macro `name` writes, or it is
    /// unknown which functions that macro writes. Where their names come from the call, each name
    /// in it counts.
    fn uses_functions_of(&self, name: &str, mac: &syn::Macro) -> bool {
        let Some(functions) = self.written_functions.get(name) else {
            return true;
        };
        let mut functions = functions.clone();
        if functions.remove("$") {
            identifiers(mac.tokens.clone(), &mut functions);
        }
        functions.iter().any(|name| self.used.contains(name))
    }

    /// Tells whether the twin of a method, by the function's number, has another name than the
    /// method: where the method's type has no twin, both are methods of that one type, which cannot
    /// have two of one name.
    pub(crate) fn is_renamed(&self, index: usize) -> bool {
        let function = self.function(index);
        let owner = function.owner.as_deref();
        owner.is_some_and(|owner| !self.is_copied(owner))
            && !function.operator
            && self.has_twin(index)
    }

    /// Why a struct that is more than its scores, such as a board, has a twin: the name of its
    /// first field with a score, and what that is, in words. `None` if all its fields hold scores,
    /// or none does.
    pub(super) fn why_twinned(&self, name: &str) -> Option<(String, String)> {
        let index = self.structure(name)?;
        let shapes = &self.fields[index];
        let declared = &self.structs[index].fields;
        if shapes.iter().all(|shape| self.differs(shape)) {
            return None;
        }
        let first = shapes.iter().position(|shape| self.differs(shape))?;
        let holds = match &shapes[first] {
            Shape::Named(pair) => format!("is a `{pair}`"),
            _ => "holds a score".to_owned(),
        };
        Some((declared[first].0.clone(), holds))
    }

    /// A struct that is more than its scores, and those of its fields that are as well and have
    /// their twins by structs alone: all these are left without where it is.
    pub(super) fn twinned_by(&self, name: &str) -> Vec<String> {
        let index = self.structure(name);
        let parts = index.map_or(&[][..], |index| &self.fields[index]).iter();
        let parts = parts.filter_map(|shape| match shape {
            Shape::Named(part) => Some(part),
            _ => None,
        });
        let is_more = |s: &&String| self.why_twinned(s).is_some() && self.is_twinned_by_structs(s);
        let mut all = vec![name.to_owned()];
        for part in parts.filter(is_more) {
            if !all.contains(part) {
                all.push(part.clone());
            }
        }
        all
    }

    /// Whether each field with a score is a struct: the struct has its twin by these alone. Also
    /// `true` of a struct without any such field.
    pub(super) fn is_twinned_by_structs(&self, name: &str) -> bool {
        let index = self.structure(name);
        let shapes = index.map_or(&[][..], |index| &self.fields[index]);
        let mut differing = shapes.iter().filter(|shape| self.differs(shape));
        differing.all(|shape| matches!(shape, Shape::Named(_)))
    }

    /// The name of the type of a field, where it has a traced copy and the struct with the field
    /// has none: such a field holds the numbers of production, which no trace sees. Else `None`.
    pub(super) fn plain_pair(&self, structure: &str, field: &str) -> Option<&str> {
        let of = self.field_type(structure, field)?;
        let is_plain = self.structure(structure).is_none();
        (is_plain && self.is_copied(of)).then_some(of)
    }
}
