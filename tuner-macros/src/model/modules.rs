//! All modules of the crate, annotated or not: where a path leads.

use std::collections::{HashMap, HashSet};

use syn::{Item, Type, Visibility};

use super::aliases::is_generic;
use super::item::{declared, identifiers, named_functions, type_name};
use super::macro_rules::Rules;
use super::units::{Import, flatten, is_test};
use super::uses::Locals;
use super::{Model, Unit};

/// The names of a module.
#[derive(Default)]
pub(crate) struct Module {
    pub(crate) path: Vec<String>,
    /// Items declared in it, other than modules.
    pub(super) declared: HashSet<String>,
    /// The structs, enums and unions among them.
    types: HashSet<String>,
    /// Those among them that stand for another type.
    pub(super) aliases: HashMap<String, Type>,
    /// Each with the module within which it is seen.
    imports: Vec<(Import, Option<Vec<String>>)>,
    /// Names that not every module may see: the module within which they are.
    hidden: HashMap<String, Vec<String>>,
    /// The same of modules declared in it.
    hidden_modules: HashMap<String, Vec<String>>,
}

impl Module {
    /// What an alias declared here stands for.
    pub(crate) fn alias(&self, name: &str) -> Option<&Type> {
        self.aliases.get(name)
    }

    /// Whether a struct, enum or union of this name is declared here.
    pub(crate) fn has_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }

    /// Whether what is seen within a module only is seen by a module that
    /// brings it in by a glob; by none: by a path that rustc accepts.
    fn is_seen(within: Option<&Vec<String>>, by: Option<&Self>) -> bool {
        match (within, by) {
            (Some(within), Some(by)) => by.path.starts_with(within),
            _ => true,
        }
    }

    /// Its imports that a module sees.
    fn imports_for<'a>(&'a self, by: Option<&'a Self>) -> impl Iterator<Item = &'a Import> + Clone {
        let all = self.imports.iter();
        let seen = all.filter(move |(_, within)| Self::is_seen(within.as_ref(), by));
        seen.map(|(import, _)| import)
    }
}

/// The module within which something is seen, if it is not seen everywhere.
fn hidden_within(visibility: &Visibility, module: &[String]) -> Option<Vec<String>> {
    match visibility {
        Visibility::Inherited => Some(module.to_vec()),
        Visibility::Restricted(to) if to.path.is_ident("self") => Some(module.to_vec()),
        Visibility::Restricted(to) if to.path.is_ident("super") => {
            module.split_last().map(|(_, parent)| parent.to_vec())
        }
        _ => None,
    }
}

/// What is looked for at the moment: the module, the one that sees it by a glob, the
/// name, whether it is that of a module.
type Search = HashSet<(usize, Option<usize>, String, bool)>;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Module(usize),
    /// An item: its module and its name there.
    Item(usize, String),
}

impl Model {
    /// Notes the names of a module and of the modules in it.
    pub(super) fn add_names(&mut self, path: &[String], items: &[Item]) {
        // Alternatives under `#[cfg]` share a path.
        let known = self.module(path).unwrap_or_else(|| {
            self.modules.push(Module {
                path: path.to_vec(),
                ..Module::default()
            });
            self.modules.len() - 1
        });
        for (name, items) in inline_modules(items) {
            self.add_names(&[path, &[name]].concat(), items);
        }
        let module = &mut self.modules[known];
        for item in items {
            if let Item::Struct(item) = item {
                self.field_types.extend(fields(item));
            }
            match item {
                Item::Use(item) => {
                    let mut found = Vec::new();
                    flatten(&item.tree, &mut Vec::new(), &mut found);
                    let within = hidden_within(&item.vis, path);
                    let found = found.into_iter().map(|import| (import, within.clone()));
                    module.imports.extend(found);
                }
                Item::Mod(item) => {
                    if let Some(within) = hidden_within(&item.vis, path) {
                        module.hidden_modules.insert(item.ident.to_string(), within);
                    }
                }
                item => {
                    let Some((ident, visibility)) = declared(item) else {
                        continue;
                    };
                    let name = ident.to_string();
                    if matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Union(_)) {
                        module.types.insert(name.clone());
                    }
                    if let Item::Type(item) = item
                        && !is_generic(item)
                    {
                        module.aliases.insert(name.clone(), (*item.ty).clone());
                    }
                    if let Some(within) = hidden_within(visibility, path) {
                        module.hidden.insert(name.clone(), within);
                    }
                    module.declared.insert(name);
                }
            }
        }
    }
    pub(super) fn add_macros(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                    let Some(name) = &item.ident else { continue };
                    let rules = Rules::read(item.mac.tokens.clone());
                    let names = self.outputs.entry(name.to_string()).or_default();
                    identifiers(item.mac.tokens.clone(), names);
                    let functions = self.written_functions.entry(name.to_string());
                    named_functions(item.mac.tokens.clone(), functions.or_default());
                    let known = self.macros.entry(name.to_string());
                    let same = |known: &mut Option<Rules>| {
                        // Each file may have a copy of its own.
                        if *known != rules {
                            *known = None;
                        }
                    };
                    known.and_modify(same).or_insert(rules.clone());
                }
                _ => {}
            }
        }
        for (_, items) in inline_modules(items) {
            self.add_macros(items);
        }
    }

    pub(crate) fn module(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|m| m.path == path)
    }

    /// Whether several modules declare a type of this name.
    pub(crate) fn is_declared_twice(&self, name: &str) -> bool {
        let is_type = |module: &&Module| module.has_type(name) || module.alias(name).is_some();
        name.starts_with(char::is_uppercase) && self.modules.iter().filter(is_type).nth(1).is_some()
    }

    /// The first module on the way from the root to `to` that `from` may not
    /// name, as its visibility is.
    pub(crate) fn hidden_module(&self, from: &[String], to: &[String]) -> Option<String> {
        let is_hidden = |&length: &usize| {
            let parent = self.module(&to[..length - 1]);
            let within = parent.and_then(|p| self.modules[p].hidden_modules.get(&to[length - 1]));
            within.is_some_and(|within| !from.starts_with(within))
        };
        let length = (1..=to.len()).find(is_hidden)?;
        Some(format!("crate::{}", to[..length].join("::")))
    }

    /// A path of an item that leads through modules that `from` may name.
    pub(crate) fn seen_path(&self, from: usize, module: usize, name: &str) -> Option<Vec<String>> {
        let here = &self.modules[from];
        let item = Target::Item(module, name.to_owned());
        self.modules
            .iter()
            .enumerate()
            .find_map(|(index, through)| {
                if self.hidden_module(&here.path, &through.path).is_some() {
                    return None;
                }
                let shown = through.imports_for(Some(here)).map(|(brought, _)| brought);
                let shown = shown.map(|shown| if shown == "*" { name } else { shown });
                let shown = shown.map(str::to_owned).find(|shown| {
                    self.resolve(index, std::slice::from_ref(shown)).as_ref() == Some(&item)
                })?;
                Some([&through.path[..], &[shown]].concat())
            })
    }

    /// Follows a path of a module through imports and re-exports.
    pub(crate) fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.resolve_once(from, path, &mut HashSet::new())
    }

    fn resolve_once(&self, from: usize, path: &[String], above: &mut Search) -> Option<Target> {
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
                name => match self.find((here, None), name, !after.is_empty(), above)? {
                    Target::Module(module) => here = module,
                    item if after.is_empty() => return Some(item),
                    Target::Item(..) => return None,
                },
            }
            rest = after;
        }
        (!path.is_empty()).then_some(Target::Module(here))
    }

    /// What a name means in a module; where another brings it in by a glob,
    /// what it means there.
    fn find(
        &self,
        (module, glob_of): (usize, Option<usize>),
        name: &str,
        want_module: bool,
        above: &mut Search,
    ) -> Option<Target> {
        let key = (module, glob_of, name.to_owned(), want_module);
        if above.contains(&key) {
            return None;
        }
        let here = &self.modules[module];
        let by = glob_of.map(|glob_of| &self.modules[glob_of]);
        if !want_module && here.declared.contains(name) {
            let is_seen = Module::is_seen(here.hidden.get(name), by);
            return is_seen.then(|| Target::Item(module, name.to_owned()));
        }
        let mut child = here.path.clone();
        child.push(name.to_owned());
        if let Some(child) = self.module(&child) {
            return Some(Target::Module(child));
        }
        above.insert(key.clone());
        let imports = here.imports_for(by);
        let mut named = imports.clone().filter(|(brought, _)| brought == name);
        let globs = imports.filter(|(brought, _)| brought == "*");
        let found = named.find_map(|(_, path)| self.resolve_once(module, path, above));
        let found = found.or_else(|| {
            let mut globs = globs.collect::<Vec<_>>().into_iter();
            globs.find_map(|(_, path)| match self.resolve_once(module, path, above)? {
                Target::Module(other) => self.find((other, Some(module)), name, want_module, above),
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

    /// A path with what the body's own `use` items bring in full.
    pub(crate) fn full_path(
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
        let mut globs = locals.imports.iter().filter(|(name, _)| name == "*");
        let (_, full) = globs.find(|(_, full)| {
            let Some(Target::Module(module)) = self.resolve(from, full) else {
                return false;
            };
            let is_path = path.len() > 1;
            let found = self.find((module, Some(from)), first, is_path, &mut HashSet::new());
            found.is_some()
        })?;
        Some(joined(full, path))
    }

    /// The item that a path of a unit leads to: its module, its name there.
    pub(crate) fn item_behind(&self, from: &Unit, path: &[String]) -> Option<(usize, String)> {
        let from = self.module(&from.module)?;
        match self.resolve(from, path)? {
            Target::Item(module, name) => Some((module, name)),
            Target::Module(_) => None,
        }
    }
}

/// The types of the fields of a struct, by its name and theirs.
fn fields(item: &syn::ItemStruct) -> impl Iterator<Item = ((String, String), String)> {
    item.fields.iter().enumerate().filter_map(|(index, field)| {
        let name = field.ident.as_ref().map(ToString::to_string);
        let name = name.unwrap_or_else(|| index.to_string());
        Some(((item.ident.to_string(), name), type_name(entry(&field.ty))?))
    })
}

/// The type of the entries of an array.
pub(crate) fn entry(ty: &Type) -> &Type {
    match ty {
        Type::Array(ty) => entry(&ty.elem),
        Type::Slice(ty) => entry(&ty.elem),
        ty => ty,
    }
}

/// The inline modules among some items, without those for tests.
pub(super) fn inline_modules(items: &[Item]) -> impl Iterator<Item = (String, &[Item])> {
    items.iter().filter_map(|item| match item {
        Item::Mod(item) if !is_test(&item.attrs) => {
            let (_, items) = item.content.as_ref()?;
            Some((item.ident.to_string(), &items[..]))
        }
        _ => None,
    })
}
