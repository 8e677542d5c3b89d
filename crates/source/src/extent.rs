//! The first and the last of some tokens.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, Span, TokenTree};
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
    /// The extent of an expression, an item or other tokens; without tokens, the place of the call
    /// of the macro that runs.
    pub fn of(tokens: &impl ToTokens) -> Self {
        let mut tokens = tokens.to_token_stream().into_iter();
        let Some(first) = tokens.next() else {
            return Self::here();
        };
        let last = tokens.last().map(|token| last_span(&token));
        let start = first_span(&first);
        let end = last.unwrap_or_else(|| last_span(&first));
        Self { start, end }
    }

    /// The bytes of the file from the first token to the last.
    pub fn bytes(&self) -> Range<usize> {
        self.start.byte_range().start..self.end.byte_range().end
    }

    /// The place of the call of the macro that runs.
    pub fn here() -> Self {
        Span::call_site().into()
    }
}

impl From<Span> for Extent {
    /// The extent of one token, which is its first and its last.
    fn from(start: Span) -> Self {
        Self { start, end: start }
    }
}

/// The span at which a token starts: of a group, that of its opening delimiter, or of what is in it
/// if it has no delimiters.
fn first_span(token: &TokenTree) -> Span {
    let TokenTree::Group(group) = token else {
        return token.span();
    };
    let first = undelimited(group).next();
    first.map_or_else(|| group.span_open(), |first| first_span(&first))
}

/// The span at which a token ends: of a group, that of its closing delimiter, or of what is in it
/// if it has no delimiters.
fn last_span(token: &TokenTree) -> Span {
    let TokenTree::Group(group) = token else {
        return token.span();
    };
    let last = undelimited(group).last();
    last.map_or_else(|| group.span_close(), |last| last_span(&last))
}

/// The tokens in a group without delimiters, which has no spans of its own; nothing for a group
/// with delimiters.
fn undelimited(group: &Group) -> impl Iterator<Item = TokenTree> {
    let is_bare = group.delimiter() == Delimiter::None;
    is_bare.then(|| group.stream()).into_iter().flatten()
}
