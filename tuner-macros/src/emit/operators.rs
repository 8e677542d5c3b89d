//! Operators that a derive writes, as those of `derive_more`: the twin of the struct has them too,
//! field by field. A derive that the twin cannot see into is known by the trait that it is named after.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{ItemStruct, Meta, Type, WherePredicate, parse_quote};

use crate::model::conditions;

/// Returns the impls for the twin of a struct; `production` has the derives.
pub(super) fn derived(production: &ItemStruct, twin: &ItemStruct) -> TokenStream {
    let of = Operators::of(twin);
    let attrs = conditions(&production.attrs);
    let mut all = TokenStream::new();
    for attr in production
        .attrs
        .iter()
        .filter(|a| a.path().is_ident("derive"))
    {
        let _ = attr.parse_nested_meta(|meta| {
            let last = meta.path.segments.last().map(|last| last.ident.clone());
            let one = last.and_then(|last| of.operator(&last, &production.attrs));
            all.extend(one.map(|one| quote!(#(#attrs)* #one)));
            Ok(())
        });
    }
    all
}

/// What the impls of a struct are made of.
struct Operators<'s> {
    twin: &'s ItemStruct,
    /// `mg`, `0`.
    fields: Vec<syn::Member>,
    types: Vec<&'s Type>,
}

impl<'s> Operators<'s> {
    fn of(twin: &'s ItemStruct) -> Self {
        Self {
            twin,
            fields: twin.fields.members().collect(),
            types: twin.fields.iter().map(|field| &field.ty).collect(),
        }
    }

    fn operator(&self, name: &Ident, attrs: &[syn::Attribute]) -> Option<TokenStream> {
        let (fields, types) = (&self.fields, &self.types);
        let text = name.to_string();
        let method = format_ident!("{}", method(&text));
        let of = quote!(::core::ops::#name);
        let is_forwarded = attrs.iter().any(|attr| {
            attr.path().is_ident(&method.to_string())
                && matches!(&attr.meta, Meta::List(list) if list.tokens.to_string() == "forward")
        });
        Some(match text.as_str() {
            "Neg" => self.block(
                &quote!(#of),
                &types
                    .iter()
                    .map(|ty| parse_quote!(#ty: #of<Output = #ty>))
                    .collect::<Vec<_>>(),
                &quote!(
                    type Output = Self;
                    fn neg(self) -> Self { Self { #(#fields: #of::neg(self.#fields)),* } }
                ),
            ),
            "Add" | "Sub" => self.both(&of, &method),
            "Mul" | "Div" | "Rem" if is_forwarded => self.both(&of, &method),
            "AddAssign" | "SubAssign" => self.both_in_place(&of, &method),
            "MulAssign" | "DivAssign" | "RemAssign" if is_forwarded => {
                self.both_in_place(&of, &method)
            }
            "Mul" | "Div" | "Rem" | "Shl" | "Shr" => self.block(
                &quote!(#of<__Right>),
                &types
                    .iter()
                    .map(|ty| parse_quote!(#ty: #of<__Right, Output = #ty>))
                    .collect::<Vec<_>>(),
                &quote!(
                    type Output = Self;
                    fn #method(self, right: __Right) -> Self {
                        Self { #(#fields: #of::#method(self.#fields, right)),* }
                    }
                ),
            ),
            "MulAssign" | "DivAssign" | "RemAssign" | "ShlAssign" | "ShrAssign" => self.block(
                &quote!(#of<__Right>),
                &types
                    .iter()
                    .map(|ty| parse_quote!(#ty: #of<__Right>))
                    .collect::<Vec<_>>(),
                &quote!(fn #method(&mut self, right: __Right) {
                    #(#of::#method(&mut self.#fields, right);)*
                }),
            ),
            "Sum" => self.block(
                &quote!(::core::iter::Sum),
                &[],
                &quote!(fn sum<__I: ::core::iter::Iterator<Item = Self>>(all: __I) -> Self {
                    let zero = Self { #(#fields: ::core::iter::empty::<#types>().sum()),* };
                    all.fold(zero, |a, b| a + b)
                }),
            ),
            _ => return None,
        })
    }

    fn both(&self, of: &TokenStream, method: &Ident) -> TokenStream {
        let (fields, types) = (&self.fields, &self.types);
        self.block(
            of,
            &types
                .iter()
                .map(|ty| parse_quote!(#ty: #of<Output = #ty>))
                .collect::<Vec<_>>(),
            &quote!(
                type Output = Self;
                fn #method(self, right: Self) -> Self {
                    Self { #(#fields: #of::#method(self.#fields, right.#fields)),* }
                }
            ),
        )
    }

    fn both_in_place(&self, of: &TokenStream, method: &Ident) -> TokenStream {
        let (fields, types) = (&self.fields, &self.types);
        self.block(
            of,
            &types
                .iter()
                .map(|ty| parse_quote!(#ty: #of))
                .collect::<Vec<_>>(),
            &quote!(fn #method(&mut self, right: Self) {
                #(#of::#method(&mut self.#fields, right.#fields);)*
            }),
        )
    }

    /// `impl Add for S where …`; an operator with a number on its right is generic over its type.
    fn block(
        &self,
        of: &TokenStream,
        bounds: &[WherePredicate],
        body: &TokenStream,
    ) -> TokenStream {
        let name = &self.twin.ident;
        let mut generics = self.twin.generics.clone();
        let (_, own, _) = self.twin.generics.split_for_impl();
        if of.to_string().contains("__Right") {
            generics
                .params
                .push(parse_quote!(__Right: ::core::marker::Copy));
        }
        generics
            .make_where_clause()
            .predicates
            .extend(bounds.iter().cloned());
        let (impl_generics, _, bounds) = generics.split_for_impl();
        quote!(impl #impl_generics #of for #name #own #bounds { #body })
    }
}

/// `add_assign` of `AddAssign`.
fn method(name: &str) -> String {
    match name.strip_suffix("Assign") {
        Some(of) => format!("{}_assign", of.to_lowercase()),
        None => name.to_lowercase(),
    }
}
