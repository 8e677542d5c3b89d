//! `#[tunable]` on an inline module.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Item, ItemMod};
use tuner_source::write_out;

use super::{is_in, traced_items};
use crate::diagnostics;
use crate::emit::module;
use crate::infer::Facts;
use crate::model::{ends_in, escapes, location_of};
use crate::package;

/// Expands `#[tunable]` on the inline module `of`, whose tokens are `input`: the module with its
/// twin inside, the module `__traced` of the traced versions of its items. `input` comes back
/// unchanged if the model does not have the module.
pub(super) fn inline(facts: &Facts, file: &Path, input: &TokenStream, of: &ItemMod) -> TokenStream {
    let Some((_, items)) = &of.content else {
        return input.clone();
    };
    // The items in the plain form in which the model has them. The whole module has `#[tunable]`;
    // its path is only for the list that is returned, which is not needed.
    let mut written_out = items.clone();
    let is_whole = true;
    write_out(&[], &mut written_out, is_whole);
    // The unit is found by its module's name and by an item at a location that both have.
    let here: Vec<_> = written_out.iter().map(location_of).collect();
    let unit = facts.units.iter().position(|unit| {
        let mut locations = unit.items.iter().map(location_of);
        unit.whole
            && is_in(facts, unit, file)
            && unit.module.last().is_some_and(|m| of.ident == m)
            // `(0, 0)` is the place of every item that can have no twin.
            && locations.any(|location| location != (0, 0) && here.contains(&location))
    });
    let Some(unit) = unit else {
        return input.clone();
    };
    let (twins, diagnostics) = traced_items(facts, unit, &written_out);
    let errors = diagnostics::compile_errors(diagnostics);
    // The one module of all twins, not that of a single item.
    let own = false;
    let traced = module::module(facts, unit, &format_ident!("__traced"), &twins, own, &[]);
    let (attrs, vis, ident) = (&of.attrs, &of.vis, &of.ident);
    let items = items.iter().map(strip);
    let feature = package::feature();
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#items)*
            #[cfg(feature = #feature)]
            #traced
            #errors
        }
    }
}

/// The tokens of an item of a traced inline module, without the `#[tunable]` that it may have as
/// well, and without `#[untraced]` on its statements.
fn strip(item: &Item) -> TokenStream {
    let mut item = item.clone();
    escapes::clean(&mut item);
    let attrs = match &mut item {
        Item::Const(i) => &mut i.attrs,
        Item::Fn(i) => &mut i.attrs,
        Item::Impl(i) => &mut i.attrs,
        Item::Static(i) => &mut i.attrs,
        Item::Struct(i) => &mut i.attrs,
        _ => return item.into_token_stream(),
    };
    attrs.retain(|attr| !ends_in(attr.path(), "tunable"));
    item.into_token_stream()
}
