//! Evaluations with their tokens mutated: a twin that parses, or messages, and
//! the same again; never a panic.
//!
//! 4 mutations, which are Rust, of each file of `tests/twins` and of the chess example;
//! `TUNER_FUZZ_RUNS=5000 TUNER_FUZZ_SEED=2 cargo test --release -p tuner-macros`
//! makes others.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use super::file::traced_file;
use crate::infer::Facts;
use tuner_source::CrateFile;

/// Mutations of each file, unless `TUNER_FUZZ_RUNS` says otherwise.
const RUNS: u64 = 4;

/// Folders of evaluations, from that of this crate.
const FOLDERS: [&str; 3] = [
    "../tests/twins",
    "../tests/ui/pass",
    "../examples/chess/src",
];

const SIGNS: [char; 14] = [
    '+', '-', '*', '/', '%', '&', '|', '!', '=', '<', '>', '.', ';', ',',
];

const WORDS: [&str; 22] = [
    "self", "Self", "const", "static", "mut", "fn", "impl", "as", "i32", "u64", "f64", "if",
    "else", "match", "for", "in", "let", "return", "max", "abs", "unsafe", "dyn",
];

/// The number in a variable of the environment; `default` without it.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// The files of Rust in `FOLDERS`, sorted.
fn evaluations() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = FOLDERS.iter().map(|folder| here.join(folder));
    let entries = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .collect();
    files.sort();
    files
}

/// How many tokens there are, with those in groups and the groups themselves.
fn count(tokens: &TokenStream) -> usize {
    let inner = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        _ => 1,
    });
    inner.sum()
}

/// Adds all words of the tokens, also those in groups.
fn words(tokens: &TokenStream, found: &mut Vec<String>) {
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => words(&group.stream(), found),
            TokenTree::Ident(ident) => found.push(ident.to_string()),
            _ => {}
        }
    }
}

/// What a token is replaced by in a mutation: nothing, itself twice, another word, number or sign,
/// itself in brackets, or what is in it. `words` are those of the evaluation.
fn other(rng: &mut ChaCha8Rng, words: &[String], token: &TokenTree) -> Vec<TokenTree> {
    let word = |word: &str| syn::parse_str::<Ident>(word).ok();
    match rng.random_range(0..9) {
        0 => Vec::new(),
        1 => vec![token.clone(), token.clone()],
        2 => {
            let name = words.choose(rng).and_then(|name| word(name));
            vec![name.map_or_else(|| token.clone(), TokenTree::Ident)]
        }
        3 => {
            let name = WORDS.choose(rng).unwrap();
            vec![TokenTree::Ident(Ident::new(name, Span::call_site()))]
        }
        4 => {
            let number = rng.random_range(-2_i64..300);
            vec![Literal::i64_unsuffixed(number.abs()).into()]
        }
        5 => vec![Literal::f64_unsuffixed(0.5).into()],
        6 => {
            let sign = *SIGNS.choose(rng).unwrap();
            vec![Punct::new(sign, Spacing::Alone).into()]
        }
        7 => {
            let delimiters = [Delimiter::Parenthesis, Delimiter::Bracket, Delimiter::Brace];
            let around = *delimiters.choose(rng).unwrap();
            vec![Group::new(around, token.clone().into()).into()]
        }
        // What is in a group, without it.
        _ => match token {
            TokenTree::Group(group) => group.stream().into_iter().collect(),
            token => vec![token.clone(), Punct::new(';', Spacing::Alone).into()],
        },
    }
}

/// The tokens with one replaced by what `with` makes of it: that before which `left` others are.
/// `left` is `usize::MAX` once it was met.
fn replaced(
    tokens: TokenStream,
    left: &mut usize,
    with: &mut dyn FnMut(&TokenTree) -> Vec<TokenTree>,
) -> TokenStream {
    let mut result = TokenStream::new();
    for token in tokens {
        if *left == 0 {
            *left = usize::MAX;
            result.extend(with(&token));
            continue;
        }
        *left = left.saturating_sub(usize::from(*left != usize::MAX));
        result.extend([match token {
            TokenTree::Group(group) => {
                let inner = replaced(group.stream(), left, with);
                Group::new(group.delimiter(), inner).into()
            }
            token => token,
        }]);
    }
    result
}

/// The twins of a crate of this text, and what is wrong with it; each twin must parse.
fn expanded(text: &str) -> Vec<String> {
    let facts = Facts::read(&mut [CrateFile::root("lib.rs".into(), text.to_owned())]);
    let units = 0..facts.units.len();
    let expanded = units.flat_map(|unit| {
        let (twin, messages) = traced_file(&facts, unit);
        let of_file = syn::parse_file(&twin);
        assert!(of_file.is_ok(), "{:?} in {twin}", of_file.err());
        for (_, message) in &messages {
            assert!(!message.trim().is_empty());
        }
        let messages = messages.into_iter().map(|(_, message)| message);
        std::iter::once(twin).chain(messages)
    });
    expanded.collect()
}

/// Makes mutations of an evaluation, until `runs` of them are Rust or 20 times as many are made;
/// returns how many are Rust, and how many of these have a twin or messages. `stream` and `seed`
/// say which random numbers are taken.
fn mutations(stream: u64, path: &Path, runs: u64, seed: u64) -> [u64; 2] {
    let tokens: TokenStream = fs::read_to_string(path).unwrap().parse().unwrap();
    let mut known = Vec::new();
    words(&tokens, &mut known);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    let (mut read, mut twins) = (0, 0);
    for number in 0..20 * runs {
        if read == runs {
            break;
        }
        let mut mutated = tokens.clone();
        for _ in 0..1 << rng.random_range(0..3) {
            let mut left = rng.random_range(0..count(&mutated).max(1));
            let mut with = |token: &TokenTree| other(&mut rng, &known, token);
            mutated = replaced(mutated, &mut left, &mut with);
        }
        let text = mutated.to_string();
        if syn::parse_file(&text).is_err() {
            continue;
        }
        read += 1;
        let result = catch_unwind(|| (expanded(&text), expanded(&text)));
        let Ok((first, second)) = result else {
            panic!("seed {seed}, number {number} of {}: {text}", path.display());
        };
        assert_eq!(first, second, "{text}");
        twins += u64::from(!first.is_empty());
    }
    [read, twins]
}

#[test]
fn mutated_evaluations_have_a_twin_or_messages() {
    let (runs, seed) = (
        number("TUNER_FUZZ_RUNS", RUNS),
        number("TUNER_FUZZ_SEED", 1),
    );
    let next = Mutex::new((0..).zip(evaluations()));
    let work = || {
        let mut all = [0; 2];
        while let Some((stream, path)) = { next.lock().unwrap().next() } {
            let found = mutations(stream, &path, runs, seed);
            all = [all[0] + found[0], all[1] + found[1]];
        }
        all
    };
    let [read, twins] = thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let found = all.into_iter().map(|thread| thread.join().unwrap());
        found.fold([0; 2], |all, [read, twins]| [all[0] + read, all[1] + twins])
    });
    println!("{read} mutations that are Rust, {twins} with a twin or messages");
    assert!(twins > 100, "{twins}");
}
