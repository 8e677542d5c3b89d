//! What is wrong with annotated code, as data: what, where, and its cures.
//!
//! A message becomes text once, where the compiler is told; until then
//! nothing reads or edits its words. [`messages`] has all of them.

pub(crate) mod messages;

use std::borrow::Cow;
use std::fmt;

use proc_macro2::{Delimiter, Group, Punct, Spacing, TokenStream};
use quote::{quote, quote_spanned};
pub(crate) use tuner_source::Extent;

/// Something that the author must change, and where.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    pub(crate) at: Extent,
    pub(crate) message: Message,
}

/// What is wrong, and its cures, of which one is enough.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    what: Cow<'static, str>,
    cures: Cow<'static, [Cure]>,
}

/// What the author can do.
#[derive(Clone, Debug)]
pub(crate) enum Cure {
    /// This.
    Say(Cow<'static, str>),
    /// Say of the const that its numbers are no weights; the text says when.
    Freeze(&'static str),
    /// Leave methods that the score never calls without twin.
    LeaveOut(Vec<String>),
}

/// Where a const is frozen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrozenBy {
    /// By `#[frozen]` on it.
    Attribute,
    /// By `traced!(frozen(…))` at the end of its file.
    Argument,
}

impl Diagnostic {
    pub(crate) fn new(at: impl Into<Extent>, message: Message) -> Self {
        Self {
            at: at.into(),
            message,
        }
    }

    /// The message with its location in front, for code that is read from a
    /// file: its tokens have no span that the compiler knows.
    pub(crate) fn located(&self, file: &str, frozen_by: FrozenBy) -> String {
        let start = self.at.start.start();
        let (line, column) = (start.line, start.column + 1);
        format!("{file}:{line}:{column}: {}", self.message.text(frozen_by))
    }
}

impl From<syn::Error> for Diagnostic {
    fn from(error: syn::Error) -> Self {
        Self::new(error.span(), messages::unparsed(&error))
    }
}

impl Message {
    pub(crate) fn add(&mut self, cure: Cure) {
        self.cures.to_mut().push(cure);
    }

    /// `WHAT; CURE, CURE, or CURE`.
    pub(crate) fn text(&self, frozen_by: FrozenBy) -> String {
        let mut text = self.what.to_string();
        let (last, cures): (Vec<_>, Vec<_>) = self
            .cures
            .iter()
            .partition(|cure| matches!(cure, Cure::LeaveOut(_)));
        for (index, cure) in cures.iter().enumerate() {
            text += match index {
                0 => "; ",
                _ if index + 1 == cures.len() => ", or ",
                _ => ", ",
            };
            text += &cure.text(frozen_by);
        }
        for cure in last {
            text = text + "; " + &cure.text(frozen_by);
        }
        text
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(FrozenBy::Attribute))
    }
}

impl Cure {
    fn text(&self, frozen_by: FrozenBy) -> Cow<'_, str> {
        match self {
            Self::Say(text) => Cow::Borrowed(text),
            Self::Freeze(when) => Cow::Owned(messages::freeze(frozen_by, when)),
            Self::LeaveOut(methods) => Cow::Owned(messages::leave_out(methods)),
        }
    }
}

/// One `compile_error!` for each, at its tokens.
pub(crate) fn compile_errors(diagnostics: &[Diagnostic]) -> TokenStream {
    let errors = diagnostics.iter();
    errors
        .map(|d| compile_error(d.at, &d.message.to_string()))
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
