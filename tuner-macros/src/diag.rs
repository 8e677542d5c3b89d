//! Mistakes: collected, each at its tokens, all reported at once.

use proc_macro2::{Delimiter, Group, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::refuse::Message;

/// The first and the last token that a mistake underlines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    pub(crate) start: Span,
    end: Span,
}

impl Extent {
    /// All of an expression or item.
    pub(crate) fn of(tokens: &impl ToTokens) -> Self {
        let mut tokens = tokens.to_token_stream().into_iter();
        let Some(first) = tokens.next() else {
            return Self::here();
        };
        let last = tokens.last().map(|token| last_span(&token));
        Self {
            start: first_span(&first),
            end: last.unwrap_or_else(|| last_span(&first)),
        }
    }

    /// From one token to another.
    pub(crate) fn between(start: Span, end: Span) -> Self {
        Self { start, end }
    }

    /// Where the macro is called.
    pub(crate) fn here() -> Self {
        Span::call_site().into()
    }
}

impl From<Span> for Extent {
    fn from(span: Span) -> Self {
        Self {
            start: span,
            end: span,
        }
    }
}

fn first_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => group
            .stream()
            .into_iter()
            .next()
            .map_or_else(|| group.span(), |first| first_span(&first)),
        TokenTree::Group(group) => group.span_open(),
        token => token.span(),
    }
}

fn last_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => group
            .stream()
            .into_iter()
            .last()
            .map_or_else(|| group.span(), |last| last_span(&last)),
        TokenTree::Group(group) => group.span_close(),
        token => token.span(),
    }
}

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
