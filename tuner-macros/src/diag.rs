//! Mistakes: collected, each at its token, all reported at once.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// Something that the author must change.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl Mistake {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
        }
    }

    /// The message with the place in front, for code that is read from a
    /// file: its tokens have no span that the compiler knows.
    pub(crate) fn placed(&self, file: &str) -> String {
        let start = self.span.start();
        format!(
            "{file}:{}:{}: {}",
            start.line,
            start.column + 1,
            self.message
        )
    }
}

/// One `compile_error!` a mistake, at its token.
pub(crate) fn compile_errors(mistakes: &[Mistake]) -> TokenStream {
    mistakes
        .iter()
        .map(|m| compile_error(m.span, &m.message))
        .collect()
}

pub(crate) fn compile_error(span: Span, message: &str) -> TokenStream {
    quote_spanned!(span=> ::core::compile_error! { #message })
}
