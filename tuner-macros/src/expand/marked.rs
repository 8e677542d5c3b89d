//! `#[tunable]` on a single item.

use std::path::Path;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::Item;

use super::lone::lone_method;
use super::{is_in, with_errors};
use crate::diag::{self, Extent};
use crate::imports;
use crate::refuse;
use crate::source;
use crate::twin::{self, Twin};
use crate::world::{self, World};

/// The twin of a marked item stands in a module of its own beside it; the
/// first marked item of a module brings the module that gathers them.
pub(super) fn marked_item(
    world: &mut World,
    file: &Path,
    mut input: TokenStream,
    item: &Item,
) -> TokenStream {
    let place = world::place_of(item);
    let unit = world.units.iter().position(|unit| {
        is_in(world, unit, file) && unit.items.iter().any(|known| same_item(known, item, place))
    });
    let Some(unit) = unit else {
        let lone = lone_method(world, file, item);
        if let Some(tokens) = lone {
            return with_errors(input, &tokens);
        }
        // Inside an annotated impl block the attribute only says the mode.
        if matches!(item, Item::Fn(f) if world.has_function(&f.sig.ident)) {
            return input;
        }
        let stray = || diag::compile_error(Extent::here(), &refuse::STRAY_ITEM.to_string());
        return with_errors(input, &unread(world).unwrap_or_else(stray));
    };
    if world.units[unit].whole {
        return input;
    }
    let index = world.units[unit]
        .items
        .iter()
        .position(|known| same_item(known, item, place));
    let index = index.unwrap_or_default();
    let mut twin = Twin::new(world, unit);
    let body = twin.item(item, index);
    let mistakes = twin.take_mistakes();
    let here: Vec<String> = world::name_of(item).into_iter().collect();
    let name = module_name(item, index);
    input.extend(quote!(#[cfg(feature = "tune")]));
    input.extend(twin::module(world, unit, &name, &body, true, &here));
    input.extend(diag::compile_errors(&mistakes));
    if index == 0 {
        input.extend(gathering(world, unit));
    }
    input
}

fn unread(world: &World) -> Option<TokenStream> {
    let error = world.unread.first()?;
    Some(diag::compile_error(Extent::here(), error))
}

fn same_item(known: &Item, item: &Item, place: (usize, usize)) -> bool {
    world::place_of(known) == place && world::name_of(known) == world::name_of(item)
}

fn module_name(item: &Item, index: usize) -> Ident {
    match world::name_of(item) {
        Some(name) => imports::beside(&name),
        None => format_ident!("__traced_impl_{index}"),
    }
}

/// `mod __traced`, which names every twin of a unit of marked items.
fn gathering(world: &World, unit: usize) -> TokenStream {
    let mut lines = TokenStream::new();
    for (index, item) in world.units[unit].items.iter().enumerate() {
        let module = module_name(item, index);
        // Read from the file: its tokens may not be mixed with the compiler's.
        let cfg = source::forced(|| {
            let kept = twin::kept(world::attributes(item));
            quote!(#(#kept)*).to_string()
        });
        let cfg: TokenStream = cfg.parse().unwrap_or_default();
        match world::name_of(item) {
            Some(name) if world.defines(unit, &name) => {
                let name = format_ident!("{name}");
                lines.extend(quote!(#cfg pub use super::#module::#name;));
            }
            None if imports::has_extension(world, unit, item) => {
                let name = imports::extension(index);
                lines.extend(quote!(#cfg pub use super::#module::#name;));
            }
            _ => {}
        }
    }
    let silence = twin::silence();
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
