//! Names: what the twin must import, and where a path of a body leads.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item, ItemUse, Pat, Path, PathSegment, parse_quote};

use crate::infer::Facts;
use crate::model::{Target, flatten, methods, name_of, path_names};

/// The `use` items in a twin by which its names mean twins rather than items of production, which
/// the glob of the parent module would bring in: an explicit import beats a glob. `used`: the names
/// that the twin has in its code. These may be items, aliases of structs whose copies are in
/// private modules, and methods, for each of which the trait of the twin that has it is imported.
///
/// `own`: whether each traced item of the unit, an annotated module, is in a module of its own, as
/// where single items are marked. `here`: the names of items that the module declares itself.
pub(crate) fn imports(
    facts: &Facts,
    unit: usize,
    used: &HashSet<String>,
    own: bool,
    here: &[String],
) -> TokenStream {
    let mut lines = BTreeSet::new();
    // Items: twins of this unit are beside this module only if each has a module of its own; others
    // are imported from their units.
    for name in used {
        if here.contains(name) {
            continue;
        }
        if facts.defines(unit, name) {
            if own {
                let (module, name) = (next_to(name), format_ident!("{name}"));
                lines.insert(quote!(use super::#module::#name;).to_string());
            }
        } else if let Some((target, original)) = facts.lookup(unit, name) {
            lines.insert(public_use(facts, unit, target, &original, name));
        }
    }
    lines.extend(hidden_structs(facts, unit, used));
    // The twin of an impl block of a type without a copy is a trait, whose methods need it in
    // scope.
    for (other, unit_of_trait) in facts.units.iter().enumerate() {
        for (index, item) in unit_of_trait.items.iter().enumerate() {
            let methods = extended(facts, other, item);
            // A trait to which a private module is on the way cannot be imported.
            if methods.iter().any(|method| used.contains(method))
                && facts.hides(unit, other).is_none()
            {
                let name = extension(index);
                if other != unit {
                    let module = traced_module(facts, other);
                    lines.insert(quote!(use #module::#name as _;).to_string());
                } else if own {
                    let module = format_ident!("__traced_impl_{index}");
                    lines.insert(quote!(use super::#module::#name as _;).to_string());
                }
            }
        }
    }
    parsed(&lines)
}

/// The text `pub use crate::eval::__traced::ORIGINAL as NAME;`, which brings the twin of the item
/// `original` of `unit` under `name` into the twin of the unit `from`; units are annotated modules,
/// by number. Where a private module keeps `from` from naming that twin, a struct gets a type alias
/// that finds its copy by the trait `HasTwin`, and another item nothing.
fn public_use(facts: &Facts, from: usize, unit: usize, original: &str, name: &str) -> String {
    let module = traced_module(facts, unit);
    let is_hidden = facts.hides(from, unit).is_some();
    let is_struct = facts.structure(original).is_some();
    let (original, name) = (format_ident!("{original}"), format_ident!("{name}"));
    match (is_hidden, is_struct) {
        (false, _) => quote!(pub use #module::#original as #name;),
        (true, true) => {
            quote!(pub type #name = <super::#name as ::tuner_core::trace::HasTwin>::Twin;)
        }
        // A use of this name is an error already, by the message `hidden`.
        (true, false) => TokenStream::new(),
    }
    .to_string()
}

/// The name of the alias by which the twin of another module names the copy of the struct `name`,
/// where a private module keeps it from writing a path: `__traced_NAME_of_3`. `unit`: the number of
/// the annotated module that declares the struct.
fn hidden_alias(unit: usize, name: &str) -> Ident {
    format_ident!("__traced_{name}_of_{unit}")
}

/// The texts of `pub type __traced_NAME_of_3 = …;` for each struct of another unit (an annotated
/// module, here number 3) whose copy the twin of `unit` names by this alias, since a private module
/// is on the way to it. `used`: the names in the twin's code. There is no alias for a struct that
/// production cannot name by a path in this module.
fn hidden_structs(facts: &Facts, unit: usize, used: &HashSet<String>) -> Vec<String> {
    let structs = facts.structs.iter().filter_map(|of| {
        let alias = hidden_alias(of.unit, &of.name);
        if !used.contains(&alias.to_string()) {
            return None;
        }
        let place = |unit: usize| facts.units[unit].place;
        let path = facts.seen_path(place(unit), place(of.unit), &of.name)?;
        let path = path.iter().map(|name| format_ident!("{name}"));
        let twin = quote!(<crate #(:: #path)* as ::tuner_core::trace::HasTwin>::Twin);
        Some(quote!(pub type #alias = #twin;).to_string())
    });
    structs.collect()
}

/// The texts of `use` and `type` items as tokens; a text that is not Rust is left out.
fn parsed(lines: &BTreeSet<String>) -> TokenStream {
    let lines = lines.iter();
    lines
        .filter_map(|line| line.parse::<TokenStream>().ok())
        .collect()
}

/// The `use` items for the twins of what the module of `unit` re-exports from other units
/// (annotated modules), so that a twin is found where production's item is. Left out are names that
/// the module's twin defines itself, and those in `brought`, which it imports already.
pub(crate) fn exports(facts: &Facts, unit: usize, brought: &HashSet<String>) -> TokenStream {
    let mut lines = BTreeSet::new();
    let from = facts.place(unit);
    for (name, path) in from.exports() {
        let full = from.absolute(path);
        // The module that the re-export leads to, and the one name that it takes; `None` is all
        // names.
        let (module, wanted) = match full.split_last() {
            _ if name == "*" => (&full[..], None),
            Some((last, module)) => (module, Some(last)),
            None => continue,
        };
        let Some(other) = facts.unit_by_path(module).filter(|&other| other != unit) else {
            continue;
        };
        let names = facts.units[other].items.iter().filter_map(name_of);
        let names = names.filter(|item| wanted.is_none_or(|wanted| wanted == item));
        for item in names.filter(|item| facts.defines(other, item)) {
            let shown = if name == "*" { &item } else { name };
            if !facts.defines(unit, shown) && !brought.contains(shown) {
                lines.insert(public_use(facts, unit, other, &item, shown));
            }
        }
    }
    parsed(&lines)
}

/// Adds the names that `tokens` need in scope to `found`. These are names that are alone or begin a
/// path, and, wherever they are, methods of the traits in which twins have their methods: their
/// names begin with `__traced_`.
pub(crate) fn needed(tokens: TokenStream, found: &mut HashSet<String>) {
    // The two tokens before, if they are signs; a space for another token.
    let mut before = [' '; 2];
    for token in tokens {
        let mut now = ' ';
        match token {
            TokenTree::Ident(ident) => {
                let name = ident.to_string();
                // In `a::b` and `a.b`, not in `a..b` and `a: b`.
                let is_behind = before == [':', ':'] || before[1] == '.' && before[0] != '.';
                if !is_behind || name.starts_with("__traced_") {
                    found.insert(name);
                }
            }
            TokenTree::Group(group) => needed(group.stream(), found),
            TokenTree::Punct(punct) => now = punct.as_char(),
            TokenTree::Literal(_) => {}
        }
        before = [before[1], now];
    }
}

/// The path of the module that has, or re-exports, the twins of a unit (an annotated module):
/// `crate::eval::__traced`.
pub(crate) fn traced_module(facts: &Facts, unit: usize) -> TokenStream {
    let module = facts.units[unit].module.iter();
    let module = module.map(|name| format_ident!("{name}"));
    quote!(crate #(:: #module)* :: __traced)
}

/// The name of the module that has the twin of the item `name`, which is marked with `#[tunable]`:
/// `__traced_NAME`.
pub(crate) fn next_to(name: &str) -> Ident {
    format_ident!("__traced_{}", name.trim_start_matches("r#"))
}

/// The name, `__Traced3`, of the trait through which types of production get the twins of their
/// methods. `item`: the number, 3, of the impl block among the items of its annotated module.
pub(crate) fn extension(item: usize) -> Ident {
    format_ident!("__Traced{item}")
}

/// Tells whether the twin of an item is a trait of its own: of an impl block with traced methods,
/// whose type has no copy in the twin, so that the methods must be added to production's type.
pub(crate) fn has_extension(facts: &Facts, unit: usize, item: &Item) -> bool {
    !extended(facts, unit, item).is_empty()
}

/// The methods of the trait that the twin of an impl block is, by their names there,
/// `__traced_NAME`; methods with `#[tunable]` of their own are left out, as each has a twin beside
/// it. Empty for an item that is not an impl block, for blocks of operators and of types that have
/// a copy in the twin, and where no method has a twin.
fn extended(facts: &Facts, unit: usize, item: &Item) -> Vec<String> {
    let Item::Impl(block) = item else {
        return Vec::new();
    };
    let renamed = methods(block).filter_map(|f| {
        let found = facts.function_of(unit, &f.sig)?;
        let renamed = facts.is_renamed(found) && !facts.function(found).single;
        renamed.then(|| format_ident!("__traced_{}", f.sig.ident).to_string())
    });
    renamed.collect()
}

/// One branch of a `use` inside a body: it imports `path` as `name`, or with `*` all of the module
/// `path`. With `at` the branch is written from the crate's root: `crate`, the first `at` names,
/// then `__traced`, then the rest; without `__traced` if the path has fewer than `at` names. With
/// `None` it is written as it was.
fn used(name: &str, path: &[String], at: Option<usize>) -> TokenStream {
    let ident = |name: &String| format_ident!("{name}").to_token_stream();
    let mut segments: Vec<TokenStream> = path.iter().map(ident).collect();
    if let Some(at) = at {
        if at <= segments.len() {
            segments.insert(at, quote!(__traced));
        }
        segments.insert(0, quote!(crate));
    }
    if name == "*" {
        quote!(#(#segments::)* *)
    } else if path.last().is_some_and(|last| last == name) {
        quote!(#(#segments)::*)
    } else {
        let name = format_ident!("{name}");
        quote!(#(#segments)::* as #name)
    }
}

/// Rewrites the paths of a body that is one module deeper than before.
pub(crate) struct Paths<'f> {
    pub(crate) facts: &'f Facts,
    pub(crate) unit: usize,
}

impl Paths<'_> {
    /// Tells whether a path is the name of a struct whose copy the twin knows by a `type` alias
    /// alone, since a private module keeps it from naming the copy by a path.
    fn is_alias(&self, path: &Path) -> bool {
        let name = path.get_ident().map(ToString::to_string);
        name.is_some_and(|name| self.facts.is_hidden_struct(self.unit, &name))
    }

    /// What a `use` inside a body imports as `name` in the twin, where `path` leads to an item that
    /// has a twin, or to an annotated module: the path of that twin, `as name`. `None` for any
    /// other path and for `*`.
    fn traced_use(&self, name: &str, path: &[String]) -> Option<TokenStream> {
        if name == "*" {
            return None;
        }
        let brought = format_ident!("{name}");
        if let Some((unit, original)) = self.facts.re_exported(self.unit, path) {
            let module = traced_module(self.facts, unit);
            let original = format_ident!("{original}");
            return Some(quote!(#module::#original as #brought));
        }
        let from = self.facts.units[self.unit].place;
        let Some(Target::Module(module)) = self.facts.resolve(from, path) else {
            return None;
        };
        let unit = self.facts.unit_of(module)?;
        let module = traced_module(self.facts, unit);
        Some(quote!(#module as #brought))
    }
}

impl VisitMut for Paths<'_> {
    /// Turns the call `Value(mg, eg)` into `Value { 0: mg, 1: eg }` where the twin knows `Value` by
    /// a `type` alias, which cannot be called.
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Call(call) = expr
            && let Expr::Path(path) = &*call.func
            && self.is_alias(&path.path)
        {
            let (path, args) = (&path.path, call.args.iter());
            let index = (0..args.len()).map(syn::Index::from);
            *expr = parse_quote!(#path { #(#index: #args),* });
        }
    }

    /// Turns the pattern `Value(mg, eg)` into `Value { 0: mg, 1: eg }` where the twin knows `Value`
    /// by a `type` alias, which cannot be a pattern with parentheses. A pattern with `..` stays, as
    /// the numbers of the parts behind it are not known here.
    fn visit_pat_mut(&mut self, pat: &mut Pat) {
        visit_mut::visit_pat_mut(self, pat);
        if let Pat::TupleStruct(of) = pat
            && self.is_alias(&of.path)
            && !of.elems.iter().any(|part| matches!(part, Pat::Rest(_)))
        {
            let (path, parts) = (&of.path, of.elems.iter());
            let index = (0..parts.len()).map(syn::Index::from);
            *pat = parse_quote!(#path { #(#index: #parts),* });
        }
    }

    /// Gives each name of a `use` inside a body a path of its own, as the body is one module deeper
    /// in the twin. What leads out of the crate keeps its path. An item with a twin, and an
    /// annotated module, are imported from the twin. All others are named from the crate's root,
    /// with `__traced` behind the module if that has a twin.
    fn visit_item_use_mut(&mut self, item: &mut ItemUse) {
        let module = self.facts.place(self.unit);
        let mut found = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut found);
        let trees = found.iter().map(|(name, path)| {
            if item.leading_colon.is_some() || !module.is_inside(path) {
                return used(name, path, None);
            }
            if let Some(item) = self.traced_use(name, path) {
                return item;
            }
            let full = module.absolute(path);
            // How many names of the path are the module's: all of a glob, else all but the last.
            let in_module = full.len().saturating_sub(usize::from(name != "*"));
            let unit = self.facts.unit_by_path(&full[..in_module]);
            // A module without a twin gets `usize::MAX`, a number beyond the end of the path, so
            // that no `__traced` is put in.
            used(name, &full, Some(unit.map_or(usize::MAX, |_| in_module)))
        });
        let trees: Vec<_> = trees.collect();
        let tree = match &trees[..] {
            [tree] => quote!(#tree),
            trees => quote!({ #(#trees),* }),
        };
        if let Ok(tree) = syn::parse2(tree) {
            item.tree = tree;
        }
    }

    /// Rewrites a path of two or more names, as the body is one module deeper in the twin. If it
    /// leads to an item with a twin, it becomes the path of the twin, or the name of an alias for a
    /// struct's copy in a private module. Else, if it begins with `self` or `super`, it is written
    /// from the crate's root; other paths stay.
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() || path.segments.len() < 2 {
            return;
        }
        let names = path_names(path);
        // The item may be all of the path, or all but its last name: the type of `Type::new`.
        for rest in 0..names.len().min(2) {
            let named = &names[..names.len() - rest];
            let Some((unit, name)) = self.facts.re_exported(self.unit, named) else {
                continue;
            };
            if self.facts.hides(self.unit, unit).is_some() && self.facts.structure(&name).is_some()
            {
                // A struct's single name stays: `imports` declares the alias under it.
                if named.len() > 1 {
                    let kept = path.segments.iter().skip(named.len()).cloned();
                    let alias = PathSegment::from(hidden_alias(unit, &name));
                    path.segments = std::iter::once(alias).chain(kept).collect();
                }
                return;
            }
            let (module, name) = (traced_module(self.facts, unit), format_ident!("{name}"));
            let kept = path.segments.iter().skip(named.len() - 1).cloned();
            let mut kept: Vec<_> = kept.collect();
            kept[0].ident = name;
            if let Ok(new) = syn::parse2(quote!(#module #(:: #kept)*)) {
                *path = new;
                return;
            }
        }
        if matches!(names[0].as_str(), "self" | "super") {
            let full = self.facts.place(self.unit).absolute(&names);
            // Names keep their generic arguments, so the path is not made of `full` alone.
            let kept = path.segments.iter();
            let kept = kept.filter(|s| s.ident != "self" && s.ident != "super");
            let kept: Vec<&PathSegment> = kept.collect();
            let before = full[..full.len() - kept.len()].iter();
            let before = before.map(|name| format_ident!("{name}"));
            if let Ok(new) = syn::parse2(quote!(crate #(:: #before)* #(:: #kept)*)) {
                *path = new;
            }
        }
    }
}
