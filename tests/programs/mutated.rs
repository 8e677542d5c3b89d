//! Random evaluations with the tokens of their bodies mutated: where production
//! compiles, the macro refuses, or the twin agrees, at the weights of the source and,
//! with a second production whose weights are others, elsewhere.
//!
//! 15 programs, seeds 1 to 15, 5 mutations each; `TUNER_PROGRAMS=500
//! TUNER_PROGRAM_SEED=1000 cargo test --release -p tuner-program-tests mutated`
//! takes half of so many others.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{Program, print};
use proc_macro2::{TokenStream, TokenTree};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Mutations of each program.
const MUTATIONS: usize = 5;

/// Positions of each mutation.
const POSITIONS: usize = 16;

/// What is written behind a name.
const BEHIND: [&str; 14] = [
    ".abs()",
    ".signum()",
    ".pow(2)",
    ".min(7)",
    ".max(-3)",
    ".clamp(-9, 9)",
    " as i64 as i32",
    " as i16 as i32",
    " / 3",
    " % 5",
    " >> 1",
    " * 2",
    ".rem_euclid(4)",
    ".wrapping_add(1)",
];

const KEYWORDS: [&str; 16] = [
    "as", "board", "break", "const", "continue", "else", "fn", "for", "i32", "if", "in", "let",
    "match", "mut", "return", "while",
];

const OPERATORS: [&str; 4] = ["+", "-", "*", "/"];

/// A mutated program, and the same with other weights.
struct Mutated {
    name: String,
    program: Program,
    text: String,
    other: String,
    other_weights: Vec<i64>,
}

/// The tokens of a text between spaces.
fn words(tokens: TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let text = group.to_string();
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                assert!(text.starts_with(open));
                found.push(open.to_owned());
                words(group.stream(), found);
                found.push(close.to_owned());
            }
            TokenTree::Punct(punct) if punct.spacing() == proc_macro2::Spacing::Joint => {
                found.push(punct.to_string());
            }
            token => found.push(format!("{token} ")),
        }
    }
}

/// Changes one or two of the words, so that it is likely to be Rust again.
fn mutate(words: &mut [String], rng: &mut ChaCha8Rng) {
    // A name of a value, where a value is read.
    let is_value = |words: &[String], at: usize| {
        let word = words[at].trim();
        let around = [at.checked_sub(1), Some(at + 1)];
        let [before, after] =
            around.map(|at| at.and_then(|at| words.get(at)).map_or("", |w| w.trim()));
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && !KEYWORDS.contains(&word)
            && !["fn", "let", "mut", "for", ".", "|", ","].contains(&before)
            && !["(", "[", "=", ":", ".", "in", "!", "+", "-", "|", ","].contains(&after)
    };
    let values = (0..words.len()).filter(|&at| is_value(words, at));
    let values: Vec<String> = values.map(|at| words[at].clone()).collect();
    let changes = rng.random_range(1..=2);
    let mut made = 0;
    for _ in 0..2000 {
        let at = rng.random_range(0..words.len());
        let word = words[at].clone();
        words[at] = match rng.random_range(0..4) {
            0 if word.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{} ", rng.random_range(0..12))
            }
            1 if is_value(words, at) => values.choose(rng).unwrap().clone(),
            2 if is_value(words, at) => format!("({word}{}) ", BEHIND.choose(rng).unwrap()),
            3 if OPERATORS.contains(&word.trim()) => {
                format!("{} ", OPERATORS.choose(rng).unwrap())
            }
            _ => continue,
        };
        made += 1;
        if made == changes {
            return;
        }
    }
}

/// The text before the bodies, the bodies, and the line of the twin.
fn parts(text: &str) -> (&str, &str, &str) {
    let begin = ["fn helper0(", "fn pair0(", "pub fn evaluate("];
    let begin = begin
        .iter()
        .filter_map(|name| text.find(name))
        .min()
        .unwrap();
    let end = text.find("#[cfg(feature").unwrap();
    (&text[..begin], &text[begin..end], &text[end..])
}

fn mutated(seed: u64, number: usize) -> Mutated {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number as u64 + 1);
    let program = crate::program::program(seed);
    let text = print::file(&program);
    let (before, bodies, after) = parts(&text);
    let mut tokens = Vec::new();
    words(bodies.parse().unwrap(), &mut tokens);
    mutate(&mut tokens, &mut rng);
    let bodies = tokens.concat();
    let mut others = crate::program::program(seed);
    for value in others.tables.iter_mut().flat_map(|table| &mut table.values) {
        *value += rng.random_range(-5..=5);
    }
    let other_weights = others.weights().map(i64::from).collect();
    // Each has tables and a pair of its own.
    let name = format!("p{seed}m{number}");
    let own = |text: String| {
        let mut text = text.replace(&format!("Pair{seed}"), &format!("Pair{seed}M{number}"));
        for table in &program.tables {
            text = text.replace(&table.name, &format!("{}_M{number}", table.name));
        }
        text
    };
    let other = print::file(&others);
    Mutated {
        text: own(format!("{before}{bodies}\n{after}")),
        other: own(format!("{}{bodies}", parts(&other).0)),
        name,
        program,
        other_weights,
    }
}

/// Those whose production compiles: what the compiler has errors in is left out, until there
/// are none.
fn of_rust(folder: &Path, mut all: Vec<Mutated>) -> Vec<Mutated> {
    let board = "pub struct Board { pub men: [i32; 4], pub squares: [usize; 4], pub phase: i32, \
                 pub side: bool }\n";
    for one in &all {
        fs::write(folder.join(format!("{}.rs", one.name)), &one.other).unwrap();
    }
    let file = folder.join("alone.rs");
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    loop {
        let mut text = board.to_owned();
        for one in &all {
            let _ = writeln!(text, "mod {};", one.name);
        }
        fs::write(&file, text).unwrap();
        let output = Command::new(&compiler)
            .args(["--edition=2024", "--crate-type=lib", "--emit=metadata"])
            .args(["-Awarnings", "--cap-lints=allow", "--error-format=short"])
            .args([Path::new("--out-dir"), folder, &file])
            .output()
            .unwrap();
        if output.status.success() {
            return all;
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let before = all.len();
        all.retain(|one| !said.contains(&format!("{}.rs:", one.name)));
        assert!(all.len() < before, "{said}");
    }
}

/// The crate of those whose twins compile; those that the macro refuses are left out.
fn with_twins(folder: &Path, all: &mut Vec<Mutated>) -> std::path::PathBuf {
    for _ in 0..12 {
        let mut list = String::new();
        for one in &*all {
            let _ = writeln!(list, "mod {};", one.name);
        }
        list += "pub const PROGRAMS: &[crate::ProgramFns] = &[\n";
        for one in &*all {
            let names = one.program.tables.iter().map(|table| {
                let number = one.name.rsplit('m').next().unwrap();
                format!("{:?}", format!("{}_M{number}", table.name))
            });
            let (name, names) = (&one.name, names.collect::<Vec<_>>().join(", "));
            let _ = writeln!(
                list,
                "crate::ProgramFns {{ tables: &[{names}], production: {name}::evaluate, \
                 twin: {name}::__traced::evaluate }},"
            );
        }
        list += "];\n";
        let files: Vec<_> = all
            .iter()
            .map(|m| (m.name.clone(), m.text.clone()))
            .collect();
        let said = match crate::built::compiled(folder, "harness.rs", &list, &files) {
            Ok(program) => return program,
            Err(said) => said,
        };
        assert!(!said.contains("panicked"), "{said}");
        let before = all.len();
        // A body without a weight left has no twin, which the list misses.
        let missed: Vec<&str> = said
            .lines()
            .filter(|l| l.contains("| crate::ProgramFns"))
            .collect();
        all.retain(|one| {
            let twin = format!("{}::__traced", one.name);
            let is_missed = missed.iter().any(|line| line.contains(&twin));
            !is_missed && !said.contains(&format!("src/made/{}.rs:", one.name))
        });
        assert!(all.len() < before, "{said}");
    }
    panic!("the crate does not compile");
}

#[test]
fn twins_of_mutated_programs_agree_or_are_refused() {
    let (first, count) = crate::program::asked();
    let count = count.div_ceil(2);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutated");
    fs::create_dir_all(&folder).unwrap();
    let seeds = first..first + count;
    let all = seeds.flat_map(|seed| (0..MUTATIONS).map(move |number| mutated(seed, number)));
    let mut all = of_rust(&folder, all.collect());
    let compile = all.len();
    let twins = with_twins(&folder.join("twins"), &mut all);
    let names: HashSet<&str> = all.iter().map(|one| &*one.name).collect();
    assert_eq!(names.len(), all.len());
    // Production alone, twice.
    let mut list = String::new();
    let mut files = Vec::new();
    let mut both = "pub const BOTH: &[[fn(&crate::Board) -> i32; 2]] = &[\n".to_owned();
    for one in &all {
        let name = &one.name;
        let _ = write!(list, "mod {name};\nmod other_{name};\n");
        let _ = writeln!(both, "[{name}::evaluate, other_{name}::evaluate],");
        let text = one
            .text
            .replace("#[cfg(feature = \"tune\")]", "#[cfg(any())]");
        files.push((name.clone(), text));
        files.push((format!("other_{name}"), one.other.clone()));
    }
    let plain = folder.join("plain");
    let list = format!("{list}{both}];\n");
    let production = crate::built::compiled(&plain, "plain.rs", &list, &files).unwrap();
    let mut lines = Vec::new();
    for (number, one) in all.iter().enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(one.program.seed + 2_000_000);
        for _ in 0..POSITIONS {
            let position = crate::built::position(&mut rng);
            lines.push((
                number,
                crate::built::line(number, &position, &one.other_weights),
            ));
        }
    }
    let asked: String = lines.iter().map(|(_, line)| &**line).collect();
    let expected = crate::built::answers(&production, &plain, &asked);
    let asked = lines
        .iter()
        .zip(&expected)
        .filter(|(_, answer)| *answer != "panics");
    let (asked, expected): (Vec<_>, Vec<_>) = asked.unzip();
    let text: String = asked.iter().map(|(_, line)| &**line).collect();
    let answers = crate::built::answers(&twins, &folder.join("twins"), &text);
    let (mut compared, mut elsewhere) = (0, 0);
    for (((number, line), expected), answer) in asked.iter().zip(expected).zip(&answers) {
        let what = format!("{} {line}", all[*number].name);
        let (own, other) = expected.split_once(' ').unwrap();
        let (own, other): (f64, f64) = (own.parse().unwrap(), other.parse().unwrap());
        let numbers: Vec<f64> = answer.split(' ').map(|n| n.parse().unwrap()).collect();
        let [production, twin, wrapped, exact] = numbers[..4].try_into().unwrap();
        assert!(
            (production - own).abs() < 0.5,
            "{what}: {production}, not {own}"
        );
        if wrapped > 0.5 {
            continue;
        }
        assert!((twin - own).abs() < 0.5, "{what}: twin {twin}, not {own}");
        compared += 1;
        assert!(
            (exact - other).abs() < 0.5,
            "{what}: elsewhere {exact}, not {other}"
        );
        elsewhere += usize::from((own - other).abs() > 0.5);
    }
    let (asked, agree) = (count as usize * MUTATIONS, all.len());
    println!(
        "{asked} mutations: {compile} compile, {} refused by the macro, {agree} compared at \
         {compared} positions, {elsewhere} of which other weights change",
        compile - agree,
    );
    assert!(
        agree * 8 > asked && elsewhere > agree,
        "too few say anything"
    );
}
