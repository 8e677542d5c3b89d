//! The arguments of `#[tunable(…)]`, `#[frozen]` and `registry!()`.

use proc_macro2::{TokenStream, TokenTree};

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
    /// The one that an annotation says.
    pub(crate) fn of(is_nonlinear: bool) -> Self {
        if is_nonlinear {
            Self::Nonlinear
        } else {
            Self::Linear
        }
    }

    /// The one that allows more.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Linear { other } else { self }
    }
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
