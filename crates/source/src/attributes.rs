//! What attributes say of an item.

use syn::Attribute;

/// Whether the attribute is there, also inside `cfg_attr`.
pub fn has_attribute(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attr| {
        if attr.path().is_ident("cfg_attr") {
            let tokens = attr.meta.require_list().map(|list| list.tokens.to_string());
            return tokens
                .is_ok_and(|t| t.split(|c: char| !c.is_alphanumeric()).any(|w| w == name));
        }
        attr.path().segments.last().is_some_and(|s| s.ident == name)
    })
}

/// Whether `#[cfg(test)]` is there.
pub fn is_test(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("cfg")
            && attr
                .meta
                .require_list()
                .is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

/// The text of the doc comment, a line each, without the space behind `///`.
#[cfg(feature = "scan")]
pub(crate) fn doc(attrs: &[Attribute]) -> String {
    let lines = attrs.iter().filter_map(|attr| match &attr.meta {
        syn::Meta::NameValue(meta) if meta.path.is_ident("doc") => match &meta.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    });
    let lines = lines.map(|line| line.strip_prefix(' ').map_or(line.clone(), str::to_owned));
    lines.collect::<Vec<_>>().join("\n")
}
