//! `traced!()`, which reads the file that it is in.

use std::collections::HashSet;
use std::path::Path;

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::{ImplItem, Item};

use super::{is_in, this_file, traced_items, with_facts};
use crate::diagnostics::messages::EMPTY_FILE;
use crate::diagnostics::{self, Cure, Diagnostic, Extent, FrozenBy, messages};
use crate::emit::imports;
use crate::emit::module;
use crate::infer::Facts;
use crate::model::arguments::Args;
use crate::model::{location, name_of, source, type_name};

/// `traced!()`.
pub(crate) fn file(args: TokenStream) -> TokenStream {
    let args = match syn::parse2::<Args>(args) {
        Ok(args) => args,
        Err(error) => return diagnostics::compile_errors(&[error.into()]),
    };
    let Some(file) = this_file() else {
        return TokenStream::new();
    };
    let line = Span::call_site().start().line;
    let (text, diagnostics) = with_facts(&file, |facts| {
        let text = source::forced(|| traced_file(facts, &file, line));
        (text, unknown_names(facts, &file, line, &args))
    });
    if !diagnostics.is_empty() {
        return diagnostics::compile_errors(&diagnostics);
    }
    let (text, messages) = text;
    let mut tokens = text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
        diagnostics::compile_error(Extent::here(), &format!("the twin does not parse: {error}"))
    });
    tokens.extend(
        messages
            .iter()
            .map(|m| diagnostics::compile_error(Extent::here(), m)),
    );
    tokens
}

/// The twin of the file's items, and what is wrong with them.
fn traced_file(facts: &Facts, file: &Path, line: usize) -> (String, Vec<String>) {
    let Some(unit) = unit_at(facts, file, line) else {
        // A file without items that could be traced, or one that is no Rust.
        let text = "#[doc(hidden)] pub mod __traced { pub use super::*; }";
        let mut messages = facts.unread.clone();
        if messages.is_empty() {
            messages.push(EMPTY_FILE.to_string());
        }
        return (text.to_owned(), messages);
    };
    let items = &facts.units[unit].items;
    let (body, mut diagnostics) = traced_items(facts, unit, items);
    diagnostics.sort_by_key(|d| location(d.at.start));
    let methods = methods(facts, items, &diagnostics);
    if let Some(last) = diagnostics.last_mut().filter(|_| !methods.is_empty()) {
        last.message.add(Cure::LeaveOut(methods));
    }
    let name = &facts.files[facts.units[unit].file].name;
    // In a file that is traced as a whole, its call freezes consts.
    let located = diagnostics.iter();
    let located = located.map(|d| d.located(name, FrozenBy::Argument));
    let mut messages: Vec<String> = located.collect();
    if messages.is_empty() && body.is_empty() && is_empty(facts, unit) {
        messages.push(EMPTY_FILE.to_string());
    }
    let module = module::module(facts, unit, &format_ident!("__traced"), &body, false, &[]);
    (module.to_string(), messages)
}

/// The methods and operators of copied types in which something is wrong: of
/// those an evaluation mostly calls few.
fn methods(facts: &Facts, items: &[Item], diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut found = Vec::new();
    for item in items {
        let Item::Impl(block) = item else { continue };
        let owner = type_name(&block.self_ty);
        if !owner.is_some_and(|owner| facts.is_copied(&owner)) {
            continue;
        }
        for member in &block.items {
            let ImplItem::Fn(f) = member else { continue };
            let (first, last) = (f.sig.fn_token.span, f.block.brace_token.span.close());
            let lines = location(first)..location(last);
            let mut locations = diagnostics.iter().map(|d| location(d.at.start));
            let name = f.sig.ident.to_string();
            if locations.any(|at| lines.contains(&at)) && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Whether a unit whose items have no twins re-exports none either, and holds
/// something that could be expected to have one. A file of nothing but types,
/// macros or frozen consts may say that it is the evaluation's.
fn is_empty(facts: &Facts, unit: usize) -> bool {
    let of = &facts.units[unit];
    let mut items = of.items.iter();
    let expected = items.any(|item| match item {
        Item::Fn(_) | Item::Impl(_) => true,
        Item::Const(_) | Item::Static(_) => {
            name_of(item).is_some_and(|name| !of.frozen.contains(&name))
        }
        _ => false,
    });
    expected && imports::exports(facts, unit, &HashSet::new()).is_empty()
}

/// The unit whose `traced!()` is in this line.
fn unit_at(facts: &Facts, file: &Path, line: usize) -> Option<usize> {
    facts
        .units
        .iter()
        .position(|unit| is_in(facts, unit, file) && unit.traced_at.is_some_and(|at| at.0 == line))
}

/// Names in `frozen(…)`, `untraced(…)` and `replaced(…)` that the file does
/// not declare.
fn unknown_names(facts: &Facts, file: &Path, line: usize, args: &Args) -> Vec<Diagnostic> {
    let Some(unit) = unit_at(facts, file, line) else {
        return Vec::new();
    };
    let names = &facts.units[unit].names;
    let unknown = args
        .frozen
        .iter()
        .filter(|n| !names.contains(&n.to_string()));
    let unknown = unknown.map(|n| (n, messages::unknown_frozen(&n.to_string())));
    let functions = &facts.functions;
    let is_function = |name: &str| functions.iter().any(|f| f.unit == unit && f.name == name);
    let replaced = args.replaced.iter().flat_map(|(from, to)| [from, to]);
    let listed = args.untraced.iter().map(|n| (n, "untraced"));
    let listed = listed.chain(replaced.map(|n| (n, "replaced")));
    let strays = listed.filter(|(n, _)| !is_function(&n.to_string()));
    let strays = strays.map(|(n, list)| (n, messages::unknown_listed(&n.to_string(), list)));
    let all = unknown.chain(strays);
    all.map(|(n, message)| Diagnostic::new(n.span(), message))
        .collect()
}
