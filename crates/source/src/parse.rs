//! From a text to its items, whatever the text is.

use std::error::Error;
use std::fmt;
use std::thread;

use proc_macro2::{Delimiter, LexError, Span, TokenStream, TokenTree};

use crate::foreign::take_out_foreign;

/// Deepest nesting of brackets that is parsed. Chosen: the parser calls
/// itself at each, and rustc stops at 128.
const DEEPEST: usize = 128;

/// Longest run of tokens without a comma, a semicolon or braces that is parsed: the parser calls
/// itself along a run such as `- - - - 1`.
const LONGEST_RUN: usize = 5_000;

/// Stack of the thread that parses, in bytes: four times what the deepest text that is
/// parsed needs (test `hostile_texts_are_refused`) where the parser is not optimised.
const STACK: usize = 128 << 20;

/// Runs a parser in a thread whose stack is enough for all texts that are accepted. `None` if the
/// thread does not start, or panics.
pub fn in_a_thread<T: Send>(parsing: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(STACK);
        let thread = builder.spawn_scoped(scope, parsing);
        thread.ok().and_then(|thread| thread.join().ok())
    })
}

/// Returns the end of the lines of a text: `\r\n` if there is one, else `\n`.
pub fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A line and a column of a text, counted from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl SourceLocation {
    /// The location of the start of a token.
    pub(crate) fn of(span: Span) -> Self {
        let start = span.start();
        let (line, column) = (start.line, start.column + 1);
        Self { line, column }
    }
}

/// Why a text cannot be read as Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The location of the first token that cannot be read.
    pub location: SourceLocation,
    /// The error; in the parser's words if the text is not Rust.
    pub reason: String,
}

impl fmt::Display for SyntaxError {
    /// Writes why the text cannot be read, without the location.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Error for SyntaxError {}

impl SyntaxError {
    /// Makes an error at a token with this reason.
    fn new(at: Span, reason: &impl ToString) -> Self {
        let (location, reason) = (SourceLocation::of(at), reason.to_string());
        Self { location, reason }
    }

    /// The error as a message about `file`, `eval.rs:3:7: …`, with line and column in front.
    pub fn at(&self, file: impl fmt::Display) -> String {
        let SourceLocation { line, column } = self.location;
        format!("{file}:{line}:{column}: this is no Rust that can be read ({self})")
    }
}

/// Parses a text as a file of Rust. Bytes of spans count from the start of the text, whatever it
/// begins with. Attributes of other crates that are named as this project's are left out.
pub(crate) fn parse(text: &str) -> Result<syn::File, SyntaxError> {
    // Spaces in place of a byte order mark and a `#!` line keep the bytes of all that follows where
    // they are.
    let start = prefix(text);
    let rest = " ".repeat(start) + &text[start..];
    let tokens: Result<TokenStream, LexError> = rest.parse();
    let tokens = tokens.map_err(|error| SyntaxError::new(error.span(), &error))?;
    bounded(&tokens)?;
    let mut file: syn::File = syn::parse2(tokens).map_err(|e| SyntaxError::new(e.span(), &e))?;
    take_out_foreign(&mut file.items);
    Ok(file)
}

/// How many bytes a byte order mark and a `#!` line, without the line's end, have at the start of a
/// text.
fn prefix(text: &str) -> usize {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - rest.len();
    // `#![attribute]` is not a `#!` line.
    let is_line = rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[');
    let line = is_line.then(|| rest.find('\n').unwrap_or(rest.len()));
    mark + line.unwrap_or(0)
}

/// Refuses tokens that would exhaust the parser's stack: brackets nested deeper than [`DEEPEST`]
/// (128), or a run of more than [`LONGEST_RUN`] (5000) tokens without a comma, a semicolon or
/// braces among them.
fn bounded(tokens: &TokenStream) -> Result<(), SyntaxError> {
    // Of the file and of each group that is open: the tokens that are left, and the length of the
    // run.
    let mut around = vec![(tokens.clone().into_iter(), 0)];
    while let Some((tokens, run)) = around.last_mut() {
        let Some(token) = tokens.next() else {
            around.pop();
            continue;
        };
        *run += 1;
        if *run > LONGEST_RUN {
            let reason = format!("an expression of more than {LONGEST_RUN} tokens");
            return Err(SyntaxError::new(token.span(), &reason));
        }
        match token {
            TokenTree::Punct(punct) if matches!(punct.as_char(), ',' | ';') => *run = 0,
            TokenTree::Group(group) => {
                if group.delimiter() == Delimiter::Brace {
                    *run = 0;
                }
                if around.len() > DEEPEST {
                    let reason = format!("brackets more than {DEEPEST} deep");
                    return Err(SyntaxError::new(group.span_open(), &reason));
                }
                around.push((group.stream().into_iter(), 0));
            }
            _ => {}
        }
    }
    Ok(())
}
