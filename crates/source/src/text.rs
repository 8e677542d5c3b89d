//! From a text to its items, whatever the text is.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

/// Deepest nesting of brackets that is parsed. Chosen: the parser calls
/// itself at each, and rustc stops at 128.
const DEEPEST: usize = 128;

/// Longest run of tokens without a comma, a semicolon or braces that is
/// parsed, for the same reason (`- - - - 1`).
const LONGEST_RUN: usize = 5_000;

/// Why a text is no Rust that can be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
}

impl Fault {
    fn new(at: Span, message: String) -> Self {
        let start = at.start();
        Self {
            line: start.line,
            column: start.column + 1,
            message,
        }
    }
}

/// The items of a text, and the number of bytes in front of what their spans
/// count.
pub(crate) fn parse(text: &str) -> Result<(syn::File, usize), Fault> {
    let start = prefix(text);
    let tokens: TokenStream = text[start..]
        .parse()
        .map_err(|error: proc_macro2::LexError| Fault::new(error.span(), error.to_string()))?;
    bounded(&tokens)?;
    let file = syn::parse2(tokens).map_err(|error| Fault::new(error.span(), error.to_string()))?;
    Ok((file, start))
}

/// Length of a byte order mark and of a `#!` line without its end.
fn prefix(text: &str) -> usize {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - rest.len();
    // `#![attribute]` is no such line.
    let is_line = rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[');
    let line = is_line.then(|| rest.find('\n').unwrap_or(rest.len()));
    mark + line.unwrap_or(0)
}

/// Refuses what would exhaust the parser's stack.
fn bounded(tokens: &TokenStream) -> Result<(), Fault> {
    let mut around = vec![(tokens.clone().into_iter(), 0)];
    while let Some((tokens, run)) = around.last_mut() {
        let Some(token) = tokens.next() else {
            around.pop();
            continue;
        };
        *run += 1;
        if *run > LONGEST_RUN {
            let message = format!("an expression of more than {LONGEST_RUN} tokens");
            return Err(Fault::new(token.span(), message));
        }
        match token {
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => *run = 0,
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Brace {
                    *run = 0;
                }
                if around.len() > DEEPEST {
                    let message = format!("brackets more than {DEEPEST} deep");
                    return Err(Fault::new(group.span_open(), message));
                }
                around.push((group.stream().into_iter(), 0));
            }
            _ => {}
        }
    }
    Ok(())
}
