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
    /// The path of the item `name` of this module from the crate's root, with `crate` in front.
    pub fn path_of(&self, name: &str) -> Vec<String> {
        [&["crate".to_owned()], &self.path[..], &[name.to_owned()]].concat()
    }

    /// Tells whether the name is declared or imported by its name in this module and visible
    /// everywhere, other crates included.
    pub fn shows(&self, name: &str) -> bool {
        let mut imports = self.imports.iter();
        self.declared.contains(name) && !self.hidden.contains_key(name)
            || imports.any(|((brought, _), within)| brought == name && within.is_none())
    }

    /// Tells whether the module `by` sees a name that a glob of it would bring in. `within`: the
    /// name is seen in this module and in those inside it; `None`: everywhere. Without `by` a path
    /// names it, not a glob, and rustc has accepted that.
    fn is_seen(within: Option<&Vec<String>>, by: Option<&Self>) -> bool {
        match (within, by) {
            (Some(within), Some(by)) => by.path.starts_with(within),
            _ => true,
        }
    }

    /// The path from which the module brings in `name` by the first `use` that says this name;
    /// `None` if no `use` does, or a glob alone might.
    pub fn import(&self, name: &str) -> Option<&[String]> {
        let mut imports = self.imports.iter().map(|(import, _)| import);
        let found = imports.find(|(brought, _)| brought == name);
        found.map(|(_, path)| &path[..])
    }

    /// The imports of the module that other modules see as well, those by globs under the name `*`.
    pub fn exports(&self) -> impl Iterator<Item = &Import> {
        let shown = self.imports.iter();
        let shown = shown.filter(|(_, within)| within.as_ref() != Some(&self.path));
        shown.map(|(import, _)| import)
    }

    /// The path that the name `first` leads to by a `use` of this module: the first such path that
    /// has several names and does not begin with `first` itself. `None` without one.
    fn leads(&self, first: &String) -> Option<&[String]> {
        let mut imports = self.imports.iter().map(|(import, _)| import);
        let found = imports.find(|(brought, full)| {
            brought == first && full.len() > 1 && full.first() != Some(first)
        });
        found.map(|(_, full)| &full[..])
    }

    /// Tells whether a path that begins with this name starts in this crate without a `use`: with
    /// `crate`, `self`, `super`, or a module declared here.
    fn starts_inside(&self, first: &String) -> bool {
        matches!(first.as_str(), "crate" | "self" | "super") || self.children.contains(first)
    }

    /// A path in this module with its first name replaced by what a `use` says for it, as long as
    /// one does. `use` items that lead in a circle, as alternatives under `#[cfg]` may, are
    /// followed [`DEEPEST`] times.
    fn followed(&self, path: &[String]) -> Vec<String> {
        let mut path = path.to_vec();
        for _ in 0..DEEPEST {
            let first = path.first().filter(|first| !self.starts_inside(first));
            let Some(full) = first.and_then(|first| self.leads(first)) else {
                break;
            };
            path.splice(..1, full.iter().cloned());
        }
        path
    }

    /// Tells whether a path in this module starts in this crate, as far as the module tells: with
    /// `crate`, `self`, `super`, a module declared here, or a name that a `use` brings in from such
    /// a path.
    pub fn is_inside(&self, path: &[String]) -> bool {
        let path = self.followed(path);
        path.first().is_some_and(|first| self.starts_inside(first))
    }

    /// A path in this module, written from the crate's root, without `crate`; unchanged if it leads
    /// out of the crate, but for names that a `use` stands for.
    pub fn absolute(&self, path: &[String]) -> Vec<String> {
        let path = self.followed(path);
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
            _ if self.children.contains(first) => [&self.path[..], &path].concat(),
            _ => path,
        }
    }

    /// The imports of this module that the module `by` sees; without `by`, all of them.
    fn imports_for<'a>(&'a self, by: Option<&'a Self>) -> impl Iterator<Item = &'a Import> + Clone {
        let all = self.imports.iter();
        let seen = all.filter(move |(_, within)| Self::is_seen(within.as_ref(), by));
        seen.map(|(import, _)| import)
    }
}

/// The path of the module within which something of this visibility is seen, if the module with the
/// path `module` declares it. `None` if it is seen everywhere, or `pub(in …)` says where by a path
/// that does not begin with `crate`.
fn hidden_within(visibility: &Visibility, module: &[String]) -> Option<Vec<String>> {
    match visibility {
        Visibility::Inherited => Some(module.to_vec()),
        Visibility::Restricted(to) if to.path.is_ident("self") => Some(module.to_vec()),
        Visibility::Restricted(to) if to.path.is_ident("super") => {
            module.split_last().map(|(_, parent)| parent.to_vec())
        }
        Visibility::Restricted(to) => {
            let path = path_names(&to.path);
            let within = path.strip_prefix(&["crate".to_owned()])?;
            Some(within.to_vec())
        }
        Visibility::Public(_) => None,
    }
}

/// How many aliases or imports may lead to each other: more is a circle.
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
    /// Reads what the modules of a crate declare, and then what uses what.
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
    /// macros. Two modules of one path, alternatives under `#[cfg]`, become one.
    fn add_names(&mut self, of: &AnnotatedModule) {
        let path = &of.path[..];
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
                    // Each import with the module within which others see it.
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
                    // A private name is noted with the module within which it is seen.
                    if let Some(within) = hidden_within(visibility, path) {
                        module.hidden.insert(name.clone(), within);
                    }
                    module.declared.insert(name);
                }
            }
        }
    }

    /// The number of the module with this path from the crate's root; `None` if the crate has none.
    pub fn module(&self, path: &[String]) -> Option<usize> {
        self.modules.iter().position(|m| m.path == path)
    }

    /// Tells whether two or more modules declare a type of this name, which begins with a capital.
    pub fn is_declared_twice(&self, name: &str) -> bool {
        let is_type = |m: &&Module| m.types.contains(name) || m.aliases.contains_key(name);
        name.starts_with(char::is_uppercase) && self.modules.iter().filter(is_type).nth(1).is_some()
    }

    /// The first module on the way from the root to the module `to` that is not visible in the
    /// module `from`, as a path with `crate`; both are given by their paths. `None` if all modules
    /// on the way are visible.
    pub fn hidden_module(&self, from: &[String], to: &[String]) -> Option<String> {
        let is_hidden = |length: &usize| matches!(self.hidden(&to[..*length]), Some((within, _)) if !from.starts_with(within));
        let length = (1..=to.len()).find(is_hidden)?;
        Some(format!("crate::{}", to[..length].join("::")))
    }

    /// Of the module with this path: the path of the module within which it is seen, and the line
    /// of its `mod` item. `None` if it is seen everywhere.
    fn hidden(&self, module: &[String]) -> Option<&(Vec<String>, usize)> {
        let (name, parent) = module.split_last()?;
        self.modules[self.module(parent)?].hidden_modules.get(name)
    }

    /// The modules on the way to the module `to`, and that itself, that other crates do not see: of
    /// each the path of the module around it, its name, and the line of its `mod` item.
    pub fn private_modules<'p>(
        &self,
        to: &'p [String],
    ) -> impl Iterator<Item = (&'p [String], &'p str, usize)> {
        (1..=to.len()).filter_map(|length| {
            let (name, parent) = to[..length].split_last()?;
            Some((parent, name.as_str(), self.hidden(&to[..length])?.1))
        })
    }

    /// A path by which the module `from` may name the item `name` of the module `module`, through
    /// another module that it sees and that imports the item. The path is without `crate`. `None`
    /// if there is no such module.
    pub fn seen_path(&self, from: usize, module: usize, name: &str) -> Option<Vec<String>> {
        let here = &self.modules[from];
        let item = Target::Item(module, name.to_owned());
        let mut modules = self.modules.iter().enumerate();
        modules.find_map(|(index, through)| {
            if self.hidden_module(&here.path, &through.path).is_some() {
                return None;
            }
            // Names under which imports may bring the item in; a glob keeps its name.
            let shown = through.imports_for(Some(here)).map(|(brought, _)| brought);
            let shown = shown.map(|shown| if shown == "*" { name } else { shown });
            let shown = shown.map(str::to_owned).find(|shown| {
                self.resolve(index, std::slice::from_ref(shown)).as_ref() == Some(&item)
            })?;
            Some([&through.path[..], &[shown]].concat())
        })
    }

    /// A path, without `crate`, by which other crates may name the item `name` of a module, through
    /// modules and imports that are visible to them. `None` if they cannot name it.
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

    /// Follows a path name by name from a module to what it names; `None` if it leads out of the
    /// crate, or nowhere. `above`: the searches that this one is part of, which are not begun
    /// again, so that circles of imports end.
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

    /// Returns what a name in a module means: an item declared there, a module inside it, what a
    /// `use` brings in under the name, or what one of its globs does. `None` if it means nothing
    /// there. `glob_of`: the module whose glob leads here, which must see the name; `want_module`:
    /// whether only modules count, as another name follows in the path; `above`: searches that are
    /// under way or failed, which are not begun again.
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
        // What a `use` leads to. In the edition 2015 its path begins at the root.
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

    /// The path `path`, in a body of the module `from`, with its first name replaced by what a
    /// `use` of the body says for it. `locals`: what the body declares and imports. `None` where no
    /// `use` brings the name in.
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
            // In a path of several names the first is a module.
            let is_path = path.len() > 1;
            let found = self.find(module, Some(from), first, is_path, &mut HashSet::new());
            found.is_some()
        })?;
        Some([full, path].concat())
    }

    /// The item that a path in the module `from` leads to: the number of its module, and its name
    /// there. `None` if it leads to a module, out of the crate, or nowhere.
    pub fn item_behind(&self, from: usize, path: &[String]) -> Option<(usize, String)> {
        match self.resolve(from, path)? {
            Target::Item(module, name) => Some((module, name)),
            Target::Module(_) => None,
        }
    }

    /// The type that the alias at `path` in the module `from` stands for, also through aliases of
    /// aliases, as a path from the crate's root with `crate`. `None` if the path is not of an
    /// alias, the type has arguments or is no item of the crate, or aliases lead in a circle.
    pub fn unaliased(&self, from: usize, path: &[String]) -> Option<Vec<String>> {
        // Most names are of no alias in any module: their paths need not be followed.
        let is_alias = |m: &Module| path.last().is_some_and(|n| m.aliases.contains_key(n));
        if !self.modules.iter().any(is_alias) {
            return None;
        }
        let (mut from, mut path) = (from, path.to_vec());
        for depth in 0..DEEPEST {
            let (module, name) = self.item_behind(from, &path)?;
            let Some(ty) = self.modules[module].aliases.get(&name) else {
                // A type that stands for itself: the end of the way, if an alias led there.
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

    /// The last name of the type of the field `field` of a struct of the crate, annotated or not;
    /// for an array that of its entries. `None` if no struct of this name has the field, or its
    /// type has no name.
    pub fn field_type(&self, structure: &str, field: &str) -> Option<&str> {
        let key = (structure.to_owned(), field.to_owned());
        self.field_types.get(&key).map(String::as_str)
    }

    /// For each field of each struct of the crate, annotated or not: the name of the struct, and
    /// the last name of the field's type. Fields of types without a name, such as tuples, are left
    /// out.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        let all = self.field_types.iter();
        all.map(|((of, _), ty)| (of.as_str(), ty.as_str()))
    }
}

/// Tells whether an alias, `type NAME<T> = …;`, has parameters, so that it stands for no type by
/// itself.
pub fn is_generic(alias: &ItemType) -> bool {
    !alias.generics.params.is_empty()
}

/// The name that a `use` brings in, `*` for a glob, and its path.
pub type Import = (String, Vec<String>);

/// Adds the names that a `use` brings in to `found`, each with its full path; a glob has the name
/// `*`. `path`: the names in front of `tree` in the `use`, unchanged afterwards; empty for a whole
/// `use`.
pub fn flatten(tree: &UseTree, path: &mut Vec<String>, found: &mut Vec<Import>) {
    // `use a::{self}` brings in `a`.
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

/// The types of the fields of a struct by their last names, each under the names of the struct and
/// the field; for an array that of its entries. A field whose type has no name is left out.
fn fields(item: &syn::ItemStruct) -> impl Iterator<Item = ((String, String), String)> {
    item.fields.iter().enumerate().filter_map(|(index, field)| {
        let key = (item.ident.to_string(), field_name(index, field));
        Some((key, type_name(entry(&field.ty))?))
    })
}

/// The type of the entries of an array or a slice, through arrays of arrays; any other type is
/// returned as it is.
pub fn entry(ty: &Type) -> &Type {
    match ty {
        Type::Array(ty) => entry(&ty.elem),
        Type::Slice(ty) => entry(&ty.elem),
        ty => ty,
    }
}
