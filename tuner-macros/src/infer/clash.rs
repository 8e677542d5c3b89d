//! Types of one name: the macros tell types by their names, so that two that
//! mean different things are refused where the second is used.

use std::collections::BTreeMap;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Item, Type};

use super::Facts;
use crate::diagnostics::{Diagnostic, Message, messages};
use crate::model::{Module, location};

/// What a name of a type stands for.
#[derive(PartialEq)]
enum Meaning {
    /// The struct, enum or union that the module with this number declares.
    Own(usize),
    /// A signed number.
    Number,
    /// A type that an alias of the author names, as the alias writes it.
    Alias(String),
}

/// The names in the paths of an item, and its own if it is a struct or an alias, each with its
/// first span. It has no tokens: those of the file must not be mixed with the compiler's.
#[derive(Default)]
struct Names(BTreeMap<String, Span>);

impl<'a> Visit<'a> for Names {
    /// Notes every name in a path, also in the types inside it.
    fn visit_path(&mut self, path: &'a syn::Path) {
        for segment in &path.segments {
            self.note(&segment.ident);
        }
        visit::visit_path(self, path);
    }

    /// Notes the name of a struct, and the names in the paths of its fields.
    fn visit_item_struct(&mut self, item: &'a syn::ItemStruct) {
        self.note(&item.ident);
        visit::visit_item_struct(self, item);
    }

    /// Notes the name of an alias, and the names in the path of its type.
    fn visit_item_type(&mut self, item: &'a syn::ItemType) {
        self.note(&item.ident);
        visit::visit_item_type(self, item);
    }
}

impl Names {
    /// Adds a name with its span, unless the name is there already with an earlier span.
    fn note(&mut self, ident: &syn::Ident) {
        let entry = self.0.entry(ident.to_string());
        entry.or_insert_with(|| ident.span());
    }
}

impl Facts {
    /// Whether a union of the crate has this name.
    pub(super) fn is_union(&self, name: &str) -> bool {
        let mut modules = self.modules.iter();
        modules.any(|module| module.unions.contains(name))
    }

    /// The mistakes in an item of the annotated module `unit` that are about names of types, in
    /// source order: each names another type in this module than in the tables of the macros, which
    /// know types by their names alone.
    pub(super) fn clashes(&self, unit: usize, item: &Item) -> Vec<Diagnostic> {
        let mut names = Names::default();
        match item {
            // The initialiser of a const or static may have thousands of entries, and names no
            // further types: only the type is searched.
            Item::Const(i) => names.visit_type(&i.ty),
            Item::Static(i) => names.visit_type(&i.ty),
            item => names.visit_item(item),
        }
        let mut found = Vec::new();
        for (name, at) in names.0 {
            let Some(message) = self.clash(self.units[unit].place, &name) else {
                continue;
            };
            found.push(Diagnostic::new(at, message).once(name));
        }
        found.sort_by_key(|diagnostic| location(diagnostic.at.start));
        found
    }

    /// The message that the type name `name` means, in the module with the number `from`, another
    /// type than in the tables of the macros, which know types by their names alone. `None` if it
    /// means one type, or if the difference does not matter to the twin, as for structs, enums or
    /// unions that it does not copy, and for an alias that only names another type.
    fn clash(&self, from: usize, name: &str) -> Option<Message> {
        if !self.is_declared_twice(name) {
            return None;
        }
        // `known`: the module that declares the type in the tables; `used`: the one that declares
        // the type meant in `from`.
        let known = self.known_type(name)?;
        let (used, original) = self.item_behind(from, &[name.to_owned()])?;
        // One type; or `name` is only what an import calls a type of another name.
        if used == known || original != name {
            return None;
        }
        let (one, other) = (self.meaning(known, name)?, self.meaning(used, name)?);
        let are_structs = matches!((&one, &other), (Meaning::Own(_), Meaning::Own(_)));
        let differ = one != other && (!are_structs || self.is_copied(name));
        let shown = |module: usize| self.modules[module].path_of(name).join("::");
        differ.then(|| messages::same_name(name, &shown(used), &shown(known)))
    }

    /// The number of the module that declares the struct, or else the alias, which the tables of
    /// the macros have under a name; `None` if no annotated module declares one.
    fn known_type(&self, name: &str) -> Option<usize> {
        // The number of the annotated module, from which that of the module follows.
        let of_struct = self.structure(name).map(|index| self.structs[index].unit);
        let of_alias = || self.units.iter().position(|unit| unit.has_alias(name));
        Some(self.units[of_struct.or_else(of_alias)?].place)
    }

    /// What a name of a type stands for in the module that declares it, given by its number; `None`
    /// for an alias that only names another type, and where the module declares no such type.
    fn meaning(&self, module: usize, name: &str) -> Option<Meaning> {
        let Module { types, aliases, .. } = &self.modules[module];
        match aliases.get(name) {
            Some(ty) if self.types.is_number_type(ty) => Some(Meaning::Number),
            // An alias that only names another type means whatever that name leads to.
            Some(Type::Path(_)) => None,
            Some(ty) => Some(Meaning::Alias(ty.to_token_stream().to_string())),
            None => types.contains(name).then_some(Meaning::Own(module)),
        }
    }
}
