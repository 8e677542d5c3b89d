//! `traced!()`, which reads the file that it is in.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{Block, Ident, ImplItemFn, Item, Signature};
use tuner_source::TracedArgs;

use super::{is_in, this_file, traced_items, with_facts};
use crate::diagnostics::{self, Cure, Diagnostic, Extent, FrozenBy, compile_error, messages};
use crate::emit::imports;
use crate::emit::module;
use crate::infer::{Facts, is_sign};
use crate::model::{is_operator, location, methods, source, table, type_name};
use crate::package;

/// The environment variable by which `tuner new` asks for cures in a form that it reads. Its value
/// is the files that the author, and not `new`, has traced, one a line.
const ASKED: &str = "TUNER_CURES";

/// Expands `traced!()` to the twin, the traced version, of the file that it is in, and to the
/// errors about the file; to nothing where the compiler does not say which file that is. If `args`
/// name items that the file does not have, these names are the only errors.
pub(crate) fn file(args: TokenStream) -> TokenStream {
    let unknown = |name: &str| messages::unknown_argument(name).to_string();
    let parser = |input: ParseStream<'_>| TracedArgs::parse(input, unknown);
    let args = match parser.parse2(args) {
        Ok(args) => args,
        Err(error) => return Diagnostic::from(error).compile_error(),
    };
    let Some(file) = this_file() else {
        return TokenStream::new();
    };
    let line = Span::call_site().start().line;
    let ((text, messages), unknown) = with_facts(&file, |facts| {
        let unit = unit_at(facts, &file, line);
        let unknown = unit.map(|unit| unknown_names(facts, unit, &args));
        let text = source::forced(|| match unit {
            Some(unit) => traced_file(facts, unit),
            None => nothing_traced(facts),
        });
        (text, unknown.unwrap_or_default())
    });
    let error = |message: &str| compile_error(Extent::here(), message);
    // Parsed by the compiler: proc-macro2 would parse the text a second time. The twin gets the
    // engine's edition.
    let tokens: Result<proc_macro::TokenStream, _> = text.parse();
    let mut tokens = tokens.map_or_else(
        |lex| error(&format!("the twin does not parse: {lex}")),
        |tokens| by_rules_of_engine(tokens.into()),
    );
    if !unknown.is_empty() {
        // The errors of the twin are left out: they may follow from the unknown names.
        tokens.extend(diagnostics::compile_errors(unknown));
        return tokens;
    }
    // Messages by the `#[cfg(…)]` that they are under: the compiler would show each at this call,
    // so all of one condition are one error.
    let mut together: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (conditions, message) in &messages {
        together.entry(conditions).or_default().push(message);
    }
    for (conditions, messages) in together {
        tokens.extend(conditions.parse::<TokenStream>());
        tokens.extend(error(&messages.join("\n")));
    }
    tokens
}

/// Wraps the twin in a macro of a crate that has the engine's edition, or the one after it where
/// that is 2015: the compiler then reads the twin by the rules of that edition. Without the macro,
/// tokens parsed from a text have the rules of this crate's edition, 2024.
fn by_rules_of_engine(twin: TokenStream) -> TokenStream {
    match &*package::edition() {
        "2015" | "2018" => quote!(::tuner_core::of_2018! { #twin }),
        "2021" => quote!(::tuner_core::of_2021! { #twin }),
        _ => twin,
    }
}

/// The text of the `#[cfg(…)]` around a mistake, and its message.
type Conditional = (String, String);

/// Returns the twin of a file that has no items to be traced, or is not Rust: the text of an empty
/// module `__traced`, so that paths to it resolve. With it come the messages on what is wrong,
/// under no `#[cfg]`: the files that could not be parsed, else that the file has no weights.
fn nothing_traced(facts: &Facts) -> (String, Vec<Conditional>) {
    let text = "#[doc(hidden)] pub mod __traced { pub use super::*; }";
    let mut messages = facts.unread.clone();
    if messages.is_empty() {
        messages.push(messages::empty_file().to_string());
    }
    let messages = messages.into_iter().map(|m| (String::new(), m));
    (text.to_owned(), messages.collect())
}

/// The twin, the traced version, of the items of a unit (an annotated module) as text, and the
/// messages on what is wrong with them, in the order of lines. If the environment variable
/// `TUNER_CURES` is set, each message has its cures behind it as `tuner new` reads them. It is also
/// wrong that nothing has a twin, unless the author freezes consts of the file.
pub(super) fn traced_file(facts: &Facts, unit: usize) -> (String, Vec<Conditional>) {
    let items = &facts.units[unit].items;
    let (body, mut diagnostics) = traced_items(facts, unit, items);
    diagnostics.sort_by_key(|d| location(d.at.start));
    let methods = wrong_methods(facts, unit, items, &diagnostics);
    let mut diagnostics = diagnostics::told_once(diagnostics);
    if let Some(last) = diagnostics.last_mut().filter(|_| !methods.is_empty()) {
        last.message.cures.push(Cure::LeaveOut(methods));
    }
    let file = &facts.files[facts.units[unit].file];
    let name = &file.name;
    // Set where `tuner new` asks for cures: the files whose `traced!()` the author wrote, one a
    // line.
    let asked = std::env::var(ASKED);
    let located = diagnostics.iter();
    let located = located.map(|d| {
        let conditions = &d.conditions;
        let conditions = quote!(#(#conditions)*).to_string();
        // A file that is traced as a whole freezes consts by `traced!(frozen(NAME))`.
        let mut text = d.located(name, FrozenBy::Argument);
        if asked.is_ok()
            && let Some(annotations) = d.annotations()
        {
            text = format!("{text}\n{annotations}");
        }
        (conditions, text)
    });
    let mut messages: Vec<Conditional> = located.collect();
    // An author who freezes consts in the `traced!()` of a file says that it need not have weights;
    // a call that `tuner new` wrote does not say so.
    let is_own = |asked: &String| asked.lines().any(|own| file.path.ends_with(own));
    let is_said = !facts.units[unit].frozen.is_empty() && asked.as_ref().map_or(true, is_own);
    if messages.is_empty() && body.is_empty() && !is_said && is_empty(facts, unit) {
        messages.push((String::new(), messages::empty_file().to_string()));
    }
    // The one module of all twins, not that of a single item.
    let own = false;
    let module = module::module(facts, unit, &format_ident!("__traced"), &body, own, &[]);
    (module.to_string(), messages)
}

/// The names of functions of a unit (an annotated module) that its author may list in
/// `untraced(…)`: something is wrong in them, and no twin that stays calls them. They are methods
/// and operators of structs that have a copy in the twin, and functions that store a score which
/// another function computes. `items`: those of the unit; `noted`: what is wrong in them.
fn wrong_methods(facts: &Facts, unit: usize, items: &[Item], noted: &[Diagnostic]) -> Vec<String> {
    let mut found = wrong_functions(facts, unit, items, noted);
    // A method of a copied struct that nothing calls can be left out as well, together with those
    // of `found` that only it calls.
    let is_spare = |f: &usize| {
        let owner = facts.function(*f).owner.as_deref();
        facts.function(*f).unit == unit
            && owner.is_some_and(|owner| facts.is_copied(owner))
            && !facts.is_called(*f)
    };
    let callers = (0..facts.bodies.len()).filter(is_spare);
    let callers = callers.filter(|&f| facts.callees(f).any(|callee| found.contains(&callee)));
    found.extend(callers.collect::<Vec<_>>());
    // Those of `found` that only functions of `found` call.
    let uncalled = facts.uncalled(&found);
    let name = |f: &usize| facts.function(*f).name.clone();
    // `untraced(…)` lists names, so a name is left out if any function of that name stays and is
    // called.
    let of_unit = (0..facts.bodies.len()).filter(|&f| facts.function(f).unit == unit);
    let called = of_unit.filter(|f| facts.is_called(*f) && !uncalled.contains(f));
    let called: Vec<String> = called.map(|f| name(&f)).collect();
    let names = uncalled.iter().map(name);
    let mut seen = HashSet::new();
    let names = names.filter(|n| !called.contains(n) && seen.insert(n.clone()));
    names.collect()
}

/// The bodies, by number, of functions of a unit (an annotated module) in which something is wrong
/// that goes away if they have no twin. They are methods of structs that have a copy in the twin,
/// among operators those with a sign as `+`; and any function that stores a score for later, if
/// another function gives the score, so that the twin can do without storing. `items`: those of
/// the unit; `noted`: what is wrong in them.
fn wrong_functions(facts: &Facts, unit: usize, items: &[Item], noted: &[Diagnostic]) -> Vec<usize> {
    let mut found = Vec::new();
    // What is wrong between the first and the last token of a function.
    let wrong = |sig: &Signature, block: &Block| {
        let (first, last) = (sig.fn_token.span, block.brace_token.span.close());
        let lines = location(first)..location(last);
        let all = noted.iter();
        all.filter(move |d| lines.contains(&location(d.at.start)))
    };
    // Whether a function calls another one that gives a score, which it may then store.
    let is_cache = |f: &usize| {
        let gives_score = |&g: &usize| facts.bodies[g].returned.has_score();
        facts.callees(*f).any(|g| g != *f && gives_score(&g))
    };
    for item in items {
        if let Item::Fn(f) = item
            && wrong(&f.sig, &f.block).any(Diagnostic::is_of_a_cache)
        {
            found.extend(facts.function_of(unit, &f.sig).filter(is_cache));
        }
        let Item::Impl(block) = item else { continue };
        let owner = type_name(&block.self_ty);
        let is_copied = owner.is_some_and(|owner| facts.is_copied(&owner));
        // Of other operators and conversions, as `%` or `From`, not all calls are noted.
        let is_seen = |f: &&ImplItemFn| !is_operator(block) || is_sign(&f.sig.ident.to_string());
        for f in methods(block).filter(is_seen) {
            let mut wrong = wrong(&f.sig, &f.block);
            let function = facts.function_of(unit, &f.sig);
            if is_copied && wrong.next().is_some() {
                found.extend(function);
            } else if wrong.any(Diagnostic::is_of_a_cache) {
                found.extend(function.filter(is_cache));
            }
        }
    }
    found
}

/// Tells whether it is a mistake that no item of the unit, an annotated module, has a twin: some
/// item is a function, an impl block, or a const or static that is not frozen; no struct is
/// generic; and the module re-exports no twin of another unit. A file of nothing but types, macros
/// or frozen consts may have a `traced!()` that does nothing.
fn is_empty(facts: &Facts, unit: usize) -> bool {
    let of = &facts.units[unit];
    let mut items = of.items.iter();
    let expected = items.any(|item| {
        matches!(item, Item::Fn(_) | Item::Impl(_))
            || table(item).is_some_and(|(name, ..)| !of.frozen.contains(&name.to_string()))
    });
    // A generic struct of the file is a container of weights that twins share with production, so
    // the file is part of the evaluation.
    let generic = &facts.types.generic;
    let has = |i: &Item| matches!(i, Item::Struct(s) if generic.contains(&s.ident.to_string()));
    expected
        && !of.items.iter().any(has)
        && imports::exports(facts, unit, &HashSet::new()).is_empty()
}

/// The number of the unit, an annotated module, whose `traced!()` is in this line (from 1) of the
/// file. `None` if no unit has one there, as in a file that is not Rust.
fn unit_at(facts: &Facts, file: &Path, line: usize) -> Option<usize> {
    let mut units = facts.units.iter();
    units.position(|unit| is_in(facts, unit, file) && unit.traced_at.is_some_and(|at| at.0 == line))
}

/// Errors at the names in `frozen(…)`, `untraced(…)` and `replaced(…)` that the file of `unit`, an
/// annotated module, does not declare, and at functions that cannot replace another, as they take
/// another number of arguments.
fn unknown_names(facts: &Facts, unit: usize, args: &TracedArgs) -> Vec<Diagnostic> {
    let module = facts.place(unit);
    // Names in `frozen(…)` that the module does not declare.
    let frozen = args.frozen.iter();
    let unknown = frozen.filter(|n| !module.declared.contains(&n.to_string()));
    let unknown = unknown.map(|n| (n, messages::unknown_frozen(&n.to_string())));
    // Names in the two other lists that no function has. `untraced(…)` may also list a type, a
    // macro or a trait.
    let functions = &facts.functions;
    let is_function = |name: &str| functions.iter().any(|f| f.unit == unit && f.name == name);
    let is_trait = |name: &str| {
        let mut items = facts.units[unit].items.iter();
        items.any(|item| matches!(item, Item::Trait(item) if item.ident == name))
            || (functions.iter()).any(|f| f.unit == unit && f.of_trait.as_deref() == Some(name))
    };
    let replaced = args.replaced.iter().flat_map(|(from, to)| [from, to]);
    let listed = args.untraced.iter().map(|n| (n, "untraced"));
    let listed = listed.chain(replaced.map(|n| (n, "replaced")));
    let strays = listed.filter(|(n, list)| {
        let name = n.to_string();
        let is_macro = facts.outputs.contains_key(&name);
        let is_other =
            *list == "untraced" && (module.types.contains(&name) || is_macro || is_trait(&name));
        !is_function(&name) && !is_other
    });
    let strays = strays.map(|(n, list)| (n, messages::unknown_listed(&n.to_string(), list)));
    // Pairs of `replaced(FROM => TO)` where each `to` of the impl block that has `from` differs
    // from it in the number of arguments.
    let of = |name: &Ident| {
        let name = name.to_string();
        (functions.iter()).filter(move |f| f.unit == unit && f.name == name)
    };
    let differing = args.replaced.iter().filter(|(from, to)| {
        of(from).any(|f| {
            let mut others = of(to).filter(|other| other.owner == f.owner).peekable();
            others.peek().is_some() && others.all(|other| other.params.len() != f.params.len())
        })
    });
    let differing = differing.map(|(from, to)| {
        let message = messages::other_arguments(&from.to_string(), &to.to_string());
        (to, message)
    });
    let all = unknown.chain(strays).chain(differing);
    all.map(|(n, message)| Diagnostic::new(n.span(), message))
        .collect()
}
