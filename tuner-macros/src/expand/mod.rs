//! The entry points: production first, untouched, then the twin. Each runs
//! the phases in their order: model, infer, emit.

mod file;
mod item;
mod method;
mod module;
#[cfg(test)]
#[allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, and says how much it did"
)]
mod tests;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Item;
use tuner_source::CrateFile;

pub(crate) use file::file;

use crate::diagnostics::{self, Diagnostic, Extent, messages};
use crate::emit::registry as emit_registry;
use crate::emit::twin::Twin;
use crate::infer::Facts;
use crate::infer::check::Check;
use crate::model::{Unit, arguments, escapes, location_of, source};

thread_local! {
    /// A crate as last read: an expansion of the same crate need not infer again.
    static LAST: RefCell<Option<(Vec<CrateFile>, Facts)>> = const { RefCell::new(None) };
}

/// Tells whether `file` is one of `texts`, the files of a crate as they were read, and each of
/// these still has the same text on the disk.
fn are_of(texts: &[CrateFile], file: &Path) -> bool {
    let wanted = source::whole(file);
    let is_wanted = |text: &CrateFile| source::whole(&text.path) == wanted;
    let is_same =
        |text: &CrateFile| fs::read_to_string(&text.path).is_ok_and(|now| now == text.text);
    texts.iter().any(is_wanted) && texts.iter().all(is_same)
}

/// Runs `f` on the facts of the crate that `file` belongs to: what its sources say and what is
/// inferred from them. The facts are kept from the last expansion on this thread, and read anew if
/// that was of another crate or a file has changed.
fn with_facts<R>(file: &Path, f: impl FnOnce(&Facts) -> R) -> R {
    let read = || {
        source::forced(|| {
            let mut texts = source::texts(file);
            let facts = Facts::read(&mut texts);
            (texts, facts)
        })
    };
    LAST.with_borrow_mut(|last| {
        let valid = last.take().filter(|(texts, _)| are_of(texts, file));
        f(&last.insert(valid.unwrap_or_else(read)).1)
    })
}

/// The file that the macro is called in. `None` where the compiler does not know one, as in the
/// server of an editor; there is no twin then.
fn this_file() -> Option<PathBuf> {
    Span::call_site().local_file()
}

/// Tells whether a unit, an annotated module, is in this file. The locations of its items cannot
/// tell: they are lines and columns, which items of several files can share.
fn is_in(facts: &Facts, unit: &Unit, file: &Path) -> bool {
    source::whole(&facts.files[unit.file].path) == source::whole(file)
}

/// Expands `#[tunable]` to the item as it is, its twin (the traced version), and the errors about
/// it. Where the compiler does not know the file of the call, the item comes back alone.
pub(crate) fn attribute(args: TokenStream, input: TokenStream) -> TokenStream {
    let item = match marked(args, input.clone()) {
        Ok(item) => item,
        Err(error) => return with_errors(input, error.compile_error()),
    };
    let Some(file) = this_file() else {
        return input;
    };
    // The compiler knows no attribute `#[untraced]`, so production's statements must not have it.
    let input = escapes::production(&item).unwrap_or(input);
    with_facts(&file, |facts| match item {
        Item::Mod(module) => module::inline(facts, &file, &input, &module),
        item => item::marked(facts, &file, input, &item),
    })
}

/// The item that `#[tunable]` is on; an error if it is of a kind that cannot have it, or if `args`,
/// what is in the parentheses of the attribute, is wrong.
fn marked(args: TokenStream, input: TokenStream) -> Result<Item, Diagnostic> {
    let nothing = messages::no_tunable_item;
    let item = syn::parse2(input).map_err(|_| Diagnostic::new(Extent::here(), nothing()))?;
    // The arguments are only checked: the model reads from the file whether they say `nonlinear`.
    let has_bodies = matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Mod(_));
    arguments::check_mode(args, has_bodies)?;
    match &item {
        Item::Mod(module) if module.content.is_none() => {
            let at = module.ident.span();
            Err(Diagnostic::new(at, messages::file_module()))
        }
        Item::Const(_) | Item::Static(_) | Item::Struct(_) => Ok(item),
        _ if has_bodies => Ok(item),
        other => Err(Diagnostic::new(Extent::of(other), nothing())),
    }
}

/// The tokens of an item, `input`, with the errors about it behind them.
fn with_errors(mut input: TokenStream, errors: TokenStream) -> TokenStream {
    input.extend(errors);
    input
}

/// The twins (traced versions) of `items`, and what is wrong with these. `items` are all or some
/// items of the unit, an annotated module, or copies of them: the number of each in the unit is
/// found by its location in the file.
fn traced_items(facts: &Facts, unit: usize, items: &[Item]) -> (TokenStream, Vec<Diagnostic>) {
    // The locations of the unit's own items, by number.
    let known: Vec<_> = facts.units[unit].items.iter().map(location_of).collect();
    let number = |item: &Item| known.iter().position(|at| *at == location_of(item));
    let items = items.iter().filter_map(|item| Some((number(item)?, item)));
    traced(facts, unit, items)
}

/// The twins (traced versions) of `items` of the unit, an annotated module, and what is wrong with
/// them. Each item comes with its number in the unit.
fn traced<'i>(
    facts: &Facts,
    unit: usize,
    items: impl Iterator<Item = (usize, &'i Item)>,
) -> (TokenStream, Vec<Diagnostic>) {
    let (mut check, twin) = (Check::new(facts, unit), Twin { facts, unit });
    let mut tokens = TokenStream::new();
    for (index, item) in items {
        // Paths are written in full and generic aliases by what they stand for, as inference saw
        // them.
        let mut item = item.clone();
        facts.normalise(facts.units[unit].place, &mut item);
        facts.write_out_aliases(unit, &mut item);
        let verdict = check.item(&item);
        tokens.extend(twin.item(&item, index, verdict));
    }
    (tokens, check.into_diagnostics())
}

/// Expands `registry!()` to the weights of the crate. It is an error if there are none, unless a
/// file could not be parsed: of that rustc tells. Where the compiler does not know the file of the
/// call, the registry is empty.
pub(crate) fn registry(args: TokenStream) -> TokenStream {
    if let Err(error) = arguments::none("registry", args) {
        return error.compile_error();
    }
    let Some(file) = this_file() else {
        return quote!(&::tuner_core::trace::Registry { parameters: &[] });
    };
    let (text, is_empty) = with_facts(&file, |facts| {
        let is_empty = facts.weights().next().is_none();
        // As text, since tokens that are made within `forced` must not be mixed with the
        // compiler's.
        let text = source::forced(|| emit_registry::expression(facts).to_string());
        (text, is_empty && facts.unread.is_empty())
    });
    if is_empty {
        return Diagnostic::new(Extent::here(), messages::empty_registry()).compile_error();
    }
    text.parse().unwrap_or_else(|error: proc_macro2::LexError| {
        diagnostics::compile_error(Extent::here(), &error.to_string())
    })
}

/// Expands `#[frozen]` to the item as it is, with an error behind it if the attribute has
/// arguments.
pub(crate) fn frozen(args: TokenStream, item: TokenStream) -> TokenStream {
    match arguments::none("frozen", args) {
        Ok(()) => item,
        Err(error) => with_errors(item, error.compile_error()),
    }
}
