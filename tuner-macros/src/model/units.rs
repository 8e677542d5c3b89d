//! From the items of a file to its units.

use std::collections::HashSet;

use quote::format_ident;
use syn::{FnArg, Ident, ImplItem, Item, ItemImpl, Signature, UseTree, parse_quote};

use super::arguments::{Args, Mode};
use super::item::mode;
use super::{Model, Unit, attributes, has_attribute, location_of, name_of};

pub(crate) use tuner_source::is_test;

impl Model {
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
            frozen: names(args.iter().flat_map(|a| &a.frozen)),
            untraced: names(args.iter().flat_map(|a| &a.untraced)),
            names: HashSet::new(),
            traced_at: items
                .iter()
                .find(|i| traced_args(i).is_some())
                .map(location_of),
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

impl Model {
    /// The unit whose module is this one.
    pub(crate) fn unit_of(&self, module: &[String]) -> Option<usize> {
        self.units.iter().position(|u| u.module == module)
    }

    /// The name that an import brought in under another.
    pub(crate) fn original<'n>(&'n self, unit: usize, name: &'n str) -> &'n str {
        let imports = &self.units[unit].imports;
        let found = imports.iter().find(|(brought, _)| brought == name);
        found
            .and_then(|(_, path)| path.last())
            .map_or(name, String::as_str)
    }

    /// Whether a name means something of this module or of another crate that
    /// has no twin.
    pub(crate) fn is_foreign(&self, unit: usize, name: &str) -> bool {
        let unit = &self.units[unit];
        let import = unit.imports.iter().find(|(brought, _)| brought == name);
        unit.names.contains(name) || import.is_some_and(|(_, path)| !unit.is_inside(path))
    }
}

impl Unit {
    /// Whether a path starts in this crate, as far as can be seen.
    pub(crate) fn is_inside(&self, path: &[String]) -> bool {
        let Some(first) = path.first() else {
            return false;
        };
        matches!(first.as_str(), "crate" | "self" | "super")
            || self.children.contains(first)
            || self.imports.iter().any(|(brought, full)| {
                brought == first
                    && full.len() > 1
                    && full.first() != Some(first)
                    && self.is_inside(full)
            })
    }

    /// The path from the crate's root, without `crate`; unchanged if it leads out.
    pub(crate) fn absolute(&self, path: &[String]) -> Vec<String> {
        let unit = self;
        let mut module = unit.module.clone();
        match path.first().map(String::as_str) {
            Some("crate") => path[1..].to_vec(),
            Some("self") => module
                .into_iter()
                .chain(path[1..].iter().cloned())
                .collect(),
            Some("super") => {
                let up = path.iter().take_while(|s| *s == "super").count();
                module.truncate(module.len().saturating_sub(up));
                module
                    .into_iter()
                    .chain(path[up..].iter().cloned())
                    .collect()
            }
            Some(first) if unit.children.iter().any(|c| c == first) => {
                module.into_iter().chain(path.iter().cloned()).collect()
            }
            Some(first) => match unit.imports.iter().find(|(n, p)| n == first && p.len() > 1) {
                Some((_, full)) if full.first().is_some_and(|f| f != first) => {
                    let mut full = unit.absolute(full);
                    full.extend(path[1..].iter().cloned());
                    full
                }
                _ => path.to_vec(),
            },
            None => Vec::new(),
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

fn names<'a>(idents: impl Iterator<Item = &'a Ident>) -> Vec<String> {
    idents.map(ToString::to_string).collect()
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

/// The arguments of a function as it may pass them on, renamed.
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
