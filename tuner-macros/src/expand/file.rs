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

/// Expands `traced!()` to the twin of the file that it is in, and to what is wrong with the file;
/// to nothing where the compiler does not say which file that is.
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
    // Parsed by the compiler: proc-macro2 would parse the text a second time.
    let tokens: Result<proc_macro::TokenStream, _> = text.parse();
    let mut tokens = tokens.map_or_else(
        |lex| error(&format!("the twin does not parse: {lex}")),
        |tokens| by_rules_of_engine(tokens.into()),
    );
    if !unknown.is_empty() {
        // Other files use this twin, so mistakes in it may follow from these unknown names.
        tokens.extend(diagnostics::compile_errors(unknown));
        return tokens;
    }
    // The compiler shows all messages at this call, so messages of the same conditions are one
    // error.
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

/// Wraps the twin in a macro of the engine's edition, or one near it, by whose rules the compiler
/// reads it then: the tokens of a text it would read by those of this crate's edition.
fn by_rules_of_engine(twin: TokenStream) -> TokenStream {
    match &*package::edition() {
        "2015" | "2018" => quote!(::tuner_core::of_2018! { #twin }),
        "2021" => quote!(::tuner_core::of_2021! { #twin }),
        _ => twin,
    }
}

/// The text of the `#[cfg(…)]` around a mistake, and its message.
type Conditional = (String, String);

/// The twin of a file that has no items to be traced, or is not Rust: an empty module, so that
/// paths to it resolve. And what is wrong with it.
fn nothing_traced(facts: &Facts) -> (String, Vec<Conditional>) {
    let text = "#[doc(hidden)] pub mod __traced { pub use super::*; }";
    let mut messages = facts.unread.clone();
    if messages.is_empty() {
        messages.push(messages::empty_file().to_string());
    }
    let messages = messages.into_iter().map(|m| (String::new(), m));
    (text.to_owned(), messages.collect())
}

/// The twin of the file's items as text, and the messages on what is wrong with them, in the order
/// of lines, with cures if the variable `ASKED` is set. It is also wrong that nothing has a twin,
/// unless the author freezes consts of the file.
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
    // In a file that is traced as a whole, its call freezes consts.
    let asked = std::env::var(ASKED);
    let located = diagnostics.iter();
    let located = located.map(|d| {
        let conditions = &d.conditions;
        let conditions = quote!(#(#conditions)*).to_string();
        let mut text = d.located(name, FrozenBy::Argument);
        if asked.is_ok()
            && let Some(annotations) = d.annotations()
        {
            text = format!("{text}\n{annotations}");
        }
        (conditions, text)
    });
    let mut messages: Vec<Conditional> = located.collect();
    // Consts of a file without weights are frozen in its call, if the author wrote that call.
    let is_own = |asked: &String| asked.lines().any(|own| file.path.ends_with(own));
    let is_said = !facts.units[unit].frozen.is_empty() && asked.as_ref().map_or(true, is_own);
    if messages.is_empty() && body.is_empty() && !is_said && is_empty(facts, unit) {
        messages.push((String::new(), messages::empty_file().to_string()));
    }
    let module = module::module(facts, unit, &format_ident!("__traced"), &body, false, &[]);
    (module.to_string(), messages)
}

/// The names of functions of the unit that may be listed in `untraced(…)`: something is wrong in
/// them, and no twin that stays calls them. They are methods and operators of copied types, and
/// functions that store a score that others compute. `noted`: of the unit's `items`.
fn wrong_methods(facts: &Facts, unit: usize, items: &[Item], noted: &[Diagnostic]) -> Vec<String> {
    let mut found = Vec::new();
    // What is wrong between the first and the last token of a function.
    let wrong = |sig: &Signature, block: &Block| {
        let (first, last) = (sig.fn_token.span, block.brace_token.span.close());
        let lines = location(first)..location(last);
        let all = noted.iter();
        all.filter(move |d| lines.contains(&location(d.at.start)))
    };
    // A function that stores a score calls another one that computes it.
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
    // A method that nothing calls may be left out together with methods that only it calls.
    let is_spare = |f: &usize| {
        let owner = facts.function(*f).owner.as_deref();
        facts.function(*f).unit == unit
            && owner.is_some_and(|owner| facts.is_copied(owner))
            && !facts.is_called(*f)
    };
    let callers = (0..facts.bodies.len()).filter(is_spare);
    let callers = callers.filter(|&f| facts.callees(f).any(|callee| found.contains(&callee)));
    found.extend(callers.collect::<Vec<_>>());
    let uncalled = facts.uncalled(&found);
    let name = |f: &usize| facts.function(*f).name.clone();
    // The list has names, so a name stays out of it if any function of the name is called.
    let is_called = |f: &usize| !uncalled.contains(f) || !found.contains(f);
    let of_unit = (0..facts.bodies.len()).filter(|&f| facts.function(f).unit == unit);
    let called = of_unit.filter(|f| facts.is_called(*f) && is_called(f));
    let called: Vec<String> = called.map(|f| name(&f)).collect();
    let names = uncalled.iter().map(name);
    let mut names: Vec<String> = names.filter(|n| !called.contains(n)).collect();
    names.dedup();
    names
}

/// Whether a unit whose items have no twins re-exports none either, and holds
/// something that could be expected to have one. A file of nothing but types,
/// macros or frozen consts may say that it is the evaluation's.
fn is_empty(facts: &Facts, unit: usize) -> bool {
    let of = &facts.units[unit];
    let mut items = of.items.iter();
    let expected = items.any(|item| {
        matches!(item, Item::Fn(_) | Item::Impl(_))
            || table(item).is_some_and(|(name, ..)| !of.frozen.contains(&name.to_string()))
    });
    // A generic struct is a table's container without a twin of its own.
    let generic = &facts.types.generic;
    let has = |i: &Item| matches!(i, Item::Struct(s) if generic.contains(&s.ident.to_string()));
    expected
        && !of.items.iter().any(has)
        && imports::exports(facts, unit, &HashSet::new()).is_empty()
}

/// The number of the unit whose `traced!()` is in this line of the file; `None` if the file has
/// none there, as where it is not Rust.
fn unit_at(facts: &Facts, file: &Path, line: usize) -> Option<usize> {
    let mut units = facts.units.iter();
    units.position(|unit| is_in(facts, unit, file) && unit.traced_at.is_some_and(|at| at.0 == line))
}

/// Names in `frozen(…)`, `untraced(…)` and `replaced(…)` that the file does not declare, and
/// functions that cannot replace another, as they take other arguments.
fn unknown_names(facts: &Facts, unit: usize, args: &TracedArgs) -> Vec<Diagnostic> {
    let module = facts.place(unit);
    let frozen = args.frozen.iter();
    let unknown = frozen.filter(|n| !module.declared.contains(&n.to_string()));
    let unknown = unknown.map(|n| (n, messages::unknown_frozen(&n.to_string())));
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
