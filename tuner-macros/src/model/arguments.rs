//! The arguments of `#[tunable(…)]` and `traced!(…)`.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Token, parenthesized};

use crate::diagnostics::{Diagnostic, messages};

/// What a score may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Linear in the weights; anything else is refused.
    #[default]
    Linear,
    /// Any function that `tuner_core::trace::nonlinear` can trace.
    Nonlinear,
}

impl Mode {
    /// The one that allows more.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Linear { other } else { self }
    }
}

/// The arguments of `traced!`.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) mode: Mode,
    /// Names of consts that are no weights.
    pub(crate) frozen: Vec<Ident>,
    /// Names of functions and structs that are to have no twin.
    pub(crate) untraced: Vec<Ident>,
    /// Functions whose twins call others: one that reads a cache, one that
    /// computes from scratch.
    pub(crate) replaced: Vec<(Ident, Ident)>,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = Self::default();
        while !input.is_empty() {
            let key: Ident = input.parse()?;
            if key == "nonlinear" {
                args.mode = Mode::Nonlinear;
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
                let text = messages::unknown_argument(&key.to_string());
                return Err(syn::Error::new(key.span(), text));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(args)
    }
}

/// `(NAME, …)`.
fn names(input: ParseStream<'_>) -> syn::Result<Vec<Ident>> {
    let names;
    parenthesized!(names in input);
    let names = Punctuated::<Ident, Token![,]>::parse_terminated(&names)?;
    Ok(names.into_iter().collect())
}

/// `#[tunable]` or `#[tunable(nonlinear)]`; the second only where bodies are.
pub(crate) fn mode(args: TokenStream, has_bodies: bool) -> Result<Mode, Diagnostic> {
    let mut args = args.into_iter();
    let Some(first) = args.next() else {
        return Ok(Mode::Linear);
    };
    let at = first.span();
    match (args.next(), first) {
        (None, TokenTree::Ident(ident)) if ident == "nonlinear" && has_bodies => {
            Ok(Mode::Nonlinear)
        }
        (None, TokenTree::Ident(ident)) if ident == "nonlinear" => {
            Err(Diagnostic::new(at, messages::no_body()))
        }
        (_, first) => {
            let text = messages::unknown_mode(&first.to_string());
            Err(Diagnostic::new(at, text))
        }
    }
}

/// `#[frozen]` and `registry!` take no arguments.
pub(crate) fn none(name: &str, args: TokenStream) -> Result<(), Diagnostic> {
    match args.into_iter().next() {
        None => Ok(()),
        Some(token) => Err(Diagnostic::new(token.span(), messages::no_argument(name))),
    }
}
