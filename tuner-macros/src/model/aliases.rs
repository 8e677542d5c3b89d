//! `type NAME = …;` of the whole crate, annotated or not: a number is one
//! under every name.

use std::collections::HashMap;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{GenericParam, Item, ItemType, PathArguments, Type};

use super::paths::lead;
use super::types::Alias;
use super::{Model, Module, Unit, names_of, path_names, type_name};
use tuner_source::is_generic;

impl Model {
    /// Replaces aliases such as `type Table<const N: usize> = [i32; N];`, which `unit` (an
    /// annotated module) declares, by what they stand for, wherever the item names them.
    pub(crate) fn write_out_aliases(&self, unit: usize, item: &mut Item) {
        let found = &self.units[unit].generic_aliases;
        if !found.is_empty() {
            // `MOST` ends the replacements where aliases lead back to themselves.
            GenericAliases { found, left: MOST }.visit_item_mut(item);
        }
    }

    /// Names and types of the aliases without parameters: first those of the annotated modules;
    /// then, with paths written from the crate's root, those of other modules that some annotated
    /// module means by the name, or whose name no other module declares.
    fn type_aliases(&self) -> Vec<(String, Type)> {
        let own = self.units.iter().flat_map(|unit| &unit.items);
        let own = own.filter_map(|item| match item {
            Item::Type(i) if !is_generic(i) => Some((i.ident.to_string(), (*i.ty).clone())),
            _ => None,
        });
        let modules = self.modules.iter().enumerate();
        let others = modules.flat_map(|(module, declared)| {
            let aliases = declared.aliases.iter();
            let meant = aliases.filter(move |(name, _)| self.is_meant(module, name));
            meant.map(move |(name, ty)| {
                let model = self;
                let mut ty = ty.clone();
                AbsolutePaths { model, module }.visit_type_mut(&mut ty);
                (name.clone(), ty)
            })
        });
        own.chain(others).collect()
    }

    /// Tells whether the alias `name` of `module` is to be known in the whole crate, besides those
    /// that annotated modules declare as their items: some annotated module means it by the name,
    /// or no other module declares the name.
    fn is_meant(&self, module: usize, name: &str) -> bool {
        let here = Some((module, name.to_owned()));
        // What the name leads to from an annotated module.
        let means = |unit: &Unit| self.item_behind(unit.place, &[name.to_owned()]);
        let unit = self.unit_of(module);
        if self.modules[module].declared.contains(name)
            && unit.is_some_and(|unit| self.units[unit].has_alias(name))
        {
            return false;
        }
        let is_other = |(other, m): (usize, &Module)| other != module && m.declared.contains(name);
        self.units.iter().any(|unit| means(unit) == here)
            || !self.modules.iter().enumerate().any(is_other)
    }

    /// Adds to the table of types the aliases of numbers, structs, tuples, arrays and generic
    /// types, each after those that it names, so that it is known what they hold. An alias that
    /// leads back to itself stays out, as rustc refuses it.
    pub(super) fn declare_aliases(&mut self) {
        let mut waiting = self.type_aliases();
        // A name must not stand for itself; of types other than names tuples and arrays count, and
        // generic ones.
        waiting.retain(|(name, ty)| match ty {
            Type::Path(_) => !names_a_type(ty) || type_name(ty).is_some_and(|of| of != *name),
            ty => matches!(ty, Type::Tuple(_) | Type::Array(_)),
        });
        // Whether a type names an alias that still waits.
        let is_open = |(_, ty): &(String, Type), all: &[(String, Type)]| {
            let names = names_of(ty);
            all.iter().any(|(name, _)| names.contains(name))
        };
        loop {
            // What is known to be a number waits for nothing, though others share its name.
            let is_next = |alias: &(String, Type)| {
                let is_plain = names_a_type(&alias.1) && self.types.can_hold_weights(&alias.1);
                is_plain || !is_open(alias, &waiting)
            };
            let Some(next) = waiting.iter().position(is_next) else {
                return;
            };
            let (name, ty) = waiting.remove(next);
            // A tuple, an array or a generic type is kept as text too: the twin's tokens are made
            // of it.
            let is_container = !names_a_type(&ty);
            if is_container || self.types.can_hold_weights(&ty) {
                let text = is_container.then(|| ty.to_token_stream().to_string());
                let alias = Alias { ty, text };
                self.types.aliases.entry(name).or_insert(alias);
            }
        }
    }
}

/// Most names that are written out in one item: aliases in a circle have no end.
const MOST: usize = 10_000;

/// A generic alias: the names of its parameters, and what it stands for. The latter is text, as
/// tokens of a file must not be mixed with the compiler's.
pub(crate) type GenericAlias = (Vec<String>, String);

/// The aliases with parameters among the items of an annotated module: by name, the parameters'
/// names and the text of the type.
pub(super) fn generic_aliases(items: &[Item]) -> HashMap<String, GenericAlias> {
    let found = items.iter().filter_map(|item| match item {
        Item::Type(alias) if is_generic(alias) => {
            let parameters = alias.generics.params.iter();
            let names = parameters.map(|parameter| match parameter {
                GenericParam::Type(of) => of.ident.to_string(),
                GenericParam::Const(of) => of.ident.to_string(),
                GenericParam::Lifetime(of) => of.lifetime.to_string(),
            });
            let text = alias.ty.to_token_stream().to_string();
            Some((alias.ident.to_string(), (names.collect(), text)))
        }
        _ => None,
    });
    found.collect()
}

/// Replaces generic aliases in types by what they stand for.
struct GenericAliases<'a> {
    found: &'a HashMap<String, GenericAlias>,
    /// How many more replacements are allowed.
    left: usize,
}

impl VisitMut for GenericAliases<'_> {
    /// Leaves the declaration of an alias as it is.
    fn visit_item_type_mut(&mut self, _: &mut ItemType) {}

    /// Replaces a type by what it stands for until it is no generic alias or no replacement is
    /// left, and then does so with the types inside it.
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Some(written) = self.written_out(ty) {
            *ty = written;
            self.left -= 1;
            return self.visit_type_mut(ty);
        }
        visit_mut::visit_type_mut(self, ty);
    }
}

impl GenericAliases<'_> {
    /// What a type stands for if it is a generic alias with its arguments, `Table<3>`. `None` if it
    /// is not one, some arguments are missing, no replacement is left, or what it stands for with
    /// these arguments is not a type.
    fn written_out(&self, ty: &Type) -> Option<Type> {
        let Type::Path(path) = ty else { return None };
        let last = path.path.segments.last()?;
        let (names, text) = self.found.get(&last.ident.to_string())?;
        let PathArguments::AngleBracketed(list) = &last.arguments else {
            return None;
        };
        if self.left == 0 || names.len() != list.args.len() {
            return None;
        }
        let given = list.args.iter().map(ToTokens::to_token_stream);
        let given: HashMap<&str, TokenStream> =
            names.iter().map(String::as_str).zip(given).collect();
        syn::parse2(substituted(text.parse().ok()?, &given)).ok()
    }
}

/// The tokens with each identifier that is in `given` replaced by the tokens that `given` has for
/// it.
fn substituted(tokens: TokenStream, given: &HashMap<&str, TokenStream>) -> TokenStream {
    let one = |token: TokenTree| match token {
        TokenTree::Ident(name) => match given.get(name.to_string().as_str()) {
            Some(other) => other.clone(),
            None => TokenTree::Ident(name).into(),
        },
        TokenTree::Group(group) => {
            let inner = substituted(group.stream(), given);
            TokenTree::Group(Group::new(group.delimiter(), inner)).into()
        }
        token => token.into(),
    };
    tokens.into_iter().map(one).collect()
}

/// Rewrites the paths of a module so that they can be used anywhere in the crate.
struct AbsolutePaths<'w> {
    model: &'w Model,
    module: usize,
}

impl VisitMut for AbsolutePaths<'_> {
    /// Writes a path from the crate's root, after the paths in its arguments. A path that leads to
    /// no item of the crate stays.
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        visit_mut::visit_path_mut(self, path);
        let behind = self.model.item_behind(self.module, &path_names(path));
        if let Some((module, name)) = behind {
            lead(path, &self.model.modules[module].path_of(&name));
        }
    }
}

/// Tells whether a type is a path without generic arguments, such as `eval::Score`.
fn names_a_type(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let last = path.path.segments.last();
    path.qself.is_none() && last.is_some_and(|last| last.arguments.is_none())
}
