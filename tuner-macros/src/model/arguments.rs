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
    /// The mode of an annotation; `is_nonlinear`: whether it says `nonlinear`.
    pub(crate) fn of(is_nonlinear: bool) -> Self {
        if is_nonlinear {
            Self::Nonlinear
        } else {
            Self::Linear
        }
    }

    /// Returns the mode of the two that allows more: linear only if both are.
    pub(crate) fn or(self, other: Self) -> Self {
        if self == Self::Linear { other } else { self }
    }
}

/// Checks what is in the parentheses of `#[tunable]` or `#[tunable(nonlinear)]`; the second is only
/// for items that have bodies.
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

/// Refuses arguments of `#[frozen]` and `registry!`, which take none; `name` is the macro's.
pub(crate) fn none(name: &str, args: TokenStream) -> Result<(), Diagnostic> {
    match args.into_iter().next() {
        None => Ok(()),
        Some(token) => Err(Diagnostic::new(token.span(), messages::no_argument(name))),
    }
}
