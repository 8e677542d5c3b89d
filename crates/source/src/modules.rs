//! All modules of a crate, annotated or not: where a path leads.

use std::collections::{HashMap, HashSet};

use proc_macro2::TokenStream;
use syn::{Ident, Item, ItemType, Type, UseTree, Visibility};

use crate::annotated::AnnotatedModule;
use crate::item::{declared, field_name, identifiers, location, named_functions, type_name};
use crate::readers::Readers;
use crate::syntax::path_names;
use crate::uses::Locals;

/// The modules of a crate: what its files declare, and what uses what. Immutable once read.
#[derive(Debug, Default)]
pub struct CrateModel {
    /// All modules, but for those of tests.
    pub modules: Vec<Module>,
    /// Functions, methods, consts and macros, with what they use.
    pub readers: Readers,
    /// The macros that the crate declares: name and rules of each.
    pub macros: Vec<(String, TokenStream)>,
    /// For each of `macros`, the names that its rules contain.
    pub outputs: HashMap<String, HashSet<String>>,
    /// For each of `macros`, the names of the functions that it writes; `$` for those that a call
    /// names.
    pub written_functions: HashMap<String, HashSet<String>>,
    /// The types of the fields of all structs, by struct and field.
    field_types: HashMap<(String, String), String>,
}

/// The names of a module.
#[derive(Debug, Default)]
pub struct Module {
    /// Its path from the root.
    pub path: Vec<String>,
    /// Items declared in it, other than modules.
    pub declared: HashSet<String>,
    /// The structs, enums and unions among them.
    pub types: HashSet<String>,
    /// The unions alone.
    pub unions: HashSet<String>,
    /// The aliases of types, with the types that they stand for.
    pub aliases: HashMap<String, Type>,
    /// Modules declared in it.
    children: HashSet<String>,
    /// Its imports; each with the module within which it is seen, `None` if everywhere.
    imports: Vec<(Import, Option<Vec<String>>)>,
    /// Names that not every module may see, each with the module within which it is seen.
    hidden: HashMap<String, Vec<String>>,
    /// Inner modules that not every module may see: for each the module within which it is seen,
    /// and the line of its `mod`.
    hidden_modules: HashMap<String, (Vec<String>, usize)>,
}

impl Module {
    /// The path of an item of the module from the crate's root, with `crate` in front.
    pub fn path_of(&self, name: &str) -> Vec<String> {
        [&["crate".to_owned()], &self.path[..], &[name.to_owned()]].concat()
    }

    /// Whether every crate may see what is declared or brought in here under a name.
    pub fn shows(&self, name: &str) -> bool {
        let mut imports = self.imports.iter();
        self.declared.contains(name) && !self.hidden.contains_key(name)
            || imports.any(|((brought, _), within)| brought == name && within.is_none())
    }

    /// Tells whether the module `by` sees a name that its glob brings in. `within`: the module in
    /// which, and in whose inner modules, the name is seen; `None`: everywhere. Without `by` a path
    /// names it, which rustc has accepted.
    fn is_seen(within: Option<&Vec<String>>, by: Option<&Self>) -> bool {
        match (within, by) {
            (Some(within), Some(by)) => by.path.starts_with(within),
            _ => true,
        }
    }

    /// The path of the first `use` that brings in this name; `None` if no `use` does, other than by
    /// a glob.
    pub fn import(&self, name: &str) -> Option<&[String]> {
        let mut imports = self.imports.iter().map(|(import, _)| import);
        let found = imports.find(|(brought, _)| brought == name);
        found.map(|(_, path)| &path[..])
    }

    /// Its imports that other modules see as well, those by globs under the name `*`.
    pub fn exports(&self) -> impl Iterator<Item = &Import> {
        let shown = self.imports.iter();
        let shown = shown.filter(|(_, within)| within.as_ref() != Some(&self.path));
        shown.map(|(import, _)| import)
    }

    /// The path of the first import under the name `first` that has several names and begins with
    /// another one, so that following it ends; `None` without one.
    fn leads(&self, first: &String) -> Option<&[String]> {
        let mut imports = self.imports.iter().map(|(import, _)| import);
        let found = imports.find(|(brought, full)| {
            brought == first && full.len() > 1 && full.first() != Some(first)
        });
        found.map(|(_, full)| &full[..])
    }

    /// Whether a path starts in this crate, as far as can be seen: with `crate`, `self`, `super`, a
    /// module declared here, or a name that an import leads there.
    pub fn is_inside(&self, path: &[String]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        matches!(first.as_str(), "crate" | "self" | "super")
            || self.children.contains(first)
            || self.leads(first).is_some_and(|full| self.is_inside(full))
    }

    /// The path from the crate's root, without `crate`; unchanged if it leads out of the crate.
    pub fn absolute(&self, path: &[String]) -> Vec<String> {
        let Some((first, rest)) = path.split_first() else {
            return Vec::new();
        };
        match first.as_str() {
            "crate" => rest.to_vec(),
            "self" => [&self.path, rest].concat(),
            "super" => {
                let up = path.iter().take_while(|s| *s == "super").count();
                let around = self.path.len().saturating_sub(up);
                [&self.path[..around], &path[up..]].concat()
            }
            _ if self.children.contains(first) => [&self.path, path].concat(),
            _ => match self.leads(first) {
                Some(full) => [&self.absolute(full)[..], rest].concat(),
                None => path.to_vec(),
            },
        }
    }

    /// Its imports that the module `by` sees; without `by`, all of them.
    fn imports_for<'a>(&'a self, by: Option<&'a Self>) -> impl Iterator<Item = &'a Import> + Clone {
        let all = self.imports.iter();
        let seen = all.filter(move |(_, within)| Self::is_seen(within.as_ref(), by));
        seen.map(|(import, _)| import)
    }
}

/// The path of the module within which something is seen; `None` if it is seen everywhere, or
/// `pub(in …)` says where. `module` is the path of the one that declares it.
fn hidden_within(visibility: &Visibility, module: &[String]) -> Option<Vec<String>> {
    match visibility {
        Visibility::Inherited => Some(module.to_vec()),
        Visibility::Restricted(to) if to.path.is_ident("self") => Some(module.to_vec()),
        Visibility::Restricted(to) if to.path.is_ident("super") => {
            module.split_last().map(|(_, parent)| parent.to_vec())
        }
        Visibility::Restricted(to) if to.path.is_ident("crate") => Some(Vec::new()),
        _ => None,
    }
}

/// How many aliases may lead to each other: more is a circle.
const DEEPEST: usize = 32;

/// The searches under way: the module, the one that sees it by a glob, the
/// name, whether it is that of a module.
type Search = HashSet<(usize, Option<usize>, String, bool)>;

/// The target of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A module.
    Module(usize),
    /// An item: its module and its name there.
    Item(usize, String),
}

impl CrateModel {
    /// Reads the modules of a crate.
    pub fn of(modules: &[AnnotatedModule]) -> Self {
        let mut model = Self::default();
        for module in modules {
            model.add_names(module);
        }
        let mut readers = Readers::default();
        for module in modules {
            readers.add(&model, module);
        }
        model.readers = readers;
        model
    }

    /// Adds the names that a module declares and imports, the types of its structs' fields, and its
    /// macros.
    fn add_names(&mut self, of: &AnnotatedModule) {
        let path = &of.path[..];
        // Alternatives under `#[cfg]` share a path.
        let known = self.module(path).unwrap_or_else(|| {
            self.modules.push(Module {
                path: path.to_vec(),
                ..Module::default()
            });
            self.modules.len() - 1
        });
        let module = &mut self.modules[known];
        for (item, _) in &of.items {
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
                    module.children.insert(item.ident.to_string());
                    if let Some(within) = hidden_within(&item.vis, path) {
                        let hidden = (within, location(item.ident.span()).0);
                        module.hidden_modules.insert(item.ident.to_string(), hidden);
                    }
                }
                Item::Macro(item) if item.mac.path.is_ident("macro_rules") => {
                    let Some(name) = &item.ident else { continue };
                    let (name, rules) = (name.to_string(), &item.mac.tokens);
                    let names = self.outputs.entry(name.clone()).or_default();
                    identifiers(rules.clone(), names);
                    let functions = self.written_functions.entry(name.clone());
                    named_functions(rules.clone(), functions.or_default());
                    self.macros.push((name, rules.clone()));
                }
                item => {
                    let Some((ident, visibility)) = declared(item) else {
                        continue;
                    };
                    let name = ident.to_string();
                    if matches!(item, Item::Struct(_) | Item::Enum(_) | Item::Union(_)) {
                        module.types.insert(name.clone());
                    }
                    if matches!(item, Item::Union(_)) {
                        module.unions.insert(name.clone());
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

    /// The number of the module with this path; `None` if the crate has none.
    pub fn module(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|m| m.path == path)
    }

    /// Whether several modules declare a type of this name, which begins with a capital.
    pub fn is_declared_twice(&self, name: &str) -> bool {
        let is_type = |m: &&Module| m.types.contains(name) || m.aliases.contains_key(name);
        name.starts_with(char::is_uppercase) && self.modules.iter().filter(is_type).nth(1).is_some()
    }

    /// The first module on the way from the root to the module `to` that the module `from` may not
    /// name, as its visibility is, as a path with `crate`; `None` if all may be named.
    pub fn hidden_module(&self, from: &[String], to: &[String]) -> Option<String> {
        let is_hidden = |length: &usize| matches!(self.hidden(&to[..*length]), Some((within, _)) if !from.starts_with(within));
        let length = (1..=to.len()).find(is_hidden)?;
        Some(format!("crate::{}", to[..length].join("::")))
    }

    /// For the module of this path: the module within which it is seen, and the line that says so;
    /// `None` if it is seen everywhere.
    fn hidden(&self, module: &[String]) -> Option<&(Vec<String>, usize)> {
        let (name, parent) = module.split_last()?;
        self.modules[self.module(parent)?].hidden_modules.get(name)
    }

    /// The modules on the way to one that other crates do not see: of each the module around it,
    /// its name, and the line that says so.
    pub fn private_modules<'p>(
        &self,
        to: &'p [String],
    ) -> impl Iterator<Item = (&'p [String], &'p str, usize)> {
        (1..=to.len()).filter_map(|length| {
            let (name, parent) = to[..length].split_last()?;
            Some((parent, name.as_str(), self.hidden(&to[..length])?.1))
        })
    }

    /// A path to the item `name` of `module` that the module `from` may write, without `crate`:
    /// through a module that it may name and that imports the item. `None` if there is no such
    /// module.
    pub fn seen_path(&self, from: usize, module: usize, name: &str) -> Option<Vec<String>> {
        let here = &self.modules[from];
        let item = Target::Item(module, name.to_owned());
        let mut modules = self.modules.iter().enumerate();
        modules.find_map(|(index, through)| {
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

    /// A path by which other crates may name an item, through modules and imports that they see;
    /// `crate` is left out. `None` if they cannot name it.
    pub fn shown_path(&self, module: usize, name: &str) -> Option<Vec<String>> {
        let item = Target::Item(module, name.to_owned());
        let is_shown = |through: &&Module| {
            let mut globs = through.imports.iter();
            let is_glob = |((brought, _), within): &(Import, Option<Vec<String>>)| {
                brought == "*" && within.is_none()
            };
            self.private_modules(&through.path).next().is_none()
                && (through.shows(name) || globs.any(is_glob))
        };
        let leads = |through: &&Module| {
            let here = self.module(&through.path);
            here.and_then(|here| self.resolve(here, &[name.to_owned()])) == Some(item.clone())
        };
        let mut all = self.modules.iter().filter(is_shown);
        Some([&all.find(leads)?.path[..], &[name.to_owned()]].concat())
    }

    /// Follows a path from the module `from` through imports and re-exports to what it names;
    /// `None` if it leads out of the crate, or nowhere.
    pub fn resolve(&self, from: usize, path: &[String]) -> Option<Target> {
        self.resolve_once(from, path, &mut HashSet::new())
    }

    /// Follows a path name by name from a module. `above`: the searches that this one is part of;
    /// they are not begun again, so that circles end.
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
                name => match self.find(here, None, name, !after.is_empty(), above)? {
                    Target::Module(module) => here = module,
                    item if after.is_empty() => return Some(item),
                    Target::Item(..) => return None,
                },
            }
            rest = after;
        }
        (!path.is_empty()).then_some(Target::Module(here))
    }

    /// Returns the target of a name in a module: an item declared there, a module inside it, what a
    /// `use` brings in under the name, or what one of its globs does; `None` if there is none.
    /// `glob_of`: the module whose glob leads here, and which must see the name; `want_module`:
    /// whether only modules count; `above`: the searches under way, which end a circle.
    fn find(
        &self,
        module: usize,
        glob_of: Option<usize>,
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
        // In the edition 2015 the path of a `use` begins at the root.
        let brought = |path: &[String], above: &mut Search| {
            let found = self.resolve_once(module, path, above);
            found.or_else(|| self.resolve_once(self.module(&[])?, path, above))
        };
        let found = named.find_map(|(_, path)| brought(path, above));
        let found = found.or_else(|| {
            let mut globs = globs.collect::<Vec<_>>().into_iter();
            globs.find_map(|(_, path)| match brought(path, above)? {
                Target::Module(other) => self.find(other, Some(module), name, want_module, above),
                Target::Item(..) => None,
            })
        });
        // A failed search stays in `above`, so that it is not repeated: modules that import each
        // other's globs are searched once, not once for each way to them.
        if found.is_some() {
            above.remove(&key);
        }
        found
    }

    /// The full path of `path` in a body of the module `from`, where a `use` of the body, in
    /// `locals`, brings in its first name; `None` where no such `use` does.
    pub fn full_path(&self, from: usize, locals: &Locals, path: &[String]) -> Option<Vec<String>> {
        let first = path.first()?;
        if let Some((_, full)) = locals.imports.iter().find(|(name, _)| name == first) {
            return Some([full, &path[1..]].concat());
        }
        let mut globs = locals.imports.iter().filter(|(name, _)| name == "*");
        let (_, full) = globs.find(|(_, full)| {
            let Some(Target::Module(module)) = self.resolve(from, full) else {
                return false;
            };
            let is_path = path.len() > 1;
            let found = self.find(module, Some(from), first, is_path, &mut HashSet::new());
            found.is_some()
        })?;
        Some([full, path].concat())
    }

    /// The item that a path of a module leads to: the number of its module, its name there. `None`
    /// if it leads to a module, out of the crate, or nowhere.
    pub fn item_behind(&self, from: usize, path: &[String]) -> Option<(usize, String)> {
        match self.resolve(from, path)? {
            Target::Item(module, name) => Some((module, name)),
            Target::Module(_) => None,
        }
    }

    /// The type that an alias stands for, also through aliases of aliases, as a path from the
    /// crate's root with `crate`. `None` if the path is not of an alias, or the alias is of a type
    /// with arguments or without a name in the crate.
    pub fn unaliased(&self, from: usize, path: &[String]) -> Option<Vec<String>> {
        let is_alias = |m: &Module| path.last().is_some_and(|n| m.aliases.contains_key(n));
        if !self.modules.iter().any(is_alias) {
            return None;
        }
        let (mut from, mut path) = (from, path.to_vec());
        for depth in 0..DEEPEST {
            let (module, name) = self.item_behind(from, &path)?;
            let Some(ty) = self.modules[module].aliases.get(&name) else {
                return (depth > 0).then(|| self.modules[module].path_of(&name));
            };
            let Type::Path(ty) = ty else { return None };
            if ty.path.segments.iter().any(|s| !s.arguments.is_none()) {
                return None;
            }
            path = path_names(&ty.path);
            from = module;
        }
        None
    }

    /// The last name of the type of a field of a struct of the crate, annotated or not; for an
    /// array that of its entries. `None` if no struct has the field, or its type has no name.
    pub fn field_type(&self, structure: &str, field: &str) -> Option<&str> {
        let key = (structure.to_owned(), field.to_owned());
        self.field_types.get(&key).map(String::as_str)
    }

    /// Pairs of a struct's name and the type's name of one of its fields, for all structs of the
    /// crate, annotated or not.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let all = self.field_types.iter();
        all.map(|((of, _), ty)| (of.as_str(), ty.as_str()))
    }
}

/// Whether an alias has parameters, so that it stands for no type by itself.
pub fn is_generic(alias: &ItemType) -> bool {
    !alias.generics.params.is_empty()
}

/// The name that a `use` brings in, `*` for a glob, and its path.
pub type Import = (String, Vec<String>);

/// Adds what a `use` brings in: name and full path of each. `path`: the names in front of `tree`;
/// empty for a whole `use`.
pub fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Import>) {
    let full = |path: &[String], last: &Ident| {
        let last = (last != "self").then(|| last.to_string());
        path.iter().cloned().chain(last).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(t) => {
            path.push(t.ident.to_string());
            flatten(&t.tree, path, found);
            path.pop();
        }
        UseTree::Name(t) => {
            let full = full(path, &t.ident);
            found.push((full.last().cloned().unwrap_or_default(), full));
        }
        UseTree::Rename(t) => found.push((t.rename.to_string(), full(path, &t.ident))),
        UseTree::Glob(_) => found.push(("*".to_owned(), path.clone())),
        UseTree::Group(t) => t.items.iter().for_each(|t| flatten(t, path, found)),
    }
}

/// The types of the fields of a struct, by its name and theirs.
fn fields(item: &syn::ItemStruct) -> impl Iterator<Item = ((String, String), String)> {
    item.fields.iter().enumerate().filter_map(|(index, field)| {
        let key = (item.ident.to_string(), field_name(index, field));
        Some((key, type_name(entry(&field.ty))?))
    })
}

/// The type of the entries of an array or a slice, through arrays of arrays; any other type is
/// itself.
pub fn entry(ty: &Type) -> &Type {
    match ty {
        Type::Array(ty) => entry(&ty.elem),
        Type::Slice(ty) => entry(&ty.elem),
        ty => ty,
    }
}
