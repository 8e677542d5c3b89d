//! The tables of names: structs, aliases, functions, weights.

use std::collections::HashSet;

use quote::ToTokens;
use syn::{Block, ImplItem, Item, ItemStruct, ReturnType, Signature, Type, Visibility};
use tuner_source::assigns;

use super::shape::Shape;
use super::units::mode;
use super::{
    Function, Model, Side, Struct, field_name, has_attribute, is_operator, last_name, location,
    methods, names_of, type_name, typed,
};

impl Model {
    /// Fills the tables of the model from the items of the annotated modules: names of structs,
    /// aliases, functions, weights, and what their declarations say of their types. Impl blocks of
    /// generic containers that name no weight are taken out of the modules, as the twin uses
    /// production's.
    pub(super) fn declare(&mut self) {
        let structs = self.units.iter().flat_map(|unit| &unit.items);
        for item in structs {
            if let Item::Struct(item) = item {
                let list = if is_container(item) {
                    &mut self.types.generic
                } else {
                    &mut self.types.structs
                };
                list.push(item.ident.to_string());
            }
        }
        self.declare_aliases();
        self.declare_plain();
        self.declare_written();
        // Takes out the impl blocks of generic containers that name no weight.
        if !self.types.generic.is_empty() {
            // Tables of weights alone count, whose names begin with a capital: the name of a
            // function that leads to a weight is often that of another function too.
            let mut alive = self.alive();
            alive.retain(|name| name.starts_with(char::is_uppercase));
            for unit in &mut self.units {
                let is_shared = |item: &Item| is_of_container(item, &self.types.generic, &alive);
                unit.items.retain(|item| !is_shared(item));
            }
        }
        // Functions, methods and structs, each with the number of its module among the annotated
        // ones.
        for (index, unit) in self.units.iter().enumerate() {
            for item in &unit.items {
                match item {
                    Item::Fn(f) => self.functions.push(Function {
                        mode: unit.mode.or(mode(&f.attrs)),
                        ..self.function(index, &f.vis, &f.sig, &f.block, None)
                    }),
                    Item::Impl(block) => {
                        // A method of a tuple or an array has its type's text as owner: one without
                        // owner counts as a free function.
                        let owner = type_name(&block.self_ty)
                            .or_else(|| Some(block.self_ty.to_token_stream().to_string()));
                        let of_block = unit.mode.or(mode(&block.attrs));
                        let operator = is_operator(block);
                        let plain = block.trait_.as_ref().filter(|_| !operator);
                        let of_trait = plain.map(|(path, _)| last_name(path));
                        let functions = methods(block).map(|f| Function {
                            operator,
                            of_trait: of_trait.clone(),
                            mode: of_block.or(mode(&f.attrs)),
                            single: !unit.whole && !has_attribute(&block.attrs, "tunable"),
                            ..self.function(index, &f.vis, &f.sig, &f.block, owner.clone())
                        });
                        let functions: Vec<_> = functions.collect();
                        self.functions.extend(functions);
                    }
                    Item::Struct(item) if !is_container(item) => {
                        let structure = self.structure_of(index, item);
                        self.structs.push(structure);
                    }
                    _ => {}
                }
            }
        }
        for (index, function) in self.functions.iter().enumerate() {
            let name = function.name.clone();
            self.functions_by_name.entry(name).or_default().push(index);
        }
        // Initialisers come behind the functions, and are not found by name.
        self.declare_constants();
        self.declare_associated();
    }

    /// Finds the structs whose fields cannot hold weights, and stores their names in `types.plain`.
    /// A struct of such structs is one too, so the search repeats until it finds no further one.
    fn declare_plain(&mut self) {
        let items = self.units.iter().flat_map(|unit| &unit.items);
        let structs = items.filter_map(|item| match item {
            Item::Struct(item) => Some(item),
            _ => None,
        });
        let structs: Vec<_> = structs.collect();
        loop {
            let name = |item: &&ItemStruct| item.ident.to_string();
            let may_hold = |item: &&&ItemStruct| {
                let mut fields = item.fields.iter();
                !fields.all(|field| self.types.is_never_of_weights(&field.ty))
            };
            // Types are told apart by their names: if one struct of a name may hold weights, all of
            // that name count as such.
            let holding: HashSet<String> = structs.iter().filter(may_hold).map(name).collect();
            let mut plain: HashSet<String> = structs.iter().map(name).collect();
            plain.retain(|name| !holding.contains(name));
            if plain == self.types.plain {
                return;
            }
            self.types.plain = plain;
        }
    }

    /// Adds the initialiser of each const of an impl block to the bodies that inference walks, with
    /// the shape of the const's type (what in it may be a score) as that of its result. The body's
    /// number is noted by the module and the location of the const's name.
    fn declare_associated(&mut self) {
        let mut found = Vec::new();
        for (unit, items) in self.units.iter().map(|u| &u.items).enumerate() {
            for item in items {
                let Item::Impl(block) = item else { continue };
                for member in &block.items {
                    if let ImplItem::Const(c) = member {
                        let owner = type_name(&block.self_ty);
                        let shape = self.types.shape(&c.ty, owner.as_deref());
                        let at = location(c.ident.span());
                        found.push((unit, at, owner, c.ident.to_string(), shape));
                    }
                }
            }
        }
        for (unit, at, owner, name, shape) in found {
            let body = self.add_body(unit, owner, name);
            self.functions[body].returned = shape;
            self.associated.insert((unit, at), body);
        }
    }

    /// Adds the initialiser of a const or static of `unit`, an annotated module, to the functions,
    /// as a body without parameters that nothing calls by its name. Returns its number among them.
    /// `owner`: the type of the impl block, if it is in one.
    pub(super) fn add_body(&mut self, unit: usize, owner: Option<String>, name: String) -> usize {
        self.functions.push(Function {
            unit,
            name,
            owner,
            mode: self.units[unit].mode,
            ..Function::default()
        });
        self.functions.len() - 1
    }

    /// Stores the name of each `static mut` of the annotated modules that some function of theirs
    /// assigns to, except frozen ones, in `written`.
    fn declare_written(&mut self) {
        let items = || self.units.iter().flat_map(|unit| &unit.items);
        let mutable = items().filter_map(|item| match item {
            Item::Static(i) if !matches!(i.mutability, syn::StaticMutability::None) => {
                Some(i.ident.to_string())
            }
            _ => None,
        });
        let mutable = mutable.filter(|name| !self.is_frozen(name));
        let written = mutable.filter(|name| {
            let mut bodies = items().filter(|i| matches!(i, Item::Fn(_) | Item::Impl(_)));
            bodies.any(|item| assigns(item, name))
        });
        self.written = written.collect();
    }

    /// What a struct of `unit`, an annotated module, declares: its fields, each with the shape of
    /// its type, which says what in it may be a score, and which of them are numbers by their
    /// types.
    fn structure_of(&self, unit: usize, item: &syn::ItemStruct) -> Struct {
        let name = item.ident.to_string();
        let fields = item.fields.iter().enumerate().map(|(index, field)| {
            let shape = self.types.shape(&field.ty, Some(&name));
            (field_name(index, field), shape)
        });
        let types = item.fields.iter().map(|field| &field.ty);
        Struct {
            unit,
            fields: fields.collect(),
            numbers: types.map(|ty| self.types.is_number_type(ty)).collect(),
            name,
        }
    }

    /// What a function's declaration says: the shapes of its parameters and of its result, and
    /// whether it is `pub`. `block` is only asked whether it names a `static mut` that others write
    /// to; `owner`: the type of the impl block. The caller sets its mode, its trait and whether it
    /// is an operator.
    fn function(
        &self,
        unit: usize,
        vis: &Visibility,
        sig: &Signature,
        block: &Block,
        owner: Option<String>,
    ) -> Function {
        let (types, of) = (&self.types, owner.as_deref());
        let params: Vec<&Type> = typed(&sig.inputs).map(|arg| &*arg.ty).collect();
        let returned = match &sig.output {
            ReturnType::Type(_, ty) => Some(&**ty),
            ReturnType::Default => None,
        };
        let is_number = |t: &Type| types.can_hold_weights(t) && types.shape(t, of) == Shape::Plain;
        // Of an operator, the operand that is a number: the argument, or `self` in `impl Mul<S> for
        // i32`.
        let number = match of {
            _ if params.first().is_some_and(|ty| is_number(ty)) => Some(Side::Right),
            Some(owner) if types.is_number(owner) => Some(Side::Left),
            _ => None,
        };
        // The types of the arguments, and last that of the result; `None` without a result.
        let all = || params.iter().copied().map(Some).chain([returned]);
        let numbers = all().map(|ty| ty.is_some_and(|ty| types.is_number_type(ty)));
        let parameters: HashSet<String> =
            (sig.generics.type_params().map(|p| p.ident.to_string())).collect();
        // For each of these types the type parameter of the function that it names, if any.
        let generic = all().map(|ty| {
            let names = ty.filter(|_| !parameters.is_empty()).map(names_of);
            names?.into_iter().find(|name| parameters.contains(name))
        });
        let is_written = !self.written.is_empty() && !names_of(block).is_disjoint(&self.written);
        let untraced = &self.units[unit].untraced;
        // The names in the type of the result, with the block's type for `Self`: one may be of a
        // struct that the author lists as untraced.
        let mut made: Vec<String> = returned.map(names_of).into_iter().flatten().collect();
        let own = of.filter(|_| made.iter().any(|name| name == "Self"));
        made.extend(own.map(str::to_owned));
        Function {
            unit,
            makes: untraced.iter().find(|name| made.contains(*name)).cloned(),
            name: sig.ident.to_string(),
            location: Some(location(sig.ident.span())),
            params: params.iter().map(|ty| types.shape(ty, of)).collect(),
            returned: returned.map_or(Shape::Plain, |ty| types.shape(ty, of)),
            numbers: numbers.collect(),
            generic: generic.collect(),
            number,
            public: matches!(vis, Visibility::Public(_)),
            reads_state: is_written,
            owner,
            ..Function::default()
        }
    }
}

/// Tells whether an item is an impl block of a generic container, `impl<T> Table<T>`, that names no
/// table of weights, so that the twin uses production's. `containers`: the names of generic
/// structs; `alive`: the names of tables that lead to weights.
fn is_of_container(item: &Item, containers: &[String], alive: &HashSet<String>) -> bool {
    let Item::Impl(block) = item else {
        return false;
    };
    let mut given = block.generics.type_params().map(|p| &p.ident);
    let owner = type_name(&block.self_ty);
    owner.is_some_and(|owner| containers.contains(&owner))
        && given.any(|given| names_of(&block.self_ty).contains(&given.to_string()))
        && methods(block).all(|f| names_of(&f.block).is_disjoint(alive))
}

/// Tells whether a struct is a container of anything, as `struct Table<T>([T; 64])`: it has type
/// parameters, and each field's type names one. The twin shares it with production.
fn is_container(item: &syn::ItemStruct) -> bool {
    let given = item.generics.type_params().map(|p| p.ident.to_string());
    let given: HashSet<String> = given.collect();
    let mut types = item.fields.iter().map(|f| &f.ty);
    !given.is_empty() && types.all(|ty| !names_of(ty).is_disjoint(&given))
}
