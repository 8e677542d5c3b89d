//! `#[tunable]` on a single item.

use std::path::Path;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Item;

use super::method::single_method;
use super::{is_in, traced, with_errors};
use crate::diagnostics::{self, Extent, messages};
use crate::emit::imports;
use crate::emit::module;
use crate::infer::Facts;
use crate::model::{Location, attributes, location_of, name_of, source};

/// Puts the twin of a marked item in a module of its own next to it; the
/// first marked item of a module brings the module that gathers them.
pub(super) fn marked_item(
    facts: &Facts,
    file: &Path,
    mut input: TokenStream,
    item: &Item,
) -> TokenStream {
    let location = location_of(item);
    let unit = facts.units.iter().position(|unit| {
        is_in(facts, unit, file)
            && unit
                .items
                .iter()
                .any(|known| same_item(known, item, location))
    });
    let Some(unit) = unit else {
        if let Some(tokens) = single_method(facts, file, item) {
            return with_errors(input, &tokens);
        }
        // Inside an annotated impl block the attribute only says the mode.
        if matches!(item, Item::Fn(f) if facts.has_function(&f.sig.ident)) {
            return input;
        }
        let stray =
            || diagnostics::compile_error(Extent::here(), &messages::STRAY_ITEM.to_string());
        return with_errors(input, &unread(facts).unwrap_or_else(stray));
    };
    if facts.units[unit].whole {
        return input;
    }
    let index = facts.units[unit]
        .items
        .iter()
        .position(|known| same_item(known, item, location));
    let index = index.unwrap_or_default();
    let (body, diagnostics) = traced(facts, unit, std::iter::once((index, item)));
    let here: Vec<String> = name_of(item).into_iter().collect();
    let name = module_name(item, index);
    input.extend(quote!(#[cfg(feature = "tune")]));
    input.extend(module::module(facts, unit, &name, &body, true, &here));
    input.extend(diagnostics::compile_errors(&diagnostics));
    if index == 0 {
        input.extend(gathering(facts, unit));
    }
    input
}

fn unread(facts: &Facts) -> Option<TokenStream> {
    let error = facts.unread.first()?;
    Some(diagnostics::compile_error(Extent::here(), error))
}

fn same_item(known: &Item, item: &Item, location: Location) -> bool {
    location_of(known) == location && name_of(known) == name_of(item)
}

fn module_name(item: &Item, index: usize) -> Ident {
    match name_of(item) {
        Some(name) => imports::next_to(&name),
        None => format_ident!("__traced_impl_{index}"),
    }
}

/// `mod __traced`, which names every twin of a unit of marked items.
fn gathering(facts: &Facts, unit: usize) -> TokenStream {
    let mut lines = TokenStream::new();
    for (index, item) in facts.units[unit].items.iter().enumerate() {
        let module = module_name(item, index);
        // Read from the file: its tokens may not be mixed with the compiler's.
        let cfg = source::forced(|| {
            let conditions = module::conditions(attributes(item));
            quote!(#(#conditions)*).to_string()
        });
        let cfg: TokenStream = cfg.parse().unwrap_or_default();
        match name_of(item) {
            Some(name) if facts.defines(unit, &name) => {
                let name = format_ident!("{name}");
                lines.extend(quote!(#cfg pub use super::#module::#name;));
            }
            None if imports::has_extension(facts, unit, item) => {
                let name = imports::extension(index);
                lines.extend(quote!(#cfg pub use super::#module::#name;));
            }
            _ => {}
        }
    }
    let silence = module::silence();
    quote! {
        #[cfg(feature = "tune")]
        #[doc(hidden)]
        #silence
        pub mod __traced {
            pub use super::*;
            #lines
        }
    }
}
