//! What an author reads when the macros refuse something, message by message,
//! and what they must accept in silence.
//!
//! Each file under `ui` is a small crate. Those that must not compile have
//! their messages next to them, and the crates in `cured` are the same ones with
//! the advice of a message followed; `TRYBUILD=overwrite cargo test -p
//! tuner-ui-tests` writes these anew.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// By themselves, since the compiler is then asked about all of them at once.
#[test]
fn refused() {
    trybuild::TestCases::new().compile_fail("refused/*.rs");
}

#[test]
fn accepted() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    cases.pass("cured/*.rs");
}

/// The build that an engine is released from: without feature `tune`, and
/// without `tuner_core`.
#[test]
fn without_the_feature_nothing_of_the_tuner_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition=2024", "--emit=metadata", "--out-dir"])
        .args([folder.path(), Path::new("pass/released.rs")])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
}

/// The twin is read by the rules of the engine's edition, whatever that of the macros is.
#[test]
fn each_edition_has_its_own_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let core = root.join("../../tuner-core").canonicalize().unwrap();
    for (edition, text) in [
        ("2015", "2018"),
        ("2018", "2018"),
        ("2018", "2021"),
        ("2021", "2021"),
        ("2024", "2024"),
    ] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("edition-{edition}"));
        fs::create_dir_all(folder.join("src")).unwrap();
        let from = root.join(format!("editions/{text}.rs"));
        fs::copy(from, folder.join("src/main.rs")).unwrap();
        fs::copy(root.join("../../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        let manifest = format!(
            "[package]\nname = \"edition-{edition}\"\nversion = \"0.0.0\"\nedition = \"{edition}\"\n\n\
             [features]\ndefault = [\"tune\"]\ntune = []\n\n\
             [dependencies]\ntuner-core = {{ path = {core:?} }}\n\n[workspace]\n"
        );
        fs::write(folder.join("Cargo.toml"), manifest).unwrap();
        let output = Command::new(env!("CARGO"))
            .args(["run", "--offline", "--quiet", "--target-dir"])
            .arg(folder.with_file_name("editions"))
            .current_dir(&folder)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{edition}: {said}");
        let scores = String::from_utf8_lossy(&output.stdout);
        let scores: Vec<&str> = scores.lines().collect();
        assert!(scores.len() == 2 && scores[0] == scores[1], "{scores:?}");
    }
}

/// The files in which every message of the macros is written.
const MESSAGES: [&str; 3] = [
    include_str!("../../tuner-macros/src/diagnostics/messages/mod.rs"),
    include_str!("../../tuner-macros/src/diagnostics/messages/annotations.rs"),
    include_str!("../../tuner-macros/src/diagnostics/messages/scores.rs"),
];

#[test]
fn each_message_has_a_case() {
    let mut shown = String::new();
    for entry in fs::read_dir("refused").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "stderr") {
            shown += &fs::read_to_string(path).unwrap();
        }
    }
    let messages: Vec<_> = MESSAGES
        .into_iter()
        .flat_map(literals)
        .filter(|text| text.contains(' '))
        .collect();
    assert!(messages.len() > 20, "{messages:#?}");
    let unseen: Vec<_> = messages
        .iter()
        .filter(|message| !shown.lines().any(|line| is_an_instance(line, message)))
        .collect();
    assert!(unseen.is_empty(), "without a case: {unseen:#?}");
}

/// Whether a line of the compiler's has the message, with anything in its braces.
fn is_an_instance(line: &str, message: &str) -> bool {
    let mut rest = line;
    message.split('{').enumerate().all(|(index, part)| {
        let part = if index == 0 {
            part
        } else {
            part.split_once('}').map_or(part, |(_, text)| text)
        };
        let found = rest.find(part);
        rest = &rest[found.map_or(rest.len(), |at| at + part.len())..];
        found.is_some()
    })
}

/// The string literals of a Rust text without comments between them.
fn literals(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    let mut letters = code.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '"' {
            continue;
        }
        let mut literal = String::new();
        while let Some(letter) = letters.next_if(|&c| c != '"') {
            match (letter, letters.peek()) {
                ('\\', Some('\n')) => while letters.next_if(|c| c.is_whitespace()).is_some() {},
                ('\\', _) => literal.extend(letters.next()),
                _ => literal.push(letter),
            }
        }
        letters.next();
        found.push(literal);
    }
    found
}
