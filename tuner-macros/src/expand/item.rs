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

/// Expands `#[tunable]` on a single item: returns `out`, the item as it was, with its twin in a
/// module of its own behind it, and behind the first marked item of a module also the module
/// `__traced` that gathers these modules. An item of a module that is traced as a whole stays as it
/// is, as the module has its twin. What is no item of a module gets a twin if it is a method of an
/// unmarked impl block, stays if its impl block is annotated or it is a weight, and else gets an
/// error.
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
        // A method of an annotated impl block, whose attribute only says whether it may be
        // nonlinear.
        if matches!(item, Item::Fn(f) if facts.has_function(&f.sig.ident)) {
            return out;
        }
        // A const of an impl block: it may be a weight of the module.
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
    // The module is this item's own, and declares its name.
    let own = true;
    let twin = module::module(facts, unit, &module, &body, own, name.as_slice());
    out.extend(twin);
    out.extend(diagnostics::compile_errors(diagnostics));
    // Only the first marked item brings `__traced`, which a module can have once.
    if index == 0 {
        out.extend(gathering(facts, unit));
    }
    out
}

/// The name of the module that holds the twin of an item with `#[tunable]`: `__traced_NAME`, or
/// `__traced_impl_3` for an impl block, of which `index` is the number among its module's annotated
/// items.
fn module_name(item: &Item, index: usize) -> Ident {
    match name_of(item) {
        Some(name) => imports::next_to(&name),
        None => format_ident!("__traced_impl_{index}"),
    }
}

/// The module `__traced` of a unit, a module in which single items have `#[tunable]`. It re-exports
/// the twins of these from the module that each has, so that paths to twins look as in a file that
/// is traced as a whole.
fn gathering(facts: &Facts, unit: usize) -> TokenStream {
    let mut lines = TokenStream::new();
    for (index, item) in facts.units[unit].items.iter().enumerate() {
        let module = module_name(item, index);
        // The conditions are tokens of the file as the model read it. They become text, which can
        // be read again, as they must not be mixed with the compiler's tokens.
        let cfg = source::forced(|| {
            let conditions = conditions(attributes(item));
            quote!(#(#conditions)*).to_string()
        });
        let cfg: TokenStream = cfg.parse().unwrap_or_default();
        // The name of the item's twin; of an impl block, that of the trait that its twin is.
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
