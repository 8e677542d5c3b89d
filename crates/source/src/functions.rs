//! Modules and functions of a file, as far as whoever calls them needs to know.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{FnArg, Item, ItemMod, ReceiverKind, ReturnType, Signature, Type, UseTree, Visibility};

use crate::parse::{in_a_thread, parse};
use crate::{SourceLocation, SyntaxError, SyntaxErrorKind, is_test, last_name};

/// What a file declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeclaredItems {
    /// What the modules of a root may need in front of them, as it is written:
    /// `#![feature(…)]` and other attributes of the compiler, `extern crate`, `macro_rules!`.
    pub heads: Vec<String>,
    /// Its modules, those within others too.
    pub modules: Vec<DeclaredModule>,
    /// Its functions, those of `impl` blocks too.
    pub functions: Vec<DeclaredFunction>,
    /// What it declares by name, with the names that each has in it.
    pub items: Vec<DeclaredItem>,
    /// Names of its structs and enums, with their modules.
    pub types: Vec<Vec<String>>,
    /// What `use` outside of inner modules brings in from the crate by name: the name
    /// here, and its path there, from the root.
    pub imports: Vec<(String, Vec<String>)>,
}

/// An item: a function, a method, a const, a type, a macro. Of an `impl` block of a trait
/// it is all of the block, by the name of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredItem {
    /// The type whose method or const it is.
    pub of: Option<String>,
    /// Its name, without path.
    pub name: String,
    /// The identifiers in it: `.name` behind a point, `Type::name` behind a type, else `name`.
    pub uses: BTreeSet<String>,
}

/// A `mod` item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredModule {
    /// The modules of the file that it is in, and its own name.
    pub path: Vec<String>,
    /// Whether other crates see it.
    pub is_public: bool,
    /// Whether its items are here, and not in a file of their own.
    pub is_inline: bool,
    /// The file, where `#[path]` names it.
    pub file: Option<String>,
    /// Attributes that decide whether and how it is compiled, but for `#[path]`, as they are
    /// written: `#[cfg(…)]`, `#[cfg_attr(…)]`, `#[macro_use]`.
    pub attributes: Vec<String>,
    /// The line, from 1.
    pub line: usize,
}

impl DeclaredModule {
    /// Whether `#[cfg]` may switch it off, or `#[cfg_attr]` may say where its file is.
    pub fn is_conditional(&self) -> bool {
        let mut attributes = self.attributes.iter();
        attributes.any(|text| {
            text.contains("cfg") && (!text.contains("cfg_attr") || text.contains("path"))
        })
    }
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredFunction {
    /// The modules of the file that it is in.
    pub modules: Vec<String>,
    /// The type whose method it is, without path or arguments.
    pub of: Option<String>,
    /// Its name.
    pub name: String,
    /// Whether other crates see it, if they see its module.
    pub is_public: bool,
    /// Whether it has arguments for types, or lifetimes.
    pub is_generic: bool,
    /// How it takes `self`.
    pub receiver: Option<Passing>,
    /// Its other parameters.
    pub parameters: Vec<DeclaredParameter>,
    /// What it returns, as written; none for nothing.
    pub returns: Option<String>,
    /// The last name of that type.
    pub returned: Option<String>,
    /// The line, from 1.
    pub line: usize,
}

/// How a value is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// Itself.
    Value,
    /// `&`.
    Shared,
    /// `&mut`.
    Mutable,
}

/// A parameter that is not `self`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredParameter {
    /// How it is handed over.
    pub passing: Passing,
    /// The last name of its type, without `&`; empty if it has none.
    pub kind: String,
}

impl DeclaredItems {
    /// Reads a file.
    ///
    /// # Errors
    /// If it is no Rust that can be read.
    pub fn of(text: &str) -> Result<Self, SyntaxError> {
        let read = || {
            let (file, _) = parse(text)?;
            let mut declared = Self {
                heads: heads(&file),
                ..Self::default()
            };
            declared.items(&file.items, &mut Vec::new());
            Ok(declared)
        };
        in_a_thread(read).unwrap_or(Err(SyntaxError {
            location: SourceLocation::START,
            kind: SyntaxErrorKind::Parser,
        }))
    }

    fn items(&mut self, items: &[Item], modules: &mut Vec<String>) {
        for item in items {
            self.names(item);
            match item {
                Item::Mod(module) if !is_test(&module.attrs) => {
                    self.module(module, modules);
                }
                Item::Fn(function) => {
                    let public = is_public(&function.vis);
                    self.function(&function.sig, None, public, modules);
                }
                Item::Impl(block) => {
                    let Type::Path(of) = &*block.self_ty else {
                        continue;
                    };
                    for item in &block.items {
                        if let syn::ImplItem::Fn(method) = item {
                            let public = is_public(&method.vis) || block.trait_.is_some();
                            let of = Some(last_name(&of.path));
                            self.function(&method.sig, of, public, modules);
                        }
                    }
                }
                Item::Struct(syn::ItemStruct { ident, .. })
                | Item::Enum(syn::ItemEnum { ident, .. }) => {
                    self.types
                        .push([modules, &[ident.to_string()][..]].concat());
                }
                Item::Use(item) if modules.is_empty() => {
                    self.import(&item.tree, &mut Vec::new());
                }
                _ => {}
            }
        }
    }

    /// Notes what an item declares, but for modules, whose items follow.
    fn names(&mut self, item: &Item) {
        let mut add_of = |of: Option<&str>, name: String, tokens: &dyn ToTokens| {
            let mut uses = BTreeSet::new();
            identifiers(tokens.to_token_stream(), of, &mut uses);
            let of = of.map(str::to_owned);
            self.items.push(DeclaredItem { of, name, uses });
        };
        if let Item::Impl(block) = item {
            let Type::Path(of) = &*block.self_ty else {
                return;
            };
            let of = last_name(&of.path);
            if block.trait_.is_some() {
                add_of(None, of, block);
                return;
            }
            let of = Some(of.as_str());
            for member in &block.items {
                match member {
                    syn::ImplItem::Fn(f) => add_of(of, f.sig.ident.to_string(), f),
                    syn::ImplItem::Const(c) => add_of(of, c.ident.to_string(), c),
                    _ => {}
                }
            }
            return;
        }
        let mut add = |name: String, item: &Item| add_of(None, name, item);
        match item {
            Item::Const(found) => add(found.ident.to_string(), item),
            Item::Enum(found) => add(found.ident.to_string(), item),
            Item::Fn(found) => add(found.sig.ident.to_string(), item),
            Item::Static(found) => add(found.ident.to_string(), item),
            Item::Struct(found) => add(found.ident.to_string(), item),
            Item::Trait(found) => add(found.ident.to_string(), item),
            Item::Type(found) => add(found.ident.to_string(), item),
            Item::Macro(found) => {
                if let Some(name) = &found.ident {
                    add(name.to_string(), item);
                }
            }
            _ => {}
        }
    }

    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        let named = |name: &syn::Ident| [before, &[name.to_string()][..]].concat();
        let (name, path) = match tree {
            UseTree::Path(inner) => {
                before.push(inner.ident.to_string());
                self.import(&inner.tree, before);
                before.pop();
                return;
            }
            UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|tree| self.import(tree, before));
                return;
            }
            UseTree::Name(item) => (item.ident.to_string(), named(&item.ident)),
            UseTree::Rename(item) => (item.rename.to_string(), named(&item.ident)),
            UseTree::Glob(_) => return,
        };
        if let [root, path @ ..] = &path[..]
            && root == "crate"
        {
            self.imports.push((name, path.to_vec()));
        }
    }

    fn module(&mut self, module: &ItemMod, modules: &mut Vec<String>) {
        modules.push(module.ident.to_string());
        let file = module.attrs.iter().find_map(|attribute| {
            let syn::Meta::NameValue(pair) = &attribute.meta else {
                return None;
            };
            match &pair.value {
                syn::Expr::Lit(syn::ExprLit {
                    lit: syn::Lit::Str(text),
                    ..
                }) if pair.path.is_ident("path") => Some(text.value()),
                _ => None,
            }
        });
        self.modules.push(DeclaredModule {
            path: modules.clone(),
            is_public: is_public(&module.vis),
            is_inline: module.content.is_some(),
            file,
            attributes: (module.attrs.iter())
                .filter(|attribute| {
                    let mut kept = ["cfg", "cfg_attr", "macro_use"].into_iter();
                    kept.any(|name| attribute.path().is_ident(name))
                })
                .filter_map(as_written)
                .collect(),
            line: module.ident.span().start().line,
        });
        if let Some((_, items)) = &module.content {
            self.items(items, modules);
        }
        modules.pop();
    }

    fn function(
        &mut self,
        signature: &Signature,
        of: Option<String>,
        is_public: bool,
        modules: &[String],
    ) {
        let mut receiver = None;
        let mut parameters = Vec::new();
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(own) => {
                    receiver = Some(match &own.kind {
                        ReceiverKind::Reference(_, _, None) => Passing::Shared,
                        ReceiverKind::Reference(_, _, Some(_)) => Passing::Mutable,
                        _ => Passing::Value,
                    });
                }
                FnArg::Typed(typed) => parameters.push(parameter(&typed.ty)),
            }
        }
        let (returns, returned) = match &signature.output {
            ReturnType::Default => (None, None),
            ReturnType::Type(_, kind) => (
                Some(kind.to_token_stream().to_string()),
                Some(kind_name(kind)),
            ),
        };
        self.functions.push(DeclaredFunction {
            modules: modules.to_vec(),
            of,
            name: signature.ident.to_string(),
            is_public,
            is_generic: !signature.generics.params.is_empty(),
            receiver,
            parameters,
            returns,
            returned,
            line: signature.ident.span().start().line,
        });
    }
}

/// What [`DeclaredItems::heads`] has.
fn heads(file: &syn::File) -> Vec<String> {
    let needed = ["cfg_attr", "feature", "no_std", "recursion_limit"];
    let attributes = file.attrs.iter().filter(|attribute| {
        let mut needed = needed.into_iter();
        needed.any(|name| attribute.path().is_ident(name))
    });
    let items = file.items.iter().filter(|item| match item {
        Item::ExternCrate(_) => true,
        Item::Macro(found) => found.ident.is_some(),
        _ => false,
    });
    let attributes = attributes.filter_map(as_written);
    attributes.chain(items.filter_map(as_written)).collect()
}

/// The text of something, from its first token to its last one.
fn as_written(part: &impl ToTokens) -> Option<String> {
    part.span().source_text()
}

/// The identifiers among some tokens, as [`DeclaredItem::uses`] has them; `own` is `Self`.
fn identifiers(tokens: TokenStream, own: Option<&str>, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let sign = |index: Option<usize>| match index.map(|index| &tokens[index]) {
        Some(TokenTree::Punct(sign)) => Some(sign.as_char()),
        _ => None,
    };
    for (index, token) in tokens.iter().enumerate() {
        let back = |count| index.checked_sub(count);
        match token {
            TokenTree::Ident(name) => {
                let name = name.to_string();
                let is_path = sign(back(1)) == Some(':') && sign(back(2)) == Some(':');
                let of = match back(3).map(|index| &tokens[index]) {
                    Some(TokenTree::Ident(of)) if is_path => of.to_string(),
                    _ => String::new(),
                };
                let of = own.filter(|_| of == "Self").unwrap_or(&of);
                found.insert(if of.starts_with(char::is_uppercase) {
                    format!("{of}::{name}")
                } else if sign(back(1)) == Some('.') && sign(back(2)) != Some('.') {
                    format!(".{name}")
                } else {
                    name
                });
            }
            TokenTree::Group(group) => identifiers(group.stream(), own, found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn parameter(kind: &Type) -> DeclaredParameter {
    let (passing, kind) = match kind {
        Type::Reference(reference) if reference.mutability.is_some() => {
            (Passing::Mutable, &*reference.elem)
        }
        Type::Reference(reference) => (Passing::Shared, &*reference.elem),
        other => (Passing::Value, other),
    };
    DeclaredParameter {
        passing,
        kind: kind_name(kind),
    }
}

fn kind_name(kind: &Type) -> String {
    match kind {
        Type::Path(path) => last_name(&path.path),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn functions_and_modules_are_listed() {
        let declared = DeclaredItems::of(
            "pub mod eval; #[path = \"x/t.rs\"] mod terms; #[cfg(test)] mod tests; \n\
             pub mod inner { pub fn evaluate(b: &Board) -> i32 { 0 } } \n\
             impl crate::board::Board { fn score(&mut self, d: u8) -> Option<Self> { None } }",
        )
        .unwrap();
        let names: Vec<String> = (declared.modules.iter())
            .map(|module| module.path.join("::"))
            .collect();
        assert_eq!(names, ["eval", "terms", "inner"]);
        assert_eq!(declared.modules[1].file.as_deref(), Some("x/t.rs"));
        assert!(declared.modules[0].is_public && !declared.modules[1].is_public);
        let [evaluate, score] = &*declared.functions else {
            unreachable!("{declared:?}");
        };
        assert_eq!(
            (evaluate.modules.join("::").as_str(), evaluate.line),
            ("inner", 2)
        );
        assert_eq!(evaluate.parameters[0].kind, "Board");
        assert_eq!(evaluate.parameters[0].passing, Passing::Shared);
        assert_eq!(score.of.as_deref(), Some("Board"));
        assert_eq!(score.receiver, Some(Passing::Mutable));
        assert_eq!(score.returned.as_deref(), Some("Option"));
        assert!(!score.is_public && evaluate.is_public);
    }

    #[test]
    fn what_is_no_rust_is_an_error() {
        assert!(DeclaredItems::of("fn").is_err());
        assert!(DeclaredItems::of(&"(".repeat(100_000)).is_err());
    }
}
