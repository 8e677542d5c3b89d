//! What stands in the parentheses of `#[tunable(…)]` and `traced!(…)`.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Token, parenthesized};

/// The arguments of `traced!`.
#[derive(Default)]
pub(crate) struct Args {
    /// Names of consts that are no weights.
    pub(crate) frozen: Vec<String>,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if key != "frozen" {
                let text = format!("unknown argument `{key}`; expected `frozen(NAME, …)`");
                return Err(syn::Error::new(key.span(), text));
            }
            let names;
            parenthesized!(names in input);
            let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
            args.frozen.extend(names.iter().map(Ident::to_string));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

/// `#[tunable]` takes no arguments.
pub(crate) fn none(name: &str, args: TokenStream) -> syn::Result<()> {
    match args.into_iter().next() {
        None => Ok(()),
        Some(token) => {
            let text = format!("`{name}` takes no argument here; write `#[{name}]`");
            Err(syn::Error::new(token.span(), text))
        }
    }
}
