//! Follows `mod` items from the root of a crate to all of its files.
//!
//! A file that no `mod` names does not belong to the crate, whatever its folder.
//! Rustc tracks the files that it follows itself, so that cargo builds anew
//! when one of them changes.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Item, ItemMod, Meta, Token};

use crate::annotated::write_out;
use crate::associated::AssociatedConst;
use crate::parse::{SyntaxError, parse};
use crate::syntax::{is_test, string};

/// One file of a crate.
#[derive(Debug)]
pub struct CrateFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The path of its module from the crate's root; empty for the root.
    pub module: Vec<String>,
    /// The whole text.
    pub text: String,
    /// The items that it declares, [written out](write_out), or why the text cannot be parsed.
    pub items: Result<Vec<Item>, SyntaxError>,
    /// The consts of impl blocks that have `#[tunable]`.
    pub associated: Vec<AssociatedConst>,
}

impl CrateFile {
    /// Makes the root file of a crate from its text, parsed; `path` need not exist on the disk.
    pub fn root(path: PathBuf, text: String) -> Self {
        Self::new(path, &[], text)
    }

    /// Makes a file of the crate from its text: the items are parsed, and rewritten into plainer
    /// ones by `write_out`. `module`: the path of its module from the crate's root.
    fn new(path: PathBuf, module: &[String], text: String) -> Self {
        let mut items = parse(&text).map(|file| file.items);
        let parsed = items.iter_mut();
        // `false`: the module of a whole file has no `#[tunable]`, which only inline modules have.
        let associated = parsed.flat_map(|items| write_out(module, items, false));
        Self {
            path,
            module: module.to_vec(),
            associated: associated.collect(),
            items,
            text,
        }
    }
}

/// A `mod` item without a file.
#[derive(Debug)]
pub struct MissingModule {
    /// The file that names it.
    pub declared_in: PathBuf,
    /// Its path in the crate.
    pub path: Vec<String>,
    /// The line of the item, from 1.
    pub line: usize,
}

/// The files of a crate, each before those of its modules; and the modules whose file is missing
/// although no `#[cfg]` may switch them off.
#[derive(Debug, Default)]
pub struct CrateFiles {
    /// The files; the root is the first.
    pub files: Vec<CrateFile>,
    /// Modules whose file rustc would not find either.
    pub missing: Vec<MissingModule>,
    /// Whether the feature `tune` is one of the engine's own, so that modules behind it are not
    /// followed.
    has_own_tune: bool,
}

impl CrateFiles {
    /// Reads the files of a crate, following `mod` items from the file `root`. `feature`: the Cargo
    /// feature that the crate's twin, its traced version, is behind; if it is not `tune`, modules
    /// behind a feature `tune` are left out. If the root cannot be read there are no files; another
    /// file that cannot be read is listed as missing; one with wrong syntax has no modules.
    pub fn of(root: &Path, feature: &str) -> Self {
        fs::read_to_string(root).map_or_else(
            |_| Self::default(),
            |text| Self::of_root(CrateFile::root(root.to_owned(), text), feature),
        )
    }

    /// Reads the files of a crate, following `mod` items from a root that need not exist on the
    /// disk. `feature`: the Cargo feature that the crate's twin, its traced version, is behind; if
    /// it is not `tune`, modules behind a feature `tune` are left out.
    pub fn of_root(root: CrateFile, feature: &str) -> Self {
        let mut found = Self {
            has_own_tune: feature != "tune",
            ..Self::default()
        };
        let folder = root.path.parent().unwrap_or(Path::new("")).to_owned();
        found.follow_file(root, &folder);
        found
    }

    /// Reads a file and adds it with its modules, unless it is there already. `folder`: where the
    /// files of its modules are; `module`: its path in the crate. Returns false if it cannot be
    /// read.
    fn add(&mut self, path: &Path, folder: &Path, module: &[String]) -> bool {
        if self.files.iter().any(|known| known.path == path) {
            return true;
        }
        let text = fs::read_to_string(path);
        let file = text.map(|text| CrateFile::new(path.to_owned(), module, text));
        file.map(|file| self.follow_file(file, folder)).is_ok()
    }

    /// Adds a file and then those of the modules that it declares, which are in `folder`.
    fn follow_file(&mut self, mut file: CrateFile, folder: &Path) {
        let (path, module) = (file.path.clone(), file.module.clone());
        // The file is stored before its modules are followed; its items are read meanwhile.
        let items = std::mem::replace(&mut file.items, Ok(Vec::new()));
        let index = self.files.len();
        self.files.push(file);
        if let Ok(items) = &items {
            let parent = path.parent().unwrap_or(Path::new(""));
            self.follow(items, &path, parent, folder, &module);
        }
        self.files[index].items = items;
    }

    /// Adds the files of the modules among `items`, but not of those for tests or behind a feature
    /// `tune` that is the engine's own. The items are those of `file`, or of an inline module in
    /// it, and `module` is their path. Files of modules are in `dir`; paths in `#[path]` start at
    /// `base`.
    fn follow(&mut self, items: &[Item], file: &Path, base: &Path, dir: &Path, module: &[String]) {
        for item in items {
            match item {
                Item::Mod(item) if self.has_own_tune && is_of_tune(item) => {}
                Item::Mod(item) if !is_test(&item.attrs) => {
                    let name = item.ident.to_string().trim_start_matches("r#").to_owned();
                    let module = child(module, &name);
                    let paths = item.attrs.iter().flat_map(|attr| paths_of(&attr.meta));
                    let paths: Vec<String> = paths.collect();
                    // An inline module: the files of its modules are in the folder that `#[path]`
                    // says, or else in the one of its name.
                    if let Some((_, items)) = &item.content {
                        let inner = paths.first().map(|path| base.join(path));
                        let inner = inner.unwrap_or_else(|| dir.join(&name));
                        self.follow(items, file, &inner, &inner, &module);
                        continue;
                    }
                    let mut is_found = false;
                    for path in &paths {
                        let path = base.join(path);
                        let dir = path.parent().unwrap_or(Path::new("")).to_owned();
                        is_found |= self.add(&path, &dir, &module);
                    }
                    // Under `cfg_attr` a path may not hold, so the usual file counts too.
                    if !item.attrs.iter().any(|a| a.path().is_ident("path")) {
                        is_found |= self.add_child(dir, &name, &module);
                    }
                    if !is_found && !is_conditional(item) {
                        self.missing.push(MissingModule {
                            declared_in: file.to_owned(),
                            path: module,
                            line: item.ident.span().start().line,
                        });
                    }
                }
                // `cfg_if! { if #[cfg(…)] { mod fast; } }`: the macro may leave the module out, so
                // a file that is not there is not noted as missing.
                Item::Macro(item) if item.ident.is_none() => {
                    let mut names = Vec::new();
                    declared(item.mac.tokens.clone(), &mut names);
                    for name in names {
                        self.add_child(dir, &name, &child(module, &name));
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the file of the module `name`, `name.rs` or `name/mod.rs` in `folder`; the files of its
    /// own modules are in the folder `name` there. `module`: its path in the crate. Tells whether
    /// there is such a file that can be read; if both are there, both are added.
    fn add_child(&mut self, folder: &Path, name: &str, module: &[String]) -> bool {
        let inner = folder.join(name);
        let paths = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
        let paths = paths.iter().filter(|path| path.is_file());
        paths.fold(false, |found, path| self.add(path, &inner, module) | found)
    }
}

/// The path of the module `name` in the module with the path `module`.
fn child(module: &[String], name: &str) -> Vec<String> {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// Tells whether a module need not have its usual file: `#[cfg]` may switch it off, or
/// `#[cfg_attr]` may say by `path` where the file is.
fn is_conditional(item: &ItemMod) -> bool {
    let is_elsewhere =
        |attr: &Attribute| attr.path().is_ident("cfg_attr") && !paths_of(&attr.meta).is_empty();
    let mut attrs = item.attrs.iter();
    attrs.any(|attr| attr.path().is_ident("cfg") || is_elsewhere(attr))
}

/// Tells whether a module has `#[cfg(feature = "tune")]`, with nothing else in the condition.
fn is_of_tune(item: &ItemMod) -> bool {
    let is_tune = |meta: Meta| meta.to_token_stream().to_string() == "feature = \"tune\"";
    let mut cfgs = item.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    cfgs.any(|attr| attr.parse_args().is_ok_and(is_tune))
}

/// The paths of files in one attribute: that of `path = "…"`, or all in a `cfg_attr`.
fn paths_of(meta: &Meta) -> Vec<String> {
    match meta {
        Meta::NameValue(m) if m.path.is_ident("path") => string(&m.value).into_iter().collect(),
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
            let inner = list.parse_args_with(parser).into_iter().flatten();
            inner.flat_map(|meta| paths_of(&meta)).collect()
        }
        _ => Vec::new(),
    }
}

/// Adds the names of the modules that are declared by `mod name;` among the tokens of a macro, also
/// in groups.
fn declared(tokens: TokenStream, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        match (token, tokens.get(index + 1), tokens.get(index + 2)) {
            (TokenTree::Group(group), ..) => declared(group.stream(), found),
            (
                TokenTree::Ident(keyword),
                Some(TokenTree::Ident(name)),
                Some(TokenTree::Punct(end)),
            ) if keyword == "mod" && end.as_char() == ';' => found.push(name.to_string()),
            _ => {}
        }
    }
}
