//! The arguments of `#[tunable(…)]`, `#[frozen]` and `registry!()`.

use proc_macro2::{TokenStream, TokenTree};

use crate::diagnostics::{Diagnostic, messages};

/// How a score may depend on the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Linear in the weights; anything else is refused.
    #[default]
    Linear,
    /// Any function that `tuner_core::trace::nonlinear` can trace.
    Nonlinear,
}

impl Mode {
    /// How scores may depend on weights where an annotation is; `is_nonlinear`: whether it says
    /// `nonlinear`.
    pub(crate) fn of(is_nonlinear: bool) -> Self {
        if is_nonlinear {
            Self::Nonlinear
        } else {
            Self::Linear
        }
    }

    /// Returns which of the two modes allows more: linear only if both are.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Linear { other } else { self }
    }
}

/// Checks `args`, what is in the parentheses of `#[tunable]`: nothing, or `nonlinear` on an item
/// that has bodies. Else it is an error.
pub(crate) fn check_mode(args: TokenStream, has_bodies: bool) -> Result<(), Diagnostic> {
    let mut args = args.into_iter();
    let Some(first) = args.next() else {
        return Ok(());
    };
    let is_mode = matches!(&first, TokenTree::Ident(ident) if ident == "nonlinear");
    let message = match is_mode && args.next().is_none() {
        true if has_bodies => return Ok(()),
        true => messages::no_body(),
        false => messages::unknown_mode(&first.to_string()),
    };
    Err(Diagnostic::new(first.span(), message))
}

/// Checks that a macro without arguments, `#[frozen]` or `registry!`, has none; `name` is the
/// macro's name for the error.
pub(crate) fn none(name: &str, args: TokenStream) -> Result<(), Diagnostic> {
    match args.into_iter().next() {
        None => Ok(()),
        Some(token) => Err(Diagnostic::new(token.span(), messages::no_argument(name))),
    }
}
