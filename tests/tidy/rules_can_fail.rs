//! Every rule complains where it should, and only there.

use super::*;

fn solve(text: &str) -> Source {
    Source::new("crates/solve/src/step.rs", text)
}

#[test]
fn sequences() {
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
        2
    );
    assert_eq!(
        found("fn f() { println!(); eprint!(\"x\"); say!() }", PRINTS),
        2
    );
    assert_eq!(found("use std::fs; use crate::param::Layout;", OUTSIDE), 3);
    assert_eq!(
        rules::without(&solve("\n\nfn f() { dbg!(1) }"), PRINTS),
        ["crates/solve/src/step.rs:3: `dbg!`"]
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
    let page = "one two\n```\nthree\n```\n| four |\n";
    assert_eq!(rules::words_of_prose(page), 3);
    assert_eq!(rules::long_lines(page, 5), [(1, 7)]);
    let table = "`a_b`\n## Invariants\n| never | kept by |\n|---|---|\n| `x` | `c_d` in `e/f.rs`; `check`, `g/*` |\n";
    assert_eq!(rules::keepers(table), ["c_d", "e/f.rs"]);
    let home = ["/ho", "me/"].concat();
    assert!(machine_path(&format!("see {home}someone"), &home));
    assert!(machine_path(&format!("\"{home}someone\""), &home));
    assert!(!machine_path(&format!("https://example.org{home}"), &home));
}

#[test]
fn retired_words() {
    let found = |text: &str| words::retired("a.rs", text).len();
    for text in [
        "// is Torn",
        "fn is_torn()",
        "struct BeliefOf;",
        "// written\n// whole",
        "without_matrix",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    assert_eq!(found("// tornado, a whole file, relief"), 0);
    assert_eq!(
        words::retired("a.rs", "\n// torn"),
        ["a.rs:2: `torn`; say truncated"]
    );
}

#[test]
fn doc_comments() {
    let found = |text: &str| words::unclear_docs("a.rs", text).len();
    for text in [
        "/// The same back.\nfn f() {}",
        "    //! The same, of bytes.",
        "/// A value.\n/// Bytes that are\n/// no game.",
        "/// ```\n/// f()\n/// ```\n/// A word that is no move.",
        "struct A {\n    /// A.\n    a: B,\n    /// The same of b.\n    b: B,\n}",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    for text in [
        "// The same back.",
        "/// A pass.\n/// The same bits on any number of threads.",
        "/// A form that is no longer in use, one of those that are no more.",
        "/// ```\n/// // bytes that are no game\n/// ```",
        "/// Bytes that are\nconst A: B = c; // no game",
        "let message = \"a word that is no move\";",
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
    assert_eq!(
        words::unclear_docs("a.rs", "\n/// Text that is no date."),
        ["a.rs:2: `that is no`; say that is not"]
    );
}

#[test]
fn debugged_identities() {
    let found = |text: &str| rules::debugged_identities(&solve(text)).len();
    for text in [
        "fn identity(rules: Rules) -> String { format!(\"{rules:?}\") }",
        "impl A { fn key(&self) -> u64 { Fingerprint::of(&format!(\"{:?}\", self)) } }",
        "fn f() { let identity = json!({ \"how\": format!(\"{how:#?}\") }); }",
    ] {
        assert_eq!(found(text), 1, "{text}");
    }
    for text in [
        "fn identity(rules: Rules) -> String { rules.line() }",
        "fn refused(word: &str) -> String { format!(\"found {word:?}\") }",
        "fn identity() {} fn refused() { format!(\"{:?}\", a) }",
    ] {
        assert_eq!(found(text), 0, "{text}");
    }
}

#[test]
fn public_names() {
    let types = rules::public_types(&solve(
        "pub struct A; struct B; pub(crate) enum C {} pub trait D {}",
    ));
    assert_eq!(types, ["A", "D"]);
    let declared = [("A", "x"), ("B", "x"), ("A", "y")].map(|(n, p)| (n.to_owned(), p.to_owned()));
    assert_eq!(rules::shared_names(&declared), ["`A` is public in x and y"]);
}

#[test]
fn manifests() {
    let linked = "tuner-core v0.1.0 MIT OR Apache-2.0\nx v1.0.0 GPL-2.0-only\ny v1 LGPL-3.0 OR MIT\nshakmaty v1 \n";
    assert_eq!(
        manifest::gpl(linked),
        ["x v1.0.0 GPL-2.0-only", "shakmaty v1 "]
    );
    assert!(manifest::gpl(&manifest::linked(&["tuner-chess"], &[])).len() > 1);
    let linked = "serde_json v1 MIT\ntuner-engine v0.1.0 MIT\ntuner v0.1.0 MIT\n";
    assert_eq!(
        manifest::named(linked, &["tuner", "serde*"]),
        ["serde_json v1 MIT", "tuner v0.1.0 MIT"]
    );
    let table = "[package]\nversion = '1'\nedition.workspace = true\nrust-version.workspace = true\nauthors.workspace = true\npublish.workspace = true\n[dependencies]\nx = '1'\ny = { path = 'y' }\nz.workspace = true\n";
    let own = manifest::own_words(&table.parse().unwrap());
    assert_eq!(own, ["package.version", "lints", "dependencies.x"]);
    assert!(manifest::texts_of("Unlicense").is_none());
}

#[test]
fn tests_that_nothing_compiles() {
    let manifest = "[lib]\ntest = false\ndoctest = false\n[[bin]]\ntest = false\n";
    let overlooked = |manifest: &str, name: &str, text: &str| {
        let files = [(name.to_owned(), text.to_owned())];
        manifest::overlooked(&manifest.parse().unwrap(), &files).len()
    };
    for (name, text, expected) in [
        ("src/a.rs", "#[test]", 1),
        ("src/a.rs", "proptest! {", 1),
        ("src/a.rs", "//! ```", 1),
        ("src/main.rs", "#[test]", 1),
        ("src/main.rs", "/// ```", 0),
        ("tests/a.rs", "#[test]", 0),
    ] {
        assert_eq!(overlooked(manifest, name, text), expected, "{name}: {text}");
        assert_eq!(overlooked("[lib]\npath = 'b.rs'\n", name, text), 0);
    }
}

#[test]
fn checks_that_nothing_runs() {
    let found = |callers: &str, test: &str| {
        let tests = [("a.rs".to_owned(), test.to_owned())];
        rules::left_out(callers, &[".ci/docs"], &tests).len()
    };
    assert_eq!(found("step docs .ci/docs", "#[test]"), 0);
    assert_eq!(
        found("# see .ci/docs\nstep lints .ci/docs-of", "#[test]"),
        1
    );
    let ignored = |reason: &str| found(".ci/docs", &format!("    #[ignore = \"{reason}\"]\n"));
    assert_eq!(ignored("slow; .ci/docs runs it"), 0);
    assert_eq!(ignored("measures speed"), 0);
    assert_eq!(ignored("slow"), 1);
    assert_eq!(ignored("slow; .ci/other runs it"), 1);
}

#[test]
fn books() {
    let page =
        "# A b, `c`!\n[x](../e.rs) `[y](no.md)`\n```\n[z](no.md)\n```\n[w](b.md#here) [v](#a-b-c)";
    let targets = ["../e.rs", "b.md#here", "#a-b-c"];
    let found = pages::links(page).into_iter().map(|(_, target)| target);
    assert!(found.eq(targets));
    let broken = |page: &str| {
        let exists = |name: &str| ["e.rs", "docs/b.md", "docs/a.md"].contains(&name);
        let read = |name: &str| {
            if name == "docs/a.md" {
                page.to_owned()
            } else {
                "## here".into()
            }
        };
        pages::broken_links("docs/a.md", page, &exists, &read)
    };
    assert_eq!(broken(page), [""; 0]);
    let web = "https://github.com/tuner-rs/tuner/blob/main/";
    let more =
        format!("\n[](c.md)\n[](b.md#there)\n[]({web}docs/b.md#here)\n[]({web}d)\n[](http://a.b)");
    let places = [
        "docs/a.md:2: `c.md`",
        "docs/a.md:3: `b.md#there`",
        "docs/a.md:5: `https",
    ];
    let found = broken(&more);
    assert!(
        found
            .iter()
            .zip(places)
            .all(|(found, place)| found.starts_with(place)),
        "{found:?}"
    );
    assert_eq!(found.len(), places.len());
    let listed = pages::unlisted(
        "[](a.md)\n[](a.md)\n[](b.md)",
        &["a.md", "b.md", "c.md"].map(str::to_owned),
    );
    assert_eq!(listed, ["a.md: listed 2 times", "c.md: listed 0 times"]);
    assert!(pages::ends_with_next("# A\n## Next\n### b\n```\n## c\n```"));
    assert!(!pages::ends_with_next("## Next\n## B"));
}
