//! The arguments of `traced!(…)`.

use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Ident, Item, Token, parenthesized};

use crate::syntax::ends_in;

/// The arguments of `traced!(…)`, about its file.
#[derive(Clone, Debug, Default)]
pub struct TracedArgs {
    /// `nonlinear`: whether the functions of the file may be nonlinear in weights.
    pub is_nonlinear: bool,
    /// `frozen(…)`: names of consts that are not weights.
    pub frozen: Vec<Ident>,
    /// `untraced(…)`: names of functions and structs that get no twin, no traced version.
    pub untraced: Vec<Ident>,
    /// Pairs of functions: the twin of the first, which reads a cache, calls the second, which
    /// computes from scratch.
    pub replaced: Vec<(Ident, Ident)>,
}

impl TracedArgs {
    /// The arguments of an item that is a call of `traced!`; no arguments where they cannot be
    /// read. `None` for another item.
    pub fn of(item: &Item) -> Option<Self> {
        // The message on an unknown word is not used: arguments with one cannot be read.
        let parser = |input: ParseStream<'_>| Self::parse(input, str::to_owned);
        match item {
            Item::Macro(item) if ends_in(&item.mac.path, "traced") => {
                Some(item.mac.parse_body_with(parser).unwrap_or_default())
            }
            _ => None,
        }
    }

    /// Reads the arguments of `traced!(…)`, with commas between: `nonlinear`, `frozen(A, …)`,
    /// `untraced(f, …)` and `replaced(f => g, …)`, in any order. `unknown`: makes the message on a
    /// word that is not one of these.
    ///
    /// # Errors
    ///
    /// At the first token that cannot be read.
    pub fn parse(input: ParseStream<'_>, unknown: impl Fn(&str) -> String) -> syn::Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if key == "nonlinear" {
                args.is_nonlinear = true;
            } else if key == "frozen" {
                args.frozen.extend(names(input)?);
            } else if key == "untraced" {
                args.untraced.extend(names(input)?);
            } else if key == "replaced" {
                let pairs;
                parenthesized!(pairs in input);
                let pair = |input: ParseStream<'_>| {
                    let function = input.parse()?;
                    input.parse::<Token![=>]>()?;
                    Ok((function, input.parse()?))
                };
                let pairs = pairs.parse_terminated(pair, Token![,])?;
                args.replaced.extend(pairs);
            } else {
                return Err(syn::Error::new(key.span(), unknown(&key.to_string())));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

/// Reads `(NAME, …)`, with a comma at the end or not.
fn names(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    let names;
    parenthesized!(names in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
    Ok(names.into_iter().collect())
}
