//! Follows `mod` items from the crate's root to all files of the crate.
//!
//! A file that no `mod` names is none of the crate's, whatever its folder.
//! Rustc tracks the files that it follows itself, so that cargo builds anew
//! when one of them changes.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Item, Lit, LitStr, Meta};

use super::units::is_test;

/// One file of the crate.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    /// The path of its module.
    pub(super) module: Vec<String>,
    pub(crate) text: String,
    /// What it says; nothing once the model has taken it.
    pub(super) items: syn::Result<Vec<Item>>,
}

#[cfg(test)]
impl Source {
    /// A crate of one file.
    pub(crate) fn of_text(text: &str) -> Self {
        Self {
            path: PathBuf::from("lib.rs"),
            module: Vec::new(),
            text: text.to_owned(),
            items: items_of(text),
        }
    }
}

/// What a file says, without what looks like ours and is not.
fn items_of(text: &str) -> syn::Result<Vec<Item>> {
    let mut items = syn::parse_file(text)?.items;
    tuner_source::take_out_foreign(&mut items);
    Ok(items)
}

/// All files of the crate with this root; call it `forced`.
pub(super) fn of_crate(root: &Path) -> Vec<Source> {
    let mut found = Vec::new();
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    add(root, &folder, &[], &mut found);
    found.sort_by(|a, b| a.module.cmp(&b.module));
    found
}

/// `folder` is that of the file's child modules.
fn add(path: &Path, folder: &Path, module: &[String], found: &mut Vec<Source>) {
    if found.iter().any(|known| known.path == path) {
        return;
    }
    let Ok(text) = fs::read_to_string(path) else {
        return;
    };
    let items = items_of(&text);
    let index = found.len();
    found.push(Source {
        path: path.to_owned(),
        module: module.to_vec(),
        text,
        items: Ok(Vec::new()),
    });
    // A file that is no Rust has no children; rustc says why.
    if let Ok(items) = &items {
        let parent = path.parent().unwrap_or(Path::new(""));
        follow(items, parent, folder, module, found);
    }
    found[index].items = items;
}

/// Follows the items of a file or of an inline module. Plain children are
/// in `folder`, paths of those with `#[path]` start at `parent`.
fn follow(
    items: &[Item],
    parent: &Path,
    folder: &Path,
    module: &[String],
    found: &mut Vec<Source>,
) {
    for item in items {
        match item {
            Item::Mod(item) if !is_test(&item.attrs) => {
                let name = item.ident.to_string().trim_start_matches("r#").to_owned();
                let paths = paths(&item.attrs);
                if let Some((_, items)) = &item.content {
                    let inner = paths
                        .first()
                        .map_or_else(|| folder.join(&name), |p| parent.join(p));
                    follow(items, &inner, &inner, &child(module, &name), found);
                } else if paths.is_empty() {
                    child_file(folder, module, &name, found);
                } else {
                    for path in paths {
                        let path = parent.join(path);
                        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
                        add(&path, &folder, &child(module, &name), found);
                    }
                    // Under `cfg_attr` the usual place may be meant as well.
                    if !item.attrs.iter().any(|a| a.path().is_ident("path")) {
                        child_file(folder, module, &name, found);
                    }
                }
            }
            // `cfg_if! { if #[cfg(…)] { mod fast; } }`.
            Item::Macro(item) if item.ident.is_none() => {
                let mut names = Vec::new();
                declared(item.mac.tokens.clone(), &mut names);
                for name in names {
                    child_file(folder, module, &name, found);
                }
            }
            _ => {}
        }
    }
}

fn child(module: &[String], name: &str) -> Vec<String> {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// `name.rs` or `name/mod.rs`; the children of both are in `name`.
fn child_file(folder: &Path, module: &[String], name: &str, found: &mut Vec<Source>) {
    let inner = folder.join(name);
    let paths = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
    for path in paths.iter().filter(|path| path.is_file()) {
        add(path, &inner, &child(module, name), found);
    }
}

/// What `#[path = "…"]` says, also inside `cfg_attr`.
fn paths(attrs: &[Attribute]) -> Vec<String> {
    let mut found = Vec::new();
    for attr in attrs {
        match &attr.meta {
            Meta::NameValue(meta) if meta.path.is_ident("path") => {
                if let syn::Expr::Lit(value) = &meta.value
                    && let Lit::Str(value) = &value.lit
                {
                    found.push(value.value());
                }
            }
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                let mut before = [String::new(), String::new()];
                for token in list.tokens.clone() {
                    if before == ["path", "="]
                        && let Ok(value) = syn::parse2::<LitStr>(TokenStream::from(token.clone()))
                    {
                        found.push(value.value());
                    }
                    let [_, last] = before;
                    before = [last, token.to_string()];
                }
            }
            _ => {}
        }
    }
    found
}

/// The names in `mod name;` among the tokens of a macro.
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
