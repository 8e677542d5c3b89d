//! What must never happen in this repository: the invariants of
//! `ARCHITECTURE.md` that a look at the files can keep.
//!
//! Rules are functions that return complaints; each is shown to complain, at
//! the end, on a small text that breaks it.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a test that says what is wrong by failing"
)]

mod manifest;
mod rules;
mod source;

use std::fs;
use std::path::Path;

use source::{Source, files, root, text};
use tuner_core::codegen::{Provenance, emit};
use tuner_core::param::Spec;

/// Crates with a library that must neither print nor panic.
const LIBRARIES: [&str; 7] = [
    "tuner-source",
    "tuner-macros",
    "tuner-core",
    "tuner-chess",
    "tuner-shogi",
    "examples/chess",
    "examples/chess-tuner",
];

const PANICS: &[&[&str]] = &[
    &[".", "unwrap", "("],
    &[".", "expect", "("],
    &["panic", "!"],
    &["todo", "!"],
    &["unimplemented", "!"],
];

const TALK: &[&[&str]] = &[
    &["println", "!"],
    &["eprintln", "!"],
    &["print", "!"],
    &["eprint", "!"],
    &["dbg", "!"],
    &["env", ":", ":", "args"],
    &["args_os"],
    &["io", ":", ":", "stdout"],
    &["io", ":", ":", "stderr"],
];

/// What would tell the solver that weights have names or come from somewhere.
const OUTSIDE: &[&[&str]] = &[
    &["fs"],
    &["io"],
    &["path"],
    &["File"],
    &["Path"],
    &["PathBuf"],
    &["param"],
    &["Layout"],
    &["data"],
    &["game"],
    &["trace"],
];

/// Longest file, in lines of code.
const LONGEST: usize = 400;

/// Longest of the texts that a newcomer reads first, in lines.
const LONGEST_TEXT: usize = 150;

/// Largest file, in bytes.
const LARGEST: u64 = 4_000_000;

fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn layers_use_only_earlier_ones() {
    let lib = text("tuner-core/src/lib.rs");
    let layers = rules::layers(&lib);
    for module in Source::new("tuner-core/src/lib.rs", &lib)
        .tokens
        .windows(2)
        .filter(|pair| pair[0].text == "mod")
    {
        let name = &module[1].text;
        assert!(
            layers.iter().any(|l| l.contains(name)),
            "{name} is in no layer"
        );
    }
    let sources = Source::of_crate("tuner-core");
    let complaints = |source| rules::layering(source, &layers);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn permissive_crates_link_no_gpl() {
    for package in ["tuner-core", "tuner-macros", "tuner-source", "tuner-shogi"] {
        let linked = manifest::linked(package, &["--all-features"]);
        assert!(linked.starts_with(package), "{linked}");
        assert_eq!(manifest::gpl(&linked), Vec::<&str>::new());
    }
}

#[test]
fn an_engine_links_only_the_macros() {
    let linked = manifest::linked("tuner-core", &["--no-default-features"]);
    let mut names: Vec<&str> = linked.lines().filter_map(|l| l.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    let macros = [
        "proc-macro2",
        "quote",
        "syn",
        "tuner-core",
        "tuner-macros",
        "tuner-source",
        "unicode-ident",
    ];
    assert_eq!(names, macros);
    // The board of shogi alone brings no tuner along.
    let board = manifest::linked("tuner-shogi", &["--no-default-features"]);
    let ours = board.lines().filter(|line| line.starts_with("tuner-"));
    assert_eq!(ours.count(), 1, "{board}");
}

#[test]
fn no_public_signature_names_nalgebra_or_rsshogi() {
    for (package, library) in [("tuner-core", "nalgebra"), ("tuner-shogi", "rsshogi")] {
        let sources = Source::of_crate(package);
        let complaints = |source| rules::in_public(source, library);
        assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
    }
}

#[test]
fn the_solver_knows_numbers_only() {
    let mut sources = Source::of_crate("tuner-core");
    sources.retain(|source| source.module().first() == Some(&"solve"));
    assert!(!sources.is_empty());
    let complaints = |source| rules::without(source, OUTSIDE);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn only_the_command_line_talks() {
    let sources: Vec<Source> = LIBRARIES
        .into_iter()
        .flat_map(Source::of_crate)
        // Programs, and the layer that is there for it.
        .filter(|source| !source.name.contains("/src/bin/") && !source.name.ends_with("/main.rs"))
        .filter(|source| !source.name.starts_with("tuner-core/src/cli/"))
        .collect();
    let complaints = |source| rules::without(source, TALK);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn libraries_do_not_panic() {
    let sources: Vec<Source> = LIBRARIES.into_iter().flat_map(Source::of_crate).collect();
    let complaints = |source| rules::without(source, PANICS);
    assert_none(&sources.iter().flat_map(complaints).collect::<Vec<_>>());
}

#[test]
fn the_generated_weights_are_those_of_the_spec() {
    let spec = Spec::load(&root().join("specs/chess.toml")).unwrap();
    let values = spec.layout().initial_integers();
    let expected = emit(&spec, values, &Provenance::default()).unwrap();
    assert!(
        text("examples/chess/src/tuned_weights.rs") == expected,
        "examples/chess/src/tuned_weights.rs is not what specs/chess.toml stands for; run \
         cargo run --release -p tuner-cli -- spec emit specs/chess.toml -o examples/chess/src/tuned_weights.rs"
    );
}

#[test]
fn files_stay_short() {
    let complaints: Vec<String> = files("")
        .into_iter()
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "rs"))
        .map(|name| (rules::lines_of_code(&text(&name)), name))
        .filter(|&(lines, _)| lines > LONGEST)
        .map(|(lines, name)| format!("{name}: {lines} lines of code, at most {LONGEST}"))
        .collect();
    assert_none(&complaints);
    for name in ["README.md", "ARCHITECTURE.md"] {
        let lines = text(name).lines().count();
        assert!(lines <= LONGEST_TEXT, "{name}: {lines} lines");
    }
    for name in files("") {
        let size = fs::metadata(root().join(&name)).unwrap().len();
        assert!(size <= LARGEST, "{name}: {size} bytes, at most {LARGEST}");
    }
}

#[test]
fn no_path_of_a_machine() {
    // In pieces, so that this file does not hold them itself.
    let homes = [
        ["/ho", "me/"],
        ["/ro", "ot/"],
        ["/wo", "rk/"],
        ["/Us", "ers/"],
    ]
    .map(|p| p.concat());
    let mut complaints = Vec::new();
    for name in files("") {
        let bytes = fs::read(root().join(&name)).unwrap();
        let words = String::from_utf8_lossy(&bytes);
        for (number, line) in words.lines().enumerate() {
            if homes.iter().any(|home| machine_path(line, home)) {
                complaints.push(format!("{name}:{}: {line}", number + 1));
            }
        }
    }
    assert_none(&complaints);
}

/// Tells whether a path from the root of the file system begins in a line
/// with `home`; one inside a longer path or address does not.
fn machine_path(line: &str, home: &str) -> bool {
    line.match_indices(home).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !(c.is_alphanumeric() || "._-/".contains(c)))
    })
}

#[test]
fn the_readme_starts_with_two_commands() {
    assert_eq!(
        manifest::first_block(&text("README.md")),
        [
            "cargo run --release -p chess-tuner -- fit",
            "cargo test --release --workspace"
        ]
    );
}

#[test]
fn what_keeps_an_invariant_exists() {
    let sources: String = files("")
        .iter()
        .filter(|name| Path::new(name).extension().is_some_and(|e| e == "rs"))
        .map(|name| text(name))
        .collect();
    let exists = |keeper: &str| {
        if keeper.contains('/') {
            root().join(keeper).exists()
        } else {
            sources.contains(&format!("fn {keeper}()"))
        }
    };
    let keepers = rules::keepers(&text("ARCHITECTURE.md"));
    assert!(keepers.len() > 10, "{keepers:?}");
    for keeper in keepers {
        assert!(
            exists(&keeper),
            "ARCHITECTURE.md names `{keeper}`, which is nowhere"
        );
    }
}

#[test]
fn every_crate_has_the_texts_of_its_licence() {
    for member in manifest::members() {
        let manifest = manifest::of(&member);
        let licence = manifest["package"]["license"].as_str().unwrap();
        let expected = manifest::texts_of(licence)
            .unwrap_or_else(|| panic!("{member}: no text for `{licence}`"));
        let mut found = files(&member);
        // A member may hold another one.
        found.retain(|name| name.starts_with(&format!("{member}/LICENSE")));
        let paths: Vec<String> = expected.iter().map(|n| format!("{member}/{n}")).collect();
        assert_eq!(found, paths);
        for name in expected {
            assert!(
                text(name) == text(&format!("{member}/{name}")),
                "{member}/{name}"
            );
        }
        let linked = manifest::linked(manifest["package"]["name"].as_str().unwrap(), &[]);
        let is_gpl = licence.starts_with("GPL");
        assert!(is_gpl || manifest::gpl(&linked).is_empty(), "{member}");
    }
    for (name, first, last) in [
        ("LICENSE-MIT", "MIT License", "SOFTWARE."),
        (
            "LICENSE-APACHE",
            "Apache License",
            "limitations under the License.",
        ),
        (
            "LICENSE-GPL",
            "GNU GENERAL PUBLIC LICENSE",
            "why-not-lgpl.html>.",
        ),
    ] {
        let text = text(name);
        assert!(
            text.trim_start().starts_with(first) && text.trim_end().ends_with(last),
            "{name}"
        );
    }
}

#[test]
fn manifests_leave_to_the_workspace_what_it_says() {
    for member in manifest::members() {
        assert_eq!(
            manifest::own_words(&manifest::of(&member)),
            Vec::<String>::new(),
            "{member}"
        );
    }
}

/// Every rule complains where it should, and only there.
mod rules_can_fail {
    use super::*;

    fn solve(text: &str) -> Source {
        Source::new("tuner-core/src/solve/step.rs", text)
    }

    #[test]
    fn layering() {
        let layers = rules::layers(
            "//! Layers, lowest first:\n//! `error`, `trace` · `model` ·\n//! `solve` · `cli`.\n",
        );
        assert_eq!(layers.len(), 4);
        let found = |text: &str| rules::layering(&solve(text), &layers).len();
        assert_eq!(
            found("use crate::model::X; use crate::solve::Y; use super::Z;"),
            0
        );
        assert_eq!(found("use crate::cli::X;"), 1);
        assert_eq!(found("fn f() { crate::cli::main() }"), 1);
        assert_eq!(found("use crate::{error::{A, cli}, cli::C, model};"), 1);
        assert_eq!(found("use super::super::cli::X;"), 1);
        assert_eq!(found("mod inner { use super::super::X; }"), 0);
        assert_eq!(found("mod inner { use super::super::super::cli; }"), 1);
        assert_eq!(found("#[cfg(test)] mod tests { use crate::cli::X; }"), 0);
        assert_eq!(
            found("#[cfg(all(test, unix))] mod tests { use crate::cli::X; }"),
            0
        );
        let unknown = Source::new("tuner-core/src/other.rs", "");
        assert_eq!(rules::layering(&unknown, &layers).len(), 1);
        let same = Source::new("tuner-core/src/error.rs", "use crate::trace::T;");
        assert_eq!(rules::layering(&same, &layers).len(), 1);
    }

    #[test]
    fn words() {
        let found = |text: &str, rule| rules::without(&solve(text), rule).len();
        assert_eq!(
            found(
                "fn f() { a.unwrap(); b.expect(\"c\"); panic!(); todo!() }",
                PANICS
            ),
            4
        );
        assert_eq!(
            found(
                "/// a.unwrap()\nfn f() { a.unwrap_or(b) }\n#[test]\n#[cfg(test)] fn g() { a.unwrap() }",
                PANICS
            ),
            0
        );
        assert_eq!(
            found(
                "fn f() { println!(); std::io::stderr(); std::env::args(); }",
                TALK
            ),
            3
        );
        assert_eq!(found("use std::fs; use crate::param::Layout;", OUTSIDE), 3);
        assert_eq!(
            rules::without(&solve("\n\nfn f() { dbg!(1) }"), TALK),
            ["tuner-core/src/solve/step.rs:3: `dbg!`"]
        );
    }

    #[test]
    fn public_types() {
        let found = |text: &str| rules::in_public(&solve(text), "nalgebra").len();
        let import = "use nalgebra::{DMatrix, Dyn as D};";
        assert_eq!(
            found(&format!(
                "{import} struct A(DMatrix); fn f(m: DMatrix) {{}}"
            )),
            0
        );
        assert_eq!(found("pub fn f() { nalgebra::zero() }"), 0);
        for public in [
            "pub fn f(m: DMatrix) {}",
            "pub struct A(pub D);",
            "pub enum A { B(DMatrix) }",
            "pub type A = DMatrix;",
            "pub trait A { fn b(&self) -> DMatrix; }",
            "impl A { pub fn b(&self) -> nalgebra::DVector { c } }",
            "impl From<DMatrix> for A {}",
            "impl Iterator for A { type Item = D; }",
            "pub use nalgebra::DVector;",
        ] {
            assert_eq!(found(&format!("{import} {public}")), 1, "{public}");
        }
    }

    #[test]
    fn texts() {
        assert_eq!(
            rules::lines_of_code("// a\n\nfn f() {\n    // b\n    1\n}\n"),
            3
        );
        assert_eq!(
            manifest::first_block("a\n```sh\nb\nc\n```\nd\n```\ne\n```"),
            ["b", "c"]
        );
        let table = "`a_b`\n## Invariants\n| never | kept by |\n|---|---|\n| `x` | `c_d` in `e/f.rs`; `check`, `g/*` |\n";
        assert_eq!(rules::keepers(table), ["c_d", "e/f.rs"]);
        let home = ["/ho", "me/"].concat();
        assert!(machine_path(&format!("see {home}someone"), &home));
        assert!(machine_path(&format!("\"{home}someone\""), &home));
        assert!(!machine_path(&format!("https://example.org{home}"), &home));
    }

    #[test]
    fn manifests() {
        let linked = "tuner-core v0.1.0 MIT OR Apache-2.0\nx v1.0.0 GPL-2.0-only\ny v1 LGPL-3.0 OR MIT\nshakmaty v1 \n";
        assert_eq!(
            manifest::gpl(linked),
            ["x v1.0.0 GPL-2.0-only", "shakmaty v1 "]
        );
        assert!(manifest::gpl(&manifest::linked("tuner-chess", &[])).len() > 1);
        let table = "[package]\nversion = '1'\nedition.workspace = true\nrust-version.workspace = true\nauthors.workspace = true\npublish.workspace = true\n[dependencies]\nx = '1'\ny = { path = 'y' }\nz.workspace = true\n";
        let own = manifest::own_words(&table.parse().unwrap());
        assert_eq!(own, ["package.version", "lints", "dependencies.x"]);
        assert!(manifest::texts_of("Unlicense").is_none());
    }
}
