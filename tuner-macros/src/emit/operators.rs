//! Operators that a derive writes, as those of `derive_more`: the twin of the struct has them too,
//! field by field. A derive that the twin cannot see into is known by the trait that it is named
//! after.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, ItemStruct, Member, Meta, Type, parse_quote};

use crate::model::conditions;

/// Returns impls of the operators that derives of a struct write, such as `#[derive(Add, Mul)]` of
/// `derive_more`, for the struct's copy in the twin, field by field. `production`: the struct with
/// its derives; `twin`: the copy. Empty if it derives no operator.
pub(super) fn derived(production: &ItemStruct, twin: &ItemStruct) -> TokenStream {
    let attrs = conditions(&production.attrs);
    let derives = |attr: &&Attribute| attr.path().is_ident("derive");
    let mut all = TokenStream::new();
    for attr in production.attrs.iter().filter(derives) {
        // What is wrong in a derive is told by rustc.
        let _ = attr.parse_nested_meta(|meta| {
            let last = meta.path.segments.last().map(|last| last.ident.clone());
            let one = last.and_then(|last| operator(twin, &last, &production.attrs));
            all.extend(one.map(|one| quote!(#(#attrs)* #one)));
            Ok(())
        });
    }
    all
}

/// The impl of the operator's trait `name` for the struct `twin`, field by field: `impl Add for S {
/// … }`. `None` if the trait is not an operator that can be written so. The right operand is a
/// number of any type, `impl<R: Copy> Shl<R> for S`, in shifts and in `Mul`, `Div` and `Rem`,
/// unless `attrs`, the attributes of production's struct, have `#[mul(forward)]` or the like. `Neg`
/// has no right operand, `Sum` adds up several `S`, and all others have another `S` on the right.
fn operator(twin: &ItemStruct, name: &Ident, attrs: &[Attribute]) -> Option<TokenStream> {
    let text = name.to_string();
    // `MulAssign` is the operator `Mul` with the method `mul_assign`.
    let (stem, assigns) = match text.strip_suffix("Assign") {
        Some(stem) => (stem, "_assign"),
        None => (&*text, ""),
    };
    let method = format_ident!("{}{assigns}", stem.to_lowercase());
    let of = quote!(::core::ops::#name);
    let fields: Vec<Member> = twin.fields.members().collect();
    let types: Vec<&Type> = twin.fields.iter().map(|field| &field.ty).collect();
    let is_forwarded = |attr: &Attribute| {
        attr.path().is_ident(&method.to_string())
            && matches!(&attr.meta, Meta::List(list) if list.tokens.to_string() == "forward")
    };
    // Whether the right operand is a number of any type, by which each field is scaled.
    let is_scaled = match stem {
        "Add" | "Neg" | "Sub" | "Sum" => false,
        "Div" | "Mul" | "Rem" => !attrs.iter().any(is_forwarded),
        "Shl" | "Shr" => true,
        _ => return None,
    };
    let arguments = is_scaled.then(|| quote!(__Right,));
    let right = if is_scaled {
        quote!(__Right)
    } else {
        quote!(Self)
    };
    let rights = fields.iter().map(|field| {
        let of_field = (!is_scaled).then(|| quote!(.#field));
        quote!(right #of_field)
    });
    let body = match stem {
        // The sum of nothing is the 0 of a field's type.
        "Sum" => quote!(fn sum<__I: ::core::iter::Iterator<Item = Self>>(all: __I) -> Self {
            let zero = Self { #(#fields: ::core::iter::empty::<#types>().sum()),* };
            all.fold(zero, |a, b| a + b)
        }),
        "Neg" => quote!(fn neg(self) -> Self { Self { #(#fields: -self.#fields),* } }),
        _ if assigns.is_empty() => quote!(fn #method(self, right: #right) -> Self {
            Self { #(#fields: #of::#method(self.#fields, #rights)),* }
        }),
        _ => quote!(fn #method(&mut self, right: #right) {
            #(#of::#method(&mut self.#fields, #rights);)*
        }),
    };
    let (name, (_, own, _)) = (&twin.ident, twin.generics.split_for_impl());
    let mut generics = twin.generics.clone();
    if is_scaled {
        let right = parse_quote!(__Right: ::core::marker::Copy);
        generics.params.push(right);
    }
    let gives = stem != "Sum" && assigns.is_empty();
    // Each field's type must have the operator, and that type again as its output, unless the
    // operator assigns. `Sum` needs no bounds.
    let bounds = &mut generics.make_where_clause().predicates;
    for ty in types.iter().filter(|_| stem != "Sum") {
        let output = gives.then(|| quote!(Output = #ty));
        bounds.push(parse_quote!(#ty: #of<#arguments #output>));
    }
    let of = if stem == "Sum" {
        quote!(::core::iter::Sum)
    } else {
        quote!(#of<#arguments>)
    };
    let output = gives.then(|| {
        quote!(
            type Output = Self;
        )
    });
    let (impl_generics, _, bounds) = generics.split_for_impl();
    Some(quote!(impl #impl_generics #of for #name #own #bounds { #output #body }))
}
