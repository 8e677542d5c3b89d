//! The tree's files, and Rust sources as tokens without their tests.

use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests are in a folder of the workspace")
        .to_owned()
}

/// All files below a folder of the repository that a clone would have, as
/// paths from the root, in order.
pub fn files(folder: &str) -> Vec<String> {
    fn walk(root: &Path, at: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // What git does not keep; see .gitignore.
            if matches!(name.as_str(), "target" | ".git" | "tuner-run")
                || path.extension().is_some_and(|extension| extension == "tmp")
            {
                continue;
            }
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let relative = path.strip_prefix(root).unwrap();
                found.push(relative.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let root = root();
    let mut found = Vec::new();
    walk(&root, &root.join(folder), &mut found);
    found.sort();
    found
}

/// Reads a file of the repository.
pub fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A word, number or sign of a source.
pub struct Token {
    pub text: String,
    pub line: usize,
}

/// A Rust source without what is compiled for tests only.
pub struct Source {
    /// Path from the root of the repository.
    pub name: String,
    pub tokens: Vec<Token>,
    text: String,
}

impl Source {
    pub fn new(name: &str, text: &str) -> Self {
        let mut source = Self {
            name: name.to_owned(),
            tokens: Vec::new(),
            text: text.to_owned(),
        };
        flatten(source.stream(), &mut source.tokens);
        source
    }

    /// The same as one stream, for syn.
    pub fn stream(&self) -> TokenStream {
        let stream = self.text.parse();
        without_tests(stream.unwrap_or_else(|error| panic!("{}: {error}", self.name)))
    }

    /// All sources of the library and programs of a crate.
    pub fn of_crate(folder: &str) -> Vec<Self> {
        files(&format!("{folder}/src"))
            .iter()
            .filter(|name| Path::new(name).extension().is_some_and(|e| e == "rs"))
            .filter(|name| !name.ends_with("/tests.rs") && !name.contains("/tests/"))
            .map(|name| Self::new(name, &text(name)))
            .collect()
    }

    /// The lines at which a sequence of tokens stands.
    pub fn lines_of(&self, sequence: &[&str]) -> Vec<usize> {
        self.tokens
            .windows(sequence.len())
            .filter(|window| window.iter().zip(sequence).all(|(t, s)| t.text == *s))
            .map(|window| window[0].line)
            .collect()
    }
}

/// Leaves out every item marked `#[cfg(test)]`, or `#[cfg(all(test, …))]`.
fn without_tests(stream: TokenStream) -> TokenStream {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut tokens = stream.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_hash = matches!(&token, TokenTree::Punct(p) if p.as_char() == '#');
        let is_test =
            is_hash && matches!(tokens.peek(), Some(TokenTree::Group(group)) if means_test(group));
        if is_test {
            tokens.next();
            for skipped in tokens.by_ref() {
                let ends = match &skipped {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(sign) => sign.as_char() == ';',
                    _ => false,
                };
                if ends {
                    break;
                }
            }
            continue;
        }
        kept.push(match token {
            TokenTree::Group(group) => {
                let span = group.span();
                let inner = without_tests(group.stream());
                let mut group = proc_macro2::Group::new(group.delimiter(), inner);
                group.set_span(span);
                TokenTree::Group(group)
            }
            token => token,
        });
    }
    kept.into_iter().collect()
}

fn means_test(attribute: &proc_macro2::Group) -> bool {
    let words = attribute.stream().to_string().replace(' ', "");
    words == "cfg(test)" || words.starts_with("cfg(all(test,")
}

fn flatten(stream: TokenStream, into: &mut Vec<Token>) {
    for token in stream {
        let line = token.span().start().line;
        let mut push = |text: &str, line| {
            into.push(Token {
                text: text.to_owned(),
                line,
            });
        };
        let TokenTree::Group(group) = token else {
            push(&token.to_string(), line);
            continue;
        };
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Brace => ("{", "}"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::None => ("", ""),
        };
        push(open, line);
        let end = group.span_close().end().line;
        flatten(group.stream(), into);
        into.push(Token {
            text: close.to_owned(),
            line: end,
        });
    }
}
