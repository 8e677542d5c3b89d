//! From the items of a file to its units.

use std::collections::HashSet;

use quote::format_ident;
use syn::{FnArg, Ident, ImplItem, Item, ItemImpl, Signature, UseTree, parse_quote};

use super::item::{attributes, has_attribute, mode, name_of, place_of};
use super::{Unit, World};
use crate::args::{Args, Mode};

pub(crate) use tuner_source::is_test;

impl World {
    pub(super) fn add_module(
        &mut self,
        file: usize,
        module: Vec<String>,
        items: Vec<Item>,
        marked: Option<Mode>,
    ) {
        let args = items.iter().find_map(traced_args);
        let whole = marked.is_some() || args.is_some();
        let mut unit = Unit {
            file,
            module,
            whole,
            mode: marked
                .unwrap_or_default()
                .or(args.as_ref().map_or(Mode::Linear, |a| a.mode)),
            items: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            children: Vec::new(),
            frozen: args
                .iter()
                .flat_map(|a| &a.frozen)
                .map(ToString::to_string)
                .collect(),
            untraced: args
                .iter()
                .flat_map(|a| &a.untraced)
                .map(ToString::to_string)
                .collect(),
            names: HashSet::new(),
            traced_at: items
                .iter()
                .find(|i| traced_args(i).is_some())
                .map(place_of),
        };
        let replaced = args.map(|a| a.replaced).unwrap_or_default();
        let mut inner = Vec::new();
        for mut item in items {
            replace(&mut item, &replaced);
            if let Item::Use(item) = &item {
                flatten(&item.tree, &mut Vec::new(), &mut unit.imports);
                if !matches!(item.vis, syn::Visibility::Inherited) {
                    flatten(&item.tree, &mut Vec::new(), &mut unit.exports);
                }
            }
            if let Item::Mod(item) = item {
                if is_test(&item.attrs) {
                    continue;
                }
                unit.children.push(item.ident.to_string());
                if let Some((_, items)) = item.content {
                    let tunable = has_attribute(&item.attrs, "tunable").then(|| mode(&item.attrs));
                    inner.push((item.ident.to_string(), items, tunable));
                }
                continue;
            }
            let attrs = attributes(&item);
            unit.names.extend(name_of(&item));
            if is_test(attrs) {
                continue;
            }
            if let Item::Impl(block) = &item
                && !whole
                && !has_attribute(attrs, "tunable")
            {
                unit.items.extend(marked_methods(block).map(Item::Impl));
                continue;
            }
            if has_attribute(attrs, "frozen") {
                unit.frozen.extend(name_of(&item));
            } else if whole || has_attribute(attrs, "tunable") {
                unit.items.push(item);
            }
        }
        let path = unit.module.clone();
        if !unit.items.is_empty() {
            self.units.push(unit);
        }
        for (name, items, tunable) in inner {
            let mut path = path.clone();
            path.push(name);
            self.add_module(file, path, items, tunable);
        }
    }
}

/// An impl block with nothing but its marked methods, if it has any.
fn marked_methods(block: &ItemImpl) -> Option<ItemImpl> {
    let mut block = block.clone();
    block
        .items
        .retain(|member| matches!(member, ImplItem::Fn(f) if has_attribute(&f.attrs, "tunable")));
    (!block.items.is_empty()).then_some(block)
}

fn traced_args(item: &Item) -> Option<Args> {
    match item {
        Item::Macro(item)
            if item
                .mac
                .path
                .segments
                .last()
                .is_some_and(|s| s.ident == "traced") =>
        {
            Some(item.mac.parse_body().unwrap_or_default())
        }
        _ => None,
    }
}

/// Lets the functions in `replaced(…)` call the others, with their arguments.
fn replace(item: &mut Item, replaced: &[(Ident, Ident)]) {
    let other = |sig: &Signature| {
        let found = replaced.iter().find(|(from, _)| *from == sig.ident);
        found.map(|(_, to)| Ident::new(&to.to_string(), sig.ident.span()))
    };
    match item {
        Item::Fn(f) => {
            if let Some(other) = other(&f.sig) {
                let arguments = arguments(&mut f.sig);
                *f.block = parse_quote!({ #other(#(#arguments),*) });
            }
        }
        Item::Impl(block) => {
            for member in &mut block.items {
                if let ImplItem::Fn(f) = member
                    && let Some(other) = other(&f.sig)
                {
                    let arguments = arguments(&mut f.sig);
                    f.block = parse_quote!({ Self::#other(#(#arguments),*) });
                }
            }
        }
        _ => {}
    }
}

/// The arguments of a function as it may hand them on, named anew.
fn arguments(sig: &mut Signature) -> Vec<Ident> {
    let numbered = sig.inputs.iter_mut().enumerate();
    let named = numbered.map(|(number, arg)| match arg {
        FnArg::Receiver(this) => Ident::new("self", this.self_token.span),
        FnArg::Typed(arg) => {
            let name = format_ident!("argument_{number}", span = sig.ident.span());
            *arg.pat = parse_quote!(#name);
            name
        }
    });
    named.collect()
}

pub(crate) fn flatten(
    tree: &UseTree,
    path: &mut Vec<String>,
    found: &mut Vec<(String, Vec<String>)>,
) {
    match tree {
        UseTree::Path(t) => {
            path.push(t.ident.to_string());
            flatten(&t.tree, path, found);
            path.pop();
        }
        UseTree::Name(t) => {
            let mut full = path.clone();
            if t.ident != "self" {
                full.push(t.ident.to_string());
            }
            found.push((full.last().cloned().unwrap_or_default(), full));
        }
        UseTree::Rename(t) => {
            let mut full = path.clone();
            if t.ident != "self" {
                full.push(t.ident.to_string());
            }
            found.push((t.rename.to_string(), full));
        }
        UseTree::Glob(_) => found.push(("*".to_owned(), path.clone())),
        UseTree::Group(t) => t.items.iter().for_each(|t| flatten(t, path, found)),
    }
}
