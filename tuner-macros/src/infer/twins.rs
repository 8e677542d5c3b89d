//! What has a twin, and under which name.

use syn::ItemImpl;

use super::{Body, Facts};
use crate::model::shape::Shape;
use crate::model::{
    identifiers, is_operator, last_name, location, methods, names_of, path_names, type_name,
};

impl Facts {
    /// Whether the twin needs its own copy of the struct `name`: some field holds a score, also
    /// inside another struct. `false` if no annotated module declares the struct.
    pub(crate) fn is_copied(&self, name: &str) -> bool {
        self.copied(name, &mut Vec::new())
    }

    /// Tells whether some field of the struct `name` holds a score, also inside other structs, so
    /// that the twin needs its own copy; `false` if no annotated module declares the struct.
    /// `above`: the structs whose fields this search is in; for a struct among them, where fields
    /// lead in a circle, the answer is `false`.
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

    /// Tells whether a value of this shape (what in it depends on weights) has a score in it,
    /// itself, in a part of a tuple or in a field. `above`: the structs whose fields this search is
    /// in, which are not searched again.
    fn is_traced<'a>(&'a self, shape: &'a Shape, above: &mut Vec<&'a str>) -> bool {
        match shape {
            Shape::Score => true,
            Shape::Named(name) => self.copied(name, above),
            Shape::Tuple(parts) => parts.iter().any(|part| self.is_traced(part, above)),
            Shape::Plain | Shape::Never => false,
        }
    }

    /// Tells whether values of this shape (what in a value depends on weights) have another type in
    /// the twin than in production: a score is in them.
    pub(crate) fn differs(&self, shape: &Shape) -> bool {
        self.is_traced(shape, &mut Vec::new())
    }

    /// Whether the author says, by `untraced(…)`, that the function with the body `index` is to
    /// have no twin: the function is listed, or its trait, or the struct that it makes.
    pub(crate) fn is_untraced(&self, index: usize) -> bool {
        let function = self.function(index);
        let listed = &self.units[function.unit].untraced;
        let of_trait = function.of_trait.as_ref();
        function.makes.is_some()
            || listed.contains(&function.name)
            || of_trait.is_some_and(|of_trait| listed.contains(of_trait))
    }

    /// Tells whether the function with the body `index` has a twin. It has one if scores go in or
    /// come out, or if it is a method of a struct of which the twin has a copy; a free function
    /// that is marked itself always has one. A function that is listed as untraced, or that reads a
    /// `static mut` that annotated code writes to, has none.
    pub(crate) fn has_twin(&self, index: usize) -> bool {
        let function = self.function(index);
        if function.reads_state || self.is_untraced(index) {
            return false;
        }
        let marked_free = !self.units[function.unit].whole && function.owner.is_none();
        marked_free || self.meets_scores(index)
    }

    /// Whether scores go into the function with the body `index` or come out, or it is a method of
    /// a type that the twin copies.
    pub(super) fn meets_scores(&self, index: usize) -> bool {
        let (owner, body) = (&self.function(index).owner, &self.bodies[index]);
        owner.as_ref().is_some_and(|owner| self.is_copied(owner))
            || self.differs(&body.returned)
            || body.params.iter().any(|p| self.differs(p))
    }

    /// For an impl block of a trait of the author: paths of the other types that implement the
    /// trait with methods that have no twin and read no weight. Methods of such a trait have other
    /// names in the twin, and a call there may be of any type with the trait, so these types get
    /// methods of those names too. Empty unless the block is the first impl of the trait with a
    /// twin, has no generics, and each of its methods with a twin gives a score and takes no value
    /// with one.
    pub(crate) fn plain_types(&self, unit: usize, block: &ItemImpl) -> Vec<Vec<String>> {
        let renamed = methods(block).filter_map(|f| self.function_of(unit, &f.sig));
        let renamed: Vec<usize> = renamed.filter(|&f| self.is_renamed(f)).collect();
        let here = self.units[unit].place;
        let of_trait = block.trait_.as_ref().map(|(path, _)| path_names(path));
        let of_trait = of_trait.and_then(|path| self.item_behind(here, &path));
        // A method that gives a score, and takes no value whose type differs in the twin.
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
        // The method of this name in each impl of the trait, this block's too.
        let of_same = named.filter(|&&reader| {
            let of = &self.readers.all[reader];
            of.of_trait.as_ref().is_some_and(|name| {
                let found = self.item_behind(of.module, std::slice::from_ref(name));
                // In `impl super::Value for …` the trait is not brought in by a name of the module:
                // its name alone must do.
                let by_path = found.is_none() && self.modules[of.module].import(name).is_none();
                found.as_ref() == Some(&of_trait) || by_path && *name == of_trait.1
            })
        });
        // The paths of types to give, and the bodies of all twins of the method, by number.
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
        // Bodies are numbered in the order of the source: of all blocks with a twin, the first one
        // alone gives the types, or they would get the methods twice.
        if earlier.iter().min() == Some(&first) {
            plain
        } else {
            Vec::new()
        }
    }

    /// A path by which the module `here` can name what the module `module` calls `name`; `None` if
    /// there is no such path. Both modules are given by their numbers.
    fn path_seen(&self, here: usize, module: usize, name: &str) -> Option<Vec<String>> {
        let there = &self.modules[module];
        // The module that declares the item, and the item's name there: by that path, or, where a
        // private module is on the way, by a re-export.
        if let Some((module, name)) = self.item_behind(module, &[name.to_owned()]) {
            let path = &self.modules[module].path;
            let is_seen = self.hidden_module(&self.modules[here].path, path).is_none();
            let declared = is_seen.then(|| self.modules[module].path_of(&name));
            let shown = || self.seen_path(here, module, &name);
            return declared.or_else(|| Some([&["crate".to_owned()], &shown()?[..]].concat()));
        }
        // Not found: a macro writes the item, or it is of another crate, so an import brings it in.
        let path = there.import(name)?;
        let crate_ = there.is_inside(path).then(|| "crate".to_owned());
        Some(crate_.into_iter().chain(there.absolute(path)).collect())
    }

    /// Whether an impl block can have a twin.
    ///
    /// An inherent block always can. A block of a trait other than an operator's can if the twin
    /// has no copy of its type. A block of an operator can if the twin has a copy of a type in its
    /// head, or if some code uses the operator with a score in place of a number; but a block of
    /// `From` or `Into` cannot if no score comes out.
    pub(crate) fn has_twin_block(&self, block: &ItemImpl) -> bool {
        let copied = type_name(&block.self_ty).is_some_and(|owner| self.is_copied(&owner));
        match (block.trait_.is_some(), is_operator(block)) {
            // Of the trait impls of a copied struct the twin has only those of operators.
            (true, false) => !copied,
            // `From` or `Into` that turns a score into something else, as the text of another
            // crate.
            (_, true) if self.turns_into_none(block) => false,
            // An operator whose types are all production's has no block of its own.
            (_, true) => copied || self.names_copied(block),
            (false, false) => true,
        }
    }

    /// Tells whether an impl block is of `From` or `Into` and its methods give no score.
    fn turns_into_none(&self, block: &ItemImpl) -> bool {
        let name = block.trait_.as_ref().map(|(path, _)| last_name(path));
        let is_conversion = name.is_some_and(|name| name == "From" || name == "Into");
        let mut bodies = self.bodies_of(block);
        is_conversion && !bodies.any(|body| self.differs(&body.returned))
    }

    /// What is inferred of each method of an impl block, and of the versions of operators that take
    /// a score in place of a number.
    fn bodies_of(&self, block: &ItemImpl) -> impl Iterator<Item = &Body> {
        let locations = methods(block).map(|f| Some(location(f.sig.ident.span())));
        let locations: Vec<_> = locations.collect();
        let bodies = self.bodies.iter();
        bodies.filter(move |body| locations.contains(&self.functions[body.function].location))
    }

    /// Whether the head of an operator's impl block names a struct of which the twin has a copy, or
    /// some code uses the operator with a score in place of its number.
    fn names_copied(&self, block: &ItemImpl) -> bool {
        let mut names = names_of(&block.self_ty);
        if let Some((path, _)) = &block.trait_ {
            names.extend(names_of(path));
        }
        names.iter().any(|name| self.is_copied(name))
            || self.bodies_of(block).any(|body| body.scored.is_some())
    }

    /// Whether a call of one of the crate's own macros, as an item, is made in the twin too. That
    /// is so if it writes impl blocks, if all structs that it or the macro names are ones that the
    /// twin has copies of, and if the impls are of traits, operators mostly, or have functions that
    /// the twin uses.
    pub(crate) fn writes_for_twins(&self, mac: &syn::Macro) -> bool {
        let Some(name) = mac.path.get_ident().map(ToString::to_string) else {
            return false;
        };
        let Some(output) = self.outputs.get(&name) else {
            return false;
        };
        // The identifiers in the rules of the macro and in the call.
        let mut names = output.clone();
        identifiers(mac.tokens.clone(), &mut names);
        let structs = self.structs.iter().map(|s| &s.name);
        let mut named = structs.filter(|s| names.contains(*s)).peekable();
        // `for`: an impl of a trait, as `impl Add for Pair`.
        names.contains("impl")
            && named.peek().is_some()
            && named.all(|s| self.is_copied(s))
            && (names.contains("for") || self.uses_functions_of(&name, mac))
    }

    /// Tells whether code of some twin names a function that the call `mac` of the macro `name`
    /// writes. `true` too if it is unknown which functions the macro writes. Where the call gives
    /// their names, each identifier in the call counts as one.
    fn uses_functions_of(&self, name: &str, mac: &syn::Macro) -> bool {
        let Some(functions) = self.written_functions.get(name) else {
            return true;
        };
        let mut functions = functions.clone();
        // `$`: the macro takes names of functions from its calls.
        if functions.remove("$") {
            identifiers(mac.tokens.clone(), &mut functions);
        }
        functions.iter().any(|name| self.used.contains(name))
    }

    /// Tells whether the twin of the method with the body `index` has another name than the method.
    /// It has where the method's type has no copy in the twin: both are then methods of that one
    /// type, which cannot have two of one name. Operators keep their names.
    pub(crate) fn is_renamed(&self, index: usize) -> bool {
        let function = self.function(index);
        let owner = function.owner.as_deref();
        owner.is_some_and(|owner| !self.is_copied(owner))
            && !function.operator
            && self.has_twin(index)
    }

    /// Why the struct `name`, which is more than its scores, as a board is, has a twin: the name of
    /// its first field with a score, and in words what that field is or holds. `None` if all fields
    /// hold scores, or if no field does.
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

    /// The structs to leave without twin so that the struct `name` has none: itself, and the
    /// structs of its fields that hold more than scores, as a board does, and have twins only
    /// because of structs in their fields.
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

    /// Whether each field of the struct `name` that holds a score is itself a struct, so that the
    /// struct has its twin by these fields alone. Also `true` of a struct without any such field.
    pub(super) fn is_twinned_by_structs(&self, name: &str) -> bool {
        let index = self.structure(name);
        let shapes = index.map_or(&[][..], |index| &self.fields[index]);
        let mut differing = shapes.iter().filter(|shape| self.differs(shape));
        differing.all(|shape| matches!(shape, Shape::Named(_)))
    }

    /// The name of the type of a field, if the twin has a copy of that type and no annotated module
    /// declares the struct with the field: the field then holds the numbers of production, which no
    /// trace sees. Else `None`.
    pub(super) fn plain_pair(&self, structure: &str, field: &str) -> Option<&str> {
        let of = self.field_type(structure, field)?;
        let is_plain = self.structure(structure).is_none();
        (is_plain && self.is_copied(of)).then_some(of)
    }
}
