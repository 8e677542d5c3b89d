//! `#[tunable]` on a single item.

use std::path::Path;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Item;
use tuner_source::AssociatedStanding;

use super::method::single_method;
use super::{is_in, traced, with_errors};
use crate::diagnostics::{self, Diagnostic, Extent, messages};
use crate::emit::imports;
use crate::emit::module;
use crate::infer::Facts;
use crate::model::{attributes, conditions, location_of, name_of, source};
use crate::package;

/// Adds the twin of a marked item, in a module of its own, behind `out`, the item as it was; the
/// first marked item of a module brings the module that gathers them. What has no twin of its own,
/// such as a marked method, gets what belongs to it, or an error. An item of a module that is
/// traced as a whole stays as it is, as the module has its twin.
pub(super) fn marked(facts: &Facts, file: &Path, mut out: TokenStream, item: &Item) -> TokenStream {
    let (location, name) = (location_of(item), name_of(item));
    let is_item = |known: &Item| location_of(known) == location && name_of(known) == name;
    let found = facts.units.iter().enumerate().find_map(|(number, unit)| {
        let index = unit.items.iter().position(is_item)?;
        is_in(facts, unit, file).then_some((number, index))
    });
    let Some((unit, index)) = found else {
        if let Some(tokens) = single_method(facts, file, item) {
            return with_errors(out, tokens);
        }
        // Inside an annotated impl block the attribute only says the mode.
        if matches!(item, Item::Fn(f) if facts.has_function(&f.sig.ident)) {
            return out;
        }
        if let Item::Const(c) = item
            && let Some(standing) = facts.associated_standing(&c.ident)
        {
            let message = match standing {
                AssociatedStanding::Weight(_) => return out,
                AssociatedStanding::Refused => messages::associated_weight(),
                AssociatedStanding::NameTaken(name) => messages::associated_name(name),
            };
            let error = Diagnostic::new(c.ident.span(), message).compile_error();
            return with_errors(out, error);
        }
        let unread = facts.unread.first().cloned();
        let error = unread.unwrap_or_else(|| messages::stray_item().to_string());
        return with_errors(out, diagnostics::compile_error(Extent::here(), &error));
    };
    if facts.units[unit].whole {
        return out;
    }
    let (body, diagnostics) = traced(facts, unit, std::iter::once((index, item)));
    let module = module_name(item, index);
    let feature = package::feature();
    out.extend(quote!(#[cfg(feature = #feature)]));
    let twin = module::module(facts, unit, &module, &body, true, name.as_slice());
    out.extend(twin);
    out.extend(diagnostics::compile_errors(diagnostics));
    if index == 0 {
        out.extend(gathering(facts, unit));
    }
    out
}

/// The name of the module of the twin of a marked item, number `index` of its unit.
fn module_name(item: &Item, index: usize) -> Ident {
    match name_of(item) {
        Some(name) => imports::next_to(&name),
        None => format_ident!("__traced_impl_{index}"),
    }
}

/// The module `__traced`, which re-exports the twins of a unit's marked items, so that paths to
/// twins look as in a file that is traced as a whole.
fn gathering(facts: &Facts, unit: usize) -> TokenStream {
    let mut lines = TokenStream::new();
    for (index, item) in facts.units[unit].items.iter().enumerate() {
        let module = module_name(item, index);
        // Read from the file: its tokens may not be mixed with the compiler's.
        let cfg = source::forced(|| {
            let conditions = conditions(attributes(item));
            quote!(#(#conditions)*).to_string()
        });
        let cfg: TokenStream = cfg.parse().unwrap_or_default();
        let shown = match name_of(item) {
            Some(name) if facts.defines(unit, &name) => format_ident!("{name}"),
            None if imports::has_extension(facts, unit, item) => imports::extension(index),
            _ => continue,
        };
        lines.extend(quote!(#cfg pub use super::#module::#shown;));
    }
    let silence = module::silence();
    let feature = package::feature();
    quote! {
        #[cfg(feature = #feature)]
        #[doc(hidden)]
        #silence
        pub mod __traced {
            pub use super::*;
            #lines
        }
    }
}
