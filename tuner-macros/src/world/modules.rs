//! All modules of the crate, annotated or not: where a path leads.

use std::collections::{HashMap, HashSet};

use syn::{Item, Type};

use super::item::{declared_name, identifiers};
use super::units::{flatten, is_test};
use super::{Unit, World};
use crate::rules::Rules;
use crate::uses::Locals;

/// The names of a module.
pub(crate) struct Module {
    pub(crate) path: Vec<String>,
    /// Items declared in it, other than modules.
    pub(super) declared: HashSet<String>,
    /// Those among them that stand for another type.
    pub(super) aliases: HashMap<String, Type>,
    imports: Vec<(String, Vec<String>)>,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Module(usize),
    /// An item: its module and its name there.
    Item(usize, String),
}

impl World {
    /// Notes the names of a module and of the modules in it.
    pub(super) fn add_names(&mut self, path: &[String], items: &[Item]) {
        let mut module = Module {
            path: path.to_vec(),
            declared: HashSet::new(),
            aliases: HashMap::new(),
            imports: Vec::new(),
        };
        let mut inner = Vec::new();
        for item in items {
            match item {
                Item::Use(item) => {
                    flatten(&item.tree, &mut Vec::new(), &mut module.imports);
                }
                Item::Mod(item) if !is_test(&item.attrs) => {
                    if let Some((_, items)) = &item.content {
                        inner.push((item.ident.to_string(), items));
                    }
                }
                item => {
                    if let Item::Type(item) = item {
                        let ty = (*item.ty).clone();
                        module.aliases.insert(item.ident.to_string(), ty);
                    }
                    module.declared.extend(declared_name(item));
                }
            }
        }
        // Alternatives under `#[cfg]` share a path.
        match self.module(path) {
            Some(known) => {
                self.modules[known].declared.extend(module.declared);
                self.modules[known].aliases.extend(module.aliases);
                self.modules[known].imports.extend(module.imports);
            }
            None => self.modules.push(module),
        }
        for (name, items) in inner {
            let mut path = path.to_vec();
            path.push(name);
            self.add_names(&path, items);
        }
    }

    /// Notes the macros of a file.
    pub(super) fn add_macros(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                    let Some(name) = &item.ident else { continue };
                    let rules = Rules::read(item.mac.tokens.clone());
                    let names = self.outputs.entry(name.to_string()).or_default();
                    identifiers(item.mac.tokens.clone(), names);
                    let known = self.macros.entry(name.to_string());
                    let same = |known: &mut Option<Rules>| {
                        // Each file may have a copy of its own.
                        if *known != rules {
                            *known = None;
                        }
                    };
                    known.and_modify(same).or_insert(rules.clone());
                }
                Item::Mod(item) if !is_test(&item.attrs) => {
                    if let Some((_, items)) = &item.content {
                        self.add_macros(items);
                    }
                }
                _ => {}
            }
        }
    }

    pub(crate) fn module(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|m| m.path == path)
    }

    /// Follows a path that stands in a module, through imports and re-exports.
    pub(crate) fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.resolve_once(from, path, &mut HashSet::new())
    }

    fn resolve_once(
        &self,
        from: usize,
        path: &[String],
        above: &mut HashSet<(usize, String, bool)>,
    ) -> Option<Target> {
        let mut here = from;
        let mut rest = path;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" | "$crate" => here = self.module(&[])?,
                "self" => {}
                "super" => {
                    let (_, parent) = self.modules[here].path.split_last()?;
                    here = self.module(parent)?;
                }
                name => match self.find(here, name, !after.is_empty(), above)? {
                    Target::Module(module) => here = module,
                    item if after.is_empty() => return Some(item),
                    Target::Item(..) => return None,
                },
            }
            rest = after;
        }
        (!path.is_empty()).then_some(Target::Module(here))
    }

    /// What a name means in a module.
    fn find(
        &self,
        module: usize,
        name: &str,
        want_module: bool,
        above: &mut HashSet<(usize, String, bool)>,
    ) -> Option<Target> {
        let key = (module, name.to_owned(), want_module);
        if above.contains(&key) {
            return None;
        }
        let here = &self.modules[module];
        if !want_module && here.declared.contains(name) {
            return Some(Target::Item(module, name.to_owned()));
        }
        let mut child = here.path.clone();
        child.push(name.to_owned());
        if let Some(child) = self.module(&child) {
            return Some(Target::Module(child));
        }
        above.insert(key.clone());
        let mut named = here.imports.iter().filter(|(brought, _)| brought == name);
        let globs = here.imports.iter().filter(|(brought, _)| brought == "*");
        let found = named.find_map(|(_, path)| self.resolve_once(module, path, above));
        let found = found.or_else(|| {
            let mut globs = globs.collect::<Vec<_>>().into_iter();
            globs.find_map(|(_, path)| match self.resolve_once(module, path, above)? {
                Target::Module(other) => self.find(other, name, want_module, above),
                Target::Item(..) => None,
            })
        });
        // What led nowhere once leads nowhere again: modules that import each
        // other's globs are gone through once, not once for each way.
        if found.is_some() {
            above.remove(&key);
        }
        found
    }

    /// A path with what the body's own `use` items bring spelt out.
    pub(crate) fn spelt_out(
        &self,
        from: usize,
        locals: &Locals,
        path: &[String],
    ) -> Option<Vec<String>> {
        let first = path.first()?;
        let joined = |full: &Vec<String>, rest: &[String]| -> Vec<String> {
            full.iter().chain(rest).cloned().collect()
        };
        if let Some((_, full)) = locals.imports.iter().find(|(name, _)| name == first) {
            return Some(joined(full, &path[1..]));
        }
        let globs = locals.imports.iter().filter(|(name, _)| name == "*");
        let mut paths = globs.map(|(_, full)| joined(full, path));
        paths.find(|path| self.resolve(from, path).is_some())
    }

    /// The item that a path of a unit leads to: its module, its name there.
    pub(super) fn item_behind(&self, from: &Unit, path: &[String]) -> Option<(usize, String)> {
        let from = self.module(&from.module)?;
        match self.resolve(from, path)? {
            Target::Item(module, name) => Some((module, name)),
            Target::Module(_) => None,
        }
    }

    /// The unit of an item, if its twin defines it.
    pub(super) fn traced_item(&self, (module, name): (usize, String)) -> Option<(usize, String)> {
        let unit = self.unit_of(&self.modules[module].path)?;
        self.defines(unit, &name).then_some((unit, name))
    }
}
