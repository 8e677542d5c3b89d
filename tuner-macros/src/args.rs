//! What stands in the parentheses of `#[tunable(…)]` and `traced!(…)`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Token, parenthesized};

use crate::diag::Mistake;
use crate::refuse;

/// The arguments of `traced!`.
#[derive(Default)]
pub(crate) struct Args {
    /// Names of consts that are no weights.
    pub(crate) frozen: Vec<Ident>,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if key != "frozen" {
                let text = refuse::unknown_argument(&key.to_string());
                return Err(syn::Error::new(key.span(), text));
            }
            let names;
            parenthesized!(names in input);
            args.frozen
                .extend(Punctuated::<Ident, Token![,]>::parse_terminated(&names)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

/// `#[tunable]`, `#[frozen]` and `registry!` take no arguments.
pub(crate) fn none(name: &str, args: TokenStream) -> Result<(), Mistake> {
    match args.into_iter().next() {
        None => Ok(()),
        Some(token) => Err(Mistake::new(token.span(), refuse::no_argument(name))),
    }
}
