//! `lazy_static! { static ref NAME: TYPE = …; }`: the statics that it writes,
//! each as if a `LazyLock` computed it.

use std::mem;

use proc_macro2::TokenTree;
use syn::{Item, parse_quote};

use crate::syntax::ends_in;

/// Replaces each `lazy_static!` among items by the statics that it declares, each computed by a
/// `LazyLock`.
pub(crate) fn write_out(items: &mut Vec<Item>) {
    let written = |item: Item| statics(&item).unwrap_or_else(|| vec![item]);
    *items = mem::take(items).into_iter().flat_map(written).collect();
}

/// The statics that a call of `lazy_static!` declares, `static ref NAME: T = value;`, each as
/// `static NAME: LazyLock<T> = LazyLock::new(|| value);`. `None` for any other item, and if the
/// call has anything but statics.
fn statics(item: &Item) -> Option<Vec<Item>> {
    let Item::Macro(call) = item else { return None };
    if !ends_in(&call.mac.path, "lazy_static") {
        return None;
    }
    // Without the word `ref` behind `static` the call has plain statics, which syn reads. `after`:
    // the token before was `static`.
    let mut after = false;
    let tokens = call.mac.tokens.clone().into_iter().filter(|token| {
        let is_ref = mem::take(&mut after) && token.to_string() == "ref";
        after = matches!(token, TokenTree::Ident(word) if word == "static");
        !is_ref
    });
    let plain: syn::File = syn::parse2(tokens.collect()).ok()?;
    let statics = plain.items.into_iter().map(|item| match item {
        Item::Static(mut item) => {
            let (ty, value) = (&item.ty, &item.expr);
            *item.expr = parse_quote!(::std::sync::LazyLock::new(|| #value));
            *item.ty = parse_quote!(::std::sync::LazyLock<#ty>);
            // The attributes of the call hold for each of its statics.
            item.attrs.extend(call.attrs.iter().cloned());
            Some(Item::Static(item))
        }
        _ => None,
    });
    statics.collect()
}
