//! `lazy_static! { static ref NAME: TYPE = …; }`: the statics that it writes,
//! each as if a `LazyLock` computed it.

use syn::parse::ParseStream;
use syn::{Attribute, Expr, Ident, Item, Token, Type, Visibility, parse_quote};

use super::ends_in;

/// Items with each `lazy_static!` written out, also in inline modules.
pub(crate) fn write_out(items: &mut Vec<Item>) {
    let mut written = Vec::new();
    for mut item in std::mem::take(items) {
        if let Item::Mod(module) = &mut item
            && let Some((_, inner)) = &mut module.content
        {
            write_out(inner);
        }
        match statics(&item) {
            Some(statics) => written.extend(statics),
            None => written.push(item),
        }
    }
    *items = written;
}

fn statics(item: &Item) -> Option<Vec<Item>> {
    let Item::Macro(call) = item else { return None };
    if !ends_in(&call.mac.path, "lazy_static") {
        return None;
    }
    let parser = |input: ParseStream<'_>| {
        let mut statics = Vec::new();
        while !input.is_empty() {
            statics.push(one(input, &call.attrs)?);
        }
        Ok(statics)
    };
    call.mac.parse_body_with(parser).ok()
}

/// One of them; attributes of the call are those of each.
fn one(input: ParseStream<'_>, around: &[Attribute]) -> syn::Result<Item> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    input.parse::<Token![static]>()?;
    input.parse::<Token![ref]>()?;
    let name: Ident = input.parse()?;
    input.parse::<Token![:]>()?;
    let ty: Type = input.parse()?;
    input.parse::<Token![=]>()?;
    let value: Expr = input.parse()?;
    input.parse::<Token![;]>()?;
    Ok(parse_quote! {
        #(#attrs)* #(#around)* #vis static #name: ::std::sync::LazyLock<#ty> =
            ::std::sync::LazyLock::new(|| #value);
    })
}
