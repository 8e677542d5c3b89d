//! `traced!()`, which reads the file that it stands in.

use std::collections::HashSet;
use std::path::Path;

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::{ImplItem, Item};

use super::{is_in, this_file, traced_items, with_world};
use crate::args::Args;
use crate::diag::{self, Extent, Mistake};
use crate::imports;
use crate::refuse;
use crate::source;
use crate::twin::{self, Twin};
use crate::world::{self, World};

/// `traced!()`.
pub(crate) fn file(args: TokenStream) -> TokenStream {
    let args = match syn::parse2::<Args>(args) {
        Ok(args) => args,
        Err(error) => return diag::compile_errors(&[error.into()]),
    };
    let Some(file) = this_file() else {
        return TokenStream::new();
    };
    let line = Span::call_site().start().line;
    let (text, mistakes) = with_world(&file, |world| {
        let text = source::forced(|| whole_file(world, &file, line));
        (text, unknown_names(world, &file, line, &args))
    });
    if !mistakes.is_empty() {
        return diag::compile_errors(&mistakes);
    }
    let (text, messages) = text;
    let mut tokens = text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
        diag::compile_error(Extent::here(), &format!("the twin does not parse: {error}"))
    });
    tokens.extend(
        messages
            .iter()
            .map(|m| diag::compile_error(Extent::here(), m)),
    );
    tokens
}

/// The twin of the file's items, and what is wrong with them.
fn whole_file(world: &mut World, file: &Path, line: usize) -> (String, Vec<String>) {
    let Some(unit) = unit_at(world, file, line) else {
        // A file without items that could be traced, or one that is no Rust.
        let text = "#[doc(hidden)] pub mod __traced { pub use super::*; }";
        let mut messages = world.unread.clone();
        if messages.is_empty() {
            messages.push(refuse::EMPTY_FILE.to_string());
        }
        return (text.to_owned(), messages);
    };
    let items = world.units[unit].items.clone();
    let mut twin = Twin::new(world, unit);
    let body = traced_items(&mut twin, &items);
    let mut mistakes: Vec<Mistake> = twin.take_mistakes();
    mistakes.sort_by_key(|m| world::place(m.at.start));
    let name = &world.files[world.units[unit].file].name;
    // In a file that is traced as a whole, this is where the cure is written.
    let said = |m: &Mistake| {
        let message = m.placed(name);
        message.replace(
            "mark the const `#[frozen]`",
            "write `traced!(frozen(NAME))` for the const",
        )
    };
    let mut messages: Vec<String> = mistakes.iter().map(said).collect();
    let methods = methods(world, &items, &mistakes);
    if let Some(last) = messages.last_mut().filter(|_| !methods.is_empty()) {
        *last = format!("{last}; {}", refuse::or_untraced(&methods));
    }
    if messages.is_empty() && body.is_empty() && is_empty(world, unit) {
        messages.push(refuse::EMPTY_FILE.to_string());
    }
    let module = twin::module(world, unit, &format_ident!("__traced"), &body, false, &[]);
    (module.to_string(), messages)
}

/// The methods and operators of copied types in which mistakes stand: of those
/// an evaluation mostly calls few.
fn methods(world: &World, items: &[Item], mistakes: &[Mistake]) -> Vec<String> {
    let mut found = Vec::new();
    for item in items {
        let Item::Impl(block) = item else { continue };
        let owner = world::type_name(&block.self_ty);
        if !owner.is_some_and(|owner| world.is_copied(&owner)) {
            continue;
        }
        for member in &block.items {
            let ImplItem::Fn(f) = member else { continue };
            let (first, last) = (f.sig.fn_token.span, f.block.brace_token.span.close());
            let lines = world::place(first)..world::place(last);
            let mut stands = mistakes.iter().map(|m| world::place(m.at.start));
            let name = f.sig.ident.to_string();
            if stands.any(|place| lines.contains(&place)) && !found.contains(&name) {
                found.push(name);
            }
        }
    }
    found
}

/// Whether a unit whose items have no twins hands on none either, and holds
/// something that could be expected to have one. A file of nothing but types,
/// macros or frozen consts may say that it is the evaluation's.
fn is_empty(world: &World, unit: usize) -> bool {
    let of = &world.units[unit];
    let mut items = of.items.iter();
    let expected = items.any(|item| match item {
        Item::Fn(_) | Item::Impl(_) => true,
        Item::Const(_) | Item::Static(_) => {
            world::name_of(item).is_some_and(|name| !of.frozen.contains(&name))
        }
        _ => false,
    });
    expected && imports::exports(world, unit, &HashSet::new()).is_empty()
}

/// The unit whose `traced!()` stands in this line.
fn unit_at(world: &World, file: &Path, line: usize) -> Option<usize> {
    world
        .units
        .iter()
        .position(|unit| is_in(world, unit, file) && unit.traced_at.is_some_and(|at| at.0 == line))
}

/// Names in `frozen(…)`, `untraced(…)` and `replaced(…)` that the file does
/// not declare.
fn unknown_names(world: &World, file: &Path, line: usize, args: &Args) -> Vec<Mistake> {
    let Some(unit) = unit_at(world, file, line) else {
        return Vec::new();
    };
    let names = &world.units[unit].names;
    let unknown = args
        .frozen
        .iter()
        .filter(|n| !names.contains(&n.to_string()));
    let unknown = unknown.map(|n| (n, refuse::unknown_frozen(&n.to_string())));
    let functions = &world.functions;
    let is_function = |name: &str| functions.iter().any(|f| f.unit == unit && f.name == name);
    let replaced = args.replaced.iter().flat_map(|(from, to)| [from, to]);
    let listed = args.untraced.iter().map(|n| (n, "untraced"));
    let listed = listed.chain(replaced.map(|n| (n, "replaced")));
    let strays = listed.filter(|(n, _)| !is_function(&n.to_string()));
    let strays = strays.map(|(n, list)| (n, refuse::unknown_listed(&n.to_string(), list)));
    let all = unknown.chain(strays);
    all.map(|(n, message)| Mistake::new(n.span(), message))
        .collect()
}
