//! Names: what the twin must import, and where a path of a body leads.

use std::collections::{BTreeSet, HashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item, ItemUse, Pat, Path, PathSegment, parse_quote};

use crate::infer::Facts;
use crate::model::{Target, flatten, methods, name_of, path_names};

/// The `use` items that make the twin's names win over production's. `used`: the names that the
/// twin uses: items, aliases of structs that no path leads to, and methods with a twin, whose
/// traits are imported where a path leads there. An explicit import beats the glob of the parent
/// module.
///
/// `own`: whether the unit's other traced items are in modules of their own, as for marked items.
/// `here`: the names of items that the module declares itself.
pub(crate) fn imports(
    facts: &Facts,
    unit: usize,
    used: &HashSet<String>,
    own: bool,
    here: &[String],
) -> TokenStream {
    let mut lines = BTreeSet::new();
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
    for (other, unit_of_trait) in facts.units.iter().enumerate() {
        for (index, item) in unit_of_trait.items.iter().enumerate() {
            let methods = extended(facts, other, item);
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

/// The text `pub use crate::eval::__traced::ORIGINAL as NAME;` for a name in the module of unit
/// `from`, whose twin is in `unit`. Where no path leads to that twin, a struct gets an alias by
/// `HasTwin`, and other items nothing.
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
        // A use of the name is refused elsewhere.
        (true, false) => TokenStream::new(),
    }
    .to_string()
}

/// The name of an alias, in the twin of another unit, for a struct's copy that no path leads to.
/// `unit`: that of the struct.
fn hidden_alias(unit: usize, name: &str) -> Ident {
    format_ident!("__traced_{name}_of_{unit}")
}

/// The aliases, named by [`hidden_alias`], for the structs' copies that the twin uses and that no
/// path leads to, as text of `pub type` items; a struct that no import brings into the unit has
/// none.
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

/// Lines of code as tokens; lines that are not Rust are left out.
fn parsed(lines: &BTreeSet<String>) -> TokenStream {
    let lines = lines.iter();
    lines
        .filter_map(|line| line.parse::<TokenStream>().ok())
        .collect()
}

/// The `use` items for the twins of what the module re-exports from other units, so that a twin is
/// found where production's item is. Left out are names that its own twin defines, and those in
/// `brought`, which are imported already.
pub(crate) fn exports(facts: &Facts, unit: usize, brought: &HashSet<String>) -> TokenStream {
    let mut lines = BTreeSet::new();
    let from = facts.place(unit);
    for (name, path) in from.exports() {
        let full = from.absolute(path);
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

/// Adds the names that tokens need in scope: names alone or at the beginning of a path, and,
/// wherever they are, methods of the twins' traits, which begin with `__traced_`.
pub(crate) fn needed(tokens: TokenStream, found: &mut HashSet<String>) {
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

/// The path of the module that has the twins of a unit, or re-exports them:
/// `crate::eval::__traced`.
pub(crate) fn traced_module(facts: &Facts, unit: usize) -> TokenStream {
    let module = facts.units[unit].module.iter();
    let module = module.map(|name| format_ident!("{name}"));
    quote!(crate #(:: #module)* :: __traced)
}

/// The name of the module that has the twin of a marked item called `name`.
pub(crate) fn next_to(name: &str) -> Ident {
    format_ident!("__traced_{}", name.trim_start_matches("r#"))
}

/// The name of the trait through which methods of production's types have twins; `item` is the
/// number of the impl block in its unit.
pub(crate) fn extension(item: usize) -> Ident {
    format_ident!("__Traced{item}")
}

/// Tells whether the twin of an item is a trait of its own, as for impl blocks of types that are
/// not copied.
pub(crate) fn has_extension(facts: &Facts, unit: usize, item: &Item) -> bool {
    !extended(facts, unit, item).is_empty()
}

/// The methods, by their names in the twin, of the trait that an impl block's twin is. Methods that
/// are marked one by one are left out, as each has its own twin. Empty for other items, for blocks
/// of operators and of copied types, and where nothing has a twin.
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

/// One name of a `use` inside a body, which imports `path` as `name`; `*` imports all of a module.
/// `at`: the path is written from the crate's root, with `__traced` behind its first `at` segments,
/// or nowhere if it has fewer; `None`: it is written as it was.
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
    /// Tells whether a path is the name of a struct that is a `type` alias in the twin, since no
    /// path leads to its copy.
    fn is_alias(&self, path: &Path) -> bool {
        let name = path.get_ident().map(ToString::to_string);
        name.is_some_and(|name| self.facts.is_hidden_struct(self.unit, &name))
    }

    /// What a `use` inside a body imports as `name` in the twin, if the path leads to a re-export
    /// of another unit's item or to a module with a twin: the path of the copy; else `None`.
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
    /// The call `Value(mg, eg)` becomes `Value { 0: mg, 1: eg }` where `Value` is an alias, which
    /// is not a function.
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

    /// The pattern `Value(mg, eg)` becomes `Value { 0: mg, 1: eg }` where `Value` is an alias; one
    /// with `..` stays.
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

    /// Gives each name of a `use` inside a body a path of its own. A name of another crate keeps
    /// its path; what a unit re-exports, and a module with a twin, is brought in by `traced_use`.
    /// All others are named from the crate's root, as the body is one module deeper in the twin,
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
            // A module without a twin keeps its path.
            // `usize::MAX` is beyond the end of the path, so that no `__traced` is put in.
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

    /// Leads a path of two or more names to its twin. What a unit re-exports is named in the module
    /// of its twin, or by its alias if it is a struct out of sight. Of other paths those that begin
    /// with `self` or `super` are written from the crate's root, and the rest stays.
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        if path.leading_colon.is_some() || path.segments.len() < 2 {
            return;
        }
        let names = path_names(path);
        // The type of `Type::new`, or all of the path, may be a re-export.
        for rest in 0..names.len().min(2) {
            let named = &names[..names.len() - rest];
            let Some((unit, name)) = self.facts.re_exported(self.unit, named) else {
                continue;
            };
            if self.facts.hides(self.unit, unit).is_some() && self.facts.structure(&name).is_some()
            {
                // A name alone is imported as an alias under production's name.
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
            // Names keep their generic arguments.
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
