//! Words that the project has retired, and what to say in their place.
//!
//! The reader is an engine author with school English and the literature in
//! mind: a word stays if it is in the index of a textbook.

use std::collections::HashMap;
use std::sync::OnceLock;

/// What is not said, and what is said instead. A term matches at word
/// boundaries, case ignored; `_` and a change of case are boundaries, so that
/// names of Rust count as words.
pub const RETIRED: &[(&[&str], &str)] = &[
    (&["bent"], "nonlinear"),
    (&["foretell", "foretells", "foretold"], "predict, predicted"),
    (&["written whole"], "atomic file, written atomically"),
    (&["torn"], "truncated"),
    (&["without matrix"], "matrix-free"),
    (
        &[
            "belief",
            "beliefs",
            "believe",
            "believes",
            "believed",
            "believing",
        ],
        "prior, prior mean",
    ),
    (
        &[
            "runaway",
            "ran away",
            "run away",
            "runs away",
            "running away",
            "with certainty",
        ],
        "separation, separated",
    ),
    (
        &["goes on", "gone on", "go on with", "going on", "went on"],
        "resumes, continues",
    ),
    (
        &["stands in", "stand in", "stands beside", "stand beside"],
        "is in, is next to",
    ),
    (&["hangs on", "hang on"], "depends on"),
    (&["what is otherwise", "is to be otherwise"], "what differs"),
    (
        &[
            "nobody is asked",
            "what in it cannot be",
            "the books that are kept",
        ],
        "it directly",
    ),
    (&["fresh eyes"], "review"),
];

/// Names that say nothing of what a type is.
pub const TYPE_NAMES: &[&str] = &[
    "Course", "Flow", "Found", "Given", "Here", "Keeper", "Kept", "Known", "Taken", "Truth",
    "Typed", "Wanted", "Way",
];

/// What no doc comment begins with, and what is said instead.
const OPENINGS: &[(&str, &str)] = &[("The same", "what the item is, or does")];

/// Negations that are not used in doc comments, and what is said instead.
const NEGATIONS: &[(&str, &str)] = &[
    ("that is no ", "that is not"),
    ("that are no ", "that are not"),
];

/// Words that may follow a negation: "that is no longer read" is plain.
const QUANTITIES: [&str; 3] = ["fewer", "longer", "more"];

/// The words of a text in lower case; names of Rust are cut at `_` and before
/// capitals.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let begins = c.is_uppercase() && before.is_lowercase();
        if (begins || !c.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words
}

/// The retired terms of a text, each with its line and its replacement.
/// Comments that wrap are seen as one text.
pub fn retired(name: &str, text: &str) -> Vec<String> {
    let lines: Vec<(usize, Vec<String>)> = text.lines().map(words).enumerate().collect();
    let flat: Vec<(usize, &str)> = lines
        .iter()
        .flat_map(|(number, words)| words.iter().map(move |word| (number + 1, word.as_str())))
        .filter(|(_, word)| !word.is_empty())
        .collect();
    let mut found = Vec::new();
    for (at, (line, word)) in flat.iter().enumerate() {
        for (term, instead) in terms().get(word).into_iter().flatten() {
            let mut words = flat[at..].iter().map(|(_, word)| *word);
            if term
                .split(' ')
                .all(|expected| words.next() == Some(expected))
            {
                found.push(format!("{name}:{line}: `{term}`; say {instead}"));
            }
        }
    }
    found
}

/// A term, and what is said instead.
type Term = (&'static str, &'static str);

/// [`RETIRED`] by first words.
fn terms() -> &'static HashMap<&'static str, Vec<Term>> {
    static TERMS: OnceLock<HashMap<&'static str, Vec<Term>>> = OnceLock::new();
    TERMS.get_or_init(|| {
        let mut by_word: HashMap<&str, Vec<Term>> = HashMap::new();
        for (terms, instead) in RETIRED {
            for term in *terms {
                let first = term.split(' ').next().unwrap();
                by_word.entry(first).or_default().push((term, instead));
            }
        }
        by_word
    })
}

/// The doc comments of a text, each with the line on which it begins; lines of
/// code in them are left out.
fn doc_comments(text: &str) -> Vec<(usize, String)> {
    let mut comments: Vec<(usize, String)> = Vec::new();
    let (mut before, mut in_code) = ("", false);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start();
        let marks = ["///", "//!"];
        let mark = marks.into_iter().find(|mark| line.starts_with(mark));
        let mark = mark.unwrap_or_default();
        if mark != before {
            in_code = false;
            comments.push((number + 1, String::new()));
        }
        before = mark;
        let words = line[mark.len()..].trim();
        let is_fence = words.starts_with("```");
        in_code ^= is_fence;
        let is_prose = !mark.is_empty() && !in_code && !is_fence;
        if let Some((_, comment)) = comments.last_mut().filter(|_| is_prose) {
            comment.push_str(words);
            comment.push(' ');
        }
    }
    comments
}

/// Doc comments that begin as none should, or deny with "no"; each with the
/// line on which it begins.
pub fn unclear_docs(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (line, comment) in doc_comments(text) {
        let mut complain = |what: &str, instead: &str| {
            found.push(format!("{name}:{line}: `{what}`; say {instead}"));
        };
        for (opening, instead) in OPENINGS {
            if comment.starts_with(opening) {
                complain(opening, instead);
            }
        }
        for (negation, instead) in NEGATIONS {
            for (at, _) in comment.match_indices(negation) {
                let next = comment[at + negation.len()..].trim_start();
                if !QUANTITIES.iter().any(|word| next.starts_with(word)) {
                    complain(negation.trim_end(), instead);
                }
            }
        }
    }
    found
}
