//! `lazy_static! { static ref NAME: TYPE = …; }`: the statics that it writes,
//! each as if a `LazyLock` computed it.

use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Expr, Ident, Item, Token, Type, Visibility, parse_quote};

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
    if call.mac.path.segments.last()?.ident != "lazy_static" {
        return None;
    }
    let attrs = &call.attrs;
    let statics: Statics = call.mac.parse_body().ok()?;
    let all = statics.0.into_iter().map(|mut item| {
        if let Item::Static(item) = &mut item {
            item.attrs.extend(attrs.iter().cloned());
        }
        item
    });
    Some(all.collect())
}

struct Statics(Vec<Item>);

impl Parse for Statics {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut statics = Vec::new();
        while !input.is_empty() {
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
            statics.push(parse_quote! {
                #(#attrs)* #vis static #name: ::std::sync::LazyLock<#ty> =
                    ::std::sync::LazyLock::new(|| #value);
            });
        }
        Ok(Self(statics))
    }
}
