//! The first and the last of some tokens.

use std::ops::Range;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// The first and the last token of a piece of source.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The span of the first token.
    pub start: Span,
    /// The span of the last token.
    pub end: Span,
}

impl Extent {
    /// All of an expression or item.
    pub fn of(tokens: &impl ToTokens) -> Self {
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

    /// All of its bytes.
    pub fn bytes(&self) -> Range<usize> {
        self.start.byte_range().start..self.end.byte_range().end
    }

    /// Where the macro is called.
    pub fn here() -> Self {
        Span::call_site().into()
    }
}

impl From<Span> for Extent {
    fn from(start: Span) -> Self {
        Self { start, end: start }
    }
}

fn first_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => inside(group.delimiter(), group.stream(), |mut tokens| {
            tokens.next()
        })
        .map_or_else(|| group.span_open(), |first| first_span(&first)),
        token => token.span(),
    }
}

fn last_span(token: &TokenTree) -> Span {
    match token {
        TokenTree::Group(group) => inside(group.delimiter(), group.stream(), Iterator::last)
            .map_or_else(|| group.span_close(), |last| last_span(&last)),
        token => token.span(),
    }
}

/// A token in a group without delimiters; other groups have spans of their own.
fn inside(
    delimiter: Delimiter,
    tokens: TokenStream,
    pick: fn(proc_macro2::token_stream::IntoIter) -> Option<TokenTree>,
) -> Option<TokenTree> {
    (delimiter == Delimiter::None).then(|| pick(tokens.into_iter()))?
}
