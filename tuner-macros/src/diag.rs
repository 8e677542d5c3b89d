//! Mistakes: collected, each at its tokens, all reported at once.

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream};
use quote::{quote, quote_spanned};

pub(crate) use tuner_source::Extent;

use crate::refuse::Message;

/// Something that the author must change.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    pub(crate) at: Extent,
    pub(crate) message: Message,
}

impl Mistake {
    pub(crate) fn new(at: impl Into<Extent>, message: Message) -> Self {
        Self {
            at: at.into(),
            message,
        }
    }

    /// The message with the place in front, for code that is read from a
    /// file: its tokens have no span that the compiler knows.
    pub(crate) fn placed(&self, file: &str) -> String {
        let start = self.at.start.start();
        format!(
            "{file}:{}:{}: {}",
            start.line,
            start.column + 1,
            self.message
        )
    }
}

impl From<syn::Error> for Mistake {
    fn from(error: syn::Error) -> Self {
        Self::new(error.span(), crate::refuse::unparsed(&error))
    }
}

/// One `compile_error!` a mistake, at its tokens.
pub(crate) fn compile_errors(mistakes: &[Mistake]) -> TokenStream {
    mistakes
        .iter()
        .map(|m| compile_error(m.at, &m.message.to_string()))
        .collect()
}

/// The compiler underlines from the path's first token to the braces.
pub(crate) fn compile_error(at: Extent, message: &str) -> TokenStream {
    let path = quote_spanned!(at.start=> ::core::compile_error);
    let mut bang = Punct::new('!', Spacing::Alone);
    bang.set_span(at.start);
    let mut braces = Group::new(Delimiter::Brace, quote!(#message));
    braces.set_span(at.end);
    quote!(#path #bang #braces)
}
