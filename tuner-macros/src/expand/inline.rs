//! `#[tunable]` on an inline module.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::Item;

use super::{is_in, traced_items};
use crate::diag;
use crate::hatches;
use crate::lazy;
use crate::twin::{self, Twin};
use crate::world::{self, World};

/// The twin of a whole inline module stands inside it.
pub(super) fn inline_module(
    world: &mut World,
    file: &Path,
    input: &TokenStream,
    module: &syn::ItemMod,
) -> TokenStream {
    let Some((_, items)) = &module.content else {
        return input.clone();
    };
    let mut known = items.clone();
    lazy::written_out(&mut known);
    let first = known.iter().map(world::place_of).collect::<Vec<_>>();
    let unit = world.units.iter().position(|unit| {
        unit.whole
            && is_in(world, unit, file)
            && unit.module.last().is_some_and(|m| module.ident == m)
            && unit
                .items
                .iter()
                .map(world::place_of)
                .any(|place| place != (0, 0) && first.contains(&place))
    });
    let Some(unit) = unit else {
        return input.clone();
    };
    let mut twin = Twin::new(world, unit);
    let twins = traced_items(&mut twin, &known);
    let mistakes = twin.take_mistakes();
    let errors = diag::compile_errors(&mistakes);
    let traced = twin::module(world, unit, &format_ident!("__traced"), &twins, false, &[]);
    let (attrs, vis, ident) = (&module.attrs, &module.vis, &module.ident);
    let items = items.iter().map(strip);
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#items)*
            #[cfg(feature = "tune")]
            #traced
            #errors
        }
    }
}

/// Items of a traced inline module may carry the attribute as well.
fn strip(item: &Item) -> TokenStream {
    let mut item = item.clone();
    hatches::clean(&mut item);
    let attrs = match &mut item {
        Item::Const(i) => &mut i.attrs,
        Item::Fn(i) => &mut i.attrs,
        Item::Impl(i) => &mut i.attrs,
        Item::Static(i) => &mut i.attrs,
        Item::Struct(i) => &mut i.attrs,
        _ => return item.into_token_stream(),
    };
    attrs.retain(|attr| {
        attr.path()
            .segments
            .last()
            .is_none_or(|s| s.ident != "tunable")
    });
    item.into_token_stream()
}
