//! The text of a library that has the modules of a program.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Item};

use crate::item::{attributes, name_of};
use crate::modules::flatten;
use crate::parse::{SyntaxError, parse};
use crate::syntax::is_test;

/// Why there is no library of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoLibrary {
    /// The program cannot be read as Rust.
    Syntax(SyntaxError),
    /// A module is written in the program itself: its name, and the line from 1.
    Inline(String, usize),
    /// It has no modules.
    NoModule,
}

/// The text of a library with the modules of `program`, each as `pub mod` under the attributes that
/// it has there. In front is what they may need: attributes of the compiler, `extern crate`,
/// `macro_rules!`. If the modules use an item of the program by `crate::NAME`, all its items but
/// `main` are copied too. `is_named`: whether the modules use this name.
///
/// # Errors
///
/// If the program is not Rust, has no modules, or one that is not in a file of its own.
pub fn library_of(program: &str, is_named: impl Fn(&str) -> bool) -> Result<String, NoLibrary> {
    let file = parse(program).map_err(NoLibrary::Syntax)?;
    let mut library = "//! The engine's modules, for the evaluator.\n\n".to_owned();
    // The program's items but `main`, modules, macros and tests.
    let own = file.items.iter().filter(|item| {
        let is_main = name_of(item).is_some_and(|name| name == "main");
        let is_other = matches!(item, Item::Mod(_) | Item::ExternCrate(_) | Item::Macro(_));
        !is_main && !is_other && !is_test(attributes(item))
    });
    let own: Vec<&Item> = own.collect();
    // Whether the modules name one of these items, so that the library needs them.
    let is_shared = own.iter().any(|item| match item {
        Item::Use(item) => {
            let mut brought = Vec::new();
            flatten(&item.tree, &mut Vec::new(), &mut brought);
            brought.iter().any(|(name, _)| is_named(name))
        }
        item => name_of(item).is_some_and(|name| is_named(&name)),
    });
    if is_shared {
        library += "#![allow(dead_code, unused_imports)]\n\n";
    }
    let needed = ["cfg_attr", "feature", "no_std", "recursion_limit"];
    // What is in front of the modules.
    let mut heads = as_written(&file.attrs, &needed);
    heads.extend(file.items.iter().filter_map(|item| match item {
        Item::ExternCrate(_) => item.span().source_text(),
        Item::Macro(found) if found.ident.is_some() => item.span().source_text(),
        _ => None,
    }));
    for head in heads {
        library.extend([&head, "\n\n"]);
    }
    let mut found = false;
    for item in &file.items {
        let Item::Mod(module) = item else { continue };
        if is_test(&module.attrs) {
            continue;
        }
        let name = module.ident.to_string();
        if module.content.is_some() {
            return Err(NoLibrary::Inline(name, module.ident.span().start().line));
        }
        for attribute in as_written(&module.attrs, &["cfg", "cfg_attr", "macro_use", "path"]) {
            library.extend([&attribute, "\n"]);
        }
        library.extend(["pub mod ", &name, ";\n"]);
        found = true;
    }
    if is_shared {
        let own = own.iter().filter_map(|item| item.span().source_text());
        library.extend(own.map(|item| format!("\n{item}\n")));
    }
    found.then_some(library).ok_or(NoLibrary::NoModule)
}

/// The texts, as the source has them, of the attributes whose name is one of `names`.
fn as_written(attributes: &[Attribute], names: &[&str]) -> Vec<String> {
    let is_one = |attr: &&Attribute| names.iter().any(|name| attr.path().is_ident(name));
    let text = |attr: &Attribute| attr.to_token_stream().span().source_text();
    attributes.iter().filter(is_one).filter_map(text).collect()
}
